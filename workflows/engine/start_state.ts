import type { StoredEvent } from "../journal/journal.ts";
import type { StartState } from "../sandbox/host/sandbox.ts";
import { type History, readHistory } from "./history.ts";

/** Returns the state with which a script starts to continue a history. */
export function createStartState(startedAt: number, events: readonly StoredEvent[]): StartState {
  if (events.length === 0) return { startedAt, randomness: [] };
  const history = readHistory(events);
  return {
    startedAt,
    randomness: history.randomness,
    patches: history.patches,
    recordedSteps: findLastStep(history),
  };
}

/** Returns the position of the last recorded step, or 0. */
export function findLastStep({ steps }: Pick<History, "steps">): number {
  return steps.keys().reduce((last, position) => Math.max(last, position), 0);
}
