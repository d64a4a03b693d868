/** Opens failed inputs anew: what they did is kept, what they failed of is asked again. */
import type { ErrorRecord } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { InputRecord, Journal, StoredEvent } from "../journal/journal.ts";
import { readRefusal } from "./recording.ts";

/** Opens the failed inputs of a run; answers how many there were. */
export async function reopenFailed(journal: Journal, run: string): Promise<number> {
  let count = 0;
  for (const input of journal.inputs(run)) {
    if (input.end?.state !== "failed") continue;
    await reopen(journal, run, input, input.end.error);
    count++;
  }
  if (count > 0) await journal.setState(run, "open");
  return count;
}

async function reopen(
  journal: Journal,
  run: string,
  { number, generation }: InputRecord,
  error: ErrorRecord,
): Promise<void> {
  const dropped = failingEvents(journal.events(run, number), error);
  await journal.reopenInput(run, number, dropped, generation + 1);
}

/**
 * The events that an input failed of: the refusals after which its script asked for nothing more, the one that it failed
 * with, and what it asked for after them. Another one it has caught and gone on from: what followed is kept. A change
 * that may have arrived stays marked as sent, with the key that it was sent with.
 */
export function failingEvents(events: readonly StoredEvent[], error: ErrorRecord): StoredEvent[] {
  const lastCall = events.findLastIndex(({ kind }) => kind === "call");
  const thrown = events.findLast((event) => isRefusal(event) && isSame(readRefusal(event.content).error, error));
  const refusals = events.filter((event, i) => isRefusal(event) && (i > lastCall || event === thrown));
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

function isRefusal({ kind }: StoredEvent): boolean {
  return kind === "refusal";
}

function isSame(refused: JsonObject, { code, message, operation }: ErrorRecord): boolean {
  return refused.code === code && refused.message === message && refused.operation === operation;
}

function positionOf({ position }: StoredEvent): number {
  return position;
}
