import { ignoreMissing } from "./ignore_missing.ts";
import { delay } from "../async/delay.ts";
import { writeAll } from "./chunks.ts";

const FIRST_DELAY_MILLISECONDS = 5;
const MAX_DELAY_MILLISECONDS = 25;

/** Creates a directory that only its owner can use, unless it exists. */
export async function makePrivateDirectory(directory: string): Promise<void> {
  await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
}

/** Creates a file that only its owner can read, unless it exists. An existing empty file becomes private, too. */
export function makePrivateFile(path: string): void {
  using file = Deno.openSync(path, { create: true, write: true, mode: 0o600 });
  const { size, mode } = file.statSync();
  if (size === 0 && mode !== null && (mode & 0o077) !== 0) Deno.chmodSync(path, 0o600);
}

/** Writes a private file atomically: readers see the old or the new text, also after a crash. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    await writeNew(temporary, text);
    await Deno.rename(temporary, path);
  } catch (error) {
    await Deno.remove(temporary).catch(ignoreMissing);
    throw error;
  }
}

/** A lock between processes. It is released when it is disposed of or its process ends, however that ends. */
export class FileLock implements Disposable {
  readonly #file: Deno.FsFile;

  private constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  /** Waits for the lock. Rejects with the signal's reason if that aborts first. */
  static async acquire(path: string, signal: AbortSignal): Promise<FileLock> {
    const file = await Deno.open(path, { create: true, write: true, mode: 0o600 });
    try {
      for (
        let wait = FIRST_DELAY_MILLISECONDS;
        !await file.tryLock(true);
        wait = Math.min(wait * 2, MAX_DELAY_MILLISECONDS)
      ) {
        await delay(wait, signal);
      }
      return new FileLock(file);
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** Reports whether a process holds the lock. Uses a shared lock, so concurrent checks do not see each other. */
  static async isHeld(path: string): Promise<boolean> {
    using file = await Deno.open(path);
    return !await file.tryLock(false);
  }

  /** Releases the lock. */
  [Symbol.dispose](): void {
    this.#file.close();
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  using file = await Deno.open(path, { createNew: true, write: true, mode: 0o600 });
  await writeAll(file, new TextEncoder().encode(text));
  await file.sync();
}
