/** What stops an input so that its run can go on with it: nothing that a script throws does. */
import { SvcError } from "../../lib/errors.ts";

/** The cause of an error that leaves its input open. */
export class LeftOpen extends Error {}

/** The cause of an error that would stop every further input of its run, too. */
export class StopsRun extends LeftOpen {}

/** The error of a run that a person or the system interrupts. */
export function interrupted(): SvcError {
  return new SvcError("INTERRUPTED", "The workflow was interrupted.", { cause: new LeftOpen() });
}
