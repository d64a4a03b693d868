/** The errors of a script that does not do again what it did. */
import { type ErrorRecord, SvcError } from "../../lib/errors.ts";
import { LeftOpen, StopsRun } from "../runs/interruption.ts";
import { truncate } from "../../utils/text/wording.ts";
import { readAsked } from "./asked.ts";
import type { RecordedCall } from "./recording.ts";

/** Characters of a call that a message shows. */
const SHOWN = 300;

/** What is known of a step that was recorded. */
type Recorded = Pick<RecordedCall, "asked" | "isOlder">;

/** The script asks for something else than it did. */
export function otherCall(position: number, recorded: Recorded, asked: string): SvcError {
  return new SvcError(
    "WORKFLOW_DIVERGED",
    `Step ${position} was ${shown(recorded.asked)}; now the script asks for ${shown(asked)}.`,
    { hint: hintOf(position, recorded), cause: new LeftOpen() },
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
export function missingCall(position: number, recorded: Recorded, failure?: ErrorRecord): SvcError {
  const missing = `Step ${position} was ${shown(recorded.asked)}; now the script does not ask for it.`;
  const cause = new LeftOpen();
  if (failure === undefined) {
    return new SvcError("WORKFLOW_DIVERGED", missing, { hint: hintOf(position, recorded), cause });
  }
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
    cause: new StopsRun(),
  });
}

/** The script's files are not those that the run began with, although it does again what it did. */
export function otherScript(name: string, run: string): SvcError {
  return new SvcError(
    "WORKFLOW_DIVERGED",
    `The script of ${name} was edited since run ${run} began; it still asks for every step that was recorded.`,
    { hint: "Run it as it was, or go on with the edited script: add --force.", cause: new LeftOpen() },
  );
}

/** What to do about it: where the line was mended since the step, that is the likelier reason. */
function hintOf(position: number, { isOlder }: Recorded): string {
  if (!isOlder) return "Run the script as it was, or go on with what it does now from this step: add --force.";
  return `The line says something else now than when step ${position} was done. Put that part of it back; or add --force, ` +
    "to go on from that step with what the line says now: what it made before stays.";
}

function shown(asked: string): string {
  const { operation, values } = readAsked(asked);
  return truncate(`${operation} ${JSON.stringify(values)}`, SHOWN);
}
