/** The history of an input: its recorded steps, the order of their results, and the content of its events. */
import { type ErrorRecord, parseErrorRecord, SvcError } from "../../lib/errors.ts";
import { findReviver, isJsonObject, type JsonObject, type JsonValue, parseJsonObject } from "../../utils/json.ts";
import { sha256 } from "../../utils/text/sha256.ts";
import type { EventRecord, StoredEvent } from "../journal/journal.ts";
import { LeftOpen } from "../sandbox/host/interruption.ts";
import type { CallAnswer } from "../sandbox/host/sandbox.ts";
import type { CallRequest } from "../sandbox/protocol/messages.ts";

/** Headers of a change. The journal stores them as JSON with these names. */
export interface SentHeaders {
  /** Idempotency key. */
  readonly key: string;
  /** Entity tag. */
  readonly tag?: string;
  /** True if the key was not sent, because the service does not support keys. */
  readonly unkeyed?: true;
}

/** A recorded step. */
export interface RecordedStep<E extends EventRecord = EventRecord> {
  /** Operation and arguments as text. */
  readonly request: string;
  /** When the script took it, in milliseconds since 1970. */
  readonly at: number;
  /** Headers of a change that may have been sent. */
  sent?: SentHeaders;
  /** When it was sent, in milliseconds since 1970. */
  sentAt?: number;
  /** Milliseconds for which a timer was paused, because the input did not run. */
  downtime?: number;
  /** The event of the result that the script got. */
  result?: E;
  /** The answer to the same change before a rewind. The change is not sent again. */
  earlierAnswer?: string;
  /** True if `--force` rewound it. A similar change is then another one. */
  isForced?: boolean;
  /** True if it was taken before the line of its input was edited. */
  precedesEdit?: boolean;
}

/** The history of an input. */
export interface History<E extends EventRecord = EventRecord> {
  /** Steps by position. */
  readonly steps: Map<number, RecordedStep<E>>;
  /** Positions in the order in which the script got their results. */
  readonly resultOrder: readonly number[];
  /** Blocks of random bytes that the script used, in base64. */
  readonly randomness: readonly string[];
  /** Names of the patches whose new path the input takes. */
  readonly patches: readonly string[];
  /** Rewound steps that the script has not taken again. A change that may have been applied keeps its headers. */
  readonly rewound: RecordedStep<E>[];
  /** Number of printed lines. */
  readonly printedLines: number;
}

/** Steps that an input drops to take them again. The journal stores it as JSON with these names. */
export interface Rewind {
  /** Positions of the dropped steps. */
  readonly positions: readonly number[];
  /** Number of lines that were printed before them. */
  readonly logs: number;
  /** True if `--force` caused it. */
  readonly isForced?: boolean;
  /** True if the line of the input was edited. */
  readonly isMended?: boolean;
}

/** The start of a history that continues an earlier one. */
export interface Continuation {
  /** Input. */
  readonly input?: JsonValue;
  /** Number of earlier histories. */
  readonly count: number;
}

/** Creates the event with which a history starts that continues an earlier one. */
export function toContinuedEvent(continuation: Continuation): EventRecord {
  return { kind: "continued", position: 0, at: Date.now(), content: JSON.stringify(continuation) };
}

/** Parses the start of a history, with its time. Returns undefined for the first history of an input. */
export function findContinuation([first]: readonly EventRecord[]): Continuation & { readonly at: number } | undefined {
  if (first?.kind !== "continued") return undefined;
  return { ...JSON.parse(first.content, findReviver(first.content)), at: first.at };
}

/** Reports whether the history of an input was deleted. */
export function isPruned([first]: readonly EventRecord[]): boolean {
  return first?.kind === "pruned";
}

/** Plans to drop steps: counts the lines that were printed before the first of them. */
export function planRewind(events: readonly StoredEvent[], positions: ReadonlySet<number>): Rewind {
  const first = events.find(({ kind, position }) => kind === "call" && positions.has(position));
  const before = selectPrinted(events).filter(({ seq }) => first === undefined || seq < first.seq);
  return { positions: [...positions], logs: before.length };
}

/** Creates the event of a rewind. */
export function toRewindEvent(rewind: Rewind): EventRecord {
  return { kind: "left", position: 0, at: Date.now(), content: JSON.stringify(rewind) };
}

/** Parses the content of a rewind. */
export function parseRewind({ content }: Pick<EventRecord, "content">): Rewind {
  return JSON.parse(content);
}

/** Selects the printed lines, without those of rewound steps. */
export function selectPrinted<E extends EventRecord>(events: readonly E[]): readonly E[] {
  let lines: E[] = [];
  for (const event of events) {
    if (event.kind === "log") lines.push(event);
    else if (event.kind === "left") lines = lines.slice(0, parseRewind(event).logs);
  }
  return lines;
}

/** Reads the history from the events of an input. Replaces references to earlier responses with those responses. */
export function readHistory<E extends EventRecord>(events: readonly E[]): History<E> {
  const answers = new Map<number, string>();
  const steps = new Map<number, RecordedStep<E>>();
  const rewound: RecordedStep<E>[] = [];
  const randomness: string[] = [];
  const patches: string[] = [];
  let resultOrder: number[] = [];
  for (const event of events) {
    const { kind, position, at, content } = event;
    switch (kind) {
      case "call":
        steps.set(position, { ...takeRewound(rewound, content), request: content, at });
        break;
      case "random":
        randomness.push(content);
        break;
      case "patched":
        patches.push(content);
        break;
      case "left": {
        const rewind = parseRewind(event);
        const positions = new Set(rewind.positions);
        resultOrder = resultOrder.filter((position) => !positions.has(position));
        dropSteps(steps, rewound, rewind);
        if (rewind.isMended) { for (const step of steps.values()) step.precedesEdit = true; }
        break;
      }
      case "sent":
        Object.assign(findStep(steps, position), { sent: JSON.parse(content), sentAt: at });
        break;
      case "answer": {
        const complete = completeAnswer(content, answers);
        answers.set(position, complete);
        findStep(steps, position).result = complete === content ? event : { ...event, content: complete };
        resultOrder.push(position);
        break;
      }
      case "refusal":
        findStep(steps, position).result = event;
        resultOrder.push(position);
        break;
      case "downtime": {
        const timer = findStep(steps, position);
        timer.downtime = (timer.downtime ?? 0) + Number(content);
        break;
      }
      case "log":
      case "signal":
      case "continued":
      case "pruned":
        break;
    }
  }
  return { steps, resultOrder, randomness, patches, rewound, printedLines: selectPrinted(events).length };
}

