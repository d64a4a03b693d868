import { type CallerOptions, createCaller } from "../../lib/client/caller.ts";
import { SvcError, toSvcError } from "../../lib/errors.ts";
import { onAbort } from "../../utils/async/abort.ts";
import type { JsonValue } from "../../utils/json.ts";
import { GrantedCalls } from "../engine/live_calls.ts";
import type { BatchInput } from "../inputs/batch_input.ts";
import type { Fingerprint } from "../inputs/fingerprint.ts";
import { checkInputs, estimateInputs, fingerprintFile, hasMoreInputs, openInputs } from "../inputs/open_inputs.ts";
import type { Journal, RunSettings } from "../journal/journal.ts";
import { type BatchSummary, type InputResult, runBatch, toBatchError, toInputResult } from "./batch.ts";
import { checkFile, checkStartedInputs, tooFewInputs } from "./check_file.ts";
import { claimRun } from "./claim_run.ts";
import { describeRun } from "./describe_run.ts";
import { describeService } from "./describe_service.ts";
import {
  addCommands,
  type ContinueCommand,
  type JournalLocation,
  listContinueCommands,
  toRunCommand,
} from "./hints.ts";
import { interrupted } from "../sandbox/host/interruption.ts";
import { openWorkflow } from "../scripts/open_workflow.ts";
import type { InputSource } from "./input_source.ts";
import { DEFAULT_CONCURRENCY, type InputCounts, type WorkOptions } from "./options.ts";
import { grantAll, openCaller } from "./open_caller.ts";
import { prepareRun } from "./prepare_run.ts";
import { forgetInput } from "./prune.ts";
import { parseMaxFailures } from "./rate.ts";
import { EndedRun, type Run, type RunSummary } from "./run.ts";
import { Runner } from "./runner.ts";

/** Milliseconds between two checks whether the run was cancelled. */
const CANCEL_CHECK_MILLISECONDS = 1000;

/** Seconds of waiting from which an input gives up its process. Replaying its history costs less than that. */
const DEFAULT_RELEASE_SECONDS = 1;

/** A run to work on. */
export interface Execution {
  /** Identifier of the run. */
  readonly id: string;
  /** Settings to work with. */
  readonly settings: RunSettings;
  /** Journal; undefined for a run without one. */
  readonly journal?: Journal;
  /** Location of the journal, if it is not the default one. */
  readonly location?: JournalLocation;
  /** How the run is worked on. */
  readonly mode: "start" | ContinueCommand;
  /** True returns the run without working on it, if the run has ended. */
  readonly once?: boolean;
  /** Fingerprint of the file of inputs, if it was read before. */
  readonly file?: Fingerprint;
  /** True continues with another script or service. */
  readonly force?: boolean;
  /** True continues with a file of inputs that has changed. */
  readonly acceptChangedInputs?: boolean;
  /** Options of the caller. */
  readonly work: WorkOptions;
  /** Source of the inputs, as soon as it is open. */
  readonly source?: InputSource;
  /** How to reach the service. */
  readonly service: CallerOptions;
}

