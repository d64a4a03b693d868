/** Where a text stops being JSON: engines do not always say. */

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// deno-lint-ignore no-control-regex -- JSON strings hold none of them
const PLAIN_CHARACTERS = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** A place in a text, and what stands there. */
export interface Fault {
  /** Line, from 1. */
  readonly line: number;
  /** Column, from 1. */
  readonly column: number;
  /** What stands there: a quoted character, or `the end`. */
  readonly found: string;
}

/** The first place at which a text stops being JSON; undefined for valid JSON. */
export function findJsonFault(text: string): Fault | undefined {
  const scan = new Scan(text);
  if (scan.document()) return undefined;
  const lines = text.slice(0, scan.position).split("\n");
  const character = text.slice(scan.position)[Symbol.iterator]().next().value;
  return {
    line: lines.length,
    column: (lines.at(-1) ?? "").length + 1,
    found: character === undefined ? "the end" : JSON.stringify(character),
  };
}

/** A walk through a text that stops where it is no JSON. It keeps its own stack: text may be nested deeply. */
class Scan {
  position = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  document(): boolean {
    const open: ("}" | "]")[] = [];
    do {
      if (!this.#value(open)) return false;
      while (open.length > 0 && this.#take(open.at(-1) ?? "")) open.pop();
      if (open.length > 0 && !this.#next(open)) return false;
    } while (open.length > 0);
    this.#skip(SPACE);
    return this.position === this.#text.length;
  }

  /** A scalar, an empty container, or the way down to the first scalar of a container. */
  #value(open: ("}" | "]")[]): boolean {
    for (;;) {
      if (this.#take("[")) {
        open.push("]");
        if (this.#peek("]")) return true;
      } else if (this.#take("{")) {
        open.push("}");
        if (this.#peek("}")) return true;
        if (!this.#name()) return false;
      } else {
        return this.#peek('"') ? this.#string() : this.#skip(SCALAR);
      }
    }
  }

  #next(open: ("}" | "]")[]): boolean {
    return this.#take(",") && (open.at(-1) === "]" || this.#name());
  }

  #name(): boolean {
    return this.#peek('"') && this.#string() && this.#take(":");
  }

  #string(): boolean {
    this.position++;
    do this.#skip(PLAIN_CHARACTERS); while (this.#skip(ESCAPE));
    if (this.#text[this.position] !== '"') return false;
    this.position++;
    return true;
  }

  #peek(token: string): boolean {
    this.#skip(SPACE);
    return this.#text[this.position] === token;
  }

  #take(token: string): boolean {
    if (!this.#peek(token)) return false;
    this.position++;
    return true;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.position;
    if (!pattern.test(this.#text)) return false;
    const moved = pattern.lastIndex > this.position;
    this.position = pattern.lastIndex;
    return moved;
  }
}
