import { type ErrorRecord, SvcError } from "../../lib/errors.ts";
import { onAbort } from "../../utils/async/abort.ts";
import { isSettled } from "../../utils/async/is_settled.ts";
import { stoppable } from "../../utils/async/stoppable.ts";
import { Queue } from "../../utils/queue.ts";
import { findReviver, type JsonValue } from "../../utils/json.ts";
import { pluralize } from "../../utils/text/wording.ts";
import type { BatchInput } from "../inputs/batch_input.ts";
import { StopsRun } from "../sandbox/host/interruption.ts";
import { limitRate } from "./rate.ts";
import { type InputOutcome, type RunInput, type Runner, SIGNAL_CHECK_MILLISECONDS, toOutcome } from "./runner.ts";

/** Results per input in progress that are kept in memory for an earlier input. Bounds the memory of a batch, like the next limit. */
const LOOKAHEAD = 32;

/** Total characters of the results that may wait. */
const MAX_WAITING_CHARACTERS = 64 * 1024 * 1024;

/** Number of started processes after which garbage is collected. */
const COLLECTION_INTERVAL = 500;

/** Number of failures that the error of a batch names. */
export const MAX_NAMED_FAILURES = 20;

/** The outcome of one input. */
export type InputResult =
  | { readonly input: string; readonly result?: JsonValue }
  | FailedResult;

/** The outcome of an input that failed or stopped. */
export type FailedResult = { readonly input: string; readonly error: ErrorRecord };

/** The progress of a batch. */
export interface BatchProgress {
  /** Number of ended inputs. */
  readonly done: number;
  /** Number of ended inputs that failed. */
  readonly failed: number;
  /** Ended inputs per second since the start. */
  readonly perSecond: number;
  /** Estimated number of all inputs; undefined if it is not known, e.g. for standard input. */
  readonly total?: number;
}

/** The end of a batch. */
export interface BatchSummary {
  /** Number of inputs that have ended or stopped. */
  readonly inputs: number;
  /** Number of inputs that succeeded. */
  readonly succeeded: number;
  /** Number of inputs that failed. */
  readonly failed: number;
  /** Number of inputs that stopped until the user decides how they continue. */
  readonly stopped: number;
  /** True if the limit of failures was reached. */
  readonly isLimitReached: boolean;
  /** Number of inputs that were read, including those that were not started. */
  readonly read: number;
  /** The first inputs that failed or stopped, e.g. `in.ndjson:3 (NOT_FOUND)`. */
  readonly failures: readonly string[];
}

/** Options of `runBatch`. */
export interface BatchOptions {
  /** Number of inputs to process at the same time. */
  readonly concurrency: number;
  /** Number of inputs to start per second. Default: no limit. */
  readonly rate?: number;
  /** Estimated number of all inputs, if it is known. */
  readonly total?: number;
  /** Tells after each input whether no further one is started. Counts only inputs that this process has ended. */
  readonly isEnough?: (progress: { readonly done: number; readonly failed: number }) => boolean;
  /** True leaves out the results of inputs that had ended before. They are counted. */
  readonly omitsEnded?: boolean;
  /** Called with the result of an input that has failed or stopped, in any order. */
  readonly onFailure?: (result: FailedResult) => void;
  /** Called when an input has ended, in any order. */
  readonly onProgress?: (progress: BatchProgress) => void;
  /** Called with each line that the script prints, and the place of its input. */
  readonly onLog?: (text: string, input: string) => void;
}

/**
 * Runs a workflow once per input, each in its own sandbox, and yields the results in the order of the inputs. The failure
 * of an input is its result and does not stop the others.
 */
export function runBatch(
  runner: Runner,
  inputs: AsyncIterable<BatchInput>,
  options: BatchOptions,
): AsyncGenerator<InputResult, BatchSummary> {
  return new Batch(runner, options).run(inputs);
}

class Batch {
  readonly #runner: Runner;
  readonly #options: BatchOptions;
  readonly #started = performance.now();
  readonly #failures: string[] = [];
  /** Counts inputs that this process has ended. */
  readonly #fresh = { done: 0, failed: 0 };
  #read = 0;
  #done = 0;
  #failed = 0;
  #stopped = 0;
  #isLimitReached = false;
  #endInputs = () => {};
  #collector?: Promise<() => void>;
  /** Numbers of the started inputs whose results were not yielded, in order. */
  readonly #order = new Queue<number>();
  readonly #running = new Set<number>();
  /** Inputs that wait without a process. */
  readonly #parked = new Set<number>();
  /** Results in memory, by number. Others are read from the journal. */
  readonly #results = new Map<number, Promise<WaitingResult | undefined>>();
  /** Error of an input that ends the batch. */
  #failure?: { readonly reason: unknown };
  #waitingCharacters = 0;
  #lastStarted = 0;
  /** Number of processes of the workflow when garbage was last collected. */
  #collectedAt = 0;
  /** When to look for the next input whose wait has ended, in milliseconds since 1970. */
  #nextLook = 0;
  /** True if the last input that started was one that had waited. */
  #hasContinued = false;
  #changed = Promise.withResolvers<void>();

