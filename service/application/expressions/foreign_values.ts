/** Texts with which an expression compares a Dropdown and which it never has: a mistyped one would be seen by nobody. */
import type { ASTNode } from "@marcbachmann/cel-js";
import { suggestAlternatives } from "../../../utils/text/did_you_mean.ts";
import type { Shape } from "./expressions.ts";

/** What an expression can name here: fields, and the rows over which it goes. */
type Names = Readonly<Record<string, Shape | undefined>>;

/** What is wrong with each such text. */
export function foreignValues(source: string, node: ASTNode, names: Names): string[] {
  const inner = withRow(node, names);
  return [
    ...comparisonsIn(node).flatMap(([field, text]) => {
      const values = shapeOf(field, names)?.values;
      if (values === undefined || text === "" || values.includes(text)) return [];
      return `'${text}' is not a value of ${source.slice(field.start, field.end)}${suggestAlternatives(text, values)}`;
    }),
    ...partsOf(node).flatMap((part) => foreignValues(source, part, inner)),
  ];
}

/** What an operator compares with which text. */
function comparisonsIn({ op, args }: ASTNode): [field: ASTNode, text: string][] {
  if (op !== "==" && op !== "!=" && op !== "in") return [];
  const [left, right] = args;
  return [...comparisonsOf(left, right), ...comparisonsOf(right, left)];
}

function comparisonsOf(field: ASTNode, { op, args }: ASTNode): [ASTNode, string][] {
  const texts = op === "list" ? args.map((element) => element.args) : op === "value" ? [args] : [];
  return texts.filter((text) => typeof text === "string").map((text) => [field, text]);
}

/** The names within `Rows.exists(row, …)` and its like. */
function withRow(node: ASTNode, names: Names): Names {
  if (node.op !== "rcall") return names;
  const [, list, [variable]] = node.args;
  return variable?.op === "id" ? { ...names, [variable.args]: shapeOf(list, names) } : names;
}

function shapeOf(node: ASTNode, names: Names): Shape | undefined {
  if (node.op === "id") return Object.hasOwn(names, node.args) ? names[node.args] : undefined;
  if (node.op !== ".") return undefined;
  const [page, member] = node.args;
  const { fields = {} } = shapeOf(page, names) ?? {};
  return Object.hasOwn(fields, member) ? fields[member] : undefined;
}

function partsOf({ args }: ASTNode): ASTNode[] {
  const parts: unknown[] = [args].flat(3);
  return parts.filter(isNode);
}

function isNode(part: unknown): part is ASTNode {
  return part instanceof Object && "op" in part;
}
