/** What an input did so far, as its journal tells it: the calls by position, and the order in which they were answered. */
import { type ErrorRecord, parseErrorRecord, SvcError } from "../../lib/errors.ts";
import type { JsonObject } from "../../utils/json.ts";
import type { EventRecord, StoredEvent } from "../journal/journal.ts";
import { readAsked } from "./asked.ts";

/** What a change was sent with. */
export interface SentWith {
  /** Its idempotency key. */
  readonly key: string;
  /** Its entity tag. */
  readonly tag?: string;
  /** Whether the key stayed here: the service was said to know none. */
  readonly unkeyed?: true;
}

/** A call that was made. */
export interface RecordedCall<E extends EventRecord = EventRecord> {
  /** Operation and arguments as the script gave them. */
  readonly asked: string;
  /** When it was asked: milliseconds since 1970. */
  readonly at: number;
  /** What it was sent with, where it is a change that may have been sent. */
  sent?: SentWith;
  /** When it was sent: milliseconds since 1970. */
  sentAt?: number;
  /** What the script was given, and when. */
  given?: E;
  /** What the same call was answered before its input went on anew: the script gets that. */
  keptAnswer?: string;
  /** Whether it was left by force: what is like it is another one then. */
  isForced?: boolean;
  /** Whether the line of its input has been mended since. */
  isOlder?: boolean;
}

/** What an input did so far. */
export interface Recording<E extends EventRecord = EventRecord> {
  /** Its calls by position. */
  readonly calls: Map<number, RecordedCall<E>>;
  /** Positions in the order in which the script was given their answers. */
  readonly turns: readonly number[];
  /** Blocks of randomness that the script drew, in base64. */
  readonly randomness: readonly string[];
  /**
   * Steps that the input left and has not asked for again. A change that has arrived, or may have, is kept with what it
   * was sent with, and is not sent again; of any other it is known that it was asked for, and is no change like those.
   */
  readonly kept: RecordedCall<E>[];
  /** How many lines it printed. */
  readonly logs: number;
}

/** The steps from which an input goes on anew. */
export interface Left {
  /** Their positions. */
  readonly positions: readonly number[];
  /** How many lines it had printed before them. */
  readonly logs: number;
  /** Whether somebody said that what it does from here on is something else. */
  readonly isForced?: boolean;
  /** Whether its line was mended, and says something else from here on. */
  readonly isMended?: boolean;
}

/** Steps that an input leaves: those from a time on, by the number of its event. */
export function leftOf(events: readonly StoredEvent[], positions: ReadonlySet<number>): Left {
  const first = events.find(({ kind, position }) => kind === "call" && positions.has(position));
  const before = printedLines(events).filter(({ seq }) => first === undefined || seq < first.seq);
  return { positions: [...positions], logs: before.length };
}

/** The event of an input that goes on anew. */
export function leftEvent(left: Left): EventRecord {
  return { kind: "left", position: 0, at: Date.now(), content: JSON.stringify(left) };
}

/** The lines that an input has printed, but for those of steps that it left. */
export function printedLines<E extends EventRecord>(events: readonly E[]): readonly E[] {
  let lines: E[] = [];
  for (const event of events) {
    if (event.kind === "log") lines.push(event);
    else if (event.kind === "left") lines = lines.slice(0, readLeft(event).logs);
  }
  return lines;
}

function readLeft({ content }: EventRecord): Left {
  return JSON.parse(content);
}

/** Reads the events of an input. */
export function readRecording<E extends EventRecord>(events: readonly E[]): Recording<E> {
  const calls = new Map<number, RecordedCall<E>>();
  const kept: RecordedCall<E>[] = [];
  let turns: number[] = [];
  const randomness: string[] = [];
  for (const event of events) {
    const { kind, position, at, content } = event;
    const call = calls.get(position);
    if (kind === "call") calls.set(position, { ...takeKept(kept, content), asked: content, at });
    else if (kind === "random") randomness.push(content);
    else if (kind === "left") {
      const left = readLeft(event);
      const positions = new Set(left.positions);
      turns = turns.filter((one) => !positions.has(one));
      leave(calls, kept, left);
      if (left.isMended) { for (const older of calls.values()) older.isOlder = true; }
    } else if (kind === "log") continue;
    else if (call === undefined) throw damaged(position);
    else if (kind === "sent") {
      call.sent = JSON.parse(content);
      call.sentAt = at;
    } else {
      call.given = event;
      turns.push(position);
    }
  }
  return { calls, turns, randomness, kept, logs: printedLines(events).length };
}

/** Takes steps out of a recording; what changes that have arrived, or may have, were sent with is kept. */
export function leave<E extends EventRecord>(
  calls: Map<number, RecordedCall<E>>,
  kept: RecordedCall<E>[],
  { positions, isForced }: Left,
): void {
  for (const position of positions) {
    const call = calls.get(position);
    calls.delete(position);
    if (call === undefined) continue;
    const { given, isOlder: _older, ...rest } = call;
    const arrived = given?.kind === "answer";
    const mayBeDone = arrived || given === undefined || readRefusal(given.content).unknown;
    if (call.sent !== undefined && mayBeDone) {
      kept.push({ ...rest, isForced, ...(arrived && { keptAnswer: given.content }) });
    } else if (!isForced) kept.push({ asked: call.asked, at: call.at });
  }
}

/** What is kept of the same call, for one call that asks for it: one that may have been done comes first. */
export function takeKept<E extends EventRecord>(
  kept: RecordedCall<E>[],
  asked: string,
): RecordedCall<E> | undefined {
  const same = kept.filter((call) => call.asked === asked);
  const taken = same.find(({ sent }) => sent !== undefined) ?? same[0];
  if (taken !== undefined) kept.splice(kept.indexOf(taken), 1);
  return taken;
}

/** What a refusal says, as its event has it. */
export interface Refusal {
  /** The error that the script was given. */
  readonly error: JsonObject;
  /** Whether the call may have arrived all the same. */
  readonly unknown: boolean;
}

/** The content of a refusal's event. */
export function readRefusal(content: string): Refusal {
  return JSON.parse(content);
}

/** The error that a record in the journal describes. */
export function errorIn(record: JsonObject | ErrorRecord): SvcError {
  return parseErrorRecord({ ...record }) ?? new SvcError("INTERNAL_ERROR", "The journal has an error that is none.");
}

/** The operation of a recorded call. */
export function operationOf({ asked }: RecordedCall): string {
  return readAsked(asked).operation;
}

function damaged(position: number): SvcError {
  return new SvcError("INTERNAL_ERROR", `The journal has an answer to call ${position}, but not the call.`);
}
