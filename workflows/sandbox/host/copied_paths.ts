/** A part of a file system, and the folder with copies of some of its files. Both are URLs of folders. */
export interface CopiedTree {
  /** Root of the file system, e.g. `file:///`. */
  readonly source: string;
  /** Folder of the copies. */
  readonly copy: string;
}

/**
 * Maps the copies of a script's files to the files of the user. The copies have the same paths below another folder, so
 * that imports by relative path lead from copy to copy.
 */
export class CopiedPaths {
  readonly #tree: CopiedTree;
  /** Prefixes of copies in texts, with their replacements. */
  readonly #prefixes: readonly (readonly [copy: string, source: string])[];

  /** Maps the tree that a script belongs to. `toPath` converts file URLs. */
  constructor(script: URL, folder: URL, toPath: (url: string) => string) {
    const [source = "file:///"] = /^file:\/\/(?:[^/]*\/)(?:[A-Za-z]:\/)?/.exec(script.href) ?? [];
    this.#tree = { source, copy: folder.href };
    // URLs first, because most of them contain the path.
    this.#prefixes = [[folder.href, source], [toPath(folder.href), toPath(source)]];
  }

  /** The tree. */
  get tree(): CopiedTree {
    return this.#tree;
  }

  /** Returns the URL of the copy of a file. Returns undefined for a URL outside the tree. */
  toCopy(url: string): string | undefined {
    const { source, copy } = this.#tree;
    return url.startsWith(source) && !url.startsWith(copy) ? copy + url.slice(source.length) : undefined;
  }

  /** Returns the URL of the file that a copy was made of. Returns any other URL as it is. */
  toSource(url: string): string {
    const { source, copy } = this.#tree;
    return url.startsWith(copy) ? source + url.slice(copy.length) : url;
  }

  /** Replaces the paths of copies in a text of a script. In JSON, the paths are escaped. */
  restore(text: string, isJson: boolean): string {
    const escape = (path: string) => isJson ? JSON.stringify(path).slice(1, -1) : path;
    return this.#prefixes.reduce(
      (result, [copy, source]) => result.replaceAll(escape(copy), () => escape(source)),
      text,
    );
  }
}
