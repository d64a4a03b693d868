/** A part of a file system, and the folder with copies of some of its files. Both are URLs of folders. */
export interface CopiedTree {
  /** Root of the file system, e.g. `file:///`. */
  readonly source: string;
  /** Folder of the copies. */
  readonly copy: string;
}

/** The part of a URL up to the last `#`, `?`, tab or line break in a name. */
const MISREAD = /^.*%(?:23|3F|09|0A|0D)[^/]*\/?/i;

/** Finds the prefix of copies in texts. */
interface Prefix {
  readonly copies: RegExp;
  readonly source: string;
}

/**
 * Maps the copies of a script's files to the files of the user. The copies have the same paths below another folder, so
 * that imports by relative path lead from copy to copy. Each instance of the script has copies of its own, in a folder that
 * is named by its number.
 */
export class CopiedPaths {
  /** The copies of the first instance. */
  readonly tree: CopiedTree;
  readonly #folder: string;
  readonly #misread = new Set<string>();
  readonly #prefixes: readonly Prefix[];
  /** The same, in JSON. */
  readonly #jsonPrefixes: readonly Prefix[];

  /** Maps the tree that a script belongs to. `toPath` converts file URLs. */
  constructor(script: URL, folder: URL, toPath: (url: string) => string) {
    const [source = "file:///"] = /^file:\/\/(?:[^/]*\/)(?:[A-Za-z]:\/)?/.exec(script.href) ?? [];
    this.#folder = folder.href;
    this.tree = { source, copy: this.folderOf(0) };
    // URLs first, because most of them contain the path.
    const prefixes = [[folder.href, source], [toPath(folder.href), toPath(source)]] as const;
    this.#prefixes = prefixes.map(([copies, source]) => createPrefix(copies, source));
    const escape = (path: string) => JSON.stringify(path).slice(1, -1);
    this.#jsonPrefixes = prefixes.map(([copies, source]) => createPrefix(escape(copies), escape(source)));
  }

  /** Notes that a file of the tree has a copy. */
  addCopy(url: string): void {
    const [prefix] = MISREAD.exec(url.slice(this.tree.source.length)) ?? [];
    if (prefix !== undefined) this.#misread.add(prefix);
  }

  /**
   * Returns the imports by which Deno finds the copies of an instance. Deno decodes what follows a prefix, so a part with
   * `#` or `?` needs a prefix of its own.
   */
  toImports(instance: number): Readonly<Record<string, string>> {
    const copy = this.folderOf(instance);
    const { source } = this.tree;
    const prefixes = ["", ...this.#misread];
    return Object.fromEntries(prefixes.flatMap((prefix) => [
      [copy + prefix, copy + prefix], // Longer than the next one, which would match as well.
      [source + prefix, copy + prefix],
    ]));
  }

  /** Returns the URL of the folder with the copies of an instance. */
  folderOf(instance: number): string {
    return `${this.#folder}${instance}/`;
  }

  /** Returns the URL of the copy of a file. Returns undefined for a URL outside the tree. */
  toCopy(url: string): string | undefined {
    const { source, copy } = this.tree;
    return url.startsWith(source) && !url.startsWith(copy) ? copy + url.slice(source.length) : undefined;
  }

  /** Returns the URL of the same file in the copies of another instance. */
  toInstance(copy: string, instance: number): string {
    return this.folderOf(instance) + copy.slice(this.tree.copy.length);
  }

  /** Returns the URL of the file that a copy was made of. Returns any other URL as it is. */
  toSource(url: string): string {
    const { source, copy } = this.tree;
    return url.startsWith(copy) ? source + url.slice(copy.length) : url;
  }

  /** Replaces the paths of copies in a text of a script. In JSON, the paths are escaped. */
  restore(text: string, isJson: boolean): string {
    const prefixes = isJson ? this.#jsonPrefixes : this.#prefixes;
    return prefixes.reduce((result, { copies, source }) => result.replaceAll(copies, () => source), text);
  }
}

/** Creates a prefix from the folder of all copies, which ends with a separator. */
function createPrefix(folder: string, source: string): Prefix {
  const [separator = "/"] = /\\+$/.exec(folder) ?? [];
  return { copies: new RegExp(`${RegExp.escape(folder)}\\d+${RegExp.escape(separator)}`, "g"), source };
}
