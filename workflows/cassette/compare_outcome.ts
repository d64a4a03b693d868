import { type ErrorRecord, SvcError } from "../../lib/errors.ts";
import { formatMemberPath, isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { truncate } from "../../utils/text/wording.ts";
import type { Cassette } from "./cassette.ts";

/** Longest value in a message, in characters. */
const MAX_SHOWN = 200;

/** Largest number of differences that an error lists. */
const MAX_LISTED = 20;

/** Depth from which values are compared as texts. */
const MAX_DEPTH = 100;

/** Result or error of a script. */
export type ScriptOutcome = { readonly result?: JsonValue } | { readonly error: ErrorRecord };

interface Difference {
  /** Path, e.g. `.cases[2].status`; empty for the whole value. */
  readonly path: string;
  readonly recorded?: JsonValue;
  readonly now?: JsonValue;
}

/** Compares the outcome of a script with the recorded one. Returns an error if they differ. */
export function compareOutcome({ result, error }: Cassette, outcome: ScriptOutcome): SvcError | undefined {
  if (error !== undefined) {
    if (!("error" in outcome)) return differentOutcome(`failed with ${describeError(error)}`, "returns a result");
    return isSameFailure(error, outcome.error) ? undefined : differentOutcome(
      `failed with ${describeError(error, outcome.error)}`,
      `fails with ${describeError(outcome.error, error)}`,
    );
  }
  if ("error" in outcome) {
    return differentOutcome("returned a result", `fails with ${describeError(outcome.error)}`, outcome.error.details);
  }
  const found = [...listDifferences(result, outcome.result)];
  const [first] = found;
  if (first === undefined) return undefined;
  const { path, recorded, now } = first;
  return new SvcError(
    "WORKFLOW_FAILED",
    `The result${path} was ${describeValue(recorded)}; now it is ${describeValue(now)}.`,
    { details: found.slice(0, MAX_LISTED).map((difference): JsonObject => ({ ...difference })) },
  );
}

function* listDifferences(
  recorded: JsonValue | undefined,
  now: JsonValue | undefined,
  path = "",
  depth = 0,
): Generator<Difference> {
  if (depth < MAX_DEPTH && isJsonObject(recorded) && isJsonObject(now)) {
    for (const name of new Set([...Object.keys(recorded), ...Object.keys(now)])) {
      yield* listDifferences(recorded[name], now[name], path + formatMemberPath(name), depth + 1);
    }
  } else if (depth < MAX_DEPTH && Array.isArray(recorded) && Array.isArray(now)) {
    for (let i = 0; i < Math.max(recorded.length, now.length); i++) {
      yield* listDifferences(recorded[i], now[i], `${path}[${i}]`, depth + 1);
    }
  } else if (JSON.stringify(recorded) !== JSON.stringify(now)) yield { path, recorded, now };
}

/** Compares errors. Line numbers of the script may differ. */
function isSameFailure(recorded: ErrorRecord, now: ErrorRecord): boolean {
  return recorded.code === now.code && recorded.status === now.status && recorded.operation === now.operation &&
    removePosition(recorded) === removePosition(now);
}

/** Removes the position in the script from the end of a message. A cassette written by hand has no details that name it. */
function removePosition({ message, details }: ErrorRecord): string {
  const { file, line } = details?.at(-1) ?? {};
  const position = ` (${file}:${line})`;
  return message.endsWith(position) ? message.slice(0, -position.length) : message.replace(/ \([^()\s]+:\d+\)$/, "");
}

function differentOutcome(before: string, now: string, details?: JsonObject[]): SvcError {
  return new SvcError("WORKFLOW_FAILED", `The script ${before}; now it ${now}.`, { details });
}

/** Describes an error, with status and operation if another error differs in them. */
function describeError(error: ErrorRecord, other: ErrorRecord = error): string {
  const names = (["status", "operation"] as const).filter((name) => error[name] !== other[name]);
  const differing = names.map((name) => `${name} ${error[name] ?? "none"}`);
  const { code, message } = error;
  return `${code} ${JSON.stringify(message)}` + (differing.length > 0 ? ` (${differing.join(", ")})` : "");
}

function describeValue(value: JsonValue | undefined): string {
  const text = value === undefined ? "missing" : JSON.stringify(value);
  return truncate(text, MAX_SHOWN);
}
