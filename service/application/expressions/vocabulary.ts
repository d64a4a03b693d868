/** Expressions in CEL. They are checked against the fields when a definition is loaded, and never evaluated as code. */
import { type ASTNode, Environment } from "@marcbachmann/cel-js";
import { ExactNumber } from "../../../utils/exact_number.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { toBooleanWord } from "../../../utils/text/boolean_words.ts";
import { suggestAlternatives } from "../../../utils/text/did_you_mean.ts";
import { createIssue, ValidationFailed } from "../../errors.ts";
import {
  type CaseFacts,
  type Condition,
  type Expression,
  type OperatorFacts,
  type Scope,
  type Template,
  WITHOUT_CASE,
} from "../model/expression.ts";
import type { FieldType, FormCondition } from "../model/field.ts";
import { EVERY_CASE, NO_CASE, type ReadRight } from "../model/rights.ts";
import { convertCondition } from "./case_condition.ts";
import { toClientCondition } from "./client_condition.ts";
import { findUnknownValues } from "./dropdown_values.ts";
import type { Callers, FieldShape, FieldShapes } from "./field_shape.ts";
import { checkFieldValue, type FieldLimits, mapPages } from "./field_values.ts";
import { type Meter, meterExpression, registerMeteredFunctions, runMetered } from "./meter.ts";
import { callsMethod, listConstantResults } from "./syntax_tree.ts";

/** The CEL type of each type of field, and the value of a field that has no value. */
const CEL: Record<FieldType, readonly [type: string, empty: JsonValue]> = {
  Text: ["string", ""],
  TextArea: ["string", ""],
  RichText: ["string", ""],
  Integer: ["double", 0],
  Decimal: ["double", 0],
  Currency: ["double", 0],
  Percentage: ["double", 0],
  Boolean: ["bool", false],
  Date: ["string", ""],
  DateTime: ["string", ""],
  Time: ["string", ""],
  Dropdown: ["string", ""],
  Email: ["string", ""],
  Phone: ["string", ""],
  Url: ["string", ""],
  UserReference: ["string", ""],
  Page: ["map", {}],
  List: ["list", []],
  PageGroup: ["map", {}],
  Attachment: ["map", {}],
};

/** CEL types of the members of a page. */
type MemberTypes<M> = {
  readonly [N in keyof M]: M[N] extends number ? "double" : M[N] extends string ? "string" : "list<string>";
};

const CASE_FACTS: MemberTypes<CaseFacts> = {
  ID: "string",
  businessID: "string",
  caseTypeID: "string",
  parentCaseID: "string",
  status: "string",
  urgency: "double",
  stageID: "string",
  createdBy: "string",
  createTime: "string",
};
const OPERATOR_FACTS: MemberTypes<OperatorFacts> = { ID: "string", name: "string", queues: "list<string>" };

/** The variables of every expression: a CEL type, or the members of a page. Fields cannot have their names. */
const VARIABLES = {
  caseInfo: CASE_FACTS,
  operator: OPERATOR_FACTS,
  action: "string",
  now: "string",
  today: "string",
} as const;

/** Words of CEL that the library accepts as names of variables. */
const KEYWORDS = ["true", "false", "null", "in", "size", "has"];

/** Prefix of the types of pages, which keeps them apart from other types. */
const PAGE = "page.";

/** Maximum number of operations in an expression, and how deeply they may be nested. */
const LIMITS = { maxAstNodes: 1000, maxDepth: 50 };

/** Limits for the metered form of an expression, which has more calls. */
const METERED_LIMITS = { maxAstNodes: 10_000, maxDepth: 1000 };

/** Evaluates metered expressions with values as they are in JSON. */
const EVALUATING = createEnvironment(METERED_LIMITS);

/** Checks names and types. Here, pages and rows have their own types, which know their members. */
const CHECKING = createEnvironment(LIMITS);

registerMeteredFunctions(EVALUATING);

