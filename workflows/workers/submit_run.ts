/** Starts runs whose inputs are processed by workers. */
import type { CallerOptions } from "../../lib/client/caller.ts";
import { type ErrorRecord, SvcError } from "../../lib/errors.ts";
import { abortable, delay, onAbort } from "../../utils/async/abort.ts";
import type { JsonValue } from "../../utils/json.ts";
import type { PasswordSource } from "../../utils/postgres/password.ts";
import { toRecordedError } from "../engine/history.ts";
import { checkInputs, openInputs } from "../inputs/open_inputs.ts";
import type { RunSettings } from "../journal/journal.ts";
import { openPostgresJournal, type PostgresJournal } from "../journal/postgres/postgres_journal.ts";
import { checkRunId, newRunId } from "../journal/run_id.ts";
import { type InputResult, MAX_NAMED_FAILURES, toBatchError } from "../runs/batch.ts";
import { describeService } from "../runs/describe_service.ts";
import { addCommands, listContinueCommands, toRunCommand } from "../runs/hints.ts";
import { resolveInputs, type StartRunOptions, toSettings } from "../runs/options.ts";
import { createNonce } from "../runs/prepare_run.ts";
import type { Run, RunSummary } from "../runs/run.ts";
import { openWorkflow } from "../scripts/open_workflow.ts";
import { packScript } from "./pack_script.ts";
import { groupInputs, type QueuedInput } from "./record_run.ts";
import { type QueueProgress, WorkQueue } from "./work_queue.ts";

/** Milliseconds between two searches for results. */
const POLL_MILLISECONDS = 150;

/** Milliseconds between two checks of the progress. */
const PROGRESS_MILLISECONDS = 1000;

/** Options of `submitRun`. */
export interface SubmitOptions extends StartRunOptions {
  /** Location of the journal of the workers. */
  readonly workers: string;
  /** Source of the password of the journal. Default: the variable `PGPASSWORD`, or no password. */
  readonly password?: PasswordSource;
  /** Runs with a higher priority come first. Default: 0. */
  readonly priority?: number;
}

/**
 * Records a run with its script, and its inputs while they are read. Workers process the inputs. The results can be read
 * here in the order of the inputs. If a run with the identifier exists, its inputs are completed and its results read.
 */
export async function submitRun(options: SubmitOptions, service: CallerOptions): Promise<SubmittedRun> {
  const { workers, password, inputs } = options;
  const id = options.id === undefined ? newRunId() : checkRunId(options.id);
  const settings = await resolveInputs(toSettings(options, service.profile), options.each);
  const { input, each, eachLink } = settings;
  if (each !== undefined && inputs === undefined) await checkInputs(each, eachLink);
  await using workflow = await openWorkflow({ ...options, limits: settings.limits });
  await using stack = new AsyncDisposableStack();
  const journal = stack.use(await openPostgresJournal(workers, { password, patienceMilliseconds: 60_000 }));
  const queue = new WorkQueue(journal);
  const { name, digest } = workflow;
  const earlier = await journal.findRun(id);
  if (earlier === undefined) {
    const recorded = {
      ...settings,
      grants: [...workflow.grants],
      service: describeService(service),
      nonce: createNonce(),
    };
    const script = await packScript(workflow);
    const { concurrency, rate } = settings;
    const limits = { concurrency, rate, priority: options.priority };
    await queue.submit({ id, name, digest, settings: recorded, startedAt: Date.now(), script, ...limits });
  } else if (earlier.digest !== digest) {
    throw new SvcError("INVALID_ARGS", `Run ${id} was started with another script.`, {
      hint: "Use another identifier.",
    });
  }
  const resources = stack.move();
  return new SubmittedRun({
    id,
    name,
    journal,
    queue,
    options,
    inputs: numberInputs({ input, each, eachLink, inputs }),
    resources,
  });
}

/** Numbers the values, the inputs of a file, or the only input. */
export function numberInputs(
  { input, each, eachLink, inputs }: Pick<RunSettings, "input" | "each" | "eachLink"> & Pick<SubmitOptions, "inputs">,
): AsyncGenerator<QueuedInput> {
  if (inputs !== undefined) return numberValues(inputs, false);
  return each === undefined ? numberValues([input], true) : readFile(each, eachLink);
}

async function* readFile(path: string, link?: string): AsyncGenerator<QueuedInput> {
  let number = 0;
  for await (const input of await openInputs(path, link)) yield { ...input, number: ++number };
}

