/**
 * Limits what one evaluation of an expression may cost. The library counts nothing, so an expression is evaluated in a
 * form with added calls that count: each iteration, each element that is read, copied or produced, and the characters of
 * texts. Such calls return their first argument.
 */
import type { ASTNode, Environment } from "@marcbachmann/cel-js";

/** Maximum number of steps of one evaluation. A step is one operation, one element of a list, or a few characters. */
export const MAX_STEPS = 20_000_000;

/** Maximum duration of one evaluation, for functions that take longer than their steps suggest. */
const MAX_MILLISECONDS = 2000;

/** Steps between two looks at the clock. */
const CLOCK_INTERVAL = 1000;

/** Characters that count as one step. */
const CHARACTERS_PER_STEP = 2;

/** Pairs of characters that a search compares in one step. */
const PAIRS_PER_STEP = 64;

/** Maximum length of a text that `duration` parses, because its parser backtracks. */
const MAX_DURATION_LENGTH = 64;

/** Counts the steps of one evaluation. Once a limit is exceeded, it stays exceeded. */
export class Meter {
  #steps = 0;
  #nextLook = CLOCK_INTERVAL;
  #problem: Error | undefined;
  readonly #deadline = performance.now() + MAX_MILLISECONDS;

  /** Counts steps. Throws if a limit is exceeded. */
  count(steps: number): void {
    if (!this.tryCount(steps)) this.check();
  }

  /** Counts steps. Returns false if a limit is exceeded. */
  tryCount(steps: number): boolean {
    this.#steps += steps;
    if (this.#steps > this.#nextLook) {
      this.#nextLook = this.#steps + CLOCK_INTERVAL;
      this.#problem ??= this.#findProblem();
    }
    return this.#problem === undefined;
  }

