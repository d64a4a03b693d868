import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../utils/json.ts";
import {
  decodeAnswer,
  encodeAnswer,
  parseRefusal,
  parseRequest,
  readHistory,
  type RecordedStep,
  toRecordedError,
} from "../engine/history.ts";
import { createStart } from "../engine/start_state.ts";
import type { EventRecord, InputRecord, StoredEvent } from "../journal/journal.ts";
import type { Operations } from "../scripts/permissions.ts";
import type { CallAnswer } from "../sandbox/host/sandbox.ts";
import { type Cassette, CASSETTE_VERSION, type CassetteAnswer, type CassetteCall } from "./cassette.ts";

/** Converts the history of an ended input to a cassette. */
export function toCassette(
  script: string,
  record: InputRecord,
  events: readonly StoredEvent[],
  operations: Operations,
): Cassette {
  const { end } = record;
  const history = readHistory(events);
  const { steps: calls, resultOrder, randomness, patches } = history;
  const { value, state: { startedAt } } = createStart(record, events, history);
  return {
    cassette: CASSETTE_VERSION,
    script,
    startedAt: new Date(startedAt).toISOString(),
    ...(value !== undefined && { input: value }),
    randomness,
    ...(patches.length > 0 && { patches }),
    calls: [...calls].toSorted(([one], [other]) => one - other).map(([step, call]) => {
      return toCassetteCall(step, call, resultOrder.indexOf(step) + 1, operations);
    }),
    ...(end?.state === "done" && end.result !== undefined && { result: end.result }),
    ...(end?.state === "failed" && { error: end.error }),
  };
}

/** Converts a cassette to the history of an input: all calls, then all responses in their order. */
export function toHistory({ calls, randomness, startedAt }: Cassette): StoredEvent[] {
  const at = Date.parse(startedAt);
  const ended = calls.filter(({ order }) => order !== undefined).toSorted((a, b) => Number(a.order) - Number(b.order));
  const events: EventRecord[] = [
    ...randomness.map((block): EventRecord => ({ kind: "random", position: 0, at, content: block })),
    ...calls.map((call): EventRecord => ({ kind: "call", position: call.step, at, content: encodeCall(call) })),
    ...ended.map(toResponseEvent),
  ];
  return events.map((event, seq) => ({ ...event, seq }));
}

function toCassetteCall(
  step: number,
  { request, result }: RecordedStep,
  order: number,
  operations: Operations,
): CassetteCall {
  const { operation, values } = parseRequest(request);
  if (result === undefined) return { step, operation, values };
  const isText = operations.get(operation)?.operation.answer === "text";
  return {
    step,
    operation,
    values,
    ...toCassetteOutcome(result, isText),
    at: new Date(result.at).toISOString(),
    order,
  };
}

function toCassetteOutcome({ kind, content }: EventRecord, isText: boolean): Pick<CassetteCall, "answer" | "error"> {
  if (kind === "answer") return { answer: toCassetteAnswer(decodeAnswer(content), isText) };
  return { error: toRecordedError(parseRefusal(content).error).toJSON() };
}

function toCassetteAnswer({ head, text }: CallAnswer, isText: boolean): CassetteAnswer {
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
  return { ...known, ...(isText ? { text } : toCassetteBody(text)) };
}

/** Parses a JSON body to keep it readable. Invalid JSON stays text. */
function toCassetteBody(text: string): { readonly body: JsonValue } | { readonly text: string } {
  try {
    return { body: parseJson(text) };
  } catch {
    return { text }; // The script gets the same error again.
  }
}

function encodeCall({ operation, values }: CassetteCall): string {
  return JSON.stringify({ operation, values });
}

function toResponseEvent({ step, answer, error, at = "" }: CassetteCall): EventRecord {
  const event = { position: step, at: Date.parse(at) };
  if (error !== undefined) return { ...event, kind: "refusal", content: JSON.stringify({ error }) };
  return { ...event, kind: "answer", content: encodeAnswer(toCallAnswer(answer)) };
}

function toCallAnswer({ etag, shape, body, text, content }: CassetteAnswer = {}): CallAnswer {
  const known: JsonObject = { ...(etag !== undefined && { etag }), ...(shape !== undefined && { answer: shape }) };
  if (content !== undefined) {
    const { base64, ...head } = content;
    return { head: { ...known, content: { ...head } }, text: base64 };
  }
  return { head: known, text: text ?? (body === undefined ? "" : JSON.stringify(body)) };
}
