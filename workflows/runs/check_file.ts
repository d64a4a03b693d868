import { SvcError } from "../../lib/errors.ts";
import { getFileName } from "../../utils/fs/file_name.ts";
import { pluralize } from "../../utils/text/wording.ts";
import { type FileChange, findChange, type Fingerprint } from "../inputs/fingerprint.ts";
import { openInputs } from "../inputs/open_inputs.ts";
import type { Journal } from "../journal/journal.ts";
import { OTHER_INPUTS_HINT } from "./runner.ts";

/** A file of inputs to check. */
export interface FileCheck {
  /** Identifier of the run. */
  readonly id: string;
  /** Path of the file. */
  readonly path: string;
  /** Recorded fingerprint. */
  readonly before: Fingerprint;
  /** True if the file had already changed when the run was last continued. */
  readonly hasChangedBefore: boolean;
  /** Current fingerprint. */
  readonly now: Fingerprint;
  /** True if failed inputs take their current lines. */
  readonly retries: boolean;
}

/**
 * Checks that a file of inputs is as it was when the run started. Edited lines are accepted while failed inputs run again:
 * each line that has not failed is compared when its turn comes.
 */
export async function checkFile(
  journal: Journal,
  { id, path, before, hasChangedBefore, now, retries }: FileCheck,
): Promise<void> {
  const change = findChange(before, now);
  if (change === undefined) return;
  const mayEdit = change.lines === change.linesBefore && (retries || await hasReopened(journal, id));
  if (mayEdit) return;
  const { failed } = await journal.countInputs(id);
  throw new SvcError(
    "INVALID_ARGS",
    describeChange(path, change, hasChangedBefore ? "was last continued" : "started"),
    {
      hint: (failed > 0 ? "'svc workflow retry' uses the current value of a failed line. " : "") + OTHER_INPUTS_HINT +
        " To continue with the current file, add --accept-changed-inputs: inputs that were started must be unchanged.",
    },
  );
}

/** Checks that a file has at least as many inputs as were started. */
export async function checkStartedInputs(
  journal: Journal,
  runId: string,
  path: string,
  link?: string,
): Promise<void> {
  const { inputs } = await journal.countInputs(runId);
  if (inputs === 0) return;
  let found = 0;
  for await (const _ of await openInputs(path, link)) if (++found === inputs) return;
  if (found < inputs) throw tooFewInputs(inputs, found);
}

/** Creates the error of a file that lacks inputs that were started. */
export function tooFewInputs(started: number, found: number): SvcError {
  return new SvcError("INVALID_ARGS", `The run has ${pluralize(started, "input")}, but its file has only ${found}.`, {
    hint: OTHER_INPUTS_HINT,
  });
}

/** Describes what has changed, e.g. `in.ndjson has 13 lines, but had 60 when the run started.` */
export function describeChange(
  path: string,
  { linesBefore, lines, changed }: FileChange,
  event: "started" | "was last continued",
): string {
  const name = getFileName(path);
  const where = changed &&
    (changed.first === changed.last
      ? `line ${changed.first} has changed`
      : `a line from ${changed.first} to ${changed.last} has changed`);
  if (lines !== linesBefore) {
    return `${name} has ${pluralize(lines, "line")}, but had ${linesBefore} when the run ${event}` +
      (where === undefined ? `: ${describeRest(linesBefore, lines)}.` : `, and ${where}.`);
  }
  if (changed?.first === changed?.last) return `${name}:${changed?.first} has changed since the run ${event}.`;
  return `${name} has changed since the run ${event}: ${where}.`;
}

function describeRest(before: number, lines: number): string {
  const count = pluralize(Math.abs(lines - before), "line");
  return lines > before ? `${count} appended` : `${count} missing at the end`;
}

/** Reports whether an input that had failed is open again. */
async function hasReopened(journal: Journal, runId: string): Promise<boolean> {
  for await (const { generation, end } of journal.inputs(runId)) if (generation > 0 && end === undefined) return true;
  return false;
}
