import type { ErrorRecord } from "../../lib/errors.ts";
import type { JsonObject } from "../../utils/json.ts";
import { parseRefusal, parseRequest, planRewind, readHistory, toRewindEvent } from "./history.ts";
import { isWait } from "../sandbox/protocol/messages.ts";
import type { EventKind, EventRecord, InputRecord, Journal, StoredEvent } from "../journal/journal.ts";
import { isThrown } from "../sandbox/guest/script_error.ts";

/** Number of inputs that are opened with one commit. */
const GROUP_SIZE = 100;

/**
 * Opens the failed inputs of a run again, each rewound to the steps that made it fail. Returns their number. Throws if a
 * record of the run is damaged.
 */
export async function reopenFailed(
  journal: Journal,
  runId: string,
  force = false,
  isReopened: (input: InputRecord) => boolean = () => true,
): Promise<number> {
  let count = 0;
  let group: { number: number; generation: number; rewind: EventRecord }[] = [];
  const reopen = async () => {
    await Promise.all(group.map(async ({ number, rewind, generation }) => {
      await using claim = await journal.claimInput(runId, number);
      await claim?.reopen(rewind, generation + 1);
    }));
    count += group.length;
    group = [];
  };
  for await (const input of journal.inputs(runId)) {
    const { number, generation, end } = input;
    if (end?.state !== "failed" || !isReopened(input)) continue;
    const rewind = createRewind(await journal.events(runId, number), end.error, force);
    group.push({ number, generation, rewind });
    if (group.length === GROUP_SIZE) await reopen();
  }
  await reopen();
  return count;
}

/** Reads the history of an input as it would be if a failed input was opened again. */
export async function readReopened(
  journal: Journal,
  runId: string,
  { number, end }: InputRecord,
): Promise<readonly StoredEvent[]> {
  const events = await journal.events(runId, number);
  return end?.state === "failed" ? [...events, { ...createRewind(events, end.error), seq: Infinity }] : events;
}

function createRewind(events: readonly StoredEvent[], error: ErrorRecord, isForced = false): EventRecord {
  return toRewindEvent({ ...planRewind(events, findFailedSteps(events, error)), isForced });
}

/**
 * Finds the steps that made an input fail, to be repeated:
 * - the failed call whose error the script threw, and failed calls after which it made no other call;
 * - without such calls, if the error is the script's own: the last failed call, which the script may have wrapped;
 * - if no failed call is the cause: the reads and sleeps since the last change;
 * - every call that was made after one of these had ended.
 *
 * A failed call that the script caught and continued from is kept, with all that followed.
 */
function findFailedSteps(events: readonly StoredEvent[], error: ErrorRecord): ReadonlySet<number> {
  const current = withoutRewound(events);
  const lastCall = findLastSeq("call", current);
  const thrown = current.findLast((event) => isRefusal(event) && isSameError(parseRefusal(event.content).error, error));
  const sleeps = new Set(current.filter(isSleepCall).map(({ position }) => position));
  // A cleared timer is not the reason of a failure, unless the error says so.
  const refusals = current.filter((event) => event === thrown || (isRefusal(event) && !sleeps.has(event.position)));
  const causes = refusals.filter((event) => event === thrown || event.seq > lastCall);
  const open = error.code === "INTERRUPTED" ? findOpenCalls(current) : [];
  const isOwn = thrown !== undefined || isOwnError(error);
  // The last failed call may be wrapped in the error, unless a change followed: repeating the call could take the script
  // on another path, and leave undone what was to follow that change.
  if (causes.length === 0 && open.length === 0 && isOwn) {
    causes.push(...refusals.slice(-1).filter(({ seq }) => seq > findLastSeq("sent", current)));
  }
  // Each attempt of a script that waits may have failed, so the last failed call is not the cause.
  const reads = isOwn && causes.length + open.length > 0 ? [] : findReadsSinceChange(current);
  const aborted = [...causes.filter(isAborted), ...open];
  const timers = aborted.flatMap(({ position }) => findTimersDuring(position, current));
  const failed = new Set([...causes, ...open, ...timers, ...reads].map(({ position }) => position));
  // The kept steps are replayed before these end again, so a call that was made after one of them cannot be kept.
  const firstEnd = current.find((event) => isResponse(event) && failed.has(event.position))?.seq ?? Infinity;
  const later = current.filter(({ kind, seq }) => kind === "call" && seq > firstEnd);
  return new Set([...failed, ...later.map(({ position }) => position)]);
}

/** Reports whether the script aborted a call itself. */
function isAborted({ content }: StoredEvent): boolean {
  return parseRefusal(content).error.code === "INTERRUPTED";
}

function findOpenCalls(events: readonly StoredEvent[]): readonly StoredEvent[] {
  const ended = new Set(events.filter(isResponse).map(({ position }) => position));
  return events.filter(({ kind, position }) => kind === "call" && !ended.has(position));
}

/** Finds the sleeps that ended while a call was open: one of them may be the timeout that aborted the call. */
function findTimersDuring(position: number, events: readonly StoredEvent[]): readonly StoredEvent[] {
  const called = events.find((event) => event.kind === "call" && event.position === position)?.seq ?? Infinity;
  const ended = new Set(
    events.filter(({ kind, seq }) => kind === "answer" && seq > called).map(({ position }) => position),
  );
  return events.filter((event) => ended.has(event.position) && isSleepCall(event));
}

/** Finds the reads and sleeps that ended after the last change was sent. They can be repeated safely. */
function findReadsSinceChange(events: readonly StoredEvent[]): readonly StoredEvent[] {
  const changes = new Set(events.filter(({ kind }) => kind === "sent").map(({ position }) => position));
  const last = findLastSeq("sent", events);
  return events.filter((event) => isResponse(event) && event.seq > last && !changes.has(event.position));
}

function findLastSeq(kind: EventKind, events: readonly StoredEvent[]): number {
  return events.findLast((event) => event.kind === kind)?.seq ?? 0;
}

function isSleepCall({ kind, content }: StoredEvent): boolean {
  return kind === "call" && isWait(parseRequest(content));
}

/** Removes the events of steps that earlier rewinds have dropped. */
function withoutRewound(events: readonly StoredEvent[]): readonly StoredEvent[] {
  const called = new Map<number, StoredEvent>();
  for (const event of events) if (event.kind === "call") called.set(event.position, event);
  const { steps } = readHistory(events);
  return events.filter(({ position, seq }) => steps.has(position) && seq >= (called.get(position)?.seq ?? Infinity));
}

function isResponse(event: StoredEvent): boolean {
  return event.kind === "answer" || isRefusal(event);
}

function isRefusal({ kind }: StoredEvent): boolean {
  return kind === "refusal";
}

/** Reports whether the script created an error itself. A timeout of `waitFor` does not count. */
function isOwnError(error: ErrorRecord): boolean {
  return isThrown(error) && error.code !== "TIMEOUT";
}

function isSameError(refused: JsonObject, { code, message, operation }: ErrorRecord): boolean {
  return refused.code === code && refused.message === message && refused.operation === operation;
}
