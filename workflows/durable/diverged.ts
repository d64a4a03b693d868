/** The errors of a script that does not do again what it did. */
import { SvcError } from "../../lib/errors.ts";

/** Characters of a call that a message shows. */
const SHOWN = 300;

const HINT = "Run the script as it was, or go on with what it does now from this step: add --force.";

/** The script asks for something else than it did. */
export function otherCall(position: number, recorded: string, asked: string): SvcError {
  return new SvcError(
    "WORKFLOW_DIVERGED",
    `Step ${position} was ${shown(recorded)}; now the script asks for ${shown(asked)}.`,
    { hint: HINT },
  );
}

/** The script asks for something that it did not do. */
export function newCall(position: number, asked: string): SvcError {
  return new SvcError(
    "WORKFLOW_DIVERGED",
    `Step ${position} was not recorded; now the script asks for ${shown(asked)}.`,
  );
}

/** The script no longer asks for something that it did. */
export function missingCall(position: number, recorded: string): SvcError {
  return new SvcError(
    "WORKFLOW_DIVERGED",
    `Step ${position} was ${shown(recorded)}; now the script does not ask for it.`,
    { hint: HINT },
  );
}

/** The script's files are not those that the run began with, although it does again what it did. */
export function otherScript(name: string, run: string): SvcError {
  return new SvcError(
    "WORKFLOW_DIVERGED",
    `The script of ${name} was edited since run ${run} began; it still asks for every step that was recorded.`,
    { hint: "Run it as it was, or go on with the edited script: add --force." },
  );
}

function shown(asked: string): string {
  const { operation, values }: { operation?: unknown; values?: unknown } = JSON.parse(asked);
  const text = `${operation} ${JSON.stringify(values)}`;
  return text.length > SHOWN ? text.slice(0, SHOWN) + "…" : text;
}
