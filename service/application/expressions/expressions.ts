/** Expressions in CEL: checked against the fields that they may name when the definition is loaded, never `eval`. */
import { Environment } from "@marcbachmann/cel-js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { finding, validationFailure } from "../../errors.ts";
import { suggestAlternatives } from "../../../utils/text/did_you_mean.ts";
import type { Condition, Expression, Field, FieldType } from "../model/application.ts";
import type { Path, Report } from "../findings.ts";
import { foreignValues } from "./foreign_values.ts";

/** The type of a field in CEL, and what it reads as while it has no value. */
const CEL: Record<FieldType, readonly [type: string, empty: JsonValue]> = {
  Text: ["string", ""],
  TextArea: ["string", ""],
  Integer: ["double", 0],
  Decimal: ["double", 0],
  Currency: ["double", 0],
  Boolean: ["bool", false],
  Date: ["string", ""],
  DateTime: ["string", ""],
  Dropdown: ["string", ""],
  Email: ["string", ""],
  Phone: ["string", ""],
  Url: ["string", ""],
  Page: ["map", {}],
  List: ["list", []],
};

/** What every expression can use beside fields, so that no field may have these names: a type, or the members of a page. */
const GIVEN = {
  caseInfo: {
    ID: "string",
    businessID: "string",
    caseTypeID: "string",
    parentCaseID: "string",
    status: "string",
    urgency: "double",
    stageID: "string",
    createdBy: "string",
    createTime: "string",
  },
  operator: { ID: "string", name: "string", queues: "list<string>" },
  action: "string",
  now: "string",
  today: "string",
} as const;

/** Members of a page as their values are. */
type Facts<M> = {
  readonly [N in keyof M]: M[N] extends "double" ? number : M[N] extends "list<string>" ? string[] : string;
};

/** What expressions see of a case. */
export type CaseFacts = Facts<typeof GIVEN.caseInfo>;

/** What expressions see of who acts. */
export type OperatorFacts = Facts<typeof GIVEN.operator>;

/** Words of the language that its library lets be variables. */
const KEYWORDS = ["true", "false", "null", "in", "size", "has"];

/** What the names of the types of pages begin with: without it they could be those of other types. */
const PAGE = "page.";

/** Computes with values as they are in JSON. */
const COMPUTING = baseEnvironment();

/** Checks names and types. Pages and rows have types of their own here, which know their members. */
const CHECKING = baseEnvironment();

for (const [name, given] of Object.entries(GIVEN)) {
  const isPage = typeof given !== "string";
  COMPUTING.registerVariable(name, isPage ? "map" : given);
  CHECKING.registerVariable(name, isPage ? newPageType(CHECKING, name, given) : given);
}

/** The names that expressions over some fields can use. */
export interface Vocabulary {
  /** Compiles an expression whose value a field of that type, or any, can take. */
  expression(source: string, at: Path, report: Report, wanted?: FieldType): Expression;
  /** Compiles a condition. */
  condition(source: string, at: Path, report: Report): Condition;
}

/** Why a field cannot have a name. */
export function nameProblem(name: string): string | undefined {
  if (!KEYWORDS.includes(name) && canBeVariable(name)) return undefined;
  return `'${name}' has a meaning in expressions: choose another name`;
}

/** Whether neither the language nor what every expression can use has a name already. */
function canBeVariable(name: string): boolean {
  try {
    COMPUTING.clone().registerVariable(name, "dyn");
    return true;
  } catch {
    return false;
  }
}

/** What expressions must know of fields, by name: their types, and the fields of pages and rows. */
export type Shapes = Readonly<Record<string, Shape>>;

/** What they must know of one. */
export interface Shape {
  readonly type: FieldType;
  readonly values?: readonly string[];
  readonly fields?: Shapes;
}

/** The shapes of fields. */
export function shapesOf(fields: Iterable<Field>): Shapes {
  return Object.fromEntries(
    Array.from(fields, ({ name, type, values, embedded }) => {
      return [name, { type, values, fields: embedded && shapesOf(embedded.fields.values()) }];
    }),
  );
}

/** The vocabulary of some fields. */
export function vocabulary(shapes: Shapes): Vocabulary {
  const computing = COMPUTING.clone();
  const checking = CHECKING.clone();
  const types = new CheckedTypes(checking);
  for (const [name, shape] of Object.entries(shapes)) {
    if (nameProblem(name) !== undefined) continue;
    computing.registerVariable(name, CEL[shape.type][0]);
    checking.registerVariable(name, types.of(name, shape));
  }
  const expression: Vocabulary["expression"] = (source, at, report, wanted) => {
    const type = typeOf(source, at, checking, report, Object.keys(shapes));
    if (type === undefined) return () => null;
    for (const fault of foreignValues(source, checking.parse(source).ast, shapes)) {
      report(at, `bad expression: ${fault}`);
    }
    if (wanted !== undefined && !fits(type, CEL[wanted][0])) {
      report(at, `the expression gives a ${type}, which a field of type ${wanted} cannot hold`);
    }
    return computation(source, computing, shapes, wanted);
  };
  return {
    expression,
    condition(source, at, report) {
      const value = expression(source, at, report, "Boolean");
      return (scope) => value(scope) === true;
    },
  };
}

