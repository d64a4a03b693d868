/** The logic of a filter, e.g. `F1 AND (F2 OR NOT F3)`: names of conditions, AND before OR. */
import { truncate } from "../../utils/text/wording.ts";
import { ServiceError } from "../errors.ts";

/** A logic as a tree. */
export type Logic =
  | { readonly condition: string }
  | { readonly not: Logic }
  | { readonly and: readonly Logic[] }
  | { readonly or: readonly Logic[] };

/** Parentheses in one another, and NOTs in a row. */
const DEPTH_LIMIT = 50;

/** Names of conditions in one logic: each makes the database's expression deeper, which has an end. */
const NAMES_LIMIT = 500;

/** How often one may be named: each time it is compared anew, with all of its values. */
const MENTIONS_LIMIT = 20;

/** Reads a logic; 400 where it is none. */
export function parseLogic(text: string): Logic {
  return new LogicReader(text).read();
}

/** Reads one logic, token by token. */
class LogicReader {
  readonly #text: string;
  readonly #tokens: readonly string[];
  readonly #mentions = new Map<string, number>();
  #next = 0;
  #names = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = text.match(/[()]|[^\s()]+/g) ?? [];
  }

  read(): Logic {
    const logic = this.#either(0);
    if (this.#next < this.#tokens.length) throw this.#invalid(`AND or OR is missing before ${this.#shown()}`);
    return logic;
  }

  #either(depth: number): Logic {
    const parts = [this.#both(depth)];
    while (this.#takes("OR")) parts.push(this.#both(depth));
    return combined("or", parts);
  }

  #both(depth: number): Logic {
    const parts = [this.#one(depth)];
    while (this.#takes("AND")) parts.push(this.#one(depth));
    return combined("and", parts);
  }

  #one(depth: number): Logic {
    if (depth > DEPTH_LIMIT) throw this.#invalid(`it is nested more than ${DEPTH_LIMIT} deep`);
    if (this.#takes("NOT")) return { not: this.#one(depth + 1) };
    if (!this.#takes("(")) return { condition: this.#name() };
    const inner = this.#either(depth + 1);
    if (!this.#takes(")")) throw this.#invalid(`")" is missing before ${this.#shown()}`);
    return inner;
  }

  #name(): string {
    const token = this.#tokens[this.#next];
    if (token === undefined || /^(AND|OR|[()])$/i.test(token)) {
      throw this.#invalid(`a condition is missing before ${this.#shown()}`);
    }
    this.#count(token);
    this.#next++;
    return token;
  }

  #count(name: string): void {
    if (++this.#names > NAMES_LIMIT) {
      throw new ServiceError(400, `The filter logic may name at most ${NAMES_LIMIT} conditions.`);
    }
    const mentioned = (this.#mentions.get(name) ?? 0) + 1;
    this.#mentions.set(name, mentioned);
    if (mentioned > MENTIONS_LIMIT) {
      throw new ServiceError(
        400,
        `The filter logic may name a condition at most ${MENTIONS_LIMIT} times, and names ${
          truncate(name, 50)
        } more often.`,
      );
    }
  }

  #takes(token: string): boolean {
    if (this.#tokens[this.#next]?.toUpperCase() !== token) return false;
    this.#next++;
    return true;
  }

  #shown(): string {
    const token = this.#tokens[this.#next];
    return token === undefined ? "its end" : `"${token}"`;
  }

  #invalid(reason: string): ServiceError {
    return new ServiceError(400, `The filter logic ${JSON.stringify(this.#text)} cannot be read: ${reason}.`);
  }
}

function combined(word: "and" | "or", parts: readonly Logic[]): Logic {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  return word === "and" ? { and: parts } : { or: parts };
}
