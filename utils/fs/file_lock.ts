import { delay } from "../async/abort.ts";
import { ignoreMissing } from "./ignore_missing.ts";

const FIRST_DELAY_MILLISECONDS = 5;
const MAX_DELAY_MILLISECONDS = 25;

/** Milliseconds for which `tryAcquire` waits for checks by other processes. A check takes that long only if its process is paused. */
const MAX_CHECK_MILLISECONDS = 5000;

/** How to take a lock. */
export interface FileLockOptions {
  /** Removes the file when the lock is released. All processes that use the file must then do so. */
  readonly isTemporary?: boolean;
}

/** A lock between processes. It is released when it is disposed of or its process ends, however that ends. */
export class FileLock implements Disposable {
  readonly #file: Deno.FsFile;
  readonly #path: string;
  readonly #isTemporary: boolean;

  private constructor(file: Deno.FsFile, path: string, { isTemporary = false }: FileLockOptions) {
    this.#file = file;
    this.#path = path;
    this.#isTemporary = isTemporary;
  }

  /** Waits for the lock. Rejects with the signal's reason if that aborts first. */
  static async acquire(path: string, signal: AbortSignal, options: FileLockOptions = {}): Promise<FileLock> {
    for (let wait = FIRST_DELAY_MILLISECONDS;; wait = Math.min(wait * 2, MAX_DELAY_MILLISECONDS)) {
      const lock = await FileLock.#attempt(path, options);
      if (lock instanceof FileLock) return lock;
      await delay(wait, signal);
    }
  }

  /** Takes the lock, or returns undefined if it is held. Waits for checks by `isHeld`, and gives up if they take too long. */
  static async tryAcquire(path: string, options: FileLockOptions = {}): Promise<FileLock | undefined> {
    const end = performance.now() + MAX_CHECK_MILLISECONDS;
    for (;;) {
      const lock = await FileLock.#attempt(path, options);
      if (lock instanceof FileLock) return lock;
      if (lock === "held" || performance.now() > end) return undefined;
      await delay(FIRST_DELAY_MILLISECONDS);
    }
  }

  /** Tries once to take the lock. Otherwise returns `held`, or `checked` if other processes only check it with `isHeld`. */
  static async #attempt(path: string, options: FileLockOptions): Promise<FileLock | "held" | "checked"> {
    for (;;) {
      const file = await Deno.open(path, { create: true, write: true, mode: 0o600 });
      let isTaken = false;
      try {
        if (!await file.tryLock(true)) return await file.tryLock(false) ? "checked" : "held";
        isTaken = !options.isTemporary || await isAt(file, path);
        if (isTaken) return new FileLock(file, path, options);
        // The last holder removed the file after it was opened here.
      } finally {
        if (!isTaken) file.close();
      }
    }
  }

  /** Reports whether a process holds the lock. Uses a shared lock, so concurrent checks do not see each other. */
  static async isHeld(path: string): Promise<boolean> {
    using file = await Deno.open(path);
    return !await file.tryLock(false);
  }

  /** Releases the lock. */
  [Symbol.dispose](): void {
    try {
      if (this.#isTemporary) removeIfPresent(this.#path);
    } finally {
      this.#file.close();
    }
  }
}

/** Reports whether a file is still the one at its path. */
async function isAt(file: Deno.FsFile, path: string): Promise<boolean> {
  const current = await Deno.stat(path).catch(ignoreMissing);
  return current?.ino === (await file.stat()).ino;
}

function removeIfPresent(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    ignoreMissing(error);
  }
}