/** Claims a run, loads its script, and records the run or its changes. */
export async function openRun(execution: Execution): Promise<Run> {
  const { id, settings, journal, mode, force = false, work } = execution;
  await using resources = new AsyncDisposableStack();
  resources.use(journal && await claimRun(journal, execution));
  await checkState(execution); // Another process may have ended the run before it released the claim.
  const ended = await findEnded(execution);
  if (ended !== undefined) return ended;
  const callerOptions = { ...execution.service, profile: settings.profile };
  const service = describeService(callerOptions);
  const workflow = resources.use(
    await openWorkflow({ ...work, script: settings.script, root: settings.root, limits: settings.limits }),
  );
  const file = await readFile(execution);
  let reopened = 0;
  let nonce: string | undefined;
  if (journal !== undefined) {
    try {
      const { configDirectory } = execution.service;
      const preparation = { id, journal, settings, service, file, retries: mode === "retry", force, configDirectory };
      reopened = await prepareRun(workflow, preparation);
      nonce = (await journal.findRun(id))?.settings.nonce;
    } catch (error) {
      if (!(error instanceof SvcError) || mode === "start") throw error; // A new run was not recorded.
      throw addCommands(error, execution, [mode]);
    }
  }
  const caller = service === undefined
    ? createCaller(callerOptions)
    : await openCaller(execution.settings, work.onOutage, callerOptions, resources);
  const live = new GrantedCalls(caller, workflow, settings.onUnknown);
  const source = work.source?.(new GrantedCalls(caller, grantAll(workflow)), journal?.inputs(id) ?? noRecords());
  // A source counts the inputs in progress by those that have a process.
  const releaseAfter = source ? Infinity : (work.releaseAfterSeconds ?? DEFAULT_RELEASE_SECONDS) * 1000;
  const runner = new Runner({ workflow, live, journal, id, nonce, force, source, releaseAfter, keep: settings.keep });
  resources.use(interruptOn(execution, runner));
  return new ActiveRun({ ...execution, file, source }, runner, reopened, resources.move());
}

/** Returns the run if it has ended and must not run again. */
async function findEnded({ once = false, journal, id, location }: Execution): Promise<Run | undefined> {
  if (!once || journal === undefined) return undefined;
  const run = await journal.findRun(id);
  return run === undefined || run.state === "open"
    ? undefined
    : new EndedRun(await describeRun(journal, run), location);
}

/** Reads the file of the inputs once, to find out whether it has changed since the run started. */
async function readFile(execution: Execution): Promise<Fingerprint | undefined> {
  const {
    id,
    settings: { each, eachLink },
    journal,
    mode,
    acceptChangedInputs = false,
    work: { inputs, source, onProgress },
  } = execution;
  if (each === undefined || inputs !== undefined || source !== undefined) return undefined;
  await checkInputs(each, eachLink);
  if (journal === undefined) return onProgress && await fingerprintFile(each);
  const { file: before, earlierFiles = [] } = (await journal.findRun(id))?.settings ?? {};
  if (before === undefined && execution.file !== undefined) return execution.file;
  // An accepted file is not compared. It may be much longer, and its blocks are recorded.
  const file = await fingerprintFile(each, acceptChangedInputs ? undefined : before?.linesPerBlock);
  if (before === undefined || file === undefined) return file;
  try {
    if (acceptChangedInputs) await checkStartedInputs(journal, id, each, eachLink);
    else {
      const hasChangedBefore = earlierFiles.length > 0;
      await checkFile(journal, { id, path: each, before, hasChangedBefore, now: file, retries: mode === "retry" });
    }
  } catch (error) {
    throw error instanceof SvcError ? addCommands(error, execution, mode === "start" ? [] : [mode]) : error;
  }
  return file;
}

/** A run that this process works on. */
class ActiveRun implements Run {
  readonly id: string;
  readonly name: string;
  readonly isBatch: boolean;
  readonly reopened: number;
  readonly #execution: Execution;
  readonly #runner: Runner;
  readonly #resources: AsyncDisposableStack;
  readonly #results: AsyncGenerator<InputResult, void>;
  readonly #summary = Promise.withResolvers<RunSummary>();
  #hasEnded = false;

  constructor(execution: Execution, runner: Runner, reopened: number, resources: AsyncDisposableStack) {
    this.id = execution.id;
    this.name = runner.workflow.name;
    this.isBatch = execution.settings.each !== undefined;
    this.reopened = reopened;
    this.#execution = execution;
    this.#runner = runner;
    this.#resources = resources;
    this.#results = this.#work();
    this.#summary.promise.catch(() => {}); // Thrown by `finish`.
  }

  get results(): AsyncIterable<InputResult> {
    return this.#results;
  }

