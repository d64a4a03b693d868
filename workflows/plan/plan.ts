import type { ErrorRecord } from "../../lib/errors.ts";
import type { JsonObject, JsonValue } from "../../utils/json.ts";

/** Kind of a step: `read` is made, `change` is only recorded, `sleep` is skipped. */
export type StepKind = "read" | "change" | "sleep";

/** A step of a plan. */
export interface PlannedStep {
  /** Number, from 1. */
  readonly step: number;
  /** Permission name of the operation, or `sleep`. */
  readonly operation: string;
  /** Kind. */
  readonly kind: StepKind;
  /** True if the operation is granted. A sleep needs no grant. */
  readonly isGranted: boolean;
  /** Request; undefined for a sleep, and if the arguments are invalid. */
  request?: PlannedRequest;
  /** Duration of a sleep. */
  readonly milliseconds?: number;
  /** Error that the step fails with. */
  error?: ErrorRecord;
}

/** A request, with placeholders for unknown values. */
export interface PlannedRequest {
  /** HTTP method. */
  readonly method: string;
  /** Path below the API root, with the query. */
  readonly path: string;
  /** Entity tag that was read, or that the script passes. */
  ifMatch?: string;
  /** Path from which the run reads the entity tag, if the plan could not read it. */
  tagFrom?: string;
  /** Body; a file is shown as name and size. */
  readonly body?: JsonValue;
}

/** End of a plan. */
export interface PlanEnd {
  /** True if the script reached its end. */
  readonly isComplete: boolean;
  /** Sentence that describes the end. */
  readonly sentence: string;
}

/** Steps that a script would take, as far as they are known without taking them. */
export interface Plan {
  /** Steps in order. */
  readonly steps: readonly PlannedStep[];
  /** End. */
  readonly end: PlanEnd;
  /** Result of a script that reached its end. */
  readonly result?: JsonValue;
}

/** Converts a plan to JSON. */
export function toPlanJson({ steps, end, result }: Plan): JsonObject {
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
