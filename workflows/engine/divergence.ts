/** Creates the errors of scripts that do not match their history. */
import { type ErrorRecord, SvcError } from "../../lib/errors.ts";
import { truncate } from "../../utils/text/wording.ts";
import { LeftOpen } from "../sandbox/host/interruption.ts";
import { parseRequest, type RecordedStep } from "./history.ts";

/** Length of a request in a message, in characters. */
const MAX_REQUEST = 300;

type Step = Pick<RecordedStep, "request" | "precedesEdit">;

/** Creates the error of a script whose step differs from the recorded one. */
export function changedStep(position: number, step: Step, request: string): SvcError {
  return new SvcError(
    "WORKFLOW_DIVERGED",
    `Step ${position} was ${show(step.request)}, but the script now calls ${show(request)}.`,
    { hint: chooseHint(position, step), cause: new LeftOpen() },
  );
}

/** Creates the error of a change that resembles a rewound one, which may have been applied. */
export function similarStep(position: number, rewound: string, request: string): SvcError {
  return new SvcError(
    "WORKFLOW_DIVERGED",
    `Step ${position} calls ${show(request)}, but an earlier attempt called ${
      show(rewound)
    }, which may be the same change.`,
    { hint: "If it is a different change, add --force to make it.", cause: new LeftOpen() },
  );
}

/** Creates the error of a script that takes a step that was not recorded. */
export function unrecordedStep(position: number, request: string): SvcError {
  return new SvcError(
    "WORKFLOW_DIVERGED",
    `Step ${position} was not recorded, but the script now calls ${show(request)}.`,
  );
}

/** Creates the error of a script that no longer takes a recorded step. It names the script's own failure first. */
export function missingStep(position: number, step: Step, failure?: ErrorRecord): SvcError {
  const missing = `Step ${position} was ${show(step.request)}, but the script no longer makes this call.`;
  const cause = new LeftOpen();
  if (failure === undefined) {
    return new SvcError("WORKFLOW_DIVERGED", missing, { hint: chooseHint(position, step), cause });
  }
  const { code, message, details } = failure;
  return new SvcError("WORKFLOW_DIVERGED", `The script fails with ${code} ${JSON.stringify(message)}. ${missing}`, {
    details,
    hint: "Fix the script, or restore it. If the script is correct, add --force.",
    cause,
  });
}

/** Chooses the hint. If the line of the input was edited, that is a likelier cause than an edited script. */
function chooseHint(position: number, { precedesEdit }: Step): string {
  if (!precedesEdit) return "Restore the script, or add --force to continue from this step with the current script.";
  return `The line of the input was edited after step ${position}. Undo that edit, or add --force to ` +
    "continue from that step with the edited line. The effects of earlier steps remain.";
}

function show(text: string): string {
  const { operation, values } = parseRequest(text);
  return truncate(`${operation} ${JSON.stringify(values)}`, MAX_REQUEST);
}
