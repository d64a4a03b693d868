/** The YAML text of a definition: its values, and the places of issues. */
import {
  type Alias,
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
  Scalar,
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
  BAD_SCALAR_START: ": quote the text",
  UNEXPECTED_TOKEN: ": quote a text that contains quotes, or that begins with '-', '>' or '|'",
};

/** Maximum nesting of values. Definitions that people write have about 20 levels. */
const MAX_LEVELS = 100;

const TOO_DEEP = `values may be nested ${MAX_LEVELS} levels deep`;

/** Maximum number of values that aliases and merge keys add to those that the text contains. */
const MAX_REPEATED = 1_000_000;

/** Values below a node, and how deeply they are nested, with all aliases written out. */
interface Extent {
  readonly values: number;
  readonly levels: number;
}

/** The members of an object by name, with those that merge keys add. */
type Members = ReadonlyMap<string, Pair>;

/** A YAML text with its nodes and their places. */
export class YamlDocument {
  readonly #lines = new LineCounter();
  readonly #document;
  readonly #errors: readonly YAMLError[];
  readonly #targets = new Map<Alias, unknown>();
  readonly #members = new Map<YAMLMap, Members>();
  readonly #values = new Map<unknown, unknown>();

  private constructor(text: string) {
    // The library compares each key with all others of its map. `#checkNodes` finds repeated keys in one pass.
    this.#document = parseDocument(text, {
      lineCounter: this.#lines,
      prettyErrors: false,
      resolveKnownTags: false,
      uniqueKeys: false,
    });
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
    const { issues, lastAlias, written } = this.#checkNodes(misread?.pos[0]);
    if (errors.length > 0) {
      issues.push(
        ...errors.map(({ pos: [offset], message, code }) => this.#issueAt(offset, message + (ADVICE[code] ?? ""))),
      );
    }
    if (issues.length > 0) return { issues };
    const { values, levels } = this.#measure(this.#document.contents, new Map());
    if (levels > MAX_LEVELS) return { issues: [this.#issueAt(lastAlias, TOO_DEEP)] };
    if (values - written > MAX_REPEATED) {
      const message = "the aliases stand for too many values: write some of them out";
      return { issues: [this.#issueAt(lastAlias, message)] };
    }
    return { value: this.#toValue(this.#document.contents) };
  }

  /** Finds the place of an issue: a plain value itself, otherwise its key. A missing value has the place above it. */
  locate({ path, message, atKey = false, needsText = false }: DefinitionIssue): LocatedIssue {
    let node: unknown = this.#document.contents;
    let offset = getOffset(node) ?? 0;
    for (const [depth, key] of path.entries()) {
      const child = this.#findChild(node, key);
      if (child === undefined) break;
      node = child.value;
      const isOwnKey = !isScalar(node) || (atKey && depth === path.length - 1);
      offset = (isOwnKey ? getOffset(child.key) : undefined) ?? getOffset(node) ?? offset;
    }
    return this.#issueAt(offset, needsText ? message + adviseQuotes(node) : message);
  }

  #findChild(node: unknown, key: PropertyKey): { readonly key?: unknown; readonly value: unknown } | undefined {
    const target = this.#follow(node);
    if (isMap(target)) return this.#listMembers(target).get(String(key));
    if (isSeq(target) && typeof key === "number" && key in target.items) return { value: target.items[key] };
    return undefined;
  }

  /** Returns the node that an alias stands for, and any other node itself. */
  #follow(node: unknown): unknown {
    return isAlias(node) ? this.#targets.get(node) : node;
  }

  #toName(key: unknown): string {
    const node = this.#follow(key);
    return String(isScalar(node) ? node.value ?? "" : node);
  }

  /** Lists the members of an object. Its own ones replace merged ones, and the first of several merged ones counts. */
  #listMembers(map: YAMLMap): Members {
    const known = this.#members.get(map);
    if (known !== undefined) return known;
    const members = new Map<string, Pair>();
    for (const pair of map.items) if (!isMergeKey(pair.key)) members.set(this.#toName(pair.key), pair);
    for (const source of this.#listMerged(map)) {
      if (!isMap(source)) continue;
      for (const [name, pair] of this.#listMembers(source)) if (!members.has(name)) members.set(name, pair);
    }
    this.#members.set(map, members);
    return members;
  }

  /** Lists the nodes that the merge keys of an object name. */
  #listMerged({ items }: YAMLMap): unknown[] {
    return items.filter(({ key }) => isMergeKey(key)).flatMap(({ value }) => {
      const source = this.#follow(value);
      return isSeq(source) ? source.items.map((item) => this.#follow(item)) : [source];
    });
  }

  /** Measures a node. The members that an object replaces count, too. */
  #measure(node: unknown, known: Map<unknown, Extent>): Extent {
    const target = this.#follow(node);
    if (!isCollection(target)) return { values: 1, levels: 0 };
    const seen = known.get(target);
    if (seen !== undefined) return seen;
    let [values, levels] = [1, 0];
    const add = (inner: Extent, depth: number) => {
      values += inner.values;
      levels = Math.max(levels, inner.levels + depth);
    };
    if (isMap(target)) {
      for (const { key, value } of target.items) if (!isMergeKey(key)) add(this.#measure(value, known), 1);
      for (const source of this.#listMerged(target)) add(this.#measure(source, known), 0);
    } else {
      for (const item of target.items) add(this.#measure(item, known), 1);
    }
    const extent = { values, levels: Math.max(levels, 1) };
    known.set(target, extent);
    return extent;
  }

  #toValue(node: unknown): unknown {
    const target = this.#follow(node);
    if (isScalar(target)) return target.value;
    const known = this.#values.get(target);
    if (known !== undefined) return known;
    const value = isMap(target)
      ? Object.fromEntries(Array.from(this.#listMembers(target), ([name, pair]) => [name, this.#toValue(pair.value)]))
      : isSeq(target)
      ? target.items.map((item) => this.#toValue(item))
      : null;
    this.#values.set(target, value);
    return value;
  }

  /** Checks keys, aliases, and names that would be lost. Ignores what comes after `end`. */
  #checkNodes(
    end: number = Infinity,
  ): { readonly issues: LocatedIssue[]; readonly lastAlias: number; readonly written: number } {
    const issues: LocatedIssue[] = [];
    const anchors = new Map<string, unknown>();
    const merging: YAMLMap[] = [];
    let lastAlias = 0;
    let written = 0;
    visit(this.#document, {
      Node: (_, node, path) => {
        written++;
        if (!isAlias(node)) {
          if (node.anchor !== undefined) anchors.set(node.anchor, node);
          if (!isMap(node)) return;
          issues.push(...this.#findRepeatedKeys(node, end));
          if (node.items.some(({ key }) => isMergeKey(key))) merging.push(node);
          return;
        }
        lastAlias = getOffset(node) ?? 0;
        const target = anchors.get(node.source);
        this.#targets.set(node, target);
        if (target === undefined) {
          const message = `there is no anchor '${node.source}' before this alias: quote a text that begins with '*'`;
          issues.push(this.#issueAt(lastAlias, message));
        } else if (path.some((parent) => parent === target)) {
          issues.push(this.#issueAt(lastAlias, `the alias '${node.source}' is inside its own anchor`));
        }
      },
      Pair: (_, { key }) => {
        const offset = getOffset(key) ?? 0;
        if (isCollection(key) && offset < end) {
          issues.push(this.#issueAt(offset, "a name must be text: quote a text that begins with '{' or '['"));
        } else if (this.#toName(key) === "__proto__") {
          issues.push(this.#issueAt(offset, "the name '__proto__' is reserved: choose another name"));
        }
      },
    });
    for (const map of merging) {
      if (this.#listMerged(map).every((source) => source === undefined || isMap(source))) continue;
      const key = map.items.map((pair) => pair.key).find(isMergeKey);
      const message = "'<<' merges an object or a list of objects, such as '<<: *base' or '<<: [*base, *more]'";
      issues.push(this.#issueAt(getOffset(key) ?? 0, message));
    }
    return { issues, lastAlias, written };
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
      if (!isScalar(key) || isMergeKey(key)) return [];
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

/** Reports whether a key is the merge key. In quotes, it is a name. */
function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.type === Scalar.PLAIN && key.value === "<<";
}

/** Advises to quote a text that YAML reads as something else. */
function adviseQuotes(node: unknown): string {
  if (isScalar(node)) return node.source ? `: quote it, as in "${node.source}"` : "";
  if (!isCollection(node) || !node.flow) return "";
  return `: quote a text that begins with '${isMap(node) ? "{" : "["}'`;
}
