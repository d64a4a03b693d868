import { fileURLToPath, pathToFileURL } from "node:url";
import { dirname, relative } from "node:path";
import { getErrorMessage, SvcError } from "../../lib/errors.ts";
import { describeReadError, describeWriteError } from "../../utils/fs/describe_error.ts";
import { lowerFirst } from "../../utils/text/wording.ts";
import { sha256, sha256Text } from "../../utils/text/sha256.ts";
import { CopiedPaths } from "../sandbox/host/copied_paths.ts";
import { lostFolder } from "../sandbox/host/guest_process.ts";
import { StopsRun } from "../sandbox/host/interruption.ts";
import { readInside } from "./read_inside.ts";

/** Maximum total size of the files of a script, in MiB. */
const MAX_MIB = 64;

const MEBIBYTE = 1024 * 1024;

/** Maximum number of instances of a script. With more, a process would start hardly less often per input. */
const MAX_INSTANCES = 32;

/** Maximum length of the URLs and imports of all instances, because they are part of a command line. */
const MAX_COMMAND_CHARACTERS = 24 * 1024;

/** Names of files that can contain imports. */
const CODE = /\.[cm]?[jt]sx?$/i;

/** An import of a file with a literal name. What this misses is found by `deno info`, which takes longer. */
const IMPORT = /\b(?:from|import)\s*\(?\s*(["'])((?:\.\.?\/|\/|file:)(?:(?!\1)[^\\\n])*)\1/g;

/** An import whose name is a template. Deno imports every file that matches. */
const TEMPLATE_IMPORT = /\bimport\s*\(\s*`[^`]*\$\{/;

/**
 * The private copy of a script and its imports. It is checked and then run, so that nothing that happens to the files of
 * the user can change what was checked.
 */
export class ScriptCopy {
  /** Maps the copies to the files of the user. */
  readonly paths: CopiedPaths;
  /** URL of the script's copy. */
  readonly script: URL;
  /** True if the script has imports that only `deno info` finds. */
  hasHiddenImports = false;
  readonly #root: string;
  readonly #copied = new Set<string>();
  #left = MAX_MIB * MEBIBYTE;

  /** Copies a script, and the files of a folder that it imports, into another folder. All are real paths. */
  constructor(script: string, root: string, folder: string) {
    this.#root = root;
    const source = pathToFileURL(script);
    this.paths = new CopiedPaths(source, pathToFileURL(`${folder}/`), (url) => fileURLToPath(url));
    this.script = new URL(this.paths.toCopy(source.href) ?? source);
    try {
      this.#copyImports(source.href, this.#copy(source.href, dirname(script)));
    } catch (cause) {
      if (cause instanceof SvcError) throw cause;
      const reason = describeReadError(cause) ?? lowerFirst(getErrorMessage(cause));
      throw new SvcError("INVALID_ARGS", `The script ${script} cannot be read: ${reason}.`, {
        cause,
        hint: "Check the path.",
      });
    }
  }

  /** Lists the copied files: their paths below the folder, and those of their copies. */
  list(): { readonly path: string; readonly copy: string }[] {
    return [...this.#copied].map((copy) => {
      const source = fileURLToPath(this.paths.toSource(pathToFileURL(copy).href));
      return { path: relative(this.#root, source).replaceAll("\\", "/"), copy };
    });
  }

  /** Copies a file and its imports, unless it is outside the folder or cannot be read. Returns true if it was copied. */
  add(url: string): boolean {
    const text = this.#tryCopy(url);
    if (text === undefined) return false;
    this.#copyImports(url, text);
    return true;
  }

  /**
   * Makes copies for further instances of the script, unless it is large. Returns the number of all instances. If a copy
   * fails, throws after all copies have ended.
   */
  async addInstances(): Promise<number> {
    const size = MAX_MIB * MEBIBYTE - this.#left;
    const characters = this.script.href.length + encodeURIComponent(JSON.stringify(this.paths.toImports(0))).length;
    const count = Math.floor(Math.min(MAX_INSTANCES, MEBIBYTE / size, MAX_COMMAND_CHARACTERS / characters));
    const addInstance = async (instance: number) => {
      for (const copy of this.#copied) {
        const further = fileURLToPath(this.paths.toInstance(pathToFileURL(copy).href, instance));
        await Deno.mkdir(dirname(further), { recursive: true, mode: 0o700 });
        await Deno.copyFile(copy, further);
      }
    };
    const results = await Promise.allSettled(
      Array.from({ length: Math.max(0, count - 1) }, (_, index) => addInstance(index + 1)),
    );
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw explainCopyError(failed.reason);
    return Math.max(1, count);
  }

  #copyImports(url: string, text: string): void {
    const pending: [url: string, text: string][] = [[url, text]];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const [importer, code] = next;
      if (!CODE.test(importer)) continue;
      this.hasHiddenImports ||= TEMPLATE_IMPORT.test(code);
      for (const [, , name] of code.matchAll(IMPORT)) {
        const imported = URL.parse(name ?? "", importer)?.href;
        const importedText = imported && this.#tryCopy(imported);
        if (imported !== undefined && importedText !== undefined) pending.push([imported, importedText]);
      }
    }
  }

  /** Copies a file of the folder. Returns its text, or undefined if there is nothing to copy: its import then fails. */
  #tryCopy(url: string): string | undefined {
    try {
      return this.#copy(url, this.#root);
    } catch (error) {
      if (error instanceof SvcError || error instanceof Deno.errors.NotCapable) throw error;
      return undefined;
    }
  }

  #copy(url: string, folder: string): string {
    const target = this.paths.toCopy(url);
    if (target === undefined) throw new Deno.errors.NotFound(`${url} has no copy`);
    const [path, copy] = [fileURLToPath(url), fileURLToPath(target)];
    if (this.#copied.has(copy)) throw new Deno.errors.AlreadyExists(copy);
    const bytes = readInside(path, folder, this.#left);
    this.#left -= bytes.length;
    if (this.#left < 0) {
      throw new SvcError("WORKFLOW_FAILED", `The script and its imports have more than ${MAX_MIB} MiB.`, {
        hint: "Pass data as the input instead of importing it.",
      });
    }
    this.#copied.add(copy);
    this.paths.addCopy(url);
    Deno.mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
    Deno.writeFileSync(copy, bytes, { mode: 0o600, createNew: true });
    return CODE.test(path) ? new TextDecoder().decode(bytes) : "";
  }
}

function explainCopyError(cause: unknown): SvcError {
  if (cause instanceof Deno.errors.NotFound) return lostFolder(cause);
  const reason = describeWriteError(cause) ?? lowerFirst(getErrorMessage(cause));
  return new SvcError("INVALID_CONFIG", `The script cannot be copied to the temporary directory: ${reason}.`, {
    cause: new StopsRun(undefined, { cause }),
    hint: "Free space there, or set TMPDIR to another directory.",
  });
}

/** Computes the SHA-256 of the contents of files in the order of their paths. It does not depend on the folder. */
export async function digestFiles(files: readonly string[]): Promise<string> {
  const digests: string[] = [];
  for (const file of [...new Set(files)].sort()) digests.push((await sha256(await Deno.readFile(file))).toHex());
  return (await sha256Text(digests.join("\n"))).toHex();
}
