import { SvcError } from "../errors.ts";
import type { Format } from "./format.ts";

/** Returns the error of a result whose indentation would take too much memory. */
export function createTooLongError(format: Format): SvcError {
  return new SvcError("INVALID_RESPONSE", `The result is too deeply nested and too long to be printed as ${format}.`, {
    hint: "Use --format compact.",
  });
}
