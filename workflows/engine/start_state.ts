import type { InputRecord, StoredEvent } from "../journal/journal.ts";
import type { StartState } from "../sandbox/host/sandbox.ts";
import { findContinuation, type History } from "./history.ts";

/** Returns the input and the start state with which a script continues its history. */
export function createStart(
  { value, startedAt }: Pick<InputRecord, "value" | "startedAt">,
  events: readonly StoredEvent[],
  history: History,
): Pick<InputRecord, "value"> & { readonly state: StartState } {
  const continuation = findContinuation(events);
  return {
    value: continuation === undefined ? value : continuation.input,
    state: {
      startedAt: continuation?.at ?? startedAt,
      randomness: history.randomness,
      patches: history.patches,
      recordedSteps: findLastStep(history),
    },
  };
}

/** Returns the position of the last recorded step, or 0. */
export function findLastStep({ steps }: Pick<History, "steps">): number {
  return steps.keys().reduce((last, position) => Math.max(last, position), 0);
}
