/** Files that hold secrets: theirs alone to read, never half written, and one writer at a time. */
import { ignoreMissing } from "./ignore_missing.ts";
import { pause } from "../async/delay.ts";
import { writePiece } from "./pieces.ts";

const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 25;

/** Makes the directory, for its owner alone, where it does not exist. */
export async function makePrivateDirectory(directory: string): Promise<void> {
  await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
}

/** Makes the file where there is none; an empty one is made as private as if it were new. */
export function makePrivateFile(path: string): void {
  using file = Deno.openSync(path, { create: true, write: true, mode: 0o600 });
  const { size, mode } = file.statSync();
  if (size === 0 && mode !== null && (mode & 0o077) !== 0) Deno.chmodSync(path, 0o600);
}

/** Writes a file as a whole: a reader sees the old text or the new, also after a crash. */
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

/** A lock between processes. Disposing of it gives it back; so does the end of the process, however it ends. */
export class FileLock implements Disposable {
  readonly #file: Deno.FsFile;

  private constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  /** Waits until the lock is free; rejects with the signal's reason when that comes first. */
  static async acquire(path: string, signal: AbortSignal): Promise<FileLock> {
    const file = await Deno.open(path, { create: true, write: true, mode: 0o600 });
    try {
      for (let wait = FIRST_PAUSE; !await file.tryLock(true); wait = Math.min(wait * 2, LONGEST_PAUSE)) {
        await pause(wait, signal);
      }
      return new FileLock(file);
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** Whether a process holds the lock. Looking takes a shared lock, so that lookers do not see or delay each other. */
  static async isHeld(path: string): Promise<boolean> {
    using file = await Deno.open(path);
    return !await file.tryLock(false);
  }

  /** Gives the lock back. */
  [Symbol.dispose](): void {
    this.#file.close();
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  using file = await Deno.open(path, { createNew: true, write: true, mode: 0o600 });
  await writePiece(file, new TextEncoder().encode(text));
  await file.sync();
}
