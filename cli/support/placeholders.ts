/** Placeholders that keep the form of a value, but not its content. */
import { parseTimestamp } from "../../utils/time/parse_timestamp.ts";

/** The kinds of values that are replaced, with their names in the plural. */
export const KINDS = {
  text: "texts",
  label: "labels",
  number: "numbers",
  date: "dates",
  person: "operators and e-mail addresses",
  id: "numbers in IDs",
} as const;

/** A kind of value that is replaced. */
export type Kind = keyof typeof KINDS;

const EMAIL = /[^\s@!/"'<>(),;:]+@[^\s@!/"'<>(),;:]+/g;

/** The number of a case, alone or in a handle such as `ASSIGN-WORKLIST ACME-WORK C-3!INTAKE`. */
const NUMBERED = /\b([A-Z][A-Z\d]*)-(\d+)\b/gi;

const UUID = /\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/gi;

/** Creates placeholders. The same person and the same number of an ID get the same placeholder each time. */
export class Placeholders {
  /** Number of replaced values of each kind. */
  readonly counts = new Map<Kind, number>();
  readonly #persons = new Map<string, string>();
  readonly #numbers = new Map<string, string>();

  /** Replaces letters by `x` and digits by `0`: `Main St 12` becomes `Xxxx Xx 00`. */
  text(text: string, kind: Kind = "text"): string {
    if (!/[\p{L}\p{N}]/u.test(text)) return text;
    return this.#count(kind, maskLetters(text));
  }

  /** Replaces the digits of a number: `1234.5` becomes `1111.1`. */
  number(number: string): number {
    return this.#count("number", /^-?\d+(?:\.\d+)?$/.test(number) ? Number(number.replace(/\d/g, "1")) : 1);
  }

  /** Replaces a date or a time by one in 2000 of the same form. Returns undefined for other texts. */
  date(text: string): string | undefined {
    if (!/^\d{4}-?\d\d-?\d\d(?:T|$)/.test(text) || parseTimestamp(text) === undefined) return undefined;
    let index = 0;
    return this.#count("date", text.replace(/\d/g, () => "20000101"[index++] ?? "0"));
  }

  /** Replaces an operator ID or an e-mail address: `rep@acme.example` becomes `user1@example`. */
  person(text: string): string {
    const known = this.#persons.get(text) ?? `user${this.#persons.size + 1}`;
    this.#persons.set(text, known);
    return this.#count("person", text.includes("@") ? `${known}@example` : known);
  }

  /** Replaces e-mail addresses and numbers of IDs in a text. Keeps all else. */
  maskIds(text: string): string {
    return this.#maskNumbers(text.replace(EMAIL, (email) => this.person(email)));
  }

  #maskNumbers(text: string): string {
    return text.replace(UUID, (uuid) => this.#pseudonym(uuid, (index) => uuid.replace(/[\da-f]{12}$/i, toHex(index))))
      .replace(NUMBERED, (whole, prefix: string, digits: string) => {
        const first = digits.length > 1 ? 10 ** (digits.length - 1) : 1;
        if (isEncoding(prefix)) return whole;
        return `${prefix}-${this.#pseudonym(`#${digits}`, (index) => String(first + index))}`;
      });
  }

  #pseudonym(text: string, create: (index: number) => string): string {
    const known = this.#numbers.get(text) ?? create(this.#numbers.size);
    this.#numbers.set(text, known);
    return this.#count("id", known);
  }

  #count<T>(kind: Kind, placeholder: T): T {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    return placeholder;
  }
}

function maskLetters(text: string): string {
  return text.replace(/\p{Lu}/gu, "X").replace(/[\p{L}\p{M}]/gu, (letter) => letter === "X" ? "X" : "x")
    .replace(/\p{N}/gu, "0");
}

function toHex(index: number): string {
  return (index + 1).toString(16).padStart(12, "0");
}

/** Names of encodings look like IDs. */
function isEncoding(prefix: string): boolean {
  return /^utf$/i.test(prefix);
}
