/** What cannot be read from a YAML text as plain values, though its syntax is right. */
import { type Document, isAlias, isScalar, type ParsedNode, visit } from "yaml";

/** Something that is wrong, and the offset where it is. */
export interface Unreadable {
  /** Where. */
  readonly offset: number;
  /** What, in a few words. */
  readonly message: string;
}

/**
 * The values of a document; calls `refuse` with what keeps them from being read: an alias of nothing, of what it is in,
 * aliases that stand for so many values that they would fill the memory, and a name that would be lost.
 */
export function valuesOf(document: Document<ParsedNode>, refuse: (found: readonly Unreadable[]) => never): unknown {
  const found: Unreadable[] = [];
  const anchors = new Map<string, unknown>();
  let last = 0;
  visit(document, {
    Node(_, node, path) {
      const offset = node.range?.[0] ?? 0;
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
        return;
      }
      last = offset;
      const target = anchors.get(node.source);
      if (target === undefined) {
        found.push({ offset, message: `there is no anchor '${node.source}' before this alias` });
      } else if (path.some((above) => above === target)) {
        found.push({ offset, message: `the alias '${node.source}' is in what it stands for` });
      }
    },
    Pair(_, { key }) {
      if (!isScalar(key) || key.value !== "__proto__") return;
      found.push({ offset: key.range?.[0] ?? 0, message: "nothing can have the name '__proto__'" });
    },
  });
  if (found.length > 0) return refuse(found);
  try {
    return document.toJS();
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return refuse([{ offset: last, message: "the aliases stand for too many values: write some of them out" }]);
  }
}
