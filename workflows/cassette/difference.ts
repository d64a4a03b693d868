/** Where what a script gives now is not what it gave. */
import { type ErrorRecord, SvcError } from "../../lib/errors.ts";
import { formatMemberPath, isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { truncate } from "../../utils/text/wording.ts";
import type { Cassette } from "./cassette.ts";

/** Characters of a value that a message shows. */
const SHOWN = 200;

/** Differences that an error lists. */
const MAX_LISTED = 20;

/** Below so many levels, values are compared as texts. */
const MAX_DEPTH = 100;

/** What a script gave. */
export type Ending = { readonly result?: JsonValue } | { readonly error: ErrorRecord };

/** One place at which two values differ. */
export interface Difference {
  /** Where, e.g. `.cases[2].status`; empty for the value itself. */
  readonly path: string;
  /** What was recorded; undefined where there was nothing. */
  readonly recorded?: JsonValue;
  /** What it is now; undefined where there is nothing. */
  readonly now?: JsonValue;
}

/** The error of a script that does not end as it did; undefined where it does. */
export function differenceOf({ result, error }: Cassette, ending: Ending): SvcError | undefined {
  if (error !== undefined) {
    if (!("error" in ending)) return otherEnding(`failed with ${said(error)}`, "gives a result");
    return isSameFailure(error, ending.error)
      ? undefined
      : otherEnding(`failed with ${said(error, ending.error)}`, `fails with ${said(ending.error, error)}`);
  }
  if ("error" in ending) return otherEnding("gave a result", `fails with ${said(ending.error)}`, ending.error.details);
  const found = [...differences(result, ending.result)];
  const [first] = found;
  if (first === undefined) return undefined;
  const { path, recorded, now } = first;
  return new SvcError(
    "WORKFLOW_FAILED",
    `The result${path} was ${shown(recorded)}; now it is ${shown(now)}.`,
    { details: found.slice(0, MAX_LISTED).map((difference): JsonObject => ({ ...difference })) },
  );
}

/** The places at which two values differ, in the order of the recorded one's members. */
export function* differences(
  recorded: JsonValue | undefined,
  now: JsonValue | undefined,
  path = "",
  depth = 0,
): Generator<Difference> {
  if (depth < MAX_DEPTH && isJsonObject(recorded) && isJsonObject(now)) {
    for (const name of new Set([...Object.keys(recorded), ...Object.keys(now)])) {
      yield* differences(recorded[name], now[name], path + formatMemberPath(name), depth + 1);
    }
  } else if (depth < MAX_DEPTH && Array.isArray(recorded) && Array.isArray(now)) {
    for (let i = 0; i < Math.max(recorded.length, now.length); i++) {
      yield* differences(recorded[i], now[i], `${path}[${i}]`, depth + 1);
    }
  } else if (JSON.stringify(recorded) !== JSON.stringify(now)) yield { path, recorded, now };
}

/** Lines of the script may have moved since. */
function isSameFailure(recorded: ErrorRecord, now: ErrorRecord): boolean {
  return recorded.code === now.code && recorded.status === now.status && recorded.operation === now.operation &&
    withoutPlace(recorded) === withoutPlace(now);
}

/** The message without the line of the script that it ends with; one that was written by hand has no details to tell it. */
function withoutPlace({ message, details }: ErrorRecord): string {
  const { file, line } = details?.at(-1) ?? {};
  const place = ` (${file}:${line})`;
  return message.endsWith(place) ? message.slice(0, -place.length) : message.replace(/ \([^()\s]+:\d+\)$/, "");
}

function otherEnding(before: string, now: string, details?: JsonObject[]): SvcError {
  return new SvcError("WORKFLOW_FAILED", `The script ${before}; now it ${now}.`, { details });
}

/** A failure, and what tells it from another one beside code and message. */
function said(error: ErrorRecord, other: ErrorRecord = error): string {
  const beside = (["status", "operation"] as const).filter((name) => error[name] !== other[name]);
  const differing = beside.map((name) => `${name} ${error[name] ?? "none"}`);
  const { code, message } = error;
  return `${code} ${JSON.stringify(message)}` + (differing.length > 0 ? ` (${differing.join(", ")})` : "");
}

function shown(value: JsonValue | undefined): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return truncate(text, SHOWN);
}
