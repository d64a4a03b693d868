/** Describes runs, inputs and calls. */
import { type ErrorDetail, type ErrorRecord, nameField } from "../../lib/errors.ts";
import { type JsonObject, type JsonValue, parseJsonOrText } from "../../utils/json.ts";
import { truncate } from "../../utils/text/wording.ts";
import {
  decodeAnswer,
  findContinuation,
  isPruned,
  parseRefusal,
  parseRequest,
  readHistory,
  type RecordedStep,
} from "../engine/history.ts";
import type { InputRecord, Journal, RunRecord, ShownState } from "../journal/journal.ts";

/** Largest number of issues that are listed, and the longest one in characters. */
const MAX_ISSUES = 5;
const MAX_ISSUE = 400;

/** A run. */
export type RunDescription = {
  /** Identifier. */
  readonly id: string;
  /** Name of the workflow. */
  readonly name: string;
  /** State. */
  readonly state: ShownState;
  /** Number of inputs that were started. */
  readonly inputs: number;
  /** Number of inputs that succeeded. */
  readonly succeeded: number;
  /** Number of inputs that failed. */
  readonly failed: number;
  /** Start time, ISO 8601. */
  readonly startedAt: string;
  /** End time, ISO 8601; absent if it has not ended. */
  readonly endedAt?: string;
  /** Path of the script. */
  readonly script: string;
  /** Path of the inputs; absent if it has a single input. */
  readonly each?: string;
  /** Queue whose assignments are its inputs; absent for other inputs. */
  readonly queue?: string;
  /** Name of the schedule that ordered it; absent if it was started by a person or a program. */
  readonly schedule?: string;
};

/** An input of a run. */
export type InputDescription = {
  /** Number, from 1. */
  readonly number: number;
  /** Place, e.g. `cases.ndjson:17`. */
  readonly place: string;
  /** Value; absent if the run was started without input. */
  readonly value?: JsonValue;
  /** State. */
  readonly state: "open" | "done" | "failed";
  /** Start time, ISO 8601. */
  readonly startedAt: string;
  /** End time, ISO 8601; absent if it has not ended. */
  readonly endedAt?: string;
  /** Time until which it waits, ISO 8601; absent if it does not wait. */
  readonly waitsUntil?: string;
  /** Result; absent if it has not succeeded or returned nothing. */
  readonly result?: JsonValue;
  /** Error that it failed with, or that stopped it. */
  readonly error?: ErrorRecord;
  /** Number of earlier histories, which `continueAsNew` has ended; absent for the first history. */
  readonly continuations?: number;
  /** True if its history was deleted; absent otherwise. */
  readonly pruned?: true;
  /** Calls in the order in which the script made them. */
  readonly calls: readonly CallDescription[];
};

/** A call of an input. Without `answer` and `error` it is open. */
export type CallDescription = {
  /** Number of the call, from 1. */
  readonly position: number;
  /** Permission name of the operation, or `sleep`. */
  readonly operation: string;
  /** Arguments by parameter name. */
  readonly values: JsonObject;
  /** Time of the call, ISO 8601. */
  readonly at: string;
  /** Duration; absent while it is open. */
  readonly milliseconds?: number;
  /** Response. */
  readonly answer?: JsonValue;
  /** Error of a failed call. */
  readonly error?: JsonObject;
};

/** Describes a run. */
export async function describeRun(journal: Journal, run: RunRecord): Promise<RunDescription> {
  const { id, name, settings, startedAt, endedAt } = run;
  const { inputs, succeeded, failed } = await journal.countInputs(id);
  return {
    id,
    name,
    state: await describeState(journal, run),
    inputs,
    succeeded,
    failed,
    startedAt: formatTime(startedAt),
    ...(endedAt !== undefined && { endedAt: formatTime(endedAt) }),
    script: settings.script,
    ...(settings.each !== undefined && settings.queue === undefined && { each: settings.each }),
    ...(settings.queue !== undefined && { queue: settings.queue }),
    ...(settings.schedule !== undefined && { schedule: settings.schedule }),
  };
}

/** Describes an input with its calls. */
export async function describeInput(journal: Journal, runId: string, input: InputRecord): Promise<InputDescription> {
  const { number, place, value, startedAt, endedAt, end, stopped, waitsUntil = 0 } = input;
  const error = end?.state === "failed" ? end.error : stopped;
  const events = await journal.events(runId, number);
  const { steps } = readHistory(events);
  const continuations = findContinuation(events)?.count;
  return {
    number,
    place,
    ...(value !== undefined && { value }),
    state: end?.state ?? "open",
    startedAt: formatTime(startedAt),
    ...(endedAt !== undefined && { endedAt: formatTime(endedAt) }),
    ...(waitsUntil > Date.now() && { waitsUntil: formatTime(waitsUntil) }),
    ...(end?.state === "done" && end.result !== undefined && { result: end.result }),
    ...(error && { error }),
    ...(continuations !== undefined && { continuations }),
    ...(isPruned(events) && { pruned: true }),
    calls: [...steps].toSorted(([one], [other]) => one - other).map(([position, call]) => describeCall(position, call)),
  };
}

/** Lists the details of an error that its message omits: the issues of the service, and the line of the script. */
export function listIssues({ details = [], message }: ErrorRecord): string[] {
  return details.slice(0, MAX_ISSUES).flatMap((detail) => {
    const { localizedValue, message: issue } = detail;
    const text = localizedValue ?? issue ?? describePosition(detail);
    return typeof text === "string" && !message.includes(text)
      ? [truncate(fieldPrefix(detail, text) + text, MAX_ISSUE)]
      : [];
  });
}

/** Describes a line of a script and the lines from which it was called. */
function describePosition({ file, line, callers = [] }: ErrorDetail): string | undefined {
  return file && [`${file}:${line}`, ...callers].join(", called at ");
}

/** Returns the field of an issue, unless its text names it. */
function fieldPrefix(detail: ErrorDetail, text: string): string {
  const name = nameField(detail);
  return name === "" || text.includes(name) ? "" : `${name}: `;
}

function describeCall(position: number, { request, at, result }: RecordedStep): CallDescription {
  return {
    position,
    ...parseRequest(request),
    at: formatTime(at),
    ...(result && {
      milliseconds: Math.max(0, result.at - at),
      ...(result.kind === "answer"
        ? { answer: decodeBody(result.content) }
        : { error: parseRefusal(result.content).error }),
    }),
  };
}

/** Decodes the body of a response. Binary content is described by its metadata. */
function decodeBody(content: string): JsonValue {
  const { head, text } = decodeAnswer(content);
  return head.content !== undefined || text === "" ? head : parseJsonOrText(text);
}

/** Describes the state of a run. Only a process that works on an open run can have claimed it. Workers claim inputs instead. */
async function describeState(journal: Journal, { id, state, isForWorkers }: RunRecord): Promise<ShownState> {
  if (state !== "open") return state;
  return isForWorkers === true || await journal.isRunClaimed(id) ? "running" : "interrupted";
}

function formatTime(at: number): string {
  return new Date(at).toISOString();
}
