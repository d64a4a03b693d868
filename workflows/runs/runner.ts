import { SvcError, toSvcError } from "../../lib/errors.ts";
import { isTracing } from "../../lib/telemetry/tracing.ts";
import { delay, onAbort } from "../../utils/async/abort.ts";
import type { JsonValue } from "../../utils/json.ts";
import { type EventSink, InputRun } from "../engine/input_run.ts";
import { type LiveCalls, StopInput } from "../engine/live_calls.ts";
import { createStart } from "../engine/start_state.ts";
import {
  type Continuation,
  findContinuation,
  planRewind,
  readHistory,
  type Rewind,
  toContinuedEvent,
  toRecordedError,
  toRewindEvent,
} from "../engine/history.ts";
import type { BatchInput } from "../inputs/batch_input.ts";
import type {
  InputClaim,
  InputEnd,
  InputJournal,
  InputRecord,
  Keep,
  StoredEvent,
  WaitingInput,
} from "../journal/journal.ts";
import { isInputDamage } from "../journal/damage.ts";
import { isLostClaim } from "../journal/lost_claim.ts";
import { newRunId } from "../journal/run_id.ts";
import type { InputSource } from "./input_source.ts";
import { RecordedInputs } from "./recorded_inputs.ts";
import { KilledFromOutside } from "../sandbox/host/guest_errors.ts";
import { DEFAULT_LIMITS } from "../sandbox/host/limits.ts";
import { interrupted, LeftOpen, LostSharedProcess, StopsRun, Waits } from "../sandbox/host/interruption.ts";
import type { OpenWorkflow } from "../scripts/open_workflow.ts";

/** Options of a runner. */
export interface RunnerOptions {
  /** The script. */
  readonly workflow: OpenWorkflow;
  /** Makes the calls. */
  readonly live: LiveCalls;
  /** Journal; undefined to record nothing. */
  readonly journal?: InputJournal;
  /** Identifier of the run. */
  readonly id?: string;
  /** Random part of the idempotency keys, so that another run with the same identifier has other keys. */
  readonly nonce?: string;
  /** Choice of what remains of an input that succeeds. Default: `answers`. */
  readonly keep?: Keep;
  /** True continues an input whose script no longer matches its history. */
  readonly force?: boolean;
  /** Prepares and concludes each input. */
  readonly source?: Omit<InputSource, "inputs">;
  /**
   * Milliseconds of waiting from which an input gives up its process. It continues from its journal. Default: it keeps its
   * process.
   */
  readonly releaseAfter?: number;
}

/** An input with its number. */
export interface RunInput extends BatchInput {
  /** Number in the run, from 1. */
  readonly number: number;
  /** Its record, if it was read already. */
  readonly recorded?: InputRecord;
}

/** The outcome of an input. */
export type InputOutcome =
  & ({ readonly result?: JsonValue } | { readonly failure: SvcError })
  & {
    /** True if the input had ended before. */
    readonly hadEnded?: true;
    /** True if the input has not ended and continues when its run is resumed. */
    readonly isOpen?: true;
  };

/** An input that waits without a process. */
export interface InputWait {
  /** When it continues, in milliseconds since 1970. A signal may end the wait earlier. */
  readonly waitsUntil: number;
}

/** An attempt at an input. */
interface Attempt {
  readonly record: InputRecord;
  /** True if the journal contains only the start of the input. */
  readonly isNew: boolean;
  /** True if the input must have a process of its own. */
  readonly isAlone?: boolean;
}

/** Milliseconds between two checks for signals that end the wait of an input. */
export const SIGNAL_CHECK_MILLISECONDS = 200;

/** Number of attempts of an input whose sandbox is killed from outside. With a journal it continues where it was. */
const MAX_ATTEMPTS = 5;

/** Advice for inputs that have changed since the run started. */
export const OTHER_INPUTS_HINT =
  "To start a new run, cancel this one with 'svc workflow cancel' if it is unfinished. " +
  "To resume it, restore the file of the inputs.";

/** Runs the inputs of a run. Each continues from its history in the journal, and records its further steps there. */
export class Runner {
  /** Identifier of the run. */
  readonly id: string;
  /** The script. */
  readonly workflow: OpenWorkflow;
  readonly #options: RunnerOptions;
  readonly #active = new Map<InputRun, (reason: SvcError) => void>();
  readonly #interruption = new AbortController();
  #drained?: Promise<void>;
  #stoppedBy?: SvcError;
  /** Inputs that have given up a process of this runner. Only needed with `force`. */
  readonly #continued = new Set<number>();

