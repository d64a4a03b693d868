/** Runs a workflow once per input: some at a time, each in a sandbox of its own, with results in the order of inputs. */
import { type ErrorRecord, SvcError } from "../lib/errors.ts";
import type { JsonValue } from "../lib/json.ts";
import { plural } from "../lib/wording.ts";
import { garbageCollector } from "./collect_garbage.ts";
import { endable } from "./endable.ts";
import type { InputOutcome, Runner } from "./durable/runner.ts";
import { mapInOrder } from "./in_order.ts";
import type { BatchInput } from "./inputs.ts";
import { atRate } from "./rate.ts";

/** Results that may wait for an earlier input, per input that runs: it bounds the memory of a batch. */
const LOOKAHEAD = 32;

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
  /** Whether inputs were left because there were failures enough. */
  readonly stopped: boolean;
  /** The first of those that failed or stopped. */
  readonly failures: readonly { readonly input: string; readonly error: ErrorRecord }[];
}

/** How to run a batch. */
export interface BatchOptions {
  /** Runs at a time. */
  readonly concurrency: number;
  /** Inputs to begin per second; as many as there is room for without it. */
  readonly rate?: number;
  /** Decides after each input whether no further one is begun. What ended before this process began does not count. */
  readonly isEnough?: (progress: { readonly done: number; readonly failed: number }) => boolean;
  /** Takes the result of each input, in the order of the inputs. */
  readonly onResult: (result: BatchResult) => void;
  /** Is told when an input is finished, in whatever order. */
  readonly onProgress?: (progress: BatchProgress) => void;
  /** Takes what the script prints, with the place of the input that it was run on. */
  readonly onLog?: (text: string, input: string) => void;
}

/** Runs a workflow on all inputs. What one input fails of is its result; it stops no other. */
export async function runBatch(
  runner: Runner,
  inputs: AsyncIterable<BatchInput>,
  { concurrency, rate, isEnough, onResult, onProgress, onLog }: BatchOptions,
): Promise<BatchSummary> {
  const started = performance.now();
  const failures: { input: string; error: ErrorRecord }[] = [];
  const { workflow } = runner;
  let done = 0;
  let failed = 0;
  let open = 0;
  let stopped = false;
  const [wanted, end] = endable(inputs);
  const stop = () => {
    stopped = true;
    end();
  };
  runner.interruption.addEventListener("abort", end, { once: true });
  const fresh = { done: 0, failed: 0 };
  let collect: Promise<() => void> | undefined;
  const finish = (result: BatchResult, { isOld, isOpen }: InputOutcome): BatchResult => {
    done++;
    if (isOpen) open++;
    else if ("error" in result) failed++;
    if (!isOld) {
      fresh.done++;
      if ("error" in result) fresh.failed++;
      if (isEnough?.(fresh)) stop(); // Also after a success: with it there may be inputs enough to tell a share.
      if (fresh.done % COLLECTED_AFTER === 0) void (collect ??= garbageCollector()).then((collectNow) => collectNow());
    }
    onProgress?.({ done, failed: failed + open, perSecond: done / ((performance.now() - started) / 1000) });
    return result;
  };
  // More than that could not be loaded at the same time.
  workflow.reserve = Math.min(Math.ceil(concurrency / 2), navigator.hardwareConcurrency);
  const runOne = async (input: NumberedInput) => {
    const outcome = await runner.run(input, (text) => onLog?.(text, input.place));
    const interrupted = runner.isInterrupted && "failure" in outcome && outcome.failure.code === "INTERRUPTED";
    return interrupted ? undefined : finish(resultOf(input, outcome), outcome);
  };
  const isOver = () => stopped || runner.isInterrupted;
  const isNew = ({ number }: NumberedInput) => !runner.hasEnded(number);
  const numbered = untilLast(atRate(numberedInputs(wanted, isOver), rate, isOver, isNew), workflow);
  for await (const result of mapInOrder(numbered, runOne, concurrency, concurrency * LOOKAHEAD)) {
    if (result === undefined) continue;
    if ("error" in result && failures.length < MAX_NAMED_FAILURES) failures.push(result);
    onResult(result);
  }
  return { inputs: done, succeeded: done - failed - open, failed, open, failures, stopped };
}

/** The error of a batch, where an input failed or stopped. */
export function failureOf({ inputs, failed, open, failures }: BatchSummary): SvcError | undefined {
  const faulty = failed + open;
  if (faulty === 0) return undefined;
  const what = failed === 0 ? "stopped" : open === 0 ? "failed" : "failed or stopped";
  const named = failures.map(({ input, error }) => `${input} (${error.code})`);
  const more = faulty > named.length ? `, and ${faulty - named.length} more` : "";
  return new SvcError(
    "WORKFLOW_FAILED",
    `${faulty} of ${plural(inputs, "input")} ${what}: ${named.join(", ")}${more}.`,
    { hint: "The line of each on stdout has its error." },
  );
}

type NumberedInput = BatchInput & { readonly number: number };

/** The inputs with their numbers, until it is said that no more shall be begun. */
async function* numberedInputs(
  inputs: AsyncIterable<BatchInput>,
  isOver: () => boolean,
): AsyncGenerator<NumberedInput> {
  let number = 0;
  for await (const input of inputs) {
    if (isOver()) return;
    yield { ...input, number: ++number };
  }
}

/** The inputs; after the last of them no sandbox is needed in reserve. */
async function* untilLast<T>(inputs: AsyncIterable<T>, workflow: Runner["workflow"]): AsyncGenerator<T> {
  yield* inputs;
  workflow.reserve = 0;
}

function resultOf({ place }: BatchInput, outcome: InputOutcome): BatchResult {
  if ("failure" in outcome) return { input: place, error: outcome.failure.toJSON() };
  return { input: place, result: outcome.result };
}
