/** A run that a command of `svc workflow` works on, and how it ended. */
import type { Journal, RunSettings } from "../../../workflows/journal/journal.ts";
import type { SvcError } from "../../../lib/errors.ts";
import type { NextCommand, RunReference } from "../../render/next_command.ts";

/** A run to work on. */
export interface Execution extends RunReference {
  /** How it was started. */
  readonly settings: RunSettings;
  /** Where it is written; nowhere without it. */
  readonly journal?: Journal;
  /** Runs its failed inputs again. */
  readonly retries?: boolean;
  /** Goes on with a run, and does not begin one. */
  readonly goesOn?: boolean;
  /** Goes on where the script does something else than it did. */
  readonly force?: boolean;
  /** Grants what the script asks for. */
  readonly allowDeclared?: boolean;
  /** Operations to grant; undefined where nobody has said. */
  readonly allow?: readonly string[];
}

/** How a run ended that nobody interrupted. */
export interface EndOfRun {
  /** Why it failed. */
  readonly failure?: SvcError;
  /** What goes on with it then. */
  readonly ways?: readonly NextCommand[];
  /** Whether inputs are left that were not begun. */
  readonly isCut?: boolean;
  /** Inputs of a batch. */
  readonly inputs?: number;
}
