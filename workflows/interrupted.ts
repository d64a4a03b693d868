/** What a run ends with that a person or the system interrupts. */
import { SvcError } from "../lib/errors.ts";

/** The error of an interrupted run. */
export function interrupted(): SvcError {
  return new SvcError("INTERRUPTED", "The workflow was interrupted.");
}
