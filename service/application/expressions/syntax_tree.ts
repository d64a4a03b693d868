/** Walks the syntax trees of expressions. */
import type { ASTNode } from "@marcbachmann/cel-js";

/** Returns the nodes directly below a node. */
export function getChildren({ args }: ASTNode): ASTNode[] {
  const parts: unknown[] = [args].flat(3);
  return parts.filter(isNode);
}

/** Returns the constants that an expression can have as its value, such as both texts in `Paid ? 'Yes' : 'No'`. */
export function listConstantResults({ op, args }: ASTNode): (string | number)[] {
  if (op === "?:") return [args[1], args[2]].flatMap(listConstantResults);
  if (op !== "value") return [];
  if (typeof args === "bigint") return [Number(args)];
  return typeof args === "string" || typeof args === "number" ? [args] : [];
}

/** Reports whether an expression calls a method. */
export function callsMethod(node: ASTNode, method: string): boolean {
  return (node.op === "rcall" && node.args[0] === method) ||
    getChildren(node).some((child) => callsMethod(child, method));
}

function isNode(part: unknown): part is ASTNode {
  return part instanceof Object && "op" in part;
}
