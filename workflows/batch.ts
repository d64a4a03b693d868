/** Runs a workflow once per input: some at a time, each in a sandbox of its own, with results in the order of inputs. */
import { type ErrorRecord, SvcError, toSvcError } from "../lib/errors.ts";
import type { JsonValue } from "../lib/json.ts";
import { mapInOrder } from "./in_order.ts";
import type { BatchInput } from "./inputs.ts";
import type { OpenWorkflow } from "./run.ts";

/** Results that may wait for an earlier input, per input that runs: it bounds the memory of a batch. */
const LOOKAHEAD = 32;

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
  /** The first failures. */
  readonly failures: readonly { readonly input: string; readonly error: ErrorRecord }[];
}

/** How to run a batch. */
export interface BatchOptions {
  /** Runs at a time. */
  readonly concurrency: number;
  /** Takes the result of each input, in the order of the inputs. */
  readonly onResult: (result: BatchResult) => void;
  /** Is told when an input is finished, in whatever order. */
  readonly onProgress?: (progress: BatchProgress) => void;
  /** Takes what the script prints, with the place of the input that it was run on. */
  readonly onLog?: (text: string, input: string) => void;
  /** Starts no further input, and stops those that run. */
  readonly signal?: AbortSignal;
}

/** Runs a workflow on all inputs. What one input fails of is its result; it stops no other. */
export async function runBatch(
  workflow: OpenWorkflow,
  inputs: AsyncIterable<BatchInput>,
  { concurrency, onResult, onProgress, onLog, signal }: BatchOptions,
): Promise<BatchSummary> {
  const started = performance.now();
  const failures: { input: string; error: ErrorRecord }[] = [];
  let done = 0;
  let failed = 0;
  const finish = (result: BatchResult): BatchResult => {
    done++;
    if ("error" in result) failed++;
    onProgress?.({ done, failed, perSecond: done / ((performance.now() - started) / 1000) });
    return result;
  };
  workflow.reserve = concurrency > 1 ? Math.ceil(concurrency / 2) : 1;
  const runOne = async (input: BatchInput) => finish(await resultOf(workflow, input, onLog));
  for await (const result of mapInOrder(untilLast(inputs, workflow), runOne, concurrency, concurrency * LOOKAHEAD)) {
    if (signal?.aborted) throw interrupted(done, failed);
    if ("error" in result && failures.length < MAX_NAMED_FAILURES) failures.push(result);
    onResult(result);
  }
  return { inputs: done, succeeded: done - failed, failed, failures };
}

/** What a batch failed of, where an input failed. */
export function failureOf({ inputs, failed, failures }: BatchSummary): SvcError | undefined {
  if (failed === 0) return undefined;
  const named = failures.map(({ input, error }) => `${input} (${error.code})`);
  const more = failed > named.length ? `, and ${failed - named.length} more` : "";
  return new SvcError("WORKFLOW_FAILED", `${failed} of ${inputs} inputs failed: ${named.join(", ")}${more}.`, {
    hint: "The line of each on stdout has its error.",
  });
}

/** The inputs; after the last of them no sandbox is needed in reserve. */
async function* untilLast(inputs: AsyncIterable<BatchInput>, workflow: OpenWorkflow): AsyncGenerator<BatchInput> {
  yield* inputs;
  workflow.reserve = 0;
}

async function resultOf(
  workflow: OpenWorkflow,
  { place, value, error }: BatchInput,
  onLog: BatchOptions["onLog"],
): Promise<BatchResult> {
  if (error !== undefined) return { input: place, error: error.toJSON() };
  try {
    return { input: place, result: await workflow.run(value, { onLog: (text) => onLog?.(text, place) }) };
  } catch (thrown) {
    return { input: place, error: toSvcError(thrown).toJSON() };
  }
}

function interrupted(done: number, failed: number): SvcError {
  return new SvcError("INTERRUPTED", `The batch was interrupted after ${done} inputs, of which ${failed} failed.`, {
    hint: "The lines on stdout say which inputs are done.",
  });
}
