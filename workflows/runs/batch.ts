import { type ErrorRecord, SvcError } from "../../lib/errors.ts";
import { mapInOrder, stoppable } from "../../utils/async/map_in_order.ts";
import { onAbort } from "../../utils/async/abort.ts";
import { findReviver, type JsonValue } from "../../utils/json.ts";
import { pluralize } from "../../utils/text/wording.ts";
import type { BatchInput } from "../inputs/batch_input.ts";
import { StopsRun } from "../sandbox/host/interruption.ts";
import { limitRate } from "./rate.ts";
import type { InputOutcome, Runner } from "./runner.ts";

/** Results per input in progress that may wait for an earlier input. Bounds the memory of a batch, like the next limit. */
const LOOKAHEAD = 32;

/** Total characters of the results that may wait. */
const MAX_WAITING_CHARACTERS = 64 * 1024 * 1024;

/** Number of inputs after which garbage is collected. */
const COLLECTION_INTERVAL = 500;

/** Number of failures that the error of a batch names. */
const MAX_NAMED_FAILURES = 20;

/** The outcome of one input. */
export type InputResult =
  | { readonly input: string; readonly result?: JsonValue }
  | { readonly input: string; readonly error: ErrorRecord };

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
  /** Tells after each input whether no further one is started. Counts only inputs that this process has ended. */
  readonly isEnough?: (progress: { readonly done: number; readonly failed: number }) => boolean;
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
  #waitingCharacters = 0;
  #isLimitReached = false;
  #endInputs = () => {};
  #collector?: Promise<() => void>;

  constructor(runner: Runner, options: BatchOptions) {
    this.#runner = runner;
    this.#options = options;
  }

  async *run(inputs: AsyncIterable<BatchInput>): AsyncGenerator<InputResult, BatchSummary> {
    const { concurrency, rate } = this.#options;
    const { workflow, interruption } = this.#runner;
    const [stoppableInputs, end] = stoppable(inputs);
    this.#endInputs = end;
    using _listening = onAbort(interruption, end);
    // More sandboxes in reserve than processors would not load faster.
    workflow.reserve = Math.min(Math.ceil(concurrency / 2), navigator.hardwareConcurrency);
    const isNew = async ({ number }: NumberedInput) => !await this.#runner.hasEnded(number);
    const paced = limitRate(this.#number(stoppableInputs), rate, () => this.#isOver, isNew);
    const work = async (input: NumberedInput) => this.#toWaiting(await this.#runOne(input));
    const isTooMuch = () => this.#waitingCharacters > MAX_WAITING_CHARACTERS;
    const last = releaseReserve(paced, workflow);
    for await (const waiting of mapInOrder(last, work, concurrency, concurrency * LOOKAHEAD, isTooMuch)) {
      if (waiting === undefined) continue;
      const { text, failure } = waiting;
      this.#waitingCharacters -= text.length;
      if (failure && this.#failures.length < MAX_NAMED_FAILURES) this.#failures.push(failure);
      yield JSON.parse(text, findReviver(text));
    }
    return this.#summarize();
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
  async *#number(inputs: AsyncIterable<BatchInput>): AsyncGenerator<NumberedInput> {
    for await (const input of inputs) {
      if (this.#runner.isInterrupted) return;
      const number = ++this.#read;
      if (!this.#isLimitReached || await this.#runner.hasEnded(number)) yield { ...input, number };
      if (this.#isLimitReached) await this.#endUnlessStarted(number + 1);
    }
  }

  /** Ends the inputs unless the next one was started before: reading a pipe could block although nothing is left to do. */
  async #endUnlessStarted(number: number): Promise<void> {
    if (!await this.#runner.hasStarted(number)) this.#endInputs();
  }

  async #runOne(input: NumberedInput): Promise<InputResult | undefined> {
    const outcome = await this.#runner.run(input, (text) => this.#options.onLog?.(text, input.place));
    if (this.#runner.isInterrupted && "failure" in outcome && continuesLater(outcome.failure)) return undefined;
    await this.#count(outcome);
    this.#options.onProgress?.(this.#progress());
    return toInputResult(input.place, outcome);
  }

  #toWaiting(result: InputResult | undefined): WaitingResult | undefined {
    if (result === undefined) return undefined;
    const text = JSON.stringify(result);
    this.#waitingCharacters += text.length;
    return { text, ...("error" in result && { failure: `${result.input} (${result.error.code})` }) };
  }

  #progress(): BatchProgress {
    const seconds = (performance.now() - this.#started) / 1000;
    return { done: this.#done, failed: this.#failed + this.#stopped, perSecond: this.#done / seconds };
  }

  async #count(outcome: InputOutcome): Promise<void> {
    const isFailure = "failure" in outcome;
    this.#done++;
    if (outcome.isOpen) this.#stopped++;
    else if (isFailure) this.#failed++;
    if (outcome.hadEnded) return;
    this.#fresh.done++;
    if (isFailure) this.#fresh.failed++;
    if (this.#fresh.done % COLLECTION_INTERVAL === 0) this.#collectGarbage();
    // Also after a success, because a share counts only from a number of inputs on.
    if (this.#isLimitReached || !this.#options.isEnough?.(this.#fresh)) return;
    this.#isLimitReached = true;
    await this.#endUnlessStarted(this.#read + 1);
  }

  #collectGarbage(): void {
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
}

type NumberedInput = BatchInput & { readonly number: number };

/** Converts an outcome to a result. */
export function toInputResult(input: string, outcome: InputOutcome): InputResult {
  if ("failure" in outcome) return { input, error: outcome.failure.toJSON() };
  return { input, result: outcome.result };
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
  workflow.reserve = 0;
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
