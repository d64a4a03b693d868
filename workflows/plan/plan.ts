/** A plan: what a script would do, as far as that can be known without doing it. */
import type { ErrorRecord } from "../../lib/errors.ts";
import type { JsonObject, JsonValue } from "../../utils/json.ts";

/** What a step does: `read` asks the service, `change` would change it, `sleep` waits. */
export type StepKind = "read" | "change" | "sleep";

/** A step of a script. */
export interface PlannedStep {
  /** Its position, from 1. */
  readonly step: number;
  /** Permission name of the operation, or `sleep`. */
  readonly operation: string;
  /** What it does. */
  readonly kind: StepKind;
  /** Whether the operation was granted; of a sleep nothing is asked. */
  readonly isGranted: boolean;
  /** Its request; absent for a sleep, and where the values make none. */
  request?: PlannedRequest;
  /** How long it would sleep. */
  readonly milliseconds?: number;
  /** What it failed with, also now. */
  error?: ErrorRecord;
}

/** A request below the API root, with references to what only a change would answer. */
export interface PlannedRequest {
  /** HTTP method. */
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  /** Entity tag: the one that was read now, or that the script gives. */
  ifMatch?: string;
  /** Path at which the entity tag would be read first, where that was not possible now. */
  tagFrom?: string;
  /** Body; of a file its name and size. */
  readonly body?: JsonValue;
}

/** How far a plan reaches. */
export interface PlanEnd {
  /** Whether the script came to its end. */
  readonly isComplete: boolean;
  /** It in a sentence. */
  readonly sentence: string;
}

/** What a script would do. */
export interface Plan {
  /** Its steps, by their positions. */
  readonly steps: readonly PlannedStep[];
  /** How far it reaches. */
  readonly end: PlanEnd;
  /** What the script would give, where it came to its end. */
  readonly result?: JsonValue;
}

/** A plan as data. */
export function planData({ steps, end, result }: Plan): JsonObject {
  return {
    steps: steps.map(({ step, operation, kind, isGranted, request, milliseconds, error }) => ({
      step,
      operation,
      kind,
      granted: isGranted,
      ...(request && { ...request }),
      ...(milliseconds !== undefined && { milliseconds }),
      ...(error && { error: { ...error } }),
    })),
    ...(result !== undefined && { result }),
    complete: end.isComplete,
    end: end.sentence,
  };
}

/** A plan for people, line by line. */
export function* planLines({ steps, end, result }: Plan): Generator<string> {
  for (const step of steps) {
    yield* stepLines(step);
    yield "";
  }
  if (result !== undefined) yield* ["The result:", ...indented(result), ""];
  yield end.sentence;
}

function* stepLines(
  { step, operation, kind, isGranted, request, milliseconds, error }: PlannedStep,
): Generator<string> {
  if (kind === "sleep") return yield `Step ${step}: sleep ${Number(milliseconds) / 1000} s`;
  yield `Step ${step}: ${operation} (${kind}, ${isGranted ? "granted" : "NOT GRANTED"})`;
  if (request !== undefined) {
    const { method, path, ifMatch, tagFrom, body } = request;
    yield `  ${method} ${path}`;
    if (ifMatch !== undefined) yield `  If-Match: ${ifMatch}`;
    if (tagFrom !== undefined) yield `  If-Match: what GET ${tagFrom} answers then`;
    if (body !== undefined) yield* indented(body);
  }
  if (error !== undefined) yield `  fails: ${error.code} ${error.message}`;
}

function indented(value: JsonValue): string[] {
  return JSON.stringify(value, null, 2).split("\n").map((line) => `  ${line}`);
}
