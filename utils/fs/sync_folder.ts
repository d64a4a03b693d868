import { dirname } from "node:path";

/** Renames a file. Its new name survives a power loss. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await Deno.rename(from, to);
  await syncFolder(dirname(to));
}

/** Writes the names in a folder to the disk, where the file system can do so. */
export async function syncFolder(folder: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  try {
    using opened = await Deno.open(folder);
    await opened.sync();
  } catch (error) {
    if (!isUnsupported(error)) throw error;
  }
}

function isUnsupported(error: unknown): boolean {
  if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable) return true;
  return error instanceof Error && /invalid argument|not supported/i.test(error.message);
}