  async finish(): Promise<RunSummary> {
    for await (const _ of this.#results);
    return await this.#summary.promise;
  }

  async interrupt(): Promise<void> {
    await this.#runner.interrupt();
  }

  addResumeHint(error: unknown): unknown {
    const isResumable = this.#execution.journal !== undefined && error instanceof SvcError;
    return isResumable ? addCommands(error, this.#execution, ["resume"]) : error;
  }

  /** Interrupts the run if it has not ended, and releases its claim and its processes. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#hasEnded) await this.#runner.interrupt();
    await this.#results.return();
    await this.#release();
  }

  async *#work(): AsyncGenerator<InputResult, void> {
    try {
      const end = yield* this.#runInputs();
      this.#summary.resolve(await this.#conclude(end));
      this.#hasEnded = true;
    } catch (error) {
      this.#hasEnded = true;
      this.#summary.reject(error);
      throw error;
    } finally {
      if (!this.#hasEnded) await this.#abandon();
      await this.#release();
    }
  }

  /** Interrupts a run whose results are no longer read. */
  async #abandon(): Promise<void> {
    this.#hasEnded = true;
    await this.#runner.interrupt();
    await this.#conclude().then(this.#summary.resolve, this.#summary.reject);
  }

  async #release(): Promise<void> {
    await this.#resources.disposeAsync();
  }

