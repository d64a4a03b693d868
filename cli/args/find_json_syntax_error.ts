/** Locates syntax errors in JSON, because not every engine reports the position. */

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// deno-lint-ignore no-control-regex -- JSON strings must not contain them
const PLAIN_CHARACTERS = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The position of a syntax error. */
export interface JsonSyntaxError {
  /** Line, starting at 1. */
  readonly line: number;
  /** Column, starting at 1. */
  readonly column: number;
  /** Text at this position: a quoted character, or `the end`. */
  readonly found: string;
}

/** Finds the first syntax error in JSON. Returns undefined for valid JSON. */
export function findJsonSyntaxError(text: string): JsonSyntaxError | undefined {
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

/** Scans JSON up to the first syntax error. It has its own stack, because JSON can be deeply nested. */
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

  /** Scans a scalar or an empty container, or descends to the first scalar of a container. */
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
