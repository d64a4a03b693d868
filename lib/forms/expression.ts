/** Evaluates the expressions that follow `@E` in a form. */
import { isNumber, type JsonValue } from "../../utils/json.ts";

/** Returns the value of a property, e.g. of `.Home.City`. */
export type ReadProperty = (names: readonly string[]) => JsonValue | undefined;

/** An expression that is ready to be evaluated. */
export type Expression = (read: ReadProperty) => JsonValue | undefined;

const TOKEN =
  /\s*(?:('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?)|((?:\.[A-Za-z_]\w*)+)|([A-Za-z_]\w*)|(&&|\|\||==|!=|>=|<=|[><!(),]))/y;

/** Maximum number of tokens. It limits the recursion of the parser. */
const MAX_TOKENS = 1000;

interface Token {
  readonly type: "text" | "number" | "property" | "word" | "symbol";
  readonly text: string;
}

/** The comparisons of two values, by their operator. */
const COMPARISONS: Readonly<Record<string, (a: JsonValue | undefined, b: JsonValue | undefined) => boolean>> = {
  "==": isEqual,
  "!=": (a, b) => !isEqual(a, b),
  ">": (a, b) => compare(a, b) > 0,
  ">=": (a, b) => compare(a, b) >= 0,
  "<": (a, b) => compare(a, b) < 0,
  "<=": (a, b) => compare(a, b) <= 0,
  CONTAINS: (a, b) => toText(a).includes(toText(b)),
  NOT_CONTAINS: (a, b) => !toText(a).includes(toText(b)),
  STARTS_WITH: (a, b) => toText(a).startsWith(toText(b)),
  NOT_STARTS_WITH: (a, b) => !toText(a).startsWith(toText(b)),
  ENDS_WITH: (a, b) => toText(a).endsWith(toText(b)),
  NOT_ENDS_WITH: (a, b) => !toText(a).endsWith(toText(b)),
};

/** Parses an expression, without its `@E`. Returns undefined for other text. */
export function parseExpression(text: string): Expression | undefined {
  const tokens = tokenize(text);
  return tokens && new Parser(tokens).parse();
}

/** Reports whether a value counts as true. */
export function isTrue(value: JsonValue | undefined): boolean {
  if (typeof value === "string") return value !== "" && value.toLowerCase() !== "false";
  if (isNumber(value)) return Number(value) !== 0;
  return value !== undefined && value !== null && value !== false;
}

function tokenize(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN);
  const end = text.trimEnd().length;
  while (pattern.lastIndex < end) {
    const match = pattern.exec(text);
    if (match === null || tokens.length === MAX_TOKENS) return undefined;
    const [, quoted, number, property, word, symbol] = match;
    if (quoted !== undefined) tokens.push({ type: "text", text: quoted.slice(1, -1).replaceAll(/\\(.)/g, "$1") });
    else if (number !== undefined) tokens.push({ type: "number", text: number });
    else if (property !== undefined) tokens.push({ type: "property", text: property });
    else if (word !== undefined) tokens.push({ type: "word", text: word });
    else if (symbol !== undefined) tokens.push({ type: "symbol", text: symbol });
  }
  return tokens;
}

class UnexpectedToken extends Error {}

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Expression | undefined {
    try {
      const expression = this.#or();
      return this.#next === this.#tokens.length ? expression : undefined;
    } catch (error) {
      if (error instanceof UnexpectedToken) return undefined;
      throw error;
    }
  }

  #or(): Expression {
    let left = this.#and();
    while (this.#take("||", "OR")) {
      const [a, b] = [left, this.#and()];
      left = (read) => isTrue(a(read)) || isTrue(b(read));
    }
    return left;
  }

  #and(): Expression {
    let left = this.#not();
    while (this.#take("&&", "AND")) {
      const [a, b] = [left, this.#not()];
      left = (read) => isTrue(a(read)) && isTrue(b(read));
    }
    return left;
  }

  #not(): Expression {
    if (this.#take("!", "NOT")) {
      const inner = this.#not();
      return (read) => !isTrue(inner(read));
    }
    if (!this.#take("(")) return this.#test();
    const inner = this.#or();
    if (!this.#take(")")) throw new UnexpectedToken();
    return inner;
  }

  #test(): Expression {
    const left = this.#operand();
    if (this.#take("IS_NULL")) return (read) => isEmpty(left(read));
    if (this.#take("IS_NOT_NULL")) return (read) => !isEmpty(left(read));
    if (this.#take("IS_IN_LIST")) return isInList(left, this.#list());
    if (this.#take("IS_NOT_IN_LIST")) {
      const test = isInList(left, this.#list());
      return (read) => !test(read);
    }
    const operator = this.#take(...Object.keys(COMPARISONS));
    const comparison = operator && COMPARISONS[operator];
    if (!comparison) return left;
    const right = this.#operand();
    return (read) => comparison(left(read), right(read));
  }

  #list(): Expression[] {
    const isEnclosed = this.#take("(") !== undefined;
    const values = [this.#operand()];
    while (this.#take(",")) values.push(this.#operand());
    if (isEnclosed && !this.#take(")")) throw new UnexpectedToken();
    return values;
  }

  #operand(): Expression {
    const token = this.#tokens[this.#next++];
    switch (token?.type) {
      case "text":
        return () => token.text;
      case "number":
        return () => Number(token.text);
      case "property": {
        const names = token.text.slice(1).split(".");
        return (read) => read(names);
      }
      case "word": {
        const word = token.text.toLowerCase();
        if (word === "true" || word === "false") return () => word === "true";
      }
    }
    throw new UnexpectedToken();
  }

  /** Takes the next token if it is one of these symbols or words. Words match in any case. */
  #take(...expected: readonly string[]): string | undefined {
    const token = this.#tokens[this.#next];
    if (token?.type !== "symbol" && token?.type !== "word") return undefined;
    const found = expected.find((one) => one === token.text.toUpperCase());
    if (found !== undefined) this.#next++;
    return found;
  }
}

function isInList(left: Expression, list: readonly Expression[]): Expression {
  return (read) => list.some((value) => isEqual(left(read), value(read)));
}

function isEmpty(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === "";
}

function isEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (typeof a === "boolean" || typeof b === "boolean") return toBooleanText(a) === toBooleanText(b);
  const [x, y] = [toNumber(a), toNumber(b)];
  return x !== undefined && y !== undefined ? x === y : toText(a) === toText(b);
}

/** An empty value is not true. */
function toBooleanText(value: JsonValue | undefined): string {
  return isEmpty(value) ? "false" : toText(value).toLowerCase();
}

/** Compares numbers as numbers and other values as text. The order of dates in ISO 8601 is that of their texts. */
function compare(a: JsonValue | undefined, b: JsonValue | undefined): number {
  if (isEmpty(a) || isEmpty(b)) return NaN;
  const [x, y] = [toNumber(a), toNumber(b)];
  if (x !== undefined && y !== undefined) return x - y;
  const [one, other] = [toText(a), toText(b)];
  return one < other ? -1 : one > other ? 1 : 0;
}

function toNumber(value: JsonValue | undefined): number | undefined {
  if (isNumber(value)) return Number(value);
  return typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : undefined;
}

function toText(value: JsonValue | undefined): string {
  return value === undefined || value === null ? "" : String(value);
}
