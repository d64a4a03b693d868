/** Converts expressions to conditions on cases, by which the store finds cases without evaluating an expression for each. */
import type { ASTNode } from "@marcbachmann/cel-js";
import type { JsonValue } from "../../../utils/json.ts";
import { DomainError } from "../../errors.ts";
import { type CaseFacts, WITHOUT_CASE } from "../model/expression.ts";
import { holdsPage, VALUE_KINDS, type ValueKind } from "../model/field.ts";
import { type CaseComparator, type CaseCondition, type CaseValue, EVERY_CASE, NO_CASE } from "../model/rights.ts";
import type { FieldShape, FieldShapes } from "./field_shape.ts";
import { getChildren } from "./syntax_tree.ts";

/** Evaluates a part of an expression that does not depend on the case. */
export type Constant<S> = (scope: S) => JsonValue;

/** Builds the condition of an expression. */
export type CaseConditionBuilder<S> = (scope: S) => CaseCondition;

/** A value of the case in an expression. */
interface Operand {
  readonly place: CaseValue;
  readonly kind: ValueKind;
  /** The value in expressions if the case has none. */
  readonly empty: string | number | boolean;
}

/** Facts of a case in expressions, and their properties in the store. */
const FACTS: { readonly [F in keyof CaseFacts]: string } = {
  ID: "id",
  businessID: "businessId",
  caseTypeID: "typeId",
  parentCaseID: "parentId",
  status: "status",
  urgency: "urgency",
  stageID: "stageId",
  createdBy: "createdBy",
  createTime: "createdAt",
};

const EMPTY: { readonly [K in ValueKind]: string | number | boolean | undefined } = {
  text: "",
  number: 0,
  boolean: false,
  date: "",
  instant: "",
  embedded: undefined,
};

const COMPARATORS: Readonly<Record<string, CaseComparator>> = {
  "==": "EQ",
  "<": "LT",
  "<=": "LTE",
  ">": "GT",
  ">=": "GTE",
  startsWith: "STARTS_WITH",
  endsWith: "ENDS_WITH",
  contains: "CONTAINS",
};

/** The comparators with exchanged operands. */
const MIRRORED: Readonly<Record<string, string>> = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" };

/**
 * Converts a Boolean expression. Returns undefined if the store cannot evaluate it. `compile` compiles parts that do not
 * depend on the case.
 */
export function convertCondition<S>(
  node: ASTNode,
  shapes: FieldShapes,
  compile: (node: ASTNode) => Constant<S>,
): CaseConditionBuilder<S> | undefined {
  const decide = convert(node, shapes, compile);
  return decide && ((scope) => decide(scope).isTrue);
}

/**
 * Conditions for the cases in which an expression is true, and for those in which it is false. In all other cases it
 * throws: a part that does not depend on the case may throw, such as `operator.queues[0]` without a queue.
 */
interface Decision {
  readonly isTrue: CaseCondition;
  readonly isFalse: CaseCondition;
}

type Decide<S> = (scope: S) => Decision;

const ALWAYS: Decision = { isTrue: EVERY_CASE, isFalse: NO_CASE };
const NEVER: Decision = { isTrue: NO_CASE, isFalse: EVERY_CASE };
const FAILURE: Decision = { isTrue: NO_CASE, isFalse: NO_CASE };

function convert<S>(
  node: ASTNode,
  shapes: FieldShapes,
  compile: (node: ASTNode) => Constant<S>,
): Decide<S> | undefined {
  const convertPart = (part: ASTNode) => convert(part, shapes, compile);
  if (isConstant(node, shapes)) {
    const evaluate = compile(node);
    return decideUnlessFailing((scope) => evaluate(scope) === true ? ALWAYS : NEVER);
  }
  switch (node.op) {
    case "&&":
      return combine(node.args.map(convertPart), decideAnd);
    case "||":
      return combine(node.args.map(convertPart), (parts) => negate(decideAnd(parts.map(negate))));
    case "!_":
      return combine([convertPart(node.args)], ([part = FAILURE]) => negate(part));
    case "?:":
      return combine(node.args.map(convertPart), ([when = FAILURE, yes = FAILURE, no = FAILURE]) => ({
        isTrue: or([and([when.isTrue, yes.isTrue]), and([when.isFalse, no.isTrue])]),
        isFalse: or([and([when.isTrue, yes.isFalse]), and([when.isFalse, no.isFalse])]),
      }));
    case "!=":
      return combine([convertComparison("==", ...node.args, shapes, compile)], ([part = FAILURE]) => negate(part));
    case "==":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return convertComparison(node.op, ...node.args, shapes, compile);
    case "in":
      return convertMembership(...node.args, shapes, compile);
    case "rcall": {
      const [method, receiver, [arg, ...more]] = node.args;
      const isSearch = ["startsWith", "endsWith", "contains"].includes(method) && arg !== undefined &&
        more.length === 0;
      return isSearch ? convertComparison(method, receiver, arg, shapes, compile) : undefined;
    }
    default: {
      const operand = readOperand(node, shapes);
      return operand?.kind === "boolean"
        ? () => toDecision({ left: operand.place, comparator: "EQ", right: { value: true } })
        : undefined;
    }
  }
}

function combine<S>(
  parts: readonly (Decide<S> | undefined)[],
  toDecision: (decisions: Decision[]) => Decision,
): Decide<S> | undefined {
  const known = parts.filter((part) => part !== undefined);
  return known.length < parts.length ? undefined : (scope) => toDecision(known.map((decide) => decide(scope)));
}

function decideUnlessFailing<S>(decide: Decide<S>): Decide<S> {
  return (scope) => {
    try {
      return decide(scope);
    } catch (error) {
      if (error instanceof DomainError) return FAILURE;
      throw error;
    }
  };
}

