/** Runs, inputs and calls as `svc workflow list` and `show` tell of them. */
import type { ErrorDetail, ErrorRecord } from "../../lib/errors.ts";
import { type JsonObject, type JsonValue, parseJsonOrText } from "../../utils/json.ts";
import { truncate } from "../../utils/text/wording.ts";
import { decodeAnswer } from "../engine/answer.ts";
import { readAsked } from "../engine/asked.ts";
import { readRecording, readRefusal, type RecordedCall } from "../engine/recording.ts";
import type { InputRecord, Journal, RunRecord, ShownState } from "../journal/journal.ts";

/** Largest number of issues that are listed, and the longest one in characters. */
const MAX_ISSUES = 5;
const MAX_ISSUE = 400;

/** A run. */
export type RunDescription = JsonObject & {
  readonly id: string;
  readonly name: string;
  readonly state: ShownState;
  readonly inputs: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly startedAt: string;
};

/** A run, without its inputs. */
export async function describeRun(journal: Journal, run: RunRecord): Promise<RunDescription> {
  const { id, name, settings, startedAt, endedAt } = run;
  const { inputs, succeeded, failed } = await journal.countInputs(id);
  return {
    id,
    name,
    state: await shownState(journal, run),
    inputs,
    succeeded,
    failed,
    startedAt: new Date(startedAt).toISOString(),
    ...(endedAt !== undefined && { endedAt: new Date(endedAt).toISOString() }),
    script: settings.script,
    ...(settings.each !== undefined && { each: settings.each }),
  };
}

/** An input with its calls. */
export async function describeInput(journal: Journal, run: string, input: InputRecord): Promise<JsonObject> {
  const { number, place, value, startedAt, endedAt, end } = input;
  const fault = faultOf(input);
  return {
    number,
    place,
    ...(value !== undefined && { value }),
    state: end?.state ?? "open",
    startedAt: new Date(startedAt).toISOString(),
    ...(endedAt !== undefined && { endedAt: new Date(endedAt).toISOString() }),
    ...(end?.state === "done" && end.result !== undefined && { result: end.result }),
    ...(fault && { error: recordOf(fault) }),
    calls: (await callsOf(journal, run, number)).map(describeCall),
  };
}

/** Why an input has failed, or has stopped until somebody decides. */
export function faultOf({ end, stopped }: InputRecord): ErrorRecord | undefined {
  return end?.state === "failed" ? end.error : stopped;
}

/** Lists the details of an error that its message omits: the issues of the service, and the line of the script. */
export function listIssues({ details = [], message }: ErrorRecord): string[] {
  return details.slice(0, MAX_ISSUES).flatMap((detail) => {
    const { localizedValue, message: issue, file, line } = detail;
    const text = localizedValue ?? issue ?? (file === undefined ? undefined : `${file}:${line}`);
    return typeof text === "string" && !message.includes(text)
      ? [truncate(fieldPrefix(detail, text) + text, MAX_ISSUE)]
      : [];
  });
}

/** Returns the field of an issue, unless its text names it. */
function fieldPrefix(detail: ErrorDetail, text: string): string {
  const { erroneousInputOutputFieldInPage: page = "", erroneousInputOutputIdentifier: member = "" } = detail;
  const name = `${page}${member}`.replace(/^\./, "");
  return name === "" || text.includes(name) ? "" : `${name}: `;
}

/** A call of an input, as the journal has it. */
export interface KnownCall {
  /** Its position. */
  readonly position: number;
  /** Its operation. */
  readonly operation: string;
  /** Its values by parameter name. */
  readonly values: JsonObject;
  /** When it was asked: milliseconds since 1970. */
  readonly at: number;
  /** Milliseconds until it was answered; undefined while it is open. */
  readonly milliseconds?: number;
  /** What the script was given. */
  readonly outcome?: { readonly answer: JsonValue } | { readonly error: JsonObject };
}

/** The calls of an input, in the order in which the script made them. */
export async function callsOf(journal: Journal, run: string, number: number): Promise<KnownCall[]> {
  const { calls } = readRecording(await journal.events(run, number));
  return [...calls].toSorted(([one], [other]) => one - other).map(([position, call]) => knownCall(position, call));
}

function knownCall(position: number, { asked, at, given }: RecordedCall): KnownCall {
  return {
    position,
    ...readAsked(asked),
    at,
    ...(given && {
      milliseconds: Math.max(0, given.at - at),
      outcome: given.kind === "answer"
        ? { answer: bodyOf(given.content) }
        : { error: readRefusal(given.content).error },
    }),
  };
}

function describeCall({ position, operation, values, at, milliseconds, outcome }: KnownCall): JsonObject {
  return {
    position,
    operation,
    values,
    at: new Date(at).toISOString(),
    ...(milliseconds !== undefined && { milliseconds }),
    ...outcome,
  };
}

function bodyOf(content: string): JsonValue {
  const { head, text } = decodeAnswer(content);
  // Some operations answer a plain text.
  return head.content !== undefined || text === "" ? head : parseJsonOrText(text);
}

async function shownState(journal: Journal, { id, state }: RunRecord): Promise<ShownState> {
  if (state !== "open") return state;
  await using claimed = await journal.claimRun(id);
  return claimed === undefined ? "running" : "interrupted";
}

function recordOf(error: ErrorRecord): JsonObject {
  return { ...error };
}
