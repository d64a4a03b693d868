/** The YAML text of a definition: its values, and the places of issues. */
import {
  type ErrorCode,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  visit,
  type YAMLError,
  type YAMLMap,
} from "yaml";
import type { DefinitionIssue } from "./issues.ts";

/** An issue at a place in a text. */
export interface LocatedIssue {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Advice for common errors, which completes the message of the parser. */
const ADVICE: { readonly [Code in ErrorCode]?: string } = {
  BLOCK_AS_IMPLICIT_KEY: ": indent it like the lines around it, and quote a text that contains ': '",
  MULTILINE_IMPLICIT_KEY: ": a name ends with ':' and a space",
  TAG_RESOLVE_FAILED: ": quote a text that begins with '!'",
};

/** Maximum nesting of values. Definitions that people write have about 20 levels. */
const MAX_LEVELS = 100;

const TOO_DEEP = `values may be nested ${MAX_LEVELS} levels deep`;

/** A YAML text with its nodes and their places. */
export class YamlDocument {
  readonly #lines = new LineCounter();
  readonly #document;
  readonly #errors: readonly YAMLError[];
  readonly #pairs = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();

  private constructor(text: string) {
    // The library compares each key with all others of its map. `#checkNodes` finds repeated keys in one pass.
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, uniqueKeys: false });
    this.#errors = [...this.#document.errors, ...this.#document.warnings].toSorted((a, b) => a.pos[0] - b.pos[0]);
  }

  /** Parses a text and returns it with its values, or the issues that make it unreadable. */
  static read(text: string): { readonly document: YamlDocument; readonly value: unknown } | {
    readonly issues: LocatedIssue[];
  } {
    try {
      const document = new YamlDocument(text);
      const deep = document.#findTooDeep();
      const read = deep === undefined ? document.#read() : { issues: [deep] };
      return "issues" in read ? read : { document, ...read };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { issues: [{ line: 1, column: 1, message: TOO_DEEP }] }; // The parser has exceeded the stack.
    }
  }

  #read(): { readonly value: unknown } | { readonly issues: LocatedIssue[] } {
    const misread = this.#errors.find(({ code }) => code !== "TAG_RESOLVE_FAILED");
    const errors = this.#errors.filter(({ pos: [offset] }) => offset <= (misread?.pos[0] ?? Infinity));
    const { issues, lastAlias } = this.#checkNodes(misread?.pos[0]);
    if (errors.length > 0) {
      issues.push(
        ...errors.map(({ pos: [offset], message, code }) => this.#issueAt(offset, message + (ADVICE[code] ?? ""))),
      );
    }
    if (issues.length > 0) return { issues };
    try {
      return { value: this.#document.toJS() };
    } catch (error) {
      if (!(error instanceof ReferenceError)) throw error;
      const message = "the aliases stand for too many values: write some of them out";
      return { issues: [this.#issueAt(lastAlias, message)] };
    }
  }

  /** Finds the place of an issue: a plain value itself, otherwise its key. A missing value has the place above it. */
  locate({ path, message, atKey = false }: DefinitionIssue): LocatedIssue {
    let node: unknown = this.#document.contents;
    let offset = getOffset(node) ?? 0;
    for (const [depth, key] of path.entries()) {
      const child = this.#findChild(node, key);
      if (child === undefined) break;
      node = child.value;
      const isOwnKey = !isScalar(node) || (atKey && depth === path.length - 1);
      offset = (isOwnKey ? getOffset(child.key) : undefined) ?? getOffset(node) ?? offset;
    }
    return this.#issueAt(offset, message);
  }

  #findChild(node: unknown, key: PropertyKey): { readonly key?: unknown; readonly value: unknown } | undefined {
    const target = isAlias(node) ? node.resolve(this.#document) : node;
    if (isMap(target)) return this.#indexPairs(target).get(String(key));
    if (isSeq(target) && typeof key === "number" && key in target.items) return { value: target.items[key] };
    return undefined;
  }

  #indexPairs(map: YAMLMap): ReadonlyMap<string, Pair> {
    const known = this.#pairs.get(map);
    if (known !== undefined) return known;
    const pairs = new Map(map.items.map((pair) => [String(isScalar(pair.key) ? pair.key.value : pair.key), pair]));
    this.#pairs.set(map, pairs);
    return pairs;
  }

  /** Checks repeated keys, aliases, and names that would be lost. Ignores what comes after `end`. */
  #checkNodes(end: number = Infinity): { readonly issues: LocatedIssue[]; readonly lastAlias: number } {
    const issues: LocatedIssue[] = [];
    const anchors = new Map<string, unknown>();
    let lastAlias = 0;
    visit(this.#document, {
      Node: (_, node, path) => {
        if (!isAlias(node)) {
          if (node.anchor !== undefined) anchors.set(node.anchor, node);
          if (isMap(node)) issues.push(...this.#findRepeatedKeys(node, end));
          return;
        }
        lastAlias = getOffset(node) ?? 0;
        const target = anchors.get(node.source);
        if (target === undefined) {
          issues.push(this.#issueAt(lastAlias, `there is no anchor '${node.source}' before this alias`));
        } else if (path.some((parent) => parent === target)) {
          issues.push(this.#issueAt(lastAlias, `the alias '${node.source}' is inside its own anchor`));
        }
      },
      Pair: (_, { key }) => {
        if (!isScalar(key) || key.value !== "__proto__") return;
        issues.push(this.#issueAt(getOffset(key) ?? 0, "the name '__proto__' is reserved: choose another name"));
      },
    });
    return { issues, lastAlias };
  }

  /** Finds a value that is nested too deeply. */
  #findTooDeep(): LocatedIssue | undefined {
    let found: LocatedIssue | undefined;
    visit(this.#document, {
      Collection: (_, node, path) => {
        if (path.filter(isCollection).length < MAX_LEVELS) return undefined;
        found = this.#issueAt(getOffset(node) ?? 0, TOO_DEEP);
        return visit.BREAK;
      },
    });
    return found;
  }

  #findRepeatedKeys({ items }: YAMLMap, end: number): LocatedIssue[] {
    const keys = new Set<unknown>();
    return items.flatMap(({ key }) => {
      if (!isScalar(key)) return [];
      const [isRepeated, offset] = [keys.has(key.value), getOffset(key) ?? 0];
      keys.add(key.value);
      return isRepeated && offset < end
        ? [this.#issueAt(offset, `the key '${key.value}' is repeated: keys must be unique`)]
        : [];
    });
  }

  #issueAt(offset: number, message: string): LocatedIssue {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col, message };
  }
}

function getOffset(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