for (const [name, variable] of Object.entries(VARIABLES)) {
  const isPage = typeof variable !== "string";
  EVALUATING.registerVariable(name, isPage ? "map" : variable);
  CHECKING.registerVariable(name, isPage ? registerPageType(CHECKING, name, { ...variable }) : variable);
}

/** Reports an issue of an expression. */
export type Report = (message: string) => void;

/** Reports whether a field can have a name that expressions use for it. */
export function isFreeName(name: string): boolean {
  if (KEYWORDS.includes(name)) return false;
  try {
    EVALUATING.clone().registerVariable(name, "dyn");
    return true;
  } catch {
    return false;
  }
}

/** The names that expressions over some fields can use. */
export class Vocabulary {
  readonly #shapes: FieldShapes;
  readonly #callers: Callers | undefined;
  readonly #evaluating = EVALUATING.clone();
  readonly #checking = CHECKING.clone();
  /** Page types by members. Pages with the same members share a type, so that they can be compared. */
  readonly #pages = new Map<string, string>();

  /** Creates the vocabulary of some fields. With `callers`, it checks the operators and queues that expressions name. */
  constructor(shapes: FieldShapes, callers?: Callers) {
    this.#shapes = shapes;
    this.#callers = callers;
    for (const [name, shape] of Object.entries(shapes)) {
      if (!isFreeName(name)) continue;
      this.#evaluating.registerVariable(name, CEL[shape.type][0]);
      this.#checking.registerVariable(name, this.#toType(name, shape));
    }
  }

