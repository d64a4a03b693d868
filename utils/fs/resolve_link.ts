/** Where a link leads: who renames a file onto a link takes its place. */
import { ignoreMissing } from "./ignore_missing.ts";

/** The file that a link leads to, also where it is yet to be made; the path itself where it is none. */
export async function fileBehind(path: string): Promise<string> {
  await Deno.stat(path).catch(ignoreMissing); // Links that lead round and round are an error, and not followed for ever.
  const found = await Deno.lstat(path).catch(ignoreMissing);
  if (!found?.isSymlink || found.isFile) return path; // Both is a file of OneDrive, which Windows fetches when it is read.
  const { dirname, resolve } = await import("node:path"); // Only here: few have a link, and it takes long to load.
  return await fileBehind(resolve(await Deno.realPath(dirname(path)), await Deno.readLink(path)));
}
