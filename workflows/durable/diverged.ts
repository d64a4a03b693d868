/** The errors of a script that does not do again what it did. */
import { type ErrorRecord, SvcError } from "../../lib/errors.ts";
import { LeftOpen } from "../left_open.ts";
import { clip } from "../../lib/wording.ts";
import { readAsked } from "./asked.ts";

/** Characters of a call that a message shows. */
const SHOWN = 300;

const HINT = "Run the script as it was, or go on with what it does now from this step: add --force.";

/** The script asks for something else than it did. */
export function otherCall(position: number, recorded: string, asked: string): SvcError {
  return new SvcError(
    "WORKFLOW_DIVERGED",
    `Step ${position} was ${shown(recorded)}; now the script asks for ${shown(asked)}.`,
    { hint: HINT, cause: new LeftOpen() },
  );
}

/** The script asks for a change like one that it did on the way that it left, and not for the same. */
export function likeKept(position: number, kept: string, asked: string): SvcError {
  return new SvcError(
    "WORKFLOW_DIVERGED",
    `Step ${position} asks for ${shown(asked)}; before the input failed it did ${shown(kept)}, which is not repeated.`,
    { hint: "If that is another one, go on: add --force.", cause: new LeftOpen() },
  );
}

/** The script asks for something that it did not do. */
export function newCall(position: number, asked: string): SvcError {
  return new SvcError(
    "WORKFLOW_DIVERGED",
    `Step ${position} was not recorded; now the script asks for ${shown(asked)}.`,
  );
}

/** The script no longer asks for something that it did; where that is because it fails, what with is told first. */
export function missingCall(position: number, recorded: string, failure?: ErrorRecord): SvcError {
  const missing = `Step ${position} was ${shown(recorded)}; now the script does not ask for it.`;
  const cause = new LeftOpen();
  if (failure === undefined) return new SvcError("WORKFLOW_DIVERGED", missing, { hint: HINT, cause });
  const { code, message, details } = failure;
  return new SvcError("WORKFLOW_DIVERGED", `The script fails with ${code} ${JSON.stringify(message)}. ${missing}`, {
    details,
    hint: "Mend the script, or run it as it was. If it is right as it is now, add --force.",
    cause,
  });
}

/** The script's files are not those that its run has checked. */
export function editedMeanwhile(): SvcError {
  return new SvcError("WORKFLOW_DIVERGED", "The script was edited while it was at work.", {
    hint: "Put it back as it was and go on with the run, or go on with the edited script: add --force.",
    cause: new ScriptEdited(),
  });
}

/** The cause of an error that would stop every further input of its run, too. */
export class ScriptEdited extends LeftOpen {}

/** The script's files are not those that the run began with, although it does again what it did. */
export function otherScript(name: string, run: string): SvcError {
  return new SvcError(
    "WORKFLOW_DIVERGED",
    `The script of ${name} was edited since run ${run} began; it still asks for every step that was recorded.`,
    { hint: "Run it as it was, or go on with the edited script: add --force.", cause: new LeftOpen() },
  );
}

function shown(asked: string): string {
  const { operation, values } = readAsked(asked);
  return clip(`${operation} ${JSON.stringify(values)}`, SHOWN);
}
