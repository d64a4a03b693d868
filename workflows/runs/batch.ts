/** Runs a workflow once per input: some at a time, each in a sandbox of its own, with results in the order of inputs. */
import { type ErrorRecord, SvcError } from "../../lib/errors.ts";
import type { JsonValue } from "../../utils/json.ts";
import { onAbort } from "../../utils/async/on_abort.ts";
import { pluralize } from "../../utils/text/wording.ts";
import { garbageCollector } from "./garbage_collection.ts";
import type { InputOutcome, Runner } from "./runner.ts";
import { mapInOrder, stoppable } from "../../utils/async/map_in_order.ts";
import type { BatchInput } from "../inputs/open_inputs.ts";
import { atRate } from "./rate.ts";

/** Results that may wait for an earlier input, per input that runs: it bounds the memory of a batch, as does the next. */
const LOOKAHEAD = 32;

/** Characters of the results that may wait, all together. */
const MAX_WAITING_CHARACTERS = 64 * 1024 * 1024;

/** Inputs after which garbage is collected. */
const COLLECTED_AFTER = 500;

/** Failures that are kept to be named at the end. */
const MAX_NAMED_FAILURES = 20;

/** What became of one input. */
export type BatchResult =
  | { readonly input: string; readonly result?: JsonValue }
  | { readonly input: string; readonly error: ErrorRecord };

/** How far a batch is. */
export interface BatchProgress {
  /** Inputs that are finished. */
  readonly done: number;
  /** Those of them that failed. */
  readonly failed: number;
  /** Inputs per second since the start. */
  readonly perSecond: number;
}

/** The end of a batch. */
export interface BatchSummary {
  /** Inputs. */
  readonly inputs: number;
  /** Those that gave a result. */
  readonly succeeded: number;
  /** Those that failed. */
  readonly failed: number;
  /** Those that stopped, and go on with the run when somebody has decided how. */
  readonly open: number;
  /** Whether no further input was begun because there were failures enough. */
  readonly stopped: boolean;
  /** Inputs that were looked at; those of them that were not begun are no part of the others. */
  readonly read: number;
  /** The first of those that failed or stopped: `in.ndjson:3 (NOT_FOUND)`. */
  readonly failures: readonly string[];
}

/** How to run a batch. */
export interface BatchOptions {
  /** Runs at a time. */
  readonly concurrency: number;
  /** Inputs to begin per second; as many as there is room for without it. */
  readonly rate?: number;
  /** Decides after each input whether no further one is begun. What ended before this process began does not count. */
  readonly isEnough?: (progress: { readonly done: number; readonly failed: number }) => boolean;
  /** Takes what became of each input, a `BatchResult` as JSON, in the order of the inputs. */
  readonly onResult: (result: string) => void;
  /** Is told when an input is finished, in whatever order. */
  readonly onProgress?: (progress: BatchProgress) => void;
  /** Takes what the script prints, with the place of the input that it was run on. */
  readonly onLog?: (text: string, input: string) => void;
}

/** Runs a workflow on all inputs. What one input fails with is its result; it stops no other. */
export async function runBatch(
  runner: Runner,
  inputs: AsyncIterable<BatchInput>,
  options: BatchOptions,
): Promise<BatchSummary> {
  return await new Batch(runner, options).run(inputs);
}

class Batch {
  readonly #runner: Runner;
  readonly #options: BatchOptions;
  readonly #started = performance.now();
  readonly #failures: string[] = [];
  /** What ended now, and not before this process began. */
  readonly #fresh = { done: 0, failed: 0 };
  #read = 0;
  #done = 0;
  #failed = 0;
  #open = 0;
  #waitingCharacters = 0;
  #isStopped = false;
  #end = () => {};
  #collector?: Promise<() => void>;

  constructor(runner: Runner, options: BatchOptions) {
    this.#runner = runner;
    this.#options = options;
  }

