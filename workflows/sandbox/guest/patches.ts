/**
 * The decisions of `patched`. An input that has recorded a step after the place of the first call takes the old path, unless
 * it has recorded the decision for the new one. So a replay decides in the same way.
 */
import { SvcError } from "../../../lib/errors.ts";
import { truncate } from "../../../utils/text/wording.ts";
import { GuestMessage, PATCH_NAME } from "../protocol/messages.ts";
import { send } from "./channel.ts";
import { perInput } from "./per_input.ts";
import { countSteps } from "./steps.ts";

const patches = perInput(() => ({ decisions: new Map<string, boolean>(), recordedSteps: 0 }));

/** Takes over recorded decisions for the new path, and sets the position of the last recorded step. */
export function restorePatches(names: readonly string[], lastStep: number): void {
  const state = patches();
  for (const name of names) state.decisions.set(name, true);
  state.recordedSteps = lastStep;
}

/** Reports whether the input takes the new path. Decides once for each name. */
export function patched(name: string): boolean {
  checkName(name);
  const { decisions, recordedSteps } = patches();
  const decided = decisions.get(name);
  if (decided !== undefined) return decided;
  const isNew = countSteps() >= recordedSteps;
  decisions.set(name, isNew);
  if (isNew) send({ kind: GuestMessage.patched, id: 0, text: name });
  return isNew;
}

function checkName(name: unknown): void {
  if (typeof name === "string" && PATCH_NAME.test(name)) return;
  const shown = typeof name === "string" ? JSON.stringify(truncate(name, 100)) : `a value of type ${typeof name}`;
  throw new SvcError("INVALID_ARGS", `patched requires a valid name, not ${shown}.`, {
    hint: "Use 1 to 64 letters, digits, '.', '_' and '-', starting with a letter or a digit.",
  });
}