  constructor(runner: Runner, options: BatchOptions) {
    this.#runner = runner;
    this.#options = options;
  }

  async *run(inputs: AsyncIterable<BatchInput>): AsyncGenerator<InputResult, BatchSummary> {
    const { concurrency, rate, total = Infinity } = this.#options;
    const { workflow, interruption } = this.#runner;
    const [stoppableInputs, end] = stoppable(inputs);
    this.#endInputs = end;
    using _listening = onAbort(interruption, () => {
      end();
      this.#changed.resolve();
    });
    const sharesProcesses = workflow.isStateless || total > concurrency; // Otherwise all inputs run at the same time.
    if (sharesProcesses) workflow.expectInputs(chooseReserve(concurrency));
    const isNew = async ({ number, recorded }: RunInput) => {
      if (recorded === undefined) return !await this.#runner.hasEndedOrWaits(number);
      return recorded.end === undefined && recorded.waitsUntil === undefined;
    };
    const paced = limitRate(this.#number(stoppableInputs), rate, () => this.#isOver, isNew);
    for await (const waiting of this.#work(releaseReserve(paced, workflow))) {
      const { text, failure } = waiting;
      if (failure && this.#failures.length < MAX_NAMED_FAILURES) this.#failures.push(failure);
      yield JSON.parse(text, findReviver(text));
    }
    return this.#summarize();
  }

  /** Starts inputs and continues those that have waited, and yields the results in order. */
  async *#work(inputs: AsyncGenerator<RunInput>): AsyncGenerator<WaitingResult> {
    let pending: Promise<IteratorResult<RunInput>> | undefined;
    let isExhausted = false;
    try {
      for (;;) {
        this.#changed = Promise.withResolvers();
        const isFree = this.#running.size < this.#options.concurrency && this.#failure === undefined;
        if (isFree && !this.#hasContinued && await this.#continueNext()) continue;
        if (isFree && !isExhausted && !this.#isTooMuch) pending ??= inputs.next();
        if (isFree && pending !== undefined && await isSettled(pending)) {
          const { done, value } = await pending;
          pending = undefined;
          this.#hasContinued = false;
          if (done) isExhausted = true;
          else this.#start(value);
          continue;
        }
        if (isFree && this.#hasContinued && await this.#continueNext()) continue;
        const result = await this.#takeNext();
        if (result !== undefined) yield result;
        else if (this.#failure !== undefined && this.#running.size === 0) throw this.#failure.reason;
        else if (isExhausted && this.#running.size === 0 && (this.#order.length === 0 || this.#runner.isInterrupted)) {
          break;
        } else await this.#nextChange(isFree ? pending : undefined, isFree);
      }
      yield* this.#takeRest();
    } finally {
      const ended = inputs.return(undefined);
      if (pending === undefined) await ended;
      else ended.catch(() => {}); // Not awaited: it settles after the pending input.
    }
  }

  /** True if no further input may start, because too many results wait in memory. */
  get #isTooMuch(): boolean {
    if (this.#runner.hasJournal) return false;
    return this.#order.length >= this.#maxResults || this.#waitingCharacters > MAX_WAITING_CHARACTERS;
  }

  get #maxResults(): number {
    return this.#options.concurrency * LOOKAHEAD;
  }

  /** Resolves when an input has ended or was read, or the next wait may have ended. */
  async #nextChange(pending: Promise<unknown> | undefined, isFree: boolean): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    if (isFree && this.#parked.size > 0) {
      const left = Math.min(Math.max(0, this.#nextLook - Date.now()), SIGNAL_CHECK_MILLISECONDS);
      timer = setTimeout(this.#changed.resolve, left);
    }
    await Promise.race(pending === undefined ? [this.#changed.promise] : [this.#changed.promise, pending]);
    clearTimeout(timer);
  }

  #start(input: RunInput): void {
    this.#order.add(input.number);
    this.#lastStarted = input.number;
    this.#track(input.number, this.#runOne(input));
  }

  /** Continues the input whose wait has ended first. Returns false if no input waits. */
  async #continueNext(): Promise<boolean> {
    if (this.#parked.size === 0 || this.#runner.isInterrupted || Date.now() < this.#nextLook) return false;
    // Inputs that run, or have stopped, may have waited before.
    const limit = this.#running.size + this.#stopped + 1;
    const waiting = await this.#runner.waiting({ upTo: this.#lastStarted, limit });
    const next = waiting.find(({ number }) => this.#parked.has(number));
    if (next === undefined || next.until > Date.now()) {
      this.#nextLook = Math.min(next?.until ?? Infinity, Date.now() + SIGNAL_CHECK_MILLISECONDS);
      return false;
    }
    this.#parked.delete(next.number);
    this.#hasContinued = true;
    this.#track(next.number, this.#continue(next.number));
    return true;
  }

  async #continue(number: number): Promise<WaitingResult | "waits" | undefined> {
    const record = await this.#runner.readInput(number);
    if (record === undefined) throw new SvcError("INTERNAL_ERROR", `The journal has no input ${number}.`);
    return await this.#runOne(record);
  }

  /** Keeps the result of an input in memory, unless it can be read from the journal and there are many. */
  #track(number: number, work: Promise<WaitingResult | "waits" | undefined>): void {
    this.#running.add(number);
    const result = work.then((ended) => {
      this.#running.delete(number);
      if (ended === "waits") {
        this.#parked.add(number);
        this.#results.delete(number);
        return undefined;
      }
      const isFull = this.#results.size > this.#maxResults || this.#waitingCharacters > MAX_WAITING_CHARACTERS;
      if (ended?.isRecorded && isFull && number !== this.#order.first) this.#results.delete(number);
      else this.#waitingCharacters += ended?.text.length ?? 0;
      return ended;
    }, (reason) => {
      this.#failure ??= { reason };
      throw reason;
    }).finally(() => {
      this.#running.delete(number);
      this.#changed.resolve();
    });
    result.catch(() => {}); // Thrown when it is its turn, or when all inputs before it wait.
    this.#results.set(number, result);
  }

  /** Takes the result of the next input in order, if it has ended. */
  async #takeNext(): Promise<WaitingResult | undefined> {
    for (let number = this.#order.first; number !== undefined; number = this.#order.first) {
      if (this.#running.has(number) || this.#parked.has(number)) return undefined;
      const kept = this.#results.get(number);
      this.#order.removeFirst();
      this.#results.delete(number);
      const result = kept === undefined ? await this.#readResult(number) : await kept;
      if (kept !== undefined) this.#waitingCharacters -= result?.text.length ?? 0;
      if (result !== undefined) return result;
    }
    return undefined;
  }

  /** Takes the results of an interrupted run that come after an input that has not ended. */
  async *#takeRest(): AsyncGenerator<WaitingResult> {
    for (const number of [...this.#results.keys()].sort((one, other) => one - other)) {
      const result = await this.#results.get(number);
      if (result !== undefined) yield result;
    }
  }

  /** Reads the result of an input that has ended or stopped from the journal. */
  async #readResult(number: number): Promise<WaitingResult | undefined> {
    const { place = "", end, stopped } = await this.#runner.readInput(number) ?? {};
    if (end !== undefined) return toWaiting(toInputResult(place, toOutcome(end)));
    return stopped && toWaiting({ input: place, error: stopped });
  }

  #summarize(): BatchSummary {
    return {
      inputs: this.#done,
      succeeded: this.#done - this.#failed - this.#stopped,
      failed: this.#failed,
      stopped: this.#stopped,
      failures: this.#failures,
      isLimitReached: this.#isLimitReached,
      read: this.#read,
    };
  }

  get #isOver(): boolean {
    return this.#isLimitReached || this.#runner.isInterrupted;
  }

  /** Numbers the inputs. At the limit of failures, only inputs that ended before are left. */
  async *#number(inputs: AsyncIterable<BatchInput>): AsyncGenerator<RunInput> {
    const records = this.#runner.readInputs();
    for await (const input of inputs) {
      if (this.#runner.isInterrupted) return;
      const number = ++this.#read;
      const recorded = await records?.find(number);
      if (!this.#isLimitReached || await this.#runner.hasEndedOrWaits(number)) yield { ...input, number, recorded };
      if (this.#isLimitReached) await this.#endUnlessStarted(number + 1);
    }
  }

  /** Ends the inputs unless the next one was started before: reading a pipe could block although nothing is left to do. */
  async #endUnlessStarted(number: number): Promise<void> {
    if (!await this.#runner.hasStarted(number)) this.#endInputs();
  }

  async #runOne(input: RunInput): Promise<WaitingResult | "waits" | undefined> {
    const outcome = await this.#runner.runUntilWait(input, (text) => this.#options.onLog?.(text, input.place));
    if (this.#runner.workflow.startedProcesses - this.#collectedAt >= COLLECTION_INTERVAL) this.#collectGarbage();
    if ("waitsUntil" in outcome) {
      this.#nextLook = Math.min(this.#nextLook, outcome.waitsUntil);
      return "waits";
    }
    if (this.#runner.isInterrupted && "failure" in outcome && continuesLater(outcome.failure)) return undefined;
    await this.#count(outcome);
    this.#options.onProgress?.(this.#progress());
    if (outcome.hadEnded && this.#options.omitsEnded) return undefined;
    const result = toInputResult(input.place, outcome);
    if ("error" in result) this.#options.onFailure?.(result);
    return {
      ...toWaiting(result),
      isRecorded: this.#runner.hasJournal && !outcome.isOpen,
    };
  }

  #progress(): BatchProgress {
    const seconds = (performance.now() - this.#started) / 1000;
    const { total } = this.#options;
    return { done: this.#done, failed: this.#failed + this.#stopped, perSecond: this.#done / seconds, total };
  }

  async #count(outcome: InputOutcome): Promise<void> {
    const isFailure = "failure" in outcome;
    this.#done++;
    if (outcome.isOpen) this.#stopped++;
    else if (isFailure) this.#failed++;
    if (outcome.hadEnded) return;
    this.#fresh.done++;
    if (isFailure) this.#fresh.failed++;
    // Also after a success, because a share counts only from a number of inputs on.
    if (this.#isLimitReached || !this.#options.isEnough?.(this.#fresh)) return;
    this.#isLimitReached = true;
    await this.#endUnlessStarted(this.#read + 1);
  }

  #collectGarbage(): void {
    this.#collectedAt = this.#runner.workflow.startedProcesses;
    this.#collector ??= createGarbageCollector();
    void this.#collector.then((collect) => collect());
  }
}

/** Reports whether an error of an interrupted run leaves its input as it is. */
function continuesLater({ code, cause }: SvcError): boolean {
  return code === "INTERRUPTED" || cause instanceof StopsRun;
}

/** A result that waits for those of earlier inputs, as JSON text: parsed values would need many times the memory. */
interface WaitingResult {
  readonly text: string;
  readonly failure?: string;
  /** True if the journal has it, too. */
  readonly isRecorded?: boolean;
}

function toWaiting(result: InputResult): WaitingResult {
  const text = JSON.stringify(result);
  return { text, ...("error" in result && { failure: `${result.input} (${result.error.code})` }) };
}

/** Converts an outcome to a result. */
export function toInputResult(input: string, outcome: InputOutcome): InputResult {
  if ("failure" in outcome) return { input, error: outcome.failure.toJSON() };
  return { input, result: outcome.result };
}

/** Returns the number of sandboxes to keep in reserve. More than there are processors would not load faster. */
export function chooseReserve(concurrency: number): number {
  return Math.min(Math.ceil(concurrency / 2), navigator.hardwareConcurrency);
}

/** Creates the error of a batch in which inputs failed or stopped. Returns undefined if there are no such inputs. */
export function toBatchError({ inputs, failed, stopped, failures }: BatchSummary): SvcError | undefined {
  const count = failed + stopped;
  if (count === 0) return undefined;
  const what = failed === 0 ? "stopped" : stopped === 0 ? "failed" : "failed or stopped";
  const more = count > failures.length ? `, and ${count - failures.length} more` : "";
  return new SvcError(
    "WORKFLOW_FAILED",
    `${count} of ${pluralize(inputs, "input")} ${what}: ${failures.join(", ")}${more}.`,
    { hint: "The result of each input contains its error." },
  );
}

/** Yields the items, and keeps no sandbox in reserve after the last one. */
async function* releaseReserve<T>(items: AsyncIterable<T>, workflow: Runner["workflow"]): AsyncGenerator<T> {
  yield* items;
  workflow.expectInputs(0);
}

/**
 * Creates a function that runs a full garbage collection. The runtime frees the memory of an ended process only then, and
 * that memory does not trigger a collection because it is not on the heap: it would grow by 10 kB per process.
 */
async function createGarbageCollector(): Promise<() => void> {
  const [{ setFlagsFromString }, { runInNewContext }] = await Promise.all([import("node:v8"), import("node:vm")]);
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  return typeof collect === "function" ? () => void collect() : () => {};
}