  async run(inputs: AsyncIterable<BatchInput>): Promise<BatchSummary> {
    const { concurrency, rate, onResult } = this.#options;
    const { workflow, interruption } = this.#runner;
    const [wanted, end] = stoppable(inputs);
    this.#end = end;
    using _listening = onAbort(interruption, end);
    // No more sandboxes in reserve than can be loaded at the same time.
    workflow.reserve = Math.min(Math.ceil(concurrency / 2), navigator.hardwareConcurrency);
    const isNew = async ({ number }: NumberedInput) => !await this.#runner.hasEnded(number);
    const paced = atRate(this.#numbered(wanted), rate, () => this.#isOver, isNew);
    const work = async (input: NumberedInput) => this.#keep(await this.#runOne(input));
    const isTooMuch = () => this.#waitingCharacters > MAX_WAITING_CHARACTERS;
    const inputsInOrder = untilLast(paced, workflow);
    for await (const kept of mapInOrder(inputsInOrder, work, concurrency, concurrency * LOOKAHEAD, isTooMuch)) {
      if (kept === undefined) continue;
      const { text, failure } = kept;
      this.#waitingCharacters -= text.length;
      if (failure && this.#failures.length < MAX_NAMED_FAILURES) this.#failures.push(failure);
      onResult(text);
    }
    return this.#summary();
  }

  #summary(): BatchSummary {
    return {
      inputs: this.#done,
      succeeded: this.#done - this.#failed - this.#open,
      failed: this.#failed,
      open: this.#open,
      failures: this.#failures,
      stopped: this.#isStopped,
      read: this.#read,
    };
  }

  get #isOver(): boolean {
    return this.#isStopped || this.#runner.isInterrupted;
  }

  /** The inputs with their numbers. When no further one shall be begun, those that have ended before are still told. */
  async *#numbered(inputs: AsyncIterable<BatchInput>): AsyncGenerator<NumberedInput> {
    for await (const input of inputs) {
      if (this.#runner.isInterrupted) return;
      const number = ++this.#read;
      if (!this.#isStopped || await this.#runner.hasEnded(number)) yield { ...input, number };
      if (this.#isStopped) await this.#endUnlessBegun(number + 1);
    }
  }

  /** Who waits at a pipe for an input that nobody has begun would wait for nothing. */
  async #endUnlessBegun(number: number): Promise<void> {
    if (!await this.#runner.hasBegun(number)) this.#end();
  }

  async #runOne(input: NumberedInput): Promise<BatchResult | undefined> {
    const outcome = await this.#runner.run(input, (text) => this.#options.onLog?.(text, input.place));
    const isInterrupted = this.#runner.isInterrupted && "failure" in outcome && outcome.failure.code === "INTERRUPTED";
    if (isInterrupted) return undefined;
    await this.#count(outcome);
    this.#options.onProgress?.(this.#progress());
    return resultOf(input, outcome);
  }

  #keep(result: BatchResult | undefined): WaitingResult | undefined {
    if (result === undefined) return undefined;
    const text = JSON.stringify(result);
    this.#waitingCharacters += text.length;
    return { text, ...("error" in result && { failure: `${result.input} (${result.error.code})` }) };
  }

  #progress(): BatchProgress {
    const seconds = (performance.now() - this.#started) / 1000;
    return { done: this.#done, failed: this.#failed + this.#open, perSecond: this.#done / seconds };
  }

  async #count(outcome: InputOutcome): Promise<void> {
    const isFailure = "failure" in outcome;
    this.#done++;
    if (outcome.isOpen) this.#open++;
    else if (isFailure) this.#failed++;
    if (outcome.isOld) return;
    this.#fresh.done++;
    if (isFailure) this.#fresh.failed++;
    if (this.#fresh.done % COLLECTED_AFTER === 0) this.#collectGarbage();
    // Also after a success: with it there may be inputs enough to tell a share.
    if (this.#isStopped || !this.#options.isEnough?.(this.#fresh)) return;
    this.#isStopped = true;
    await this.#endUnlessBegun(this.#read + 1);
  }

  #collectGarbage(): void {
    this.#collector ??= garbageCollector();
    void this.#collector.then((collectNow) => collectNow());
  }
}

/** A result that waits for those of earlier inputs: the values in it would take many times the memory of their text. */
interface WaitingResult {
  readonly text: string;
  readonly failure?: string;
}

/** The error of a batch, where an input failed or stopped. */
export function failureOf({ inputs, failed, open, failures }: BatchSummary): SvcError | undefined {
  const faulty = failed + open;
  if (faulty === 0) return undefined;
  const what = failed === 0 ? "stopped" : open === 0 ? "failed" : "failed or stopped";
  const more = faulty > failures.length ? `, and ${faulty - failures.length} more` : "";
  return new SvcError(
    "WORKFLOW_FAILED",
    `${faulty} of ${pluralize(inputs, "input")} ${what}: ${failures.join(", ")}${more}.`,
    { hint: "The line of each on stdout has its error." },
  );
}

type NumberedInput = BatchInput & { readonly number: number };

/** The inputs; after the last of them no sandbox is needed in reserve. */
async function* untilLast<T>(inputs: AsyncIterable<T>, workflow: Runner["workflow"]): AsyncGenerator<T> {
  yield* inputs;
  workflow.reserve = 0;
}

function resultOf({ place }: BatchInput, outcome: InputOutcome): BatchResult {
  if ("failure" in outcome) return { input: place, error: outcome.failure.toJSON() };
  return { input: place, result: outcome.result };
}
