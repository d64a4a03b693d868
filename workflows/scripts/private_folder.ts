import { getErrorMessage, SvcError } from "../../lib/errors.ts";
import { describeWriteError } from "../../utils/fs/describe_error.ts";
import { FileLock } from "../../utils/fs/file_lock.ts";
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import { lowerFirst } from "../../utils/text/wording.ts";

const PREFIX = "svc-workflow-";

/** Name of the file that a process locks while it uses the folder. The file has this name only after it was locked. */
const LOCK = "lock";

/** A temporary folder that only its owner can read. If its process is killed, a later process removes it. */
export class PrivateFolder implements AsyncDisposable {
  /** Real path. */
  readonly path: string;
  readonly #lock: FileLock;
  readonly #tidied: Promise<void>;

  private constructor(path: string, lock: FileLock) {
    this.path = path;
    this.#lock = lock;
    this.#tidied = removeAbandoned(path).catch(() => {}); // The next process tries again.
  }

  /** Creates a folder, and removes those of processes that were killed. */
  static async create(): Promise<PrivateFolder> {
    try {
      const path = await Deno.realPath(await Deno.makeTempDir({ prefix: PREFIX }));
      const lock = await FileLock.tryAcquire(`${path}/new`);
      if (lock === undefined) throw new Error(`Another process has locked ${path}`);
      await Deno.rename(`${path}/new`, `${path}/${LOCK}`);
      return new PrivateFolder(path, lock);
    } catch (cause) {
      if (cause instanceof Deno.errors.NotCapable) throw cause;
      const reason = describeWriteError(cause) ?? lowerFirst(getErrorMessage(cause)); // E.g. an empty TMPDIR.
      throw new SvcError("INVALID_CONFIG", `The folder for temporary files cannot be created: ${reason}.`, {
        cause,
        hint: "Set TMPDIR to a writable directory.",
      });
    }
  }

  /** Removes the folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tidied;
    this.#lock[Symbol.dispose](); // Windows does not remove an open file.
    await Deno.remove(this.path, { recursive: true }).catch(ignoreMissing); // Already removed by a tmp cleaner.
  }
}

/** Removes the folders beside `own` that belong to the same user and that no process has locked. */
async function removeAbandoned(own: string): Promise<void> {
  const slash = Math.max(own.lastIndexOf("/"), own.lastIndexOf("\\"));
  const { uid } = await Deno.lstat(own);
  for await (const { name, isDirectory } of Deno.readDir(own.slice(0, slash) || "/")) {
    if (!isDirectory || !name.startsWith(PREFIX)) continue;
    const folder = own.slice(0, slash + 1) + name;
    if (folder === own || (await Deno.lstat(folder).catch(ignoreMissing))?.uid !== uid) continue;
    const isUsed = await FileLock.isHeld(`${folder}/${LOCK}`).catch(ignoreMissing);
    if (isUsed === false) await Deno.remove(folder, { recursive: true }).catch(ignoreMissing);
  }
}
