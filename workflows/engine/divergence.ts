/** Creates the errors of scripts that do not match their history. */
import { type ErrorRecord, SvcError } from "../../lib/errors.ts";
import { truncate } from "../../utils/text/wording.ts";
import { LeftOpen, StopsRun } from "../sandbox/host/interruption.ts";
import { parseRequest, type RecordedStep } from "./history.ts";

/** Length of a request in a message, in characters. */
const MAX_REQUEST = 300;

type Step = Pick<RecordedStep, "request" | "precedesEdit">;

/** Creates the error of a script that makes another request in a recorded step. */
export function changedStep(position: number, step: Step, request: string): SvcError {
  return new SvcError(
    "WORKFLOW_DIVERGED",
    `Step ${position} was ${show(step.request)}; now the script asks for ${show(request)}.`,
    { hint: chooseHint(position, step), cause: new LeftOpen() },
  );
}

/** Creates the error of a change that resembles a rewound one, which may have been applied. */
export function similarStep(position: number, rewound: string, request: string): SvcError {
  return new SvcError(
    "WORKFLOW_DIVERGED",
    `Step ${position} asks for ${show(request)}; before the input failed it did ${
      show(rewound)
    }, which is not repeated.`,
    { hint: "If this is another change, add --force to continue.", cause: new LeftOpen() },
  );
}

/** Creates the error of a script that takes a step that was not recorded. */
export function unrecordedStep(position: number, request: string): SvcError {
  return new SvcError(
    "WORKFLOW_DIVERGED",
    `Step ${position} was not recorded; now the script asks for ${show(request)}.`,
  );
}

/** Creates the error of a script that no longer takes a recorded step. It names the script's own failure first. */
export function missingStep(position: number, step: Step, failure?: ErrorRecord): SvcError {
  const missing = `Step ${position} was ${show(step.request)}; now the script does not ask for it.`;
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

/** Creates the error of a script whose files have changed since svc checked them. */
export function editedDuringRun(): SvcError {
  return new SvcError("WORKFLOW_DIVERGED", "The script was edited while it ran.", {
    hint: "Restore the script and resume the run, or add --force to continue with the edited script.",
    cause: new StopsRun(),
  });
}

/** Creates the error of a script that was edited since the run started and takes the same steps. */
export function editedScript(name: string, runId: string): SvcError {
  return new SvcError(
    "WORKFLOW_DIVERGED",
    `The script of ${name} was edited since run ${runId} started; it still asks for every recorded step.`,
    { hint: "Restore the script, or add --force to continue with the edited one.", cause: new LeftOpen() },
  );
}

/** Chooses the advice. If the input line was edited, that is the likelier reason for a difference than an edited script. */
function chooseHint(position: number, { precedesEdit }: Step): string {
  if (!precedesEdit) return "Restore the script, or add --force to continue from this step with what it does now.";
  return `The line of the input was edited after step ${position}. Restore that part of the line; or add --force to ` +
    "continue from that step with the edited line. Earlier effects remain.";
}

function show(text: string): string {
  const { operation, values } = parseRequest(text);
  return truncate(`${operation} ${JSON.stringify(values)}`, MAX_REQUEST);
}