  /** Creates a runner of an open script. */
  constructor(options: RunnerOptions) {
    this.#options = options;
    this.workflow = options.workflow;
    this.id = options.id ?? newRunId();
  }

  /** Aborts when the runner is interrupted. */
  get interruption(): AbortSignal {
    return this.#interruption.signal;
  }

  /** True after `interrupt` was called. */
  get isInterrupted(): boolean {
    return this.#drained !== undefined;
  }

  /** Error that interrupted the run; undefined if the user did. */
  get stoppedBy(): SvcError | undefined {
    return this.#stoppedBy;
  }

  /** Runs an input until it ends, with all its waits. Otherwise like `runUntilWait`. */
  async run(input: RunInput, onLog?: (text: string) => void): Promise<InputOutcome> {
    for (;;) {
      const outcome = await this.runUntilWait(input, onLog);
      if (!("waitsUntil" in outcome)) return outcome;
      await this.#waitFor(input.number, outcome);
      if (this.isInterrupted) return { failure: interrupted(), isOpen: true };
    }
  }

  /**
   * Runs an input until it ends or waits. Returns the recorded outcome of an input that has ended. An input with damaged
   * records stays open.
   */
  async runUntilWait(input: RunInput, onLog: (text: string) => void = () => {}): Promise<InputOutcome | InputWait> {
    try {
      return await (isTracing() ? this.#trace(input, onLog) : this.#runRecorded(input, onLog));
    } catch (thrown) {
      if (isInputDamage(thrown)) return { failure: thrown, isOpen: true };
      throw thrown;
    }
  }

  /** Returns the identifier of the trace of an input, if traces are on. */
  async findTraceId(number: number): Promise<string | undefined> {
    if (!isTracing()) return undefined;
    return (await import("./trace_input.ts")).deriveTraceId(this.#createKeyPrefix(number));
  }

  async #trace(input: RunInput, onLog: (text: string) => void): Promise<InputOutcome | InputWait> {
    const { traceInput } = await import("./trace_input.ts");
    const { number } = input;
    const traced = { workflow: this.workflow.name, run: this.id, number, keyPrefix: this.#createKeyPrefix(number) };
    return await traceInput(traced, () => this.#runRecorded(input, onLog));
  }

  async #runRecorded(input: RunInput, onLog: (text: string) => void): Promise<InputOutcome | InputWait> {
    const { journal } = this.#options;
    if (journal?.isBroken()) return { failure: this.#interruptBroken() };
    const known = input.recorded && this.#findKnownOutcome(input, input.recorded);
    if (known !== undefined) return known;
    await using claim = await journal?.claimInput(this.id, input.number);
    if (journal !== undefined && claim === undefined) throw alreadyClaimed(this.id, input);
    const recorded = await journal?.findInput(this.id, input.number);
    const changed = recorded && await this.#takeChange(recorded, input, claim);
    if (recorded && changed === undefined) checkUnchanged(recorded, input);
    if (recorded?.end) return { ...toOutcome(recorded.end), hadEnded: true };
    if (changed === undefined && recorded !== undefined && this.#stillWaits(recorded)) {
      return { waitsUntil: recorded.waitsUntil };
    }
    const record = changed ?? recorded ?? begin(input, claim);
    if (recorded?.stopped) claim?.stop();
    const isNew = recorded === undefined;
    const outcome = input.error === undefined
      ? await this.#attemptFramed({ record, isNew }, claim, onLog)
      : { failure: input.error };
    if ("failure" in outcome && outcome.failure.cause instanceof Waits) {
      const { until, seen } = outcome.failure.cause;
      claim?.wait(until, seen);
      if (this.#options.force) this.#continued.add(input.number);
      return { waitsUntil: until };
    }
    if ("failure" in outcome && isLeftOpen(outcome.failure)) return leaveOpen(outcome.failure, claim);
    claim?.end(toEnd(outcome));
    const { keep = "answers" } = this.#options;
    if (keep !== "answers" && !("failure" in outcome)) claim?.prune(keep);
    return outcome;
  }

  /** Returns the outcome of an input that needs no claim, because it has ended or waits. A retry may have another value. */
  #findKnownOutcome(input: RunInput, recorded: InputRecord): InputOutcome | InputWait | undefined {
    const { end, generation } = recorded;
    const outcome = end && { ...toOutcome(end), hadEnded: true } as const;
    const wait = generation === 0 && this.#stillWaits(recorded) ? { waitsUntil: recorded.waitsUntil } : undefined;
    if ((outcome ?? wait) !== undefined) checkUnchanged(recorded, input);
    return outcome ?? wait;
  }

  /** Reports whether an input waits. With `force`, the script may have changed, so it runs once to find out. */
  #stillWaits(record: InputRecord): record is InputRecord & InputWait {
    const { force = false } = this.#options;
    const { number, waitsUntil = 0 } = record;
    return (!force || this.#continued.has(number)) && waitsUntil > Date.now();
  }

  /** Resolves when the wait of an input has ended, or the runner is interrupted. */
  async #waitFor(number: number, { waitsUntil }: InputWait): Promise<void> {
    for (let until = waitsUntil; until > Date.now() && !this.isInterrupted;) {
      const left = Math.min(until - Date.now(), SIGNAL_CHECK_MILLISECONDS);
      await delay(left, this.#interruption.signal).catch(() => {}); // Interrupted.
      until = (await this.#options.journal?.findInput(this.id, number))?.waitsUntil ?? until;
    }
  }

  /** Lists the inputs up to a number that wait or have waited, in the order in which their waits end. */
  async waiting(options: { readonly upTo: number; readonly limit: number }): Promise<readonly WaitingInput[]> {
    return await this.#options.journal?.waiting(this.id, options) ?? [];
  }

  /** Reads the record of an input. */
  async readInput(number: number): Promise<InputRecord | undefined> {
    return await this.#options.journal?.findInput(this.id, number);
  }

  /** Reads the recorded inputs in the order of their numbers. Returns undefined if there is no journal. */
  readInputs(): RecordedInputs | undefined {
    const { journal } = this.#options;
    return journal && new RecordedInputs(journal.inputs(this.id));
  }

  /** True if the outcomes of inputs can be read again with `readInput`. */
  get hasJournal(): boolean {
    return this.#options.journal !== undefined;
  }

  /** Reports whether an input is recorded. */
  async hasStarted(number: number): Promise<boolean> {
    return await this.#findInput(number) !== undefined;
  }

  /** Reports whether an input is recorded as ended, or as waiting. Such an input is not started again. */
  async hasEndedOrWaits(number: number): Promise<boolean> {
    const record = await this.#findInput(number);
    if (record === undefined || record === "damaged") return false;
    return record.end !== undefined || record.waitsUntil !== undefined;
  }

  async #findInput(number: number): Promise<InputRecord | "damaged" | undefined> {
    try {
      return await this.#options.journal?.findInput(this.id, number);
    } catch (thrown) {
      if (isInputDamage(thrown)) return "damaged"; // Reported when it runs.
      throw thrown;
    }
  }

  /** Starts no further call, and resolves when calls in progress are recorded. The reason is absent if the user interrupts. */
  interrupt(reason?: SvcError): Promise<void> {
    this.#stoppedBy ??= reason;
    this.#interruption.abort();
    return this.#drained ??= this.#drain();
  }

  /**
   * Takes the current value of a failed input that runs again. Marks its history as older than the value. An invalid line
   * fails later, as it would in a new run.
   */
  async #takeChange(
    recorded: InputRecord,
    { place, value }: RunInput,
    claim: InputClaim | undefined,
  ): Promise<InputRecord | undefined> {
    const mayChange = recorded.generation > 0 && recorded.end === undefined && recorded.place === place;
    const { journal } = this.#options;
    if (journal === undefined || !mayChange || isSameValue(recorded.value, value)) return undefined;
    const { number } = recorded;
    const events = await journal.events(this.id, number);
    if (findContinuation(events) !== undefined) return undefined; // Its generation is not that of a retry.
    claim?.change(value);
    const rewind = { ...planRewind(events, new Set()), isMended: true };
    claim?.append(toRewindEvent(rewind));
    return { ...recorded, value };
  }

  /** Attempts an input, which the source prepares and concludes. */
  async #attemptFramed(
    first: Attempt,
    claim: InputClaim | undefined,
    onLog: (text: string) => void,
  ): Promise<InputOutcome> {
    const { source } = this.#options;
    if (source === undefined) return await this.#attempt(first, claim, onLog);
    const { record, isNew } = first;
    const { number, place, value, generation } = record;
    const keyPrefix = `${this.#createKeyPrefix(number)}.${generation}`;
    const durable = async () => await claim?.durable();
    const hasStarted = !isNew && (await this.#readEvents(number)).length > 0;
    const input = { place, value, keyPrefix, hasStarted, signal: this.interruption, durable };
    try {
      const early = await source.before(input);
      if (early !== undefined) return early;
      const outcome = await this.#attempt(first, claim, onLog);
      const failure = "failure" in outcome ? outcome.failure : undefined;
      if (failure === undefined || !isLeftOpen(failure)) await source.after(input, failure);
      return outcome;
    } catch (thrown) {
      if (this.isInterrupted) return { failure: interrupted() };
      const failure = thrown instanceof StopInput ? thrown.reason : toSvcError(thrown);
      if (failure.cause instanceof StopsRun) void this.interrupt(failure);
      return { failure };
    } finally {
      source.close(input);
    }
  }

  async #attempt(
    first: Attempt,
    claim: InputClaim | undefined,
    onLog: (text: string) => void,
  ): Promise<InputOutcome> {
    let { record, isNew, isAlone = false } = first;
    for (let attempt = 1;; attempt++) {
      if (this.isInterrupted) return { failure: interrupted() };
      try {
        const { result, next } = await this.#runOnce({ record, isNew, isAlone }, claim, onLog);
        if (next === undefined) return { result };
        record = await this.#continueAsNew(record, next, claim);
        isNew = false;
        attempt = 0;
      } catch (thrown) {
        isNew = false;
        const failure = toSvcError(thrown);
        if (failure.cause instanceof LostSharedProcess) {
          isAlone = true;
          attempt--; // Another input may have ended the process.
          continue;
        }
        const isKilled = failure.cause instanceof KilledFromOutside;
        // The signal that interrupts this process may kill the sandbox, too.
        if (isKilled && this.isInterrupted) return { failure: interrupted() };
        if (!isKilled || this.#options.journal === undefined || attempt === MAX_ATTEMPTS) return { failure };
      }
    }
  }

  /** Ends the history of an input. The next one has a generation of its own, so that its calls have other keys. */
  async #continueAsNew(
    record: InputRecord,
    next: Continuation,
    claim: InputClaim | undefined,
  ): Promise<InputRecord> {
    if (claim !== undefined) {
      await this.#whenWritten(claim.continue(toContinuedEvent(next)));
      return record;
    }
    return { ...record, value: next.input, startedAt: Date.now(), generation: record.generation + 1 };
  }

  async #runOnce(
    { record, isNew, isAlone = false }: Attempt,
    claim: InputClaim | undefined,
    onLog: (text: string) => void,
  ): Promise<{ readonly result?: JsonValue; readonly next?: Continuation }> {
    const { workflow, journal, force = false, releaseAfter = Infinity } = this.#options;
    const live = isTracing() ? await this.#traceCalls() : this.#options.live;
    const canRelease = journal !== undefined && releaseAfter < Infinity;
    const { number } = record;
    const events = isNew ? [] : await this.#readEvents(number);
    const history = readHistory(events);
    const { value, state } = createStart(record, events, history);
    // An earlier attempt may have rewound the input.
    const { generation, waitsUntil } = (isNew ? undefined : await journal?.findInput(this.id, number)) ?? record;
    let run: InputRun | undefined;
    using losing = new DisposableStack();
    const open = (stop: (reason: SvcError) => void, whenIdle: () => Promise<void>) => {
      if (this.isInterrupted) throw interrupted();
      run = new InputRun({
        events,
        history,
        sink: this.#createSink(number, claim, generation),
        live,
        keyPrefix: this.#createKeyPrefix(number),
        generation,
        waitedUntil: waitsUntil,
        release: canRelease ? { minMilliseconds: releaseAfter, whenIdle } : undefined,
        force,
        maxWaitSeconds: workflow.limits.maxWaitSeconds ?? DEFAULT_LIMITS.maxWaitSeconds,
        maxJournalMiB: journal && (workflow.limits.maxJournalMiB ?? DEFAULT_LIMITS.maxJournalMiB),
        onLog,
        stop,
      });
      this.#active.set(run, stop);
      if (claim?.lost) losing.use(onAbort(claim.lost, () => stop(toSvcError(claim.lost?.reason))));
      return run;
    };
    try {
      const result = await workflow.run(value, state, open, { mayShare: journal !== undefined && !isAlone });
      await run?.finish();
      if (run?.continuation === undefined) return { result };
      return { next: { ...run.continuation, count: (findContinuation(events)?.count ?? 0) + 1 } };
    } catch (thrown) {
      await run?.pause(); // Changes in progress are recorded before the input ends.
      await run?.verify();
      if (thrown instanceof SvcError && thrown.cause instanceof StopsRun) void this.interrupt(thrown);
      throw thrown;
    } finally {
      run?.dispose();
      if (run) this.#active.delete(run);
    }
  }

