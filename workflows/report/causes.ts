/** Failures grouped by their cause: what differs from input to input only because the inputs do is left out. */
import type { ErrorRecord } from "../../lib/errors.ts";
import { isJsonObject, type JsonValue } from "../../utils/json.ts";
import { findingsOf } from "../runs/describe_run.ts";
import type { InputRecord } from "../journal/journal.ts";
import { truncate } from "../../utils/text/wording.ts";

/** Inputs of a cause that are named. */
const MAX_PLACES = 50;

/** Causes that are told apart. */
const MAX_CAUSES = 100;

/** Characters of a message, and of the name of an input. */
const MAX_MESSAGE = 400;
const MAX_PLACE = 120;

/** Texts of an input that are looked for in a message, how deep they may lie, and how short they may be. */
const MAX_TEXTS = 100;
const MAX_DEPTH = 8;
const SHORTEST_TEXT = 3;

/** Why inputs failed. */
export interface Cause {
  /** Code of the error. */
  readonly code: string;
  /** HTTP status, where the service answered. */
  readonly status?: number;
  /** Its message, with `…` for identifiers. */
  readonly message: string;
  /** What the message leaves out, such as the fields that were wrong and the line of the script, with `…` likewise. */
  readonly findings: readonly string[];
  /** Operation that failed. */
  readonly operation?: string;
  /** What to do about it. */
  readonly hint?: string;
  /** The message of the first of the inputs. */
  readonly example: string;
  /** Whether the messages of the inputs differ. */
  varies: boolean;
  /** How many inputs failed because of it. */
  count: number;
  /** The first of them. */
  readonly places: string[];
}

/** The causes of a run's failures. */
export class Causes {
  /** Failures of further causes. */
  others = 0;
  readonly #causes = new Map<string, Cause>();

  /** Takes the failure of an input. */
  add({ place, value }: InputRecord, error: ErrorRecord): void {
    const found = causeOf(error, textsOf(value));
    const { code, status, operation, message, findings } = found;
    const key = JSON.stringify([code, status, operation, message, findings]);
    const cause = this.#causes.get(key) ?? (this.#causes.size < MAX_CAUSES ? found : undefined);
    if (cause === undefined) {
      this.others++;
      return;
    }
    this.#causes.set(key, cause);
    cause.count++;
    cause.varies ||= cause.example !== found.example;
    if (cause.places.length < MAX_PLACES) cause.places.push(truncate(place, MAX_PLACE));
  }

  /** The causes, the most frequent first. */
  sorted(): readonly Cause[] {
    return [...this.#causes.values()].toSorted((one, other) => other.count - one.count);
  }
}

function causeOf(error: ErrorRecord, texts: readonly string[]): Cause {
  const { code, status, message, operation, hint } = error;
  const example = truncate(message, MAX_MESSAGE);
  return {
    code,
    ...(status !== undefined && { status }),
    message: withoutIdentifiers(example, texts),
    findings: findingsOf(error).map((finding) => withoutIdentifiers(finding, texts)),
    ...(operation !== undefined && { operation: truncate(operation, MAX_PLACE) }),
    ...(hint !== undefined && { hint: truncate(hint, MAX_MESSAGE) }),
    example,
    varies: false,
    count: 0,
    places: [],
  };
}

/**
 * The text with `…` for what comes from the input, for addresses, and for words with a digit in them: numbers, case
 * identifiers, UUIDs. A line of a script is no identifier: it tells causes apart.
 */
export function withoutIdentifiers(text: string, texts: readonly string[] = []): string {
  return texts.reduce(withoutText, text).replace(
    /[\p{L}\p{N}_.:@+!/\-…]+/gu,
    (word) => isIdentifier(word) ? "…" + endOf(word) : word,
  );
}

function withoutText(text: string, one: string): string {
  if (!text.includes(one)) return text;
  return text.replace(new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(one)}(?![\\p{L}\\p{N}])`, "gu"), "…");
}

function isIdentifier(word: string): boolean {
  if (/\.[cm]?[jt]sx?(:\d+)+[.:]?$/.test(word)) return false;
  return /[\p{N}…]/u.test(word) || /.@.+\./.test(word);
}

/** The punctuation after a word: the end of a sentence, or a colon. */
function endOf(word: string): string {
  return /[.:!]+$/.exec(word)?.[0] ?? "";
}

/** The texts that an input holds, the longest first: one may be part of another. */
function textsOf(value: JsonValue | undefined): string[] {
  const texts = new Set<string>();
  const collect = (one: JsonValue | undefined, depth: number): void => {
    if (texts.size >= MAX_TEXTS || depth > MAX_DEPTH) return;
    if (Array.isArray(one)) one.forEach((element) => collect(element, depth + 1));
    else if (isJsonObject(one)) Object.values(one).forEach((member) => collect(member, depth + 1));
    else if (typeof one === "string" && one.length >= SHORTEST_TEXT && one.length <= MAX_MESSAGE) texts.add(one);
  };
  collect(value, 0);
  return [...texts].toSorted((one, other) => other.length - one.length);
}
