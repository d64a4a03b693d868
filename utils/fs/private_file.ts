/** Files and directories that only their owner may use. */
import { shellQuote } from "../text/shell_quote.ts";
import { writeAll } from "./chunks.ts";
import { ignoreMissing } from "./ignore_missing.ts";

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

/**
 * Overwrites a small file in place, which needs no free space on the disk. The text must fit into the first block of
 * the file, and is padded with spaces. Unlike with `writePrivateFile`, readers may see a partly written file.
 */
export async function overwriteFile(path: string, text: string): Promise<void> {
  using file = await Deno.open(path, { write: true });
  const bytes = new TextEncoder().encode(text);
  const { size } = await file.stat();
  const padded = new Uint8Array(Math.max(size, bytes.length)).fill(0x20);
  padded.set(bytes);
  await writeAll(file, padded);
  await file.sync();
}

async function writeNew(path: string, text: string): Promise<void> {
  using file = await Deno.open(path, { createNew: true, write: true, mode: 0o600 });
  await writeAll(file, new TextEncoder().encode(text));
  await file.sync();
}

/** Bits of a file mode that give access to users other than the owner. */
const MODE_BITS = { read: 0o044, change: 0o022 } as const;

type Access = keyof typeof MODE_BITS;

/** Warns if users other than the owner can read or change a file that contains a secret. */
export function warnIfSecretExposed(path: string, warn: (message: string) => void): void {
  warnIfOpenToOthers(path, "contains a secret", warn);
}

/** Warns if users other than the owner have one of the accesses. The description completes a sentence about the file. */
export function warnIfOpenToOthers(
  path: string,
  description: string,
  warn: (message: string) => void,
  accesses: readonly Access[] = ["read", "change"],
): void {
  const { mode, isDirectory } = Deno.statSync(path);
  const open = findOpenAccess(mode, accesses).join(" and ");
  const privateMode = isDirectory ? 700 : 600;
  if (open === "") return;
  warn(`${path} ${description}, and others can ${open} it. Run: chmod ${privateMode} ${shellQuote(path)}`);
}

/** Returns the accesses that a file mode gives to others. Ignores the mode on Windows, where Deno makes it up. */
export function findOpenAccess(
  mode: number | null,
  accesses: readonly Access[],
  os: string = Deno.build.os,
): readonly Access[] {
  return os === "windows" ? [] : accesses.filter((access) => ((mode ?? 0) & MODE_BITS[access]) !== 0);
}
