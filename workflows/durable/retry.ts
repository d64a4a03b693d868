/** Opens failed inputs anew: what they did is kept, what they failed of is asked again. */
import type { ErrorRecord } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { EventRecord, InputJournal, InputRecord, Journal, StoredEvent } from "../journal/journal.ts";
import { readOnly } from "../journal/read_only.ts";
import { leftOf, readRefusal } from "./recording.ts";

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

/** A journal as it would be with its failed inputs opened; it stays as it is. */
export function asReopened(journal: InputJournal): InputJournal {
  const looked = readOnly(journal);
  return {
    ...looked,
    findInput(run, number) {
      const input = looked.findInput(run, number);
      return input?.end?.state === "failed" ? { ...input, end: undefined } : input;
    },
    events(run, number) {
      const events = looked.events(run, number);
      const end = looked.findInput(run, number)?.end;
      return end?.state === "failed" ? [...events, { ...leaving(events, end.error), seq: Infinity }] : events;
    },
  };
}

async function reopen(
  journal: Journal,
  run: string,
  { number, generation }: InputRecord,
  error: ErrorRecord,
): Promise<void> {
  await journal.reopenInput(run, number, leaving(journal.events(run, number), error), generation + 1);
}

/** The event of an input that goes on anew from what it failed of. */
function leaving(events: readonly StoredEvent[], error: ErrorRecord): EventRecord {
  const left = leftOf(events, failedSteps(events, error));
  return { kind: "left", position: 0, at: Date.now(), content: JSON.stringify(left) };
}

/**
 * The steps that an input failed of: the refusals after which its script asked for nothing more, the one that it failed
 * with, and what it asked for after them. Another one it has caught and gone on from: what followed stays.
 */
function failedSteps(events: readonly StoredEvent[], error: ErrorRecord): ReadonlySet<number> {
  const lastLeft = events.findLastIndex(({ kind }) => kind === "left");
  const current = events.slice(lastLeft + 1);
  const lastCall = current.findLastIndex(({ kind }) => kind === "call");
  const thrown = current.findLast((event) => isRefusal(event) && isSame(readRefusal(event.content).error, error));
  const refusals = current.filter((event, i) => isRefusal(event) && (i > lastCall || event === thrown));
  const [first] = refusals;
  if (first === undefined) return new Set();
  const askedAfter = current.filter(({ kind, seq }) => kind === "call" && seq > first.seq);
  return new Set([...refusals, ...askedAfter].map(({ position }) => position));
}

function isRefusal({ kind }: StoredEvent): boolean {
  return kind === "refusal";
}

function isSame(refused: JsonObject, { code, message, operation }: ErrorRecord): boolean {
  return refused.code === code && refused.message === message && refused.operation === operation;
}
