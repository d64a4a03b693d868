import type { ErrorRecord } from "../../lib/errors.ts";
import { isJsonObject, type JsonValue } from "../../utils/json.ts";
import { listIssues } from "../runs/describe_run.ts";
import type { InputRecord } from "../journal/journal.ts";
import { truncate } from "../../utils/text/wording.ts";

/** Number of inputs that a cause lists. */
const MAX_PLACES = 50;

const MAX_CAUSES = 100;

/** Longest message and longest place of an input, in characters. */
const MAX_MESSAGE = 400;
const MAX_PLACE = 120;

/** Limits of the search for texts of an input that its error message may repeat. */
const MAX_TEXTS = 100;
const MAX_DEPTH = 8;
const MIN_TEXT = 3;

/** A group of failures with the same cause. */
export interface Cause {
  /** Error code. */
  readonly code: string;
  /** HTTP status, if the service answered. */
  readonly status?: number;
  /** Message, with `…` in place of identifiers. */
  readonly message: string;
  /** Details that the message omits, such as invalid fields and the line of the script, with `…` likewise. */
  readonly issues: readonly string[];
  /** Operation that failed. */
  readonly operation?: string;
  /** Advice. */
  readonly hint?: string;
  /** Message of the first input. */
  readonly example: string;
  /** True if the messages of the inputs differ. */
  varies: boolean;
  /** Number of inputs that failed. */
  count: number;
  /** Places of the first inputs. */
  readonly places: string[];
}

/** Groups the failures of a run by cause. */
export class Causes {
  /** Number of failures beyond the largest number of causes. */
  others = 0;
  readonly #causes = new Map<string, Cause>();

  /** Adds the failure of an input. */
  add({ place, value }: InputRecord, error: ErrorRecord): void {
    const found = toCause(error, collectTexts(value));
    const { code, status, operation, message, issues } = found;
    const key = JSON.stringify([code, status, operation, message, issues]);
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

  /** Returns the causes, the most frequent first. */
  sorted(): readonly Cause[] {
    return [...this.#causes.values()].toSorted((one, other) => other.count - one.count);
  }
}

function toCause(error: ErrorRecord, texts: readonly string[]): Cause {
  const { code, status, message, operation, hint } = error;
  const example = truncate(message, MAX_MESSAGE);
  return {
    code,
    ...(status !== undefined && { status }),
    message: maskIdentifiers(example, texts),
    issues: listIssues(error).map((issue) => maskIdentifiers(issue, texts)),
    ...(operation !== undefined && { operation: truncate(operation, MAX_PLACE) }),
    ...(hint !== undefined && { hint: truncate(hint, MAX_MESSAGE) }),
    example,
    varies: false,
    count: 0,
    places: [],
  };
}

/**
 * Replaces with `…` what comes from the input, e-mail addresses, and words with a digit: numbers, case identifiers, UUIDs.
 * Positions in a script stay, because they distinguish causes.
 */
export function maskIdentifiers(text: string, texts: readonly string[] = []): string {
  return texts.reduce(maskText, text).replace(
    /[\p{L}\p{N}_.:@+!/\-…]+/gu,
    (word) => isIdentifier(word) ? "…" + trailingPunctuation(word) : word,
  );
}

function maskText(text: string, masked: string): string {
  if (!text.includes(masked)) return text;
  return text.replace(new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(masked)}(?![\\p{L}\\p{N}])`, "gu"), "…");
}

function isIdentifier(word: string): boolean {
  if (/\.[cm]?[jt]sx?(:\d+)+[.:]?$/.test(word)) return false;
  return /[\p{N}…]/u.test(word) || /.@.+\./.test(word);
}

function trailingPunctuation(word: string): string {
  return /[.:!]+$/.exec(word)?.[0] ?? "";
}

/** Collects the texts of an input, the longest first, because one may be part of another. */
function collectTexts(value: JsonValue | undefined): string[] {
  const texts = new Set<string>();
  const collect = (one: JsonValue | undefined, depth: number): void => {
    if (texts.size >= MAX_TEXTS || depth > MAX_DEPTH) return;
    if (Array.isArray(one)) one.forEach((element) => collect(element, depth + 1));
    else if (isJsonObject(one)) Object.values(one).forEach((member) => collect(member, depth + 1));
    else if (typeof one === "string" && one.length >= MIN_TEXT && one.length <= MAX_MESSAGE) texts.add(one);
  };
  collect(value, 0);
  return [...texts].toSorted((one, other) => other.length - one.length);
}