async function* numberValues(
  values: Iterable<JsonValue | undefined> | AsyncIterable<JsonValue>,
  isSingle: boolean,
): AsyncGenerator<QueuedInput> {
  let number = 0;
  for await (const value of values) {
    number++;
    yield { number, place: isSingle ? "input" : `inputs:${number}`, value };
  }
}

/** Options for following a run. */
type FollowOptions = Pick<
  SubmitOptions,
  | "workers"
  | "password"
  | "each"
  | "inputs"
  | "signal"
  | "maxFailures"
  | "onProgress"
  | "onFailure"
  | "onEnd"
  | "onNoWorker"
>;

/** The parts of a submitted run. */
interface Submission {
  readonly id: string;
  readonly name: string;
  readonly journal: PostgresJournal;
  readonly queue: WorkQueue;
  readonly options: FollowOptions;
  readonly inputs: AsyncIterable<QueuedInput>;
  /** Number of failed inputs that were opened again. Default: 0. */
  readonly reopened?: number;
  /** Numbers of inputs whose results are left out. Default: none. */
  readonly omitted?: ReadonlySet<number>;
  readonly resources: AsyncDisposable;
}

/** A run that workers process. Leaving its results early does not interrupt it. */
export class SubmittedRun implements Run {
  readonly id: string;
  readonly name: string;
  readonly isBatch: boolean;
  readonly reopened: number;
  readonly #submission: Submission;
  readonly #stop = new AbortController();
  readonly #results: AsyncGenerator<InputResult, void>;
  readonly #summary = Promise.withResolvers<RunSummary>();
  readonly #recording: Promise<void>;
  readonly #failures: string[] = [];
  #lastError?: ErrorRecord;
  #stopped = 0;
  #isRecorded = false;
  #hasNotedNoWorker = false;

  /** Use `submitRun`. */
  constructor(submission: Submission) {
    const { id, name, reopened = 0, options: { each, inputs, signal } } = submission;
    this.id = id;
    this.name = name;
    this.reopened = reopened;
    this.isBatch = each !== undefined || inputs !== undefined;
    this.#submission = submission;
    if (signal !== undefined) onAbort(signal, () => this.#stop.abort());
    this.#recording = this.#record();
    this.#recording.catch(() => {}); // Thrown by `recorded` and `results`.
    this.#results = this.#follow();
    this.#summary.promise.catch(() => {}); // Thrown by `finish`.
  }

  /** Resolves when all inputs are recorded. */
  get recorded(): Promise<void> {
    return this.#recording;
  }

  get results(): AsyncIterable<InputResult> {
    return this.#results;
  }

  async finish(): Promise<RunSummary> {
    for await (const _ of this.#results);
    return await this.#summary.promise;
  }

  interrupt(): Promise<void> {
    this.#stop.abort();
    return Promise.resolve();
  }

  addResumeHint(error: unknown): unknown {
    return error instanceof SvcError ? addCommands(error, this.#reference, []) : error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#recording.catch(() => {});
    await this.#submission.resources[Symbol.asyncDispose]();
  }

  get #reference() {
    const { workers, password } = this.#submission.options;
    return { id: this.id, location: { path: workers, password } };
  }

  /** Records the inputs that are not recorded yet. */
  async #record(): Promise<void> {
    const { queue, inputs } = this.#submission;
    const last = await queue.findLastInput(this.id);
    const { signal } = this.#stop;
    for await (const group of groupInputs(untilAborted(inputs, signal))) {
      if (signal.aborted) return;
      const added = group.filter(({ number }) => number > last);
      if (added.length > 0) await queue.addInputs(this.id, added);
    }
    if (signal.aborted) return;
    await queue.completeInputs(this.id);
    this.#isRecorded = true;
  }

  /** Yields the results in the order of the inputs, until the run has ended. */
  async *#follow(): AsyncGenerator<InputResult, void> {
    try {
      yield* this.#readResults();
    } catch (error) {
      this.#summary.reject(error);
      throw error;
    }
  }

