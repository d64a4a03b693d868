/** Opens failed inputs anew: what they did is kept, what they failed of is asked again. */
import type { InputRecord, Journal, StoredEvent } from "../journal/journal.ts";
import { readRefusal } from "./recording.ts";

/** Opens the failed inputs of a run; answers how many there were. */
export async function reopenFailed(journal: Journal, run: string): Promise<number> {
  const failed = [...journal.inputs(run)].filter(({ end }) => end?.state === "failed");
  for (const input of failed) await reopen(journal, run, input);
  if (failed.length > 0) await journal.setState(run, "open");
  return failed.length;
}

async function reopen(journal: Journal, run: string, { number, generation }: InputRecord): Promise<void> {
  const dropped = failingEvents(journal.events(run, number));
  await journal.reopenInput(run, number, dropped, generation + 1);
}

/**
 * The events that an input failed of: the last refusals that its script was given, and what it asked for after them. A
 * change that may have arrived stays marked as sent, with the key that it was sent with.
 */
export function failingEvents(events: readonly StoredEvent[]): StoredEvent[] {
  const lastCall = events.findLastIndex(({ kind }) => kind === "call");
  const isRefusal = ({ kind }: StoredEvent) => kind === "refusal";
  const trailing = events.filter((event, i) => isRefusal(event) && i > lastCall);
  const last = events.findLast(isRefusal);
  const refusals = trailing.length > 0 || last === undefined ? trailing : [last];
  const [first] = refusals;
  if (first === undefined) return [];
  const askedAfter = new Set(events.filter(({ kind, seq }) => kind === "call" && seq > first.seq).map(positionOf));
  const refused = new Map(refusals.map((event) => [event.position, event]));
  return events.filter((event) => {
    if (askedAfter.has(event.position)) return true;
    const refusal = refused.get(event.position);
    return event === refusal ||
      (event.kind === "sent" && refusal !== undefined && !readRefusal(refusal.content).unknown);
  });
}

function positionOf({ position }: StoredEvent): number {
  return position;
}