/** A false part makes the result false, even if another part throws. */
function decideAnd(parts: readonly Decision[]): Decision {
  return { isTrue: and(parts.map(({ isTrue }) => isTrue)), isFalse: or(parts.map(({ isFalse }) => isFalse)) };
}

function negate({ isTrue, isFalse }: Decision): Decision {
  return { isTrue: isFalse, isFalse: isTrue };
}

function toDecision(condition: CaseCondition): Decision {
  return { isTrue: condition, isFalse: { not: condition } };
}

function and(conditions: readonly CaseCondition[]): CaseCondition {
  if (conditions.includes(NO_CASE)) return NO_CASE;
  const others = conditions.filter((condition) => condition !== EVERY_CASE);
  return others.length === 0 ? EVERY_CASE : { and: others };
}

function or(conditions: readonly CaseCondition[]): CaseCondition {
  if (conditions.includes(EVERY_CASE)) return EVERY_CASE;
  const others = conditions.filter((condition) => condition !== NO_CASE);
  return others.length === 0 ? NO_CASE : { or: others };
}

function convertComparison<S>(
  operator: string,
  left: ASTNode,
  right: ASTNode,
  shapes: FieldShapes,
  compile: (node: ASTNode) => Constant<S>,
): Decide<S> | undefined {
  if (isConstant(left, shapes)) {
    const mirrored = operator === "==" ? operator : MIRRORED[operator];
    const isUseful = mirrored !== undefined && !isConstant(right, shapes);
    return isUseful ? convertComparison(mirrored, right, left, shapes, compile) : undefined;
  }
  const operand = readOperand(left, shapes);
  const comparator = COMPARATORS[operator];
  if (operand === undefined || comparator === undefined || !isConstant(right, shapes)) return undefined;
  // SQLite orders texts by code points, expressions by UTF-16.
  if (operator in MIRRORED && (operand.kind === "text" || operand.kind === "boolean")) return undefined;
  const evaluate = compile(right);
  return decideUnlessFailing((scope) => {
    const value = evaluate(scope);
    return isScalar(value) ? toDecision(compare(operand, comparator, value)) : NEVER;
  });
}

/** Compares a value of the case with a constant. A missing value compares like an empty one. */
function compare(
  { place, empty }: Operand,
  comparator: CaseComparator,
  value: string | number | boolean,
): CaseCondition {
  const condition = { left: place, comparator, right: { value } };
  return compareScalars(empty, comparator, value) ? { or: [{ isNull: place }, condition] } : condition;
}

function convertMembership<S>(
  element: ASTNode,
  list: ASTNode,
  shapes: FieldShapes,
  compile: (node: ASTNode) => Constant<S>,
): Decide<S> | undefined {
  const operand = readOperand(element, shapes);
  if (operand === undefined || !isConstant(list, shapes)) return undefined;
  const { place, empty } = operand;
  const evaluate = compile(list);
  return decideUnlessFailing((scope) => {
    const elements = evaluate(scope);
    const values = Array.isArray(elements) ? elements.filter(isScalar) : [];
    const condition = { field: place, in: values };
    return toDecision(values.includes(empty) ? { or: [{ isNull: place }, condition] } : condition);
  });
}

/** Reads a value of the case that the store can compare. Returns undefined for other expressions. */
function readOperand(node: ASTNode, shapes: FieldShapes): Operand | undefined {
  if (node.op === "." && node.args[0].op === "id" && node.args[0].args === "caseInfo") {
    const fact = node.args[1];
    if (!isFact(fact)) return undefined;
    const empty = WITHOUT_CASE[fact];
    return { place: { property: FACTS[fact] }, kind: typeof empty === "number" ? "number" : "text", empty };
  }
  const found = findField(node, shapes);
  if (found === undefined) return undefined;
  const kind = VALUE_KINDS[found.shape.type];
  const empty = EMPTY[kind];
  return empty === undefined ? undefined : { place: { content: found.path }, kind, empty };
}

function isFact(name: string): name is keyof CaseFacts {
  return Object.hasOwn(FACTS, name);
}

function findField(node: ASTNode, shapes: FieldShapes): { path: string[]; shape: FieldShape } | undefined {
  if (node.op === "id") {
    const shape = Object.hasOwn(shapes, node.args) ? shapes[node.args] : undefined;
    return shape && { path: [node.args], shape };
  }
  if (node.op !== ".") return undefined;
  const page = findField(node.args[0], shapes);
  const { type, fields = {} } = page?.shape ?? {};
  const shape = holdsPage(type) && Object.hasOwn(fields, node.args[1]) ? fields[node.args[1]] : undefined;
  return page && shape && { path: [...page.path, node.args[1]], shape };
}

/** Reports whether an expression does not use the case. */
function isConstant(node: ASTNode, shapes: FieldShapes): boolean {
  if (node.op === "id") return node.args !== "caseInfo" && !Object.hasOwn(shapes, node.args);
  return getChildren(node).every((child) => isConstant(child, shapes));
}

function isScalar(value: JsonValue | undefined): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function compareScalars(
  left: string | number | boolean,
  comparator: CaseComparator,
  right: string | number | boolean,
): boolean {
  if (typeof left !== typeof right) return false;
  switch (comparator) {
    case "EQ":
      return left === right;
    case "GT":
      return left > right;
    case "GTE":
      return left >= right;
    case "LT":
      return left < right;
    case "LTE":
      return left <= right;
    case "STARTS_WITH":
      return String(left).startsWith(String(right));
    case "ENDS_WITH":
      return String(left).endsWith(String(right));
    case "CONTAINS":
      return String(left).includes(String(right));
  }
}