  async #traceCalls(): Promise<LiveCalls> {
    return (await import("./trace_input.ts")).traceCalls(this.#options.live, this.workflow);
  }

  /** Reads the history of an input. Interrupts the run if the whole journal is damaged. */
  async #readEvents(number: number): Promise<readonly StoredEvent[]> {
    try {
      return await this.#options.journal?.events(this.id, number) ?? [];
    } catch (thrown) {
      if (thrown instanceof SvcError && thrown.cause instanceof StopsRun) void this.interrupt(thrown);
      throw thrown;
    }
  }

  #createKeyPrefix(input: number): string {
    const { nonce } = this.#options;
    return nonce === undefined ? `${this.id}.${input}` : `${this.id}.${nonce}.${input}`;
  }

  #createSink(number: number, claim: InputClaim | undefined, generation: number): EventSink {
    const { journal } = this.#options;
    if (claim === undefined || journal === undefined) {
      return { append: () => {}, durable: () => Promise.resolve(), rewind: () => Promise.resolve(generation) };
    }
    let current = generation;
    return {
      append: (event) => claim.append(event),
      durable: () => this.#whenWritten(claim.durable()),
      rewind: async (rewind: Rewind) => {
        await this.#whenWritten(claim.reopen(toRewindEvent(rewind), ++current));
        return current;
      },
      readSignals: (after) => journal.signals(this.id, number, after),
    };
  }

  /** Waits until something is written. Interrupts the run if the journal cannot be written. */
  async #whenWritten(writing: Promise<void>): Promise<void> {
    try {
      await writing;
    } catch (error) {
      throw isLostClaim(error) ? error : this.#interruptBroken();
    }
  }

  /**
   * Interrupts the run because its journal cannot be written. No input has failed: the journal reports its own error at the
   * end, and the inputs continue when it can be written again.
   */
  #interruptBroken(): SvcError {
    void this.interrupt();
    return interrupted();
  }

  async #drain(): Promise<void> {
    await Promise.all([...this.#active].map(async ([run, stop]) => {
      await run.pause();
      stop(interrupted());
    }));
  }
}

