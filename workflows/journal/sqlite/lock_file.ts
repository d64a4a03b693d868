/** A lock that is a file: it is there while somebody has it, and lets go when the process ends, however that happens. */
import { ignoreMissing } from "../../../utils/fs/ignore_missing.ts";

/** Takes the lock, or gives undefined where another has it. */
export async function lockFile(path: string): Promise<Disposable | undefined> {
  for (;;) {
    const file = await Deno.open(path, { create: true, write: true, mode: 0o600 });
    if (!await file.tryLock(true)) {
      file.close();
      return undefined;
    }
    if (await isStill(file, path)) return { [Symbol.dispose]: () => release(file, path) };
    file.close(); // The last holder removed the file after we opened it: a lock on it means nothing any more.
  }
}

async function isStill(file: Deno.FsFile, path: string): Promise<boolean> {
  const there = await Deno.stat(path).catch(ignoreMissing);
  return there?.ino === (await file.stat()).ino;
}

function release(file: Deno.FsFile, path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    ignoreMissing(error); // Somebody has tidied up.
  } finally {
    file.close();
  }
}