  async *#runInputs(): AsyncGenerator<InputResult, RunEnd> {
    try {
      return yield* this.isBatch ? this.#runBatch() : this.#runSingle();
    } catch (error) {
      await this.#runner.interrupt();
      throw this.addResumeHint(error);
    }
  }

  async *#runSingle(): AsyncGenerator<InputResult, RunEnd> {
    const { settings, work: { onLog } } = this.#execution;
    const input = { number: 1, place: "input", value: settings.input };
    const outcome = await this.#runner.run(input, (text) => onLog?.(text, input.place));
    if (!("failure" in outcome)) {
      yield toInputResult(input.place, outcome);
      return { counts: { inputs: 1, succeeded: 1, failed: 0, stopped: 0 }, commands: [] };
    }
    const { failure: error, isOpen = false } = outcome;
    if (!this.#runner.isInterrupted) yield toInputResult(input.place, outcome);
    const counts = { inputs: 1, succeeded: 0, failed: isOpen ? 0 : 1, stopped: isOpen ? 1 : 0 };
    return { counts, error, commands: [isOpen ? "resume" : "retry"] };
  }

  async *#runBatch(): AsyncGenerator<InputResult, RunEnd> {
    const { settings, work, file, source, mode } = this.#execution;
    const { concurrency = DEFAULT_CONCURRENCY, rate, maxFailures, each = "", eachLink } = settings;
    const { onLog, onProgress, onFailure, onEnd } = work;
    const summary = yield* runBatch(
      this.#runner,
      source?.inputs ?? (work.inputs ? toInputs(work.inputs) : await openInputs(each, eachLink)),
      {
        concurrency,
        rate,
        total: file && estimateInputs(file, each, eachLink),
        omitsEnded: mode === "retry",
        onFailure,
        isEnough: maxFailures === undefined ? undefined : parseMaxFailures(maxFailures),
        onProgress,
        onLog,
      },
    );
    const isCut = summary.isLimitReached && await this.#hasMoreInputs(summary);
    const { inputs, succeeded, failed, stopped } = summary;
    const counts = { inputs, succeeded, failed, stopped, ...(isCut && { reachedMaxFailures: maxFailures }) };
    onEnd?.(counts);
    return { counts, error: toBatchError(summary), commands: listContinueCommands({ failed, stopped, isCut }) };
  }

  async #hasMoreInputs({ read, inputs }: BatchSummary): Promise<boolean> {
    const { settings: { each = "", eachLink }, work } = this.#execution;
    return read > inputs || work.inputs !== undefined || await hasMoreInputs(read, each, eachLink);
  }

  /** Records the state of the run, and returns its outcome. */
  async #conclude(end: RunEnd = { counts: NO_INPUTS, commands: [] }): Promise<RunSummary> {
    const { id, journal } = this.#execution;
    const { counts, error, commands } = end;
    const { isInterrupted } = this.#runner;
    try {
      if (isInterrupted) await this.#runner.interrupt();
      else if (counts.reachedMaxFailures === undefined) await this.#recordState(counts.inputs);
      await journal?.durable();
    } catch (error) {
      throw this.addResumeHint(error);
    }
    if (isInterrupted) {
      const { stoppedBy } = this.#runner;
      throw stoppedBy ? this.addResumeHint(stoppedBy) : await createInterruptedError(this.#execution);
    }
    if (error === undefined) return { id, ...counts };
    if (journal === undefined) return { id, ...counts, error };
    const hasInput = this.#execution.settings.input !== undefined;
    return { id, ...counts, error: addCommands(error, { ...this.#execution, hasInput }, commands) };
  }

  /** Records that the run has ended, unless an input is open. Throws if an input is no longer in the file. */
  async #recordState(found: number): Promise<void> {
    const { id, journal } = this.#execution;
    if (journal === undefined) return;
    const { inputs, succeeded, failed } = await journal.countInputs(id);
    if (found < inputs) throw tooFewInputs(inputs, found);
    if (succeeded + failed < inputs) return;
    await journal.setState(id, failed === 0 ? "done" : "failed");
    if (failed > 0 || this.#execution.settings.keep !== "nothing") return;
    const run = await journal.findRun(id);
    if (run !== undefined) await forgetInput(journal, run);
  }
}

/** The end of the inputs of a run. */
interface RunEnd {
  readonly counts: InputCounts;
  readonly error?: SvcError;
  readonly commands: readonly ContinueCommand[];
}

const NO_INPUTS: InputCounts = { inputs: 0, succeeded: 0, failed: 0, stopped: 0 };

async function* noRecords(): AsyncGenerator<never> {}

async function* toInputs(values: Iterable<JsonValue> | AsyncIterable<JsonValue>): AsyncGenerator<BatchInput> {
  let number = 0;
  for await (const value of values) yield { place: `inputs:${++number}`, value };
}

async function checkState(execution: Execution): Promise<void> {
  const { journal, id, mode } = execution;
  const state = await journal?.readState(id);
  if (state === "cancelled") throw await createInterruptedError(execution);
  if (mode === "start" || state !== undefined) return;
  throw new SvcError("INVALID_ARGS", `Run ${id} was deleted.`, {
    hint: "Its changes stay applied. Start a new run.",
  });
}

/** Interrupts a run when its signal aborts, the run is cancelled, or the journal cannot be read. */
function interruptOn({ work: { signal }, journal, id }: Execution, runner: Runner): Disposable {
  using stack = new DisposableStack();
  if (signal !== undefined) stack.use(onAbort(signal, () => void runner.interrupt()));
  if (journal !== undefined) {
    const check = async () => {
      try {
        if (await journal.readState(id) === "cancelled") void runner.interrupt();
      } catch (error) {
        void runner.interrupt(toSvcError(error));
      }
    };
    const timer = setInterval(() => void check(), CANCEL_CHECK_MILLISECONDS);
    stack.defer(() => clearInterval(timer));
  }
  return stack.move();
}

async function createInterruptedError(execution: Execution): Promise<SvcError> {
  const { id, journal } = execution;
  if (journal === undefined) return interrupted();
  if (await journal.readState(id) === "cancelled") return new SvcError("INTERRUPTED", `Run ${id} was cancelled.`);
  return new SvcError("INTERRUPTED", `Run ${id} was interrupted. Its history is kept.`, {
    hint: { commands: [toRunCommand("resume", execution, "to continue")] },
  });
}