/** Records the start of an input. */
function begin({ number, place, value }: RunInput, claim: InputClaim | undefined): InputRecord {
  const record: InputRecord = { number, place, value, startedAt: Date.now(), generation: 0 };
  claim?.begin(record);
  return record;
}

/** Leaves an input open. Records the reason unless it was an interruption, because the user must decide about it. */
function leaveOpen(failure: SvcError, claim: InputClaim | undefined): InputOutcome {
  if (failure.code !== "INTERRUPTED") claim?.stop(failure.toJSON());
  return { failure, isOpen: true };
}

/**
 * Reports whether an error leaves its input open. An error that the script throws always ends the input, even after a
 * change with an unknown outcome.
 */
function isLeftOpen({ cause }: SvcError): boolean {
  return cause instanceof LeftOpen || cause instanceof StopInput;
}

/** Converts the recorded end of an input to its outcome. */
export function toOutcome(end: InputEnd): InputOutcome {
  if (end.state === "done") return { result: end.result };
  return { failure: toRecordedError(end.error) };
}

function toEnd(outcome: InputOutcome): InputEnd {
  if ("failure" in outcome) return { state: "failed", error: outcome.failure.toJSON() };
  return { state: "done", result: outcome.result };
}

function isSameValue(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function alreadyClaimed(runId: string, { place }: RunInput): SvcError {
  return new SvcError("INVALID_ARGS", `Another process works on ${place} of run ${runId}.`);
}

function checkUnchanged(recorded: InputRecord, { place, value, error }: RunInput): void {
  if (recorded.place === place && recorded.end?.state === "done" && recorded.value === undefined) return; // It was pruned.
  const isSame = error === undefined ? isSameValue(recorded.value, value) : recorded.value === undefined;
  if (recorded.place === place && isSame) return;
  throw new SvcError("INVALID_ARGS", `${place} has changed since the run started.`, {
    hint: (recorded.end?.state === "failed" ? "'svc workflow retry' uses the current value of a failed line. " : "") +
      OTHER_INPUTS_HINT,
  });
}
