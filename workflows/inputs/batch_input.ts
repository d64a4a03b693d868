import { SvcError } from "../../lib/errors.ts";
import type { JsonValue } from "../../utils/json.ts";

/** One input of a batch. */
export interface BatchInput {
  /** File and line, e.g. `cases.ndjson:17`. */
  readonly place: string;
  /** Value; undefined if the line is invalid. */
  readonly value?: JsonValue;
  /** Reason why the line is invalid. */
  readonly error?: SvcError;
}

/** Returns the input of an invalid line. */
export function toInvalidInput(place: string, issue: string, hint?: string): BatchInput {
  return { place, error: new SvcError("INVALID_ARGS", `${place} ${issue}.`, { hint }) };
}
