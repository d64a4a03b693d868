/** Translates conditions to the grammar in which clients evaluate them without a call. */
import type { ASTNode } from "@marcbachmann/cel-js";
import { VALUE_KINDS } from "../model/field.ts";
import type { FieldShape, FieldShapes } from "./field_shape.ts";

const COMPARATORS = ["==", "!=", "<", "<=", ">", ">="];

/** The comparator for each text method of expressions, and its negation. */
const METHODS: Readonly<Record<string, readonly [string, string]>> = {
  contains: ["CONTAINS", "NOT_CONTAINS"],
  startsWith: ["STARTS_WITH", "NOT_STARTS_WITH"],
  endsWith: ["ENDS_WITH", "NOT_ENDS_WITH"],
};

/**
 * Translates a condition, e.g. `Kind == 'Air' && Urgent` to `.Kind == 'Air' && .Urgent == true`. Returns undefined if the
 * grammar cannot express it.
 */
export function toClientCondition(node: ASTNode, shapes: FieldShapes): string | undefined {
  switch (node.op) {
    case "&&":
    case "||": {
      const parts = node.args.map((part) => {
        const text = toClientCondition(part, shapes);
        return text !== undefined && (part.op === "&&" || part.op === "||") && part.op !== node.op ? `(${text})` : text;
      });
      return parts.includes(undefined) ? undefined : parts.join(` ${node.op} `);
    }
    case "!_":
      return negate(node.args, shapes);
    case "rcall":
      return translateMethod(node, shapes, 0);
    case "id":
    case ".":
      return compareBoolean(node, shapes, true);
    default:
      return COMPARATORS.includes(node.op) ? translateComparison(node, shapes) : undefined;
  }
}

function negate(node: ASTNode, shapes: FieldShapes): string | undefined {
  if (node.op === "rcall") return translateMethod(node, shapes, 1);
  const inverse = compareBoolean(node, shapes, false);
  if (inverse !== undefined) return inverse;
  const text = toClientCondition(node, shapes);
  return text && `!(${text})`;
}

function compareBoolean(node: ASTNode, shapes: FieldShapes, value: boolean): string | undefined {
  const field = findField(node, shapes);
  return field?.shape.type === "Boolean" ? `${field.path} == ${value}` : undefined;
}

function translateMethod(node: ASTNode, shapes: FieldShapes, index: 0 | 1): string | undefined {
  if (node.op !== "rcall") return undefined;
  const [method, receiver, [argument, ...more]] = node.args;
  const comparator = Object.hasOwn(METHODS, method) ? METHODS[method]?.[index] : undefined;
  const field = findField(receiver, shapes);
  const text = argument && readText(argument);
  if (comparator === undefined || text === undefined || more.length > 0) return undefined;
  return field && VALUE_KINDS[field.shape.type] === "text" ? `${field.path} ${comparator} ${text}` : undefined;
}

function translateComparison({ op, args }: ASTNode, shapes: FieldShapes): string | undefined {
  const [left, right]: ASTNode[] = [args].flat(2).filter((part) => part instanceof Object && "op" in part);
  const field = left && findField(left, shapes);
  if (field === undefined || right === undefined) return undefined;
  const kind = VALUE_KINDS[field.shape.type];
  const other = findField(right, shapes);
  if (other !== undefined) {
    const isPlain = kind === "text" && VALUE_KINDS[other.shape.type] === "text" && (op === "==" || op === "!=");
    return isPlain ? `${field.path} ${op} ${other.path}` : undefined;
  }
  if (kind === "number") {
    const number = readNumber(right);
    return number !== undefined && agreesOnEmpty(op, number) ? compareNumber(field.path, op, number) : undefined;
  }
  if (kind === "boolean") {
    return right.op === "value" && typeof right.args === "boolean" ? `${field.path} ${op} ${right.args}` : undefined;
  }
  const text = kind === "embedded" ? undefined : readText(right);
  return text && `${field.path} ${op} ${text}`;
}

/** Compares a number. An empty one is smaller than the positive ones, which only some clients know. */
function compareNumber(path: string, op: string, number: number): string {
  const text = `${path} ${op} ${number}`;
  return op === "<" || op === "<=" ? `(${text} || ${path} IS_NULL)` : text;
}

/** Reports whether a condition gives the same result for an empty number: clients compare it as text, expressions as 0. */
function agreesOnEmpty(op: string, number: number): boolean {
  switch (op) {
    case "==":
    case "!=":
      return number !== 0;
    case "<":
      return 0 < number;
    case "<=":
      return 0 <= number;
    case ">":
      return !(0 > number);
    default:
      return !(0 >= number);
  }
}

/** Returns the path of a field, e.g. `.Contact.Name`, with its shape. */
function findField(node: ASTNode, shapes: FieldShapes): { path: string; shape: FieldShape } | undefined {
  if (node.op === "id") {
    const shape = Object.hasOwn(shapes, node.args) ? shapes[node.args] : undefined;
    return shape && { path: `.${node.args}`, shape };
  }
  if (node.op !== ".") return undefined;
  const [holder, name] = node.args;
  const page = findField(holder, shapes);
  const { type, fields = {} } = page?.shape ?? {};
  const shape = type === "Page" && Object.hasOwn(fields, name) ? fields[name] : undefined;
  return page && shape && { path: `${page.path}.${name}`, shape };
}

/** Returns a text in quotes. The grammar cannot express a quote in a text. */
function readText(node: ASTNode): string | undefined {
  return node.op === "value" && typeof node.args === "string" && !/['"\\]/.test(node.args)
    ? `'${node.args}'`
    : undefined;
}

function readNumber(node: ASTNode): number | undefined {
  if (node.op === "-_") {
    const number = readNumber(node.args);
    return number === undefined ? undefined : -number;
  }
  if (node.op !== "value") return undefined;
  return typeof node.args === "number" || typeof node.args === "bigint" ? Number(node.args) : undefined;
}
