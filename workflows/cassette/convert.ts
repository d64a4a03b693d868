/** A journal's events as a cassette, and a cassette as a journal's events. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { decodeAnswer, encodeAnswer } from "../engine/answer.ts";
import { readAsked } from "../engine/asked.ts";
import { errorIn, readRecording, readRefusal, type RecordedCall as JournalledCall } from "../engine/recording.ts";
import type { EventRecord, InputRecord, StoredEvent } from "../journal/journal.ts";
import type { Operations } from "../scripts/permissions.ts";
import type { CallAnswer } from "../sandbox/host/sandbox.ts";
import { type Cassette, CASSETTE_VERSION, type RecordedAnswer, type RecordedCall } from "./cassette.ts";

/** The cassette of an input that is ended, from what its journal has. */
export function cassetteOf(
  script: string,
  { value, startedAt, end }: InputRecord,
  events: readonly StoredEvent[],
  operations: Operations,
): Cassette {
  const { calls, turns, randomness } = readRecording(events);
  return {
    cassette: CASSETTE_VERSION,
    script,
    startedAt: new Date(startedAt).toISOString(),
    ...(value !== undefined && { input: value }),
    randomness,
    calls: [...calls].toSorted(([one], [other]) => one - other).map(([step, call]) => {
      return recordedCall(step, call, turns.indexOf(step) + 1, operations);
    }),
    ...(end?.state === "done" && end.result !== undefined && { result: end.result }),
    ...(end?.state === "failed" && { error: end.error }),
  };
}

/** What a journal would have of the run: every call, and then what the script was given, in the order of the first time. */
export function eventsOf({ calls, randomness, startedAt }: Cassette): StoredEvent[] {
  const at = Date.parse(startedAt);
  const given = calls.filter(({ order }) => order !== undefined).toSorted((a, b) => Number(a.order) - Number(b.order));
  const events: EventRecord[] = [
    ...randomness.map((block): EventRecord => ({ kind: "random", position: 0, at, content: block })),
    ...calls.map((call): EventRecord => ({ kind: "call", position: call.step, at, content: askedOf(call) })),
    ...given.map(givenEvent),
  ];
  return events.map((event, seq) => ({ ...event, seq }));
}

function recordedCall(
  step: number,
  { asked, given }: JournalledCall,
  order: number,
  operations: Operations,
): RecordedCall {
  const { operation, values } = readAsked(asked);
  if (given === undefined) return { step, operation, values };
  const isText = operations.get(operation)?.operation.answer === "text";
  return { step, operation, values, ...recordedOutcome(given, isText), at: new Date(given.at).toISOString(), order };
}

function recordedOutcome({ kind, content }: EventRecord, isText: boolean): Pick<RecordedCall, "answer" | "error"> {
  if (kind === "answer") return { answer: recordedAnswer(decodeAnswer(content), isText) };
  return { error: errorIn(readRefusal(content).error).toJSON() };
}

function recordedAnswer({ head, text }: CallAnswer, isText: boolean): RecordedAnswer {
  const { etag, content, answer } = head;
  const known = { ...(typeof etag === "string" && { etag }), ...(typeof answer === "string" && { shape: answer }) };
  if (isJsonObject(content)) {
    const { type, name, size } = content;
    return {
      ...known,
      content: {
        type: String(type),
        ...(typeof name === "string" && { name }),
        ...(typeof size === "number" && { size }),
        base64: text,
      },
    };
  }
  if (text === "") return known;
  return { ...known, ...(isText ? { text } : bodyOf(text)) };
}

/** JSON as what it is, so that people can read it; a text that is none as it came. */
function bodyOf(text: string): { readonly body: JsonValue } | { readonly text: string } {
  try {
    const body: JsonValue = JSON.parse(text);
    return { body };
  } catch {
    return { text }; // The script is told what is wrong with it, as it was the first time.
  }
}

function askedOf({ operation, values }: RecordedCall): string {
  return JSON.stringify({ operation, values });
}

function givenEvent({ step, answer, error, at = "" }: RecordedCall): EventRecord {
  const given = { position: step, at: Date.parse(at) };
  if (error !== undefined) return { ...given, kind: "refusal", content: JSON.stringify({ error }) };
  return { ...given, kind: "answer", content: encodeAnswer(answerOf(answer)) };
}

function answerOf({ etag, shape, body, text, content }: RecordedAnswer = {}): CallAnswer {
  const known: JsonObject = { ...(etag !== undefined && { etag }), ...(shape !== undefined && { answer: shape }) };
  if (content !== undefined) {
    const { base64, ...head } = content;
    return { head: { ...known, content: { ...head } }, text: base64 };
  }
  return { head: known, text: text ?? (body === undefined ? "" : JSON.stringify(body)) };
}
