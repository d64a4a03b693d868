import { ignoreMissing } from "./ignore_missing.ts";
import { writeAll } from "./chunks.ts";

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

async function writeNew(path: string, text: string): Promise<void> {
  using file = await Deno.open(path, { createNew: true, write: true, mode: 0o600 });
  await writeAll(file, new TextEncoder().encode(text));
  await file.sync();
}