  /** Throws if a limit is exceeded. */
  check(): void {
    if (this.#problem !== undefined) throw this.#problem;
  }

  #findProblem(): Error | undefined {
    if (this.#steps > MAX_STEPS) return new Error(`it needs more than ${MAX_STEPS} steps`);
    if (performance.now() <= this.#deadline) return undefined;
    return new Error(`it takes longer than ${MAX_MILLISECONDS / 1000} s`);
  }
}

/** The meter of the evaluation in progress. An evaluation is synchronous and starts no other one. */
let current = new Meter();

/**
 * Evaluates an expression with a meter. `evaluate` receives it, to count what it does with the result. Fails if a limit
 * was exceeded, even if the expression has a result: `||` and `exists` ignore the errors of their operands.
 */
export function runMetered<T>(evaluate: (meter: Meter) => T): T {
  const meter = current = new Meter();
  try {
    return evaluate(meter);
  } finally {
    meter.check();
  }
}

/** Registers the functions that metered expressions call. */
export function registerMeteredFunctions(environment: Environment): void {
  const define = environment.registerFunction.bind(environment);
  define("meterSteps(int): bool", (steps: bigint) => current.tryCount(Number(steps)));
  define("meterElement(A, int): A", (value: unknown, steps: bigint) => countAnd(value, Number(steps)));
  define("meterRead(A): A", (value: unknown) => countAnd(value, getSize(value)));
  define("meterCopy(A, int): A", (value: unknown, times: bigint) => countAnd(value, getSize(value) * Number(times)));
  define("meterCompare(A): A", (value: unknown) => {
    countMembers(value);
    return value;
  });
  define("meterDuration(string): string", (text: string) => {
    if (text.length > MAX_DURATION_LENGTH) throw new Error(`a duration has at most ${MAX_DURATION_LENGTH} characters`);
    return text;
  });
  define("string.meteredContains(string): bool", (text: string, part: string) => {
    return countSearch(text, part).includes(part);
  });
  define("string.meteredIndexOf(string): int", (text: string, part: string) => {
    return BigInt(countSearch(text, part).indexOf(part));
  });
  define("string.meteredIndexOf(string, int): int", (text: string, part: string, start: bigint) => {
    return part === "" ? start : BigInt(countSearch(text, part).indexOf(part, checkIndex(text, start)));
  });
  define("string.meteredLastIndexOf(string): int", (text: string, part: string) => {
    return BigInt(countSearch(text, part).lastIndexOf(part));
  });
  define("string.meteredLastIndexOf(string, int): int", (text: string, part: string, start: bigint) => {
    return part === "" ? start : BigInt(countSearch(text, part).lastIndexOf(part, checkIndex(text, start)));
  });
  define("string.meteredSplit(string): list<string>", split);
  define("string.meteredSplit(string, int): list<string>", split);
  define("list<string>.meteredJoin(): string", (list: unknown[]) => join(list, ""));
  define("list<string>.meteredJoin(string): string", join);
}

/** Methods that take longer than their operands are long, and the names of their metered forms. */
const METERED_METHODS: Readonly<Record<string, string>> = {
  contains: "meteredContains",
  indexOf: "meteredIndexOf",
  lastIndexOf: "meteredLastIndexOf",
  split: "meteredSplit",
  join: "meteredJoin",
};

/** Methods that evaluate their last arguments for each element of a list. The first argument names the element. */
const LOOPS = ["all", "exists", "exists_one", "filter", "map"];

/** The value of the condition that ends a loop which continues after an error. */
const LAST_VALUES: Readonly<Record<string, boolean>> = { all: false, exists: true };

/** Precedence of the operators, from those that bind least. Other nodes never need parentheses. */
const PRECEDENCE: readonly (readonly string[])[] = [
  ["?:"],
  ["||"],
  ["&&"],
  ["==", "!="],
  ["<", "<=", ">", ">=", "in"],
  ["+", "-"],
  ["*", "/", "%"],
  ["!_", "-_"],
];

/** The metered form of an expression, and its operations outside of loops. */
interface MeteredSource {
  readonly text: string;
  readonly steps: number;
}

/** Returns the metered form of an expression, which must be valid. */
export function meterExpression(node: ASTNode): string {
  return print(node).text;
}

/** Prints a node. `copies` is the number of concatenations that copy the result again, as in `a + b + c`. */
function print(node: ASTNode, copies = 0): MeteredSource {
  switch (node.op) {
    case "value":
      return { text: printLiteral(node.args), steps: 1 };
    case "id":
      return { text: node.args, steps: 1 };
    case ".":
      return combine([printOperand(node.args[0], node)], ([page]) => `${page}.${node.args[1]}`);
    case "[]":
      return combine([printOperand(node.args[0], node), print(node.args[1])], ([list, index]) => `${list}[${index}]`);
    case "call":
      return printCall(...node.args);
    case "rcall":
      return printMethod(...node.args);
    case "list":
      return combine(node.args.map((element) => print(element)), (elements) => `[${elements.join(", ")}]`);
    case "map": {
      const members = node.args.map(([key, value]) => combine([print(key), print(value)], (pair) => pair.join(": ")));
      return combine(members, (texts) => `{${texts.join(", ")}}`);
    }
    case "?:":
      return combine(
        node.args.map((part) => printOperand(part, node)),
        ([when, yes, no]) => `${when} ? ${yes} : ${no}`,
      );
    case "!_":
    case "-_":
      return combine([printOperand(node.args, node)], ([operand]) => `${node.op.charAt(0)}${operand}`);
    case "+":
    case "-": {
      const times = copies + (node.op === "+" ? 1 : 0);
      const operands = [printSummand(node.args[0], node, times), printSummand(node.args[1], node, times, true)];
      return combine(operands, (texts) => texts.join(` ${node.op} `));
    }
    case "==":
    case "!=":
    case "in":
      return combine(node.args.map((operand) => wrap("meterCompare", operand)), (texts) => texts.join(` ${node.op} `));
    case ".?":
    case "[?]":
      throw new Error("optional values are not supported");
    default: {
      const [left, right] = node.args;
      const operands = [printOperand(left, node), printOperand(right, node, true)];
      return combine(operands, (texts) => texts.join(` ${node.op} `));
    }
  }
}

function printSummand(node: ASTNode, sum: ASTNode, times: number, isRight = false): MeteredSource {
  if (!isRight && (node.op === "+" || node.op === "-")) return print(node, times);
  return times === 0 || node.op === "value" ? printOperand(node, sum, isRight) : wrap("meterCopy", node, times);
}

/** Prints an operand, in parentheses if its operator binds less. */
function printOperand(node: ASTNode, parent: ASTNode, isRight = false): MeteredSource {
  const printed = print(node);
  const [inner, outer] = [getPrecedence(node), getPrecedence(parent)];
  const isBound = isRight || parent.op === "?:" ? inner > outer : inner >= outer;
  return isBound ? printed : { ...printed, text: `(${printed.text})` };
}

function getPrecedence({ op }: ASTNode): number {
  const level = PRECEDENCE.findIndex((operators) => operators.includes(op));
  return level < 0 ? PRECEDENCE.length : level;
}

function printCall(name: string, args: readonly ASTNode[]): MeteredSource {
  if (name === "has") return combine(args.map((arg) => print(arg)), (texts) => `has(${texts.join(", ")})`);
  if (name === "duration") {
    return combine(args.map((arg) => print(arg)), ([text]) => `duration(meterDuration(${text}))`);
  }
  return combine(args.map((arg) => wrap("meterRead", arg)), (texts) => `${name}(${texts.join(", ")})`);
}

function printMethod(method: string, receiver: ASTNode, args: readonly ASTNode[]): MeteredSource {
  const [variable, ...bodies] = args;
  if (LOOPS.includes(method) && variable !== undefined && bodies.length > 0) {
    const loop = [print(variable).text, ...bodies.map((body) => printBody(method, body))].join(", ");
    return combine([wrap("meterRead", receiver)], ([list]) => `${list}.${method}(${loop})`);
  }
  if (method === "bind" && receiver.op === "id" && receiver.args === "cel") {
    return combine(args.map((arg) => print(arg)), (texts) => `cel.bind(${texts.join(", ")})`);
  }
  const name = METERED_METHODS[method] ?? method;
  const operands = [receiver, ...args].map((operand) => wrap("meterRead", operand));
  return combine(operands, ([first, ...rest]) => `${first}.${name}(${rest.join(", ")})`);
}

/** Prints what a loop evaluates for each element. It counts the operations, and ends the loop if they are too many. */
function printBody(method: string, body: ASTNode): string {
  const { text, steps } = print(body);
  const last = LAST_VALUES[method];
  return last === undefined ? `meterElement(${text}, ${steps + 1})` : `meterSteps(${steps + 1}) ? (${text}) : ${last}`;
}

/** Adds a call that counts to a value that is not a literal. */
function wrap(counting: string, node: ASTNode, ...times: number[]): MeteredSource {
  if (node.op === "value") return print(node);
  return combine([print(node)], ([text]) => `${counting}(${[text, ...times].join(", ")})`);
}

/** Combines the parts of a node, and counts the node as one more operation. */
function combine(parts: readonly MeteredSource[], toText: (texts: string[]) => string): MeteredSource {
  const steps = parts.reduce((sum, part) => sum + part.steps, 1);
  return { text: toText(parts.map(({ text }) => text)), steps };
}

function printLiteral(value: Extract<ASTNode, { op: "value" }>["args"]): string {
  if (typeof value === "string") return printText(value);
  if (typeof value === "number") return Number.isInteger(value) && value < 1e21 ? `${value}.0` : String(value);
  if (value instanceof Uint8Array) return `b"${Array.from(value, (byte) => printEscape("x", byte, 2)).join("")}"`;
  return value !== null && typeof value === "object" ? `${value}u` : String(value);
}

function printText(text: string): string {
  return `"${text.replace(/[^ !#-[\]-~]/gu, (char) => printEscape("U", char.codePointAt(0) ?? 0, 8))}"`;
}

function printEscape(kind: string, code: number, digits: number): string {
  return `\\${kind}${code.toString(16).padStart(digits, "0")}`;
}

function countAnd(value: unknown, steps: number): unknown {
  current.count(steps);
  return value;
}

/** Returns the number of steps that reading or copying a value takes, without its members. */
function getSize(value: unknown): number {
  if (typeof value === "string") return 1 + Math.ceil(value.length / CHARACTERS_PER_STEP);
  return Array.isArray(value) || value instanceof Uint8Array ? 1 + value.length : 1;
}

/** Counts all members of a value, as a comparison may read them. */
function countMembers(value: unknown): void {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return current.count(getSize(value));
  const members = Array.isArray(value) ? value : Object.values(value);
  current.count(1 + members.length);
  for (const member of members) countMembers(member);
}

/** Counts the steps of a search, which may compare each character with each one. Returns the text. */
function countSearch(text: string, part: string): string {
  current.count(getSize(text) + Math.ceil(text.length / PAIRS_PER_STEP * part.length));
  return text;
}

function checkIndex(text: string, index: bigint): number {
  if (index < 0n || index >= BigInt(text.length)) throw new Error(`the index ${index} is outside of the text`);
  return Number(index);
}

/** Splits a text. With a limit, the last part is the rest. */
function split(text: string, separator: string, limit = -1n): string[] {
  current.count(countSearch(text, separator).length);
  if (limit === 0n) return [];
  const parts = text.split(separator);
  if (limit < 0n || BigInt(parts.length) <= limit) return parts;
  const count = Number(limit) - 1;
  return [...parts.slice(0, count), parts.slice(count).join(separator)];
}

function join(list: unknown[], separator: string): string {
  let length = 0;
  for (const element of list) {
    if (typeof element !== "string") throw new Error("join needs a list of texts");
    length += element.length + separator.length;
  }
  current.count(list.length + Math.ceil(length / CHARACTERS_PER_STEP));
  return list.join(separator);
}
