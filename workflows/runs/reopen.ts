/** Opens failed inputs anew: what they did is kept, what made them fail is asked again. */
import type { ErrorRecord } from "../../lib/errors.ts";
import type { JsonObject } from "../../utils/json.ts";
import type { EventKind, EventRecord, InputJournal, Journal, StoredEvent } from "../journal/journal.ts";
import { readOnly } from "../journal/sqlite/read_only.ts";
import { isThrown } from "../sandbox/guest/script_error.ts";
import { readAsked } from "../engine/asked.ts";
import { leftEvent, leftOf, readRecording, readRefusal } from "../engine/recording.ts";
import { isSleep } from "../engine/sleeping.ts";

/** Inputs that are opened together: what waits for the disk by itself takes as long as a hundred. */
const TOGETHER = 100;

/** Opens the failed inputs of a run, by force if what they do now is something else; answers how many there were. */
export async function reopenFailed(journal: Journal, run: string, force = false): Promise<number> {
  let count = 0;
  let found: { number: number; generation: number; left: EventRecord }[] = [];
  const open = async () => {
    await Promise.all(
      found.map(({ number, left, generation }) => journal.reopenInput(run, number, left, generation + 1)),
    );
    count += found.length;
    found = [];
  };
  for await (const { number, generation, end } of journal.inputs(run)) {
    if (end?.state !== "failed") continue;
    found.push({ number, generation, left: leaving(await journal.events(run, number), end.error, force) });
    if (found.length === TOGETHER) await open();
  }
  await open();
  return count;
}

/** A journal as it would be with its failed inputs opened; it stays as it is. */
export function asReopened(journal: InputJournal): InputJournal {
  const looked = readOnly(journal);
  return {
    ...looked,
    async findInput(run, number) {
      const input = await looked.findInput(run, number);
      return input?.end?.state === "failed" ? { ...input, end: undefined } : input;
    },
    async events(run, number) {
      const events = await looked.events(run, number);
      const end = (await looked.findInput(run, number))?.end;
      return end?.state === "failed" ? [...events, { ...leaving(events, end.error), seq: Infinity }] : events;
    },
  };
}

/** The event of an input that goes on anew from what made it fail. */
function leaving(events: readonly StoredEvent[], error: ErrorRecord, isForced = false): EventRecord {
  return leftEvent({ ...leftOf(events, failedSteps(events, error)), isForced });
}

/**
 * The steps that made an input fail: the refusals after which its script asked for nothing more, the one that it failed
 * with, and what it asked for after them; where there is none of these, the last one, if it may be what an error of the
 * script's own is about. Another one it has caught and gone on from: what followed stays. A script that no refusal made
 * fail has failed because of what it read or how long it waited.
 */
function failedSteps(events: readonly StoredEvent[], error: ErrorRecord): ReadonlySet<number> {
  const current = standing(events);
  const lastCall = lastOf("call", current);
  const thrown = current.findLast((event) => isRefusal(event) && isSame(readRefusal(event.content).error, error));
  const sleeps = new Set(current.filter(isSleepCall).map(({ position }) => position));
  // Of a timer that it has cleared no script fails, unless it says so.
  const all = current.filter((event) => event === thrown || (isRefusal(event) && !sleeps.has(event.position)));
  const refusals = all.filter((event) => event === thrown || event.seq > lastCall);
  const open = error.code === "INTERRUPTED" ? openCalls(current) : [];
  const isOwn = thrown !== undefined || isMade(error);
  // The script may have wrapped the last one. One after which it changed something it has gone on from: asked again, it
  // could take the script another way, which leaves undone what was to follow that change.
  if (refusals.length === 0 && open.length === 0 && isOwn) {
    refusals.push(...all.slice(-1).filter(({ seq }) => seq > lastOf("sent", current)));
  }
  // What it waited for in vain may have been refused each time that it looked: the last refusal alone is not the cause.
  const read = isOwn && refusals.length + open.length > 0 ? [] : readSinceChange(current);
  const givenUp = [...refusals.filter(isGivenUp), ...open];
  const timers = givenUp.flatMap(({ position }) => timersDuring(position, current));
  const failed = new Set([...refusals, ...open, ...timers, ...read].map(({ position }) => position));
  // What stays is told again before any of these is answered: what was asked after one of them had ended cannot stay.
  const first = current.find((event) => isGiven(event) && failed.has(event.position))?.seq ?? Infinity;
  const askedAfter = current.filter(({ kind, seq }) => kind === "call" && seq > first);
  return new Set([...failed, ...askedAfter.map(({ position }) => position)]);
}

/** Whether a call failed because its script did not want it any more. */
function isGivenUp({ content }: StoredEvent): boolean {
  return readRefusal(content).error.code === "INTERRUPTED";
}

function openCalls(events: readonly StoredEvent[]): readonly StoredEvent[] {
  const given = new Set(events.filter(isGiven).map(({ position }) => position));
  return events.filter(({ kind, position }) => kind === "call" && !given.has(position));
}

/** The sleeps that ended while a call was open: one of them may have told the script to give it up, and would again. */
function timersDuring(position: number, events: readonly StoredEvent[]): readonly StoredEvent[] {
  const asked = events.find((event) => event.kind === "call" && event.position === position)?.seq ?? Infinity;
  const ended = new Set(
    events.filter(({ kind, seq }) => kind === "answer" && seq > asked).map(({ position }) => position),
  );
  return events.filter((event) => ended.has(event.position) && isSleepCall(event));
}

/** The reads and sleeps that ended after the last change was sent: nothing is done twice if they are asked for again. */
function readSinceChange(events: readonly StoredEvent[]): readonly StoredEvent[] {
  const changes = new Set(events.filter(({ kind }) => kind === "sent").map(({ position }) => position));
  const last = lastOf("sent", events);
  return events.filter((event) => isGiven(event) && event.seq > last && !changes.has(event.position));
}

/** The number of the last event of a kind. */
function lastOf(kind: EventKind, events: readonly StoredEvent[]): number {
  return events.findLast((event) => event.kind === kind)?.seq ?? 0;
}

function isSleepCall({ kind, content }: StoredEvent): boolean {
  return kind === "call" && isSleep(readAsked(content));
}

/** The events of steps that the input has not left, also from before it was opened anew an earlier time. */
function standing(events: readonly StoredEvent[]): readonly StoredEvent[] {
  const asked = new Map<number, StoredEvent>();
  for (const event of events) if (event.kind === "call") asked.set(event.position, event);
  const { calls } = readRecording(events);
  return events.filter(({ position, seq }) => calls.has(position) && seq >= (asked.get(position)?.seq ?? Infinity));
}

function isGiven(event: StoredEvent): boolean {
  return event.kind === "answer" || isRefusal(event);
}

function isRefusal({ kind }: StoredEvent): boolean {
  return kind === "refusal";
}

/** Whether the script has made an error itself: one of `waitFor`, which says how long it waited, it only lets pass. */
function isMade(error: ErrorRecord): boolean {
  return isThrown(error) && error.code !== "TIMEOUT";
}

function isSame(refused: JsonObject, { code, message, operation }: ErrorRecord): boolean {
  return refused.code === code && refused.message === message && refused.operation === operation;
}
