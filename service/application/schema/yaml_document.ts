/** The YAML text of a definition: its values, and the places of issues. */
import {
  type ErrorCode,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type YAMLError,
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

/** A parsed YAML text. */
export class YamlDocument {
  readonly #lines = new LineCounter();
  readonly #document;

  /** Parses a text. `read` returns the issues of its syntax. */
  constructor(text: string) {
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
  }

  /** Returns the values of the document, or the issues that make it unreadable. */
  read(): { readonly value: unknown } | { readonly issues: LocatedIssue[] } {
    const errors = takeIndependent([...this.#document.errors, ...this.#document.warnings]);
    if (errors.length > 0) {
      return { issues: errors.map((error) => this.#issueAt(error.pos[0], error.message + (ADVICE[error.code] ?? ""))) };
    }
    const { issues, lastAlias } = this.#checkNodes();
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
    if (isMap(target)) {
      return target.items.find((pair) =>
        isPair(pair) && String(isScalar(pair.key) ? pair.key.value : pair.key) === String(key)
      );
    }
    if (isSeq(target) && typeof key === "number" && key in target.items) return { value: target.items[key] };
    return undefined;
  }

  /** Checks aliases, and names that would be lost. */
  #checkNodes(): { readonly issues: LocatedIssue[]; readonly lastAlias: number } {
    const issues: LocatedIssue[] = [];
    const anchors = new Map<string, unknown>();
    let lastAlias = 0;
    visit(this.#document, {
      Node: (_, node, path) => {
        if (!isAlias(node)) {
          if (node.anchor !== undefined) anchors.set(node.anchor, node);
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

  #issueAt(offset: number, message: string): LocatedIssue {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col, message };
  }
}

/** Returns the errors up to the first that makes the parser misread the rest of the text. */
function takeIndependent(errors: readonly YAMLError[]): YAMLError[] {
  const sorted = errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  const first = sorted.findIndex(({ code }) => code !== "DUPLICATE_KEY" && code !== "TAG_RESOLVE_FAILED");
  return first === -1 ? sorted : sorted.slice(0, first + 1);
}

function getOffset(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