  async *#readResults(): AsyncGenerator<InputResult, void> {
    const { queue, omitted, options: { onProgress, onFailure } } = this.#submission;
    const failed = this.#recording.then(() => new Promise<never>(() => {}));
    failed.catch(() => {}); // Thrown below.
    let last = 0;
    let readAt = 0;
    let progress: QueueProgress | undefined;
    for (;;) {
      if (this.#stop.signal.aborted) throw this.#createLeftError();
      // It counts all inputs, so that it is not read each time.
      const mayEnd = progress?.isComplete && last >= progress.total;
      if (mayEnd || Date.now() - readAt > PROGRESS_MILLISECONDS) {
        progress = await queue.readProgress(this.id);
        readAt = Date.now();
        if (progress !== undefined) await this.#noteNoWorker(progress);
      }
      for (
        let page = await queue.readEnded(this.id, last);
        page.length > 0;
        page = await queue.readEnded(this.id, last)
      ) {
        for (const { number, result, isStopped } of page) {
          last = number;
          if (isStopped) this.#stopped++;
          if (omitted?.has(number)) continue;
          if ("error" in result) {
            onFailure?.(result);
            this.#lastError = result.error;
            if (this.#failures.length < MAX_NAMED_FAILURES) {
              this.#failures.push(`${result.input} (${result.error.code})`);
            }
          }
          yield result;
        }
      }
      if (progress === undefined) throw new SvcError("INVALID_ARGS", `Run ${this.id} was deleted.`);
      if (progress.state === "cancelled") throw new SvcError("INTERRUPTED", `Run ${this.id} was cancelled.`);
      const { total, perSecond, isComplete, running, ...counts } = progress;
      const failures = counts.failed + counts.stopped;
      const done = counts.succeeded + failures;
      onProgress?.({ done, failed: failures, perSecond, ...(isComplete && { total }) });
      if ((isComplete && last >= total) || (progress.hasReachedMaxFailures && running === 0)) {
        await this.#recording;
        // Inputs may have ended since it was read.
        return this.#summary.resolve(this.#conclude(await queue.readProgress(this.id) ?? progress));
      }
      await Promise.race([delay(POLL_MILLISECONDS, this.#stop.signal).catch(() => {}), failed]);
    }
  }

  /** Tells the caller once that the run waits because no worker is running. */
  async #noteNoWorker({ state, running, hasReachedMaxFailures }: QueueProgress): Promise<void> {
    const { queue, options: { onNoWorker } } = this.#submission;
    if (onNoWorker === undefined || this.#hasNotedNoWorker) return;
    if (state !== "open" || running > 0 || hasReachedMaxFailures || await queue.hasWorkers()) return;
    this.#hasNotedNoWorker = true;
    onNoWorker(this.#reference.location);
  }

  #conclude({ total, succeeded, failed, hasReachedMaxFailures }: QueueProgress): RunSummary {
    const { onEnd, maxFailures } = this.#submission.options;
    const inputs = succeeded + failed + this.#stopped;
    const isCut = hasReachedMaxFailures && inputs < total;
    const counts = {
      inputs,
      succeeded,
      failed,
      stopped: this.#stopped,
      ...(isCut && { reachedMaxFailures: String(maxFailures) }),
    };
    const hasInput = !this.isBatch && total === 1;
    if (!hasInput) onEnd?.(counts);
    const batch = { ...counts, failures: this.#failures, isLimitReached: hasReachedMaxFailures, read: counts.inputs };
    const error = hasInput && this.#lastError ? toRecordedError(this.#lastError) : toBatchError(batch);
    if (error === undefined) return { id: this.id, ...counts };
    const commands = listContinueCommands({ failed, stopped: this.#stopped, isCut });
    return { id: this.id, ...counts, error: addCommands(error, { ...this.#reference, hasInput }, commands) };
  }

  #createLeftError(): SvcError {
    const watch = toRunCommand("watch", this.#reference, "to see its progress");
    if (this.#isRecorded) {
      return new SvcError("INTERRUPTED", `Workers continue run ${this.id}.`, {
        hint: { commands: [watch, toRunCommand("cancel", this.#reference, "to cancel it")] },
      });
    }
    return new SvcError("INTERRUPTED", `Not all inputs of run ${this.id} are recorded. Workers continue the others.`, {
      hint: `Repeat the command with --run-id ${this.id} to record the rest.`,
    });
  }
}

/** Yields items until a signal aborts. Does not wait for the item that is being read then, because a pipe may stay silent. */
async function* untilAborted<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const result = await abortable(iterator.next(), signal);
      if (result.done) return;
      yield result.value;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    iterator.return?.().catch(() => {}); // Not awaited: it settles after the item that is being read.
  }
}