/** The type of an expression; nothing where it is none. */
function typeOf(
  source: string,
  at: Path,
  checking: Environment,
  report: Report,
  fields: readonly string[],
): string | undefined {
  if (/\bmatches\s*\(/.test(source)) {
    report(
      at,
      "'matches' is not served: a regular expression can take for ever; use contains, startsWith or endsWith",
    );
    return undefined;
  }
  const { valid, error, type = "dyn" } = checking.check(source);
  if (valid) return type;
  const reason = firstLine(error);
  const [, name] = reason.match(/^Unknown variable: (\w+)$/) ?? [];
  const known = [...fields, ...Object.keys(GIVEN)];
  report(at, `bad expression: ${reason}${name === undefined ? "" : suggestAlternatives(name, known)}`);
  return undefined;
}

function computation(source: string, computing: Environment, shapes: Shapes, wanted?: FieldType): Expression {
  const evaluate = computing.parse(source);
  // What it does not name costs nothing: all fields of a case may be calculated, each from a few.
  const named = [...new Set(source.match(/\w+/g))].filter((name) => Object.hasOwn(shapes, name));
  return ({ fields, caseInfo, operator, action, now }) => {
    const given = { caseInfo, operator, action, now, today: now.slice(0, 10) };
    try {
      return toJson(evaluate({ ...filled(named, shapes, fields, countedLists()), ...given }), wanted);
    } catch (error) {
      throw validationFailure([finding(`Cannot compute ${source}: ${firstLine(error)}.`)]);
    }
  };
}

/** The types by which the fields of one vocabulary are checked. Pages with the same members can be compared: they share one. */
class CheckedTypes {
  readonly #environment: Environment;
  readonly #pages = new Map<string, string>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** The type of a field at a path, such as `Applicant.Address`. */
  of(path: string, { type, fields }: Shape): string {
    if (fields === undefined) return CEL[type][0];
    const members = Object.entries(fields).map(([name, shape]) => [name, this.of(`${path}.${name}`, shape)]);
    const page = this.#page(path, Object.fromEntries(members.sort()));
    return type === "List" ? `list<${page}>` : page;
  }

  #page(path: string, members: Readonly<Record<string, string>>): string {
    const key = JSON.stringify(members);
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const name = newPageType(this.#environment, path, members);
    this.#pages.set(key, name);
    return name;
  }
}

/** A new type of pages that have these members and no others. */
function newPageType(environment: Environment, path: string, members: Readonly<Record<string, string>>): string {
  const name = PAGE + path;
  environment.registerType(name, { fields: members });
  environment.registerOperator(`${name} == ${name}`, () => false); // Nothing is computed here.
  return name;
}

/** Values, and what those read as that are absent: an expression that names one, of a row too, must not fail. */
function filled(names: readonly string[], shapes: Shapes, values: JsonObject, counted: Counted): JsonObject {
  return Object.fromEntries(names.map((name) => [name, shapes[name] && read(shapes[name], values[name], counted)]));
}

function read({ type, fields = {} }: Shape, value: JsonValue | undefined, counted: Counted): JsonValue {
  const given = value ?? CEL[type][1];
  const names = Object.keys(fields);
  const page = (one: JsonValue) => isJsonObject(one) ? { ...one, ...filled(names, fields, one, counted) } : one;
  return Array.isArray(given) ? counted(given.map(page)) : page(given);
}

/** Elements of lists that one expression may read: others wait for it, and to compare all rows takes their square. */
const MAX_READS = 1_000_000;

/** Makes lists that end the expression which reads too much of all of them together. */
type Counted = (list: JsonValue[]) => JsonValue[];

function countedLists(): Counted {
  let left = MAX_READS;
  const get = (list: JsonValue[], key: string | symbol): unknown => {
    if (typeof key === "string" && /^\d/.test(key) && left-- <= 0) {
      throw new Error(`it reads more than ${MAX_READS} elements of lists`);
    }
    return Reflect.get(list, key);
  };
  return (list) => new Proxy(list, { get });
}

/** CEL has no arithmetic between whole and decimal numbers; people expect it. */
function baseEnvironment(): Environment {
  const environment = new Environment({ limits: { maxAstNodes: 1000, maxDepth: 50 } });
  for (const [left, right] of [["double", "int"], ["int", "double"]]) {
    environment.registerOperator(`${left} + ${right}`, (a: Numeric, b: Numeric) => Number(a) + Number(b));
    environment.registerOperator(`${left} - ${right}`, (a: Numeric, b: Numeric) => Number(a) - Number(b));
    environment.registerOperator(`${left} * ${right}`, (a: Numeric, b: Numeric) => Number(a) * Number(b));
    environment.registerOperator(`${left} / ${right}`, (a: Numeric, b: Numeric) => Number(a) / Number(b));
  }
  environment.registerOperator("double == int", (a: Numeric, b: Numeric) => Number(a) === Number(b));
  environment.registerFunction(
    "sum(list): double",
    (values: unknown[]) => values.reduce<number>((total, value) => total + Number(value ?? 0), 0),
  );
  return environment.clone();
}

type Numeric = number | bigint;

function fits(type: string, wanted: string): boolean {
  if (type === "dyn" || type === wanted) return true;
  if (wanted === "double") return type === "int" || type === "uint";
  if (wanted === "map" && type.startsWith(PAGE)) return true;
  if (wanted === "string") return type === "google.protobuf.Timestamp" || type === "timestamp";
  return type.startsWith(wanted + "<");
}

function toJson(value: unknown, wanted?: FieldType): JsonValue {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new Error("the result is not a number");
    if (wanted === "Integer") return Math.round(value);
    return wanted === "Currency" ? Math.round(value * 100) / 100 : value;
  }
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (value instanceof Date) return wanted === "Date" ? value.toISOString().slice(0, 10) : value.toISOString();
  if (Array.isArray(value)) return value.map((element) => toJson(element));
  const members = value instanceof Map ? Object.fromEntries(value) : value;
  if (!isJsonObject(members)) throw new Error("the result is no JSON value");
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, toJson(member)]));
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split("\n", 1)[0] ?? message;
}