function findStep<E extends EventRecord>(steps: ReadonlyMap<number, RecordedStep<E>>, position: number) {
  const step = steps.get(position);
  if (step !== undefined) return step;
  throw damagedHistory(`The journal has the result of step ${position}, but not the step.`);
}

/** Drops steps of a history. A change that may have been applied keeps its headers, and its answer if it has one. */
export function dropSteps<E extends EventRecord>(
  steps: Map<number, RecordedStep<E>>,
  rewound: RecordedStep<E>[],
  { positions, isForced }: Rewind,
): void {
  for (const position of positions) {
    const step = steps.get(position);
    steps.delete(position);
    if (step === undefined) continue;
    const { result, precedesEdit: _edit, ...rest } = step;
    const isAnswered = result?.kind === "answer";
    const mayBeApplied = isAnswered || result === undefined || parseRefusal(result.content).unknown;
    if (step.sent !== undefined && mayBeApplied) {
      rewound.push({ ...rest, isForced, ...(isAnswered && { earlierAnswer: result.content }) });
    } else if (!isForced) rewound.push({ request: step.request, at: step.at });
  }
}

/** Takes a rewound step with the same request out of the list. One that may have been applied comes first. */
export function takeRewound<E extends EventRecord>(
  rewound: RecordedStep<E>[],
  request: string,
): RecordedStep<E> | undefined {
  const same = rewound.filter((step) => step.request === request);
  const taken = same.find(({ sent }) => sent !== undefined) ?? same[0];
  if (taken !== undefined) rewound.splice(rewound.indexOf(taken), 1);
  return taken;
}

/** A recorded error of a call. */
export interface Refusal {
  /** The error that the script got. */
  readonly error: JsonObject;
  /** True if the change may have been applied nevertheless. */
  readonly unknown: boolean;
}

/** Parses the content of a refusal's event. */
export function parseRefusal(content: string): Refusal {
  return JSON.parse(content, findReviver(content));
}

/** Creates the error that a recorded error describes. */
export function toRecordedError(record: JsonObject | ErrorRecord): SvcError {
  return parseErrorRecord({ ...record }) ?? damagedHistory("The journal contains an invalid error.");
}

/** Creates the error of a history that was damaged before its records got checksums. */
function damagedHistory(message: string): SvcError {
  return new SvcError("JOURNAL_DAMAGED", message, {
    cause: new LeftOpen(),
    hint: "Check in the service what this input did, and do the rest by hand.",
  });
}

/** Serializes the operation and the values of a call. A file is replaced by its name, type, size and digest. */
export async function serializeRequest({ operation, values }: CallRequest): Promise<string> {
  const files = Object.entries(values).filter((entry): entry is [string, Blob] => entry[1] instanceof Blob);
  if (files.length === 0) return JSON.stringify({ operation, values });
  const digests = await Promise.all(files.map(async ([name, file]) => [name, await describeFile(file)]));
  return JSON.stringify({ operation, values: { ...values, ...Object.fromEntries(digests) } });
}

/** Parses a serialized request. */
export function parseRequest(text: string): { readonly operation: string; readonly values: JsonObject } {
  const { operation, values }: JsonObject = parseJsonObject(text) ?? {};
  return { operation: String(operation), values: isJsonObject(values) ? values : {} };
}

/** Returns the operation of a recorded step. */
export function getOperation({ request }: Pick<RecordedStep, "request">): string {
  return parseRequest(request).operation;
}

async function describeFile(file: Blob): Promise<Record<string, unknown>> {
  const digest = await sha256(await file.arrayBuffer());
  return {
    name: file instanceof File ? file.name : undefined,
    type: file.type,
    size: file.size,
    sha256: digest.toHex(),
  };
}

/** Serializes a response: a line of JSON with metadata, then the text of the body as received. */
export function encodeAnswer({ head, text }: CallAnswer): string {
  return JSON.stringify(head) + "\n" + text;
}

/** Start of a reference to the response of an earlier step. */
const REPEATED = '{"sameAs":';

/** Serializes a reference to the latest response of an earlier step. */
export function encodeRepeatedAnswer(position: number): string {
  return `${REPEATED}${position}}\n`;
}

function completeAnswer(encoded: string, answers: ReadonlyMap<number, string>): string {
  if (!encoded.startsWith(REPEATED)) return encoded;
  const position = parseInt(encoded.slice(REPEATED.length));
  const answer = answers.get(position);
  if (answer !== undefined) return answer;
  throw damagedHistory(`A response in the journal refers to the response of step ${position}, which is missing.`);
}

/** Parses a serialized response. */
export function decodeAnswer(encoded: string): CallAnswer {
  const end = encoded.indexOf("\n");
  const head: unknown = JSON.parse(encoded.slice(0, end));
  return { head: isJsonObject(head) ? head : {}, text: encoded.slice(end + 1) };
}
