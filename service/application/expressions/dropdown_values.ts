/** Comparisons of a Dropdown with a text that is not one of its values: a typing error that would go unnoticed. */
import type { ASTNode } from "@marcbachmann/cel-js";
import { suggestAlternatives } from "../../../utils/text/did_you_mean.ts";
import type { FieldShape } from "./field_shape.ts";
import { getChildren } from "./syntax_tree.ts";

/** Fields and rows by the names that an expression uses for them. */
type Names = Readonly<Record<string, FieldShape | undefined>>;

/** Describes each text in an expression that is compared with a Dropdown and is not one of its values. */
export function findUnknownValues(source: string, node: ASTNode, names: Names): string[] {
  const inner = addRowName(node, names);
  return [
    ...findComparisons(node).flatMap(([field, text]) => {
      const values = findShape(field, names)?.values;
      if (values === undefined || text === "" || values.includes(text)) return [];
      const name = source.slice(field.start, field.end);
      return `bad expression: '${text}' is not a value of ${name}${suggestAlternatives(text, values)}`;
    }),
    ...getChildren(node).flatMap((child) => findUnknownValues(source, child, inner)),
  ];
}

/** Returns the operands that an operator compares with texts. */
function findComparisons({ op, args }: ASTNode): [field: ASTNode, text: string][] {
  if (op !== "==" && op !== "!=" && op !== "in") return [];
  const [left, right] = args;
  return [...pairWithTexts(left, right), ...pairWithTexts(right, left)];
}

function pairWithTexts(field: ASTNode, { op, args }: ASTNode): [ASTNode, string][] {
  const texts = op === "list" ? args.map((element) => element.args) : op === "value" ? [args] : [];
  return texts.filter((text) => typeof text === "string").map((text) => [field, text]);
}

/** Adds the name that a macro such as `Rows.exists(row, …)` gives to a row. */
function addRowName(node: ASTNode, names: Names): Names {
  if (node.op !== "rcall") return names;
  const [, list, [variable]] = node.args;
  return variable?.op === "id" ? { ...names, [variable.args]: findShape(list, names) } : names;
}

function findShape(node: ASTNode, names: Names): FieldShape | undefined {
  if (node.op === "id") return Object.hasOwn(names, node.args) ? names[node.args] : undefined;
  if (node.op !== ".") return undefined;
  const [page, member] = node.args;
  const { fields = {} } = findShape(page, names) ?? {};
  return Object.hasOwn(fields, member) ? fields[member] : undefined;
}
