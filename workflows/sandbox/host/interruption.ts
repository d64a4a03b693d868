/** Errors that leave an input open, so that its run can be resumed. */
import { SvcError } from "../../../lib/errors.ts";

/** Cause of an error that leaves its input open. No error of a script has it. */
export class LeftOpen extends Error {}

/** Cause of an error that every further input of the run would fail with, too. */
export class StopsRun extends LeftOpen {}

/** Creates the error of an interrupted run. */
export function interrupted(): SvcError {
  return new SvcError("INTERRUPTED", "The workflow was interrupted.", { cause: new LeftOpen() });
}