  /** Returns the vocabulary of a page or of the rows of a list. */
  within(name: string): Vocabulary {
    return new Vocabulary(this.#shapes[name]?.fields ?? {}, this.#callers);
  }

  /** Compiles an expression. With `wanted`, its value must fit a field of that type. */
  compile(source: string, report: Report, wanted?: FieldType): Expression {
    const type = this.#check(source, report);
    if (type === undefined) return () => null;
    if (wanted !== undefined && !fits(type, CEL[wanted][0])) {
      report(`the expression returns ${type}, but ${wanted} is needed${adviseOnDate(source)}`);
    }
    const { ast } = this.#checking.parse(source);
    return this.#createExpression(ast, source, wanted);
  }

  /** Compiles an expression for the value of a field. The constants that it can return must fit the field. */
  compileValue(source: string, field: FieldLimits, report: Report): Expression {
    const compiled = this.compile(source, report, field.type);
    if (!isSound(this, source)) return compiled;
    for (const value of listConstantResults(this.#checking.parse(source).ast)) {
      const isRounded = field.type === "Integer" && typeof value === "number";
      const issue = checkFieldValue(field, isRounded ? Math.round(value) : value);
      if (issue !== undefined) report(issue);
      else if (field.type === "UserReference") this.checkOperator(String(value), report);
    }
    return compiled;
  }

  /** Reports an operator that does not exist. */
  checkOperator(id: string, report: Report): void {
    if (id === "" || this.#callers === undefined || Object.hasOwn(this.#callers.operators, id)) return;
    report(`there is no operator '${id}'${suggestAlternatives(id, Object.keys(this.#callers.operators))}`);
  }

  /** Compiles a condition: an expression, or a constant. A missing condition always holds. */
  compileCondition(condition: boolean | string | undefined, report: Report): Condition {
    if (typeof condition !== "string") return () => condition ?? true;
    const evaluate = this.compile(condition, report, "Boolean");
    return (scope) => evaluate(scope) === true;
  }

  /** Compiles a condition of a form, which clients evaluate if their grammar can express it. */
  compileFormCondition(source: string, name: string, report: Report): FormCondition {
    const holds = this.compileCondition(source, report);
    const text = isSound(this, source) ? toClientCondition(this.#checking.parse(source).ast, this.#shapes) : undefined;
    return { name, holds, text };
  }

  /** Compiles the right to see a case: a condition that the store can evaluate, too. */
  compileReadRight(right: boolean | string, report: Report): ReadRight {
    const allows = this.compileCondition(right, report);
    if (typeof right !== "string") return { allows, toCaseCondition: () => right ? EVERY_CASE : NO_CASE };
    if (!isSound(this, right)) return { allows, toCaseCondition: () => NO_CASE };
    const { ast } = this.#checking.parse(right);
    const build = convertCondition(ast, this.#shapes, (node) => this.#createExpression(node, right, undefined));
    if (build === undefined) {
      report(
        "the database cannot evaluate this condition: compare fields and members of caseInfo with values by " +
          "==, !=, <, <=, >, >=, in, startsWith, endsWith or contains, and combine comparisons by &&, || and !",
      );
    }
    return { allows, toCaseCondition: ({ operator, now }) => build?.(withoutCase(operator, now)) ?? NO_CASE };
  }

  /** Compiles a text with expressions in `{{ }}`. */
  compileTemplate(source: string, report: Report): Template {
    const [first = "", ...rest] = source.split("{{");
    const parts: (string | Expression)[] = [first];
    for (const part of rest) {
      const end = part.indexOf("}}");
      if (end < 0) {
        report("a '{{' has no '}}'");
        break;
      }
      parts.push(this.compile(part.slice(0, end).trim(), report), part.slice(end + 2));
    }
    return (scope) => parts.map((part) => typeof part === "string" ? part : toText(part(scope))).join("");
  }

  /** Returns the type of an expression; undefined if it is wrong. */
  #check(source: string, report: Report): string | undefined {
    const { valid, error, type = "dyn" } = this.#checking.check(source);
    if (valid) {
      const { ast } = this.#checking.parse(source);
      const names = this.#callers !== undefined && source.includes("operator")
        ? { ...this.#shapes, operator: toShape(this.#callers) }
        : this.#shapes;
      for (const issue of findUnknownValues(source, ast, names)) report(issue);
      if (!callsMethod(ast, "matches")) return type;
      report(
        "'matches' is not supported, because some regular expressions never end; use contains, startsWith or endsWith",
      );
      return undefined;
    }
    const reason = firstLine(error);
    report(`bad expression: ${reason}${this.#advise(source, reason)}`);
    return undefined;
  }

  #advise(source: string, reason: string): string {
    const [, name] = reason.match(/^Unknown variable: (\w+)$/) ?? [];
    const word = name === undefined ? undefined : toBooleanWord(name);
    if (word !== undefined) return `; write ${word}`;
    if (name !== undefined) return suggestAlternatives(name, [...Object.keys(this.#shapes), ...Object.keys(VARIABLES)]);
    return adviseOnDate(source);
  }

  #createExpression(ast: ASTNode, source: string, wanted: FieldType | undefined): Expression {
    const evaluate = this.#evaluating.parse(meterExpression(ast));
    const shapes = this.#shapes;
    // Only the fields that the expression names are prepared: each of many calculated fields may use a few.
    const names = [...new Set(source.match(/\w+/g))].filter((name) => Object.hasOwn(shapes, name));
    return ({ fields, caseInfo, operator, action, now }) => {
      const variables = { caseInfo, operator, action, now, today: now.slice(0, 10) };
      try {
        return runMetered((meter) =>
          toJson(evaluate({ ...fillIn(names, shapes, fields, wanted === "Boolean"), ...variables }), meter, wanted)
        );
      } catch (error) {
        throw new ValidationFailed([createIssue(`Cannot compute ${source}: ${firstLine(error)}.`)]);
      }
    };
  }

  /** Returns the CEL type of a field at a path, such as `Applicant.Address`. */
  #toType(path: string, { type, fields }: FieldShape): string {
    if (fields === undefined) return CEL[type][0];
    const members = Object.entries(fields).map(([name, shape]) => [name, this.#toType(`${path}.${name}`, shape)]);
    const page = this.#toPageType(path, Object.fromEntries(members.sort()));
    return type === "List" ? `list<${page}>` : type === "PageGroup" ? `map<string, ${page}>` : page;
  }

  #toPageType(path: string, members: Readonly<Record<string, string>>): string {
    const key = JSON.stringify(members);
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const name = registerPageType(this.#checking, path, members);
    this.#pages.set(key, name);
    return name;
  }
}

/** Advises to quote a date, which is a subtraction otherwise. */
function adviseOnDate(source: string): string {
  const [date] = source.replace(/'[^']*'|"[^"]*"/g, "").match(/\b\d{4}-\d{2}-\d{2}\b/) ?? [];
  return date === undefined ? "" : `; quote a date: '${date}'`;
}

/** Returns the shape of the variable `operator`, whose ID and queues have only the values of the application. */
function toShape({ operators, queues }: Callers): FieldShape {
  return {
    type: "Page",
    fields: {
      ID: { type: "Text", values: Object.keys(operators) },
      queues: { type: "Text", values: Object.keys(queues) },
    },
  };
}

/** Reports whether an expression has no issue. */
export function isSound(words: Vocabulary, source: string): boolean {
  let sound = true;
  words.compile(source, () => sound = false);
  return sound;
}

function withoutCase(operator: OperatorFacts, now: string): Scope {
  return { fields: {}, caseInfo: WITHOUT_CASE, operator, action: "", now };
}

/** Registers a type of pages that have exactly these members. */
function registerPageType(environment: Environment, path: string, members: Readonly<Record<string, string>>): string {
  const name = PAGE + path;
  environment.registerType(name, { fields: members });
  environment.registerOperator(`${name} == ${name}`, () => false); // This environment only checks.
  return name;
}

/** Fills in empty values, in rows too, so that an expression can read a field that has no value. */
function fillIn(
  names: readonly string[],
  shapes: FieldShapes,
  values: JsonObject,
  isCondition: boolean,
): JsonObject {
  return Object.fromEntries(
    names.map((name) => [name, shapes[name] && fillInField(shapes[name], values[name], isCondition)]),
  );
}

/**
 * Fills in an empty value. A condition uses the nearest number, as the store does. Any other expression rejects a number
 * with too many digits, because its result would lose digits.
 */
function fillInField(
  { type, fields = {} }: FieldShape,
  value: JsonValue | undefined,
  isCondition: boolean,
): JsonValue {
  if (value instanceof ExactNumber) {
    if (isCondition) return Number(value);
    throw new Error(`${value} has more digits than an expression can compute with`);
  }
  const filled = value ?? CEL[type][1];
  const names = Object.keys(fields);
  return mapPages({ type }, filled, (page) => ({ ...page, ...fillIn(names, fields, page, isCondition) }));
}

type Numeric = number | bigint;

/** Creates an environment with arithmetic between whole and decimal numbers, which CEL lacks. */
function createEnvironment(limits: typeof LIMITS): Environment {
  const environment = new Environment({ limits });
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

function fits(type: string, wanted: string): boolean {
  if (type === "dyn" || type === wanted) return true;
  if (wanted === "double") return type === "int" || type === "uint";
  if (wanted === "map" && type.startsWith(PAGE)) return true;
  if (wanted === "string") return type === "google.protobuf.Timestamp" || type === "timestamp";
  return type.startsWith(wanted + "<");
}

/** Converts a result to JSON. The meter counts its members, because a result can hold the same list many times. */
function toJson(value: unknown, meter: Meter, wanted?: FieldType): JsonValue {
  meter.count(1);
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new Error("the result is not a number");
    if (wanted === "Integer") return Math.round(value);
    return wanted === "Currency" ? Math.round(value * 100) / 100 : value;
  }
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (value instanceof Date) return wanted === "Date" ? value.toISOString().slice(0, 10) : value.toISOString();
  if (Array.isArray(value)) return value.map((element) => toJson(element, meter));
  const members = value instanceof Map ? Object.fromEntries(value) : value;
  if (!isJsonObject(members)) throw new Error("the result is not a JSON value");
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, toJson(member, meter)]));
}

function toText(value: JsonValue): string {
  if (value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split("\n", 1)[0] ?? message;
}
