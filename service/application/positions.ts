/** Where in a YAML text a path leads. */
import { type Document, isAlias, isMap, isNode, isPair, isScalar, isSeq, type ParsedNode } from "yaml";
import type { Finding } from "./findings.ts";

/** The offset of what a finding is about: a plain value itself, else its key; of what is missing, the nearest there is. */
export function positionOf(document: Document<ParsedNode>, { path, atKey = false }: Finding): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const [depth, key] of path.entries()) {
    const step = child(document, node, key);
    if (step === undefined) break;
    node = step.value;
    const ownKey = !isScalar(node) || (atKey && depth === path.length - 1);
    offset = (ownKey ? startOf(step.key) : undefined) ?? startOf(node) ?? offset;
  }
  return offset;
}

function child(
  document: Document<ParsedNode>,
  node: unknown,
  key: PropertyKey,
): { key?: unknown; value: unknown } | undefined {
  const target = isAlias(node) ? node.resolve(document) : node;
  if (isMap(target)) return target.items.find((pair) => isPair(pair) && nameOf(pair.key) === String(key));
  if (isSeq(target) && typeof key === "number" && key in target.items) return { value: target.items[key] };
  return undefined;
}

function nameOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
