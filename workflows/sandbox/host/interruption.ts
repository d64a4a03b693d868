/** Errors that leave an input open, so that its run can be resumed. */
import { SvcError } from "../../../lib/errors.ts";

/** Cause of an error that leaves its input open. No error of a script has it. */
export class LeftOpen extends Error {}

/** Cause of an error if a shared process ends. Each of its inputs continues in a process of its own. */
export class LostSharedProcess extends LeftOpen {}

/** Cause of an error that every further input of the run would fail with, too. */
export class StopsRun extends LeftOpen {}

/** Cause of the error that ends the process of an input while it waits. */
export class Waits extends LeftOpen {
  /** When the input continues, in milliseconds since 1970. */
  readonly until: number;
  /** Sequence number of the last signal that the input has seen. A later one ends the wait. */
  readonly seen: number;

  /** Waits until a time. */
  constructor(until: number, seen: number) {
    super();
    this.until = until;
    this.seen = seen;
  }
}

/** Creates the error that ends the process of an input until a time. */
export function waits(until: number, seen: number): SvcError {
  return new SvcError("INTERRUPTED", "The input waits.", { cause: new Waits(until, seen) });
}

/** Creates the error of an interrupted run. */
export function interrupted(): SvcError {
  return new SvcError("INTERRUPTED", "The workflow was interrupted.", { cause: new LeftOpen() });
}
