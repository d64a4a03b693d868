/** Parses the logic of a filter, e.g. `F1 AND (F2 OR NOT F3)`. AND binds before OR. */
import { truncate } from "../../utils/text/wording.ts";
import { type DomainError, Invalid } from "../errors.ts";

/** A logic as a tree. */
export type Logic =
  | { readonly condition: string }
  | { readonly not: Logic }
  | { readonly and: readonly Logic[] }
  | { readonly or: readonly Logic[] };

/** Maximum depth of parentheses and NOTs. */
const MAX_DEPTH = 50;

/** Maximum number of names in a logic. Each adds to the depth of the SQL expression, which SQLite limits. */
const MAX_NAMES = 500;

/** Maximum number of times that a logic may name a condition. Each time, SQLite compares all of its values again. */
const MAX_REPETITIONS = 20;

/** Parses a logic. Throws Invalid if it has the wrong syntax. */
export function parseLogic(text: string): Logic {
  return new LogicParser(text).parse();
}

/** A recursive-descent parser. */
class LogicParser {
  readonly #text: string;
  readonly #tokens: readonly string[];
  readonly #uses = new Map<string, number>();
  #next = 0;
  #names = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = text.match(/[()]|[^\s()]+/g) ?? [];
  }

  parse(): Logic {
    const logic = this.#parseOr(0);
    if (this.#next < this.#tokens.length) throw this.#invalid(`AND or OR is missing before ${this.#describeNext()}`);
    return logic;
  }

  #parseOr(depth: number): Logic {
    const parts = [this.#parseAnd(depth)];
    while (this.#accept("OR")) parts.push(this.#parseAnd(depth));
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { or: parts };
  }

  #parseAnd(depth: number): Logic {
    const parts = [this.#parseOperand(depth)];
    while (this.#accept("AND")) parts.push(this.#parseOperand(depth));
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { and: parts };
  }

  #parseOperand(depth: number): Logic {
    if (depth > MAX_DEPTH) throw this.#invalid(`it is nested more than ${MAX_DEPTH} levels deep`);
    if (this.#accept("NOT")) return { not: this.#parseOperand(depth + 1) };
    if (!this.#accept("(")) return { condition: this.#parseName() };
    const inner = this.#parseOr(depth + 1);
    if (!this.#accept(")")) throw this.#invalid(`")" is missing before ${this.#describeNext()}`);
    return inner;
  }

  #parseName(): string {
    const name = this.#tokens[this.#next];
    if (name === undefined || /^(AND|OR|[()])$/i.test(name)) {
      throw this.#invalid(`a condition is missing before ${this.#describeNext()}`);
    }
    this.#next++;
    const uses = (this.#uses.get(name) ?? 0) + 1;
    this.#uses.set(name, uses);
    if (++this.#names > MAX_NAMES) {
      throw new Invalid(`The filter logic may name at most ${MAX_NAMES} conditions.`);
    }
    if (uses > MAX_REPETITIONS) {
      const limit = `The filter logic may name a condition at most ${MAX_REPETITIONS} times`;
      throw new Invalid(`${limit}, but it names ${truncate(name, 50)} more often.`);
    }
    return name;
  }

  #accept(token: string): boolean {
    if (this.#tokens[this.#next]?.toUpperCase() !== token) return false;
    this.#next++;
    return true;
  }

  #describeNext(): string {
    const token = this.#tokens[this.#next];
    return token === undefined ? "its end" : `"${token}"`;
  }

  #invalid(reason: string): DomainError {
    return new Invalid(`The filter logic ${JSON.stringify(this.#text)} cannot be read: ${reason}.`);
  }
}
