import { ignoreMissing } from "./ignore_missing.ts";

/** Resolves a link to its target, which need not exist. Returns any other path as it is. */
export async function resolveLink(path: string): Promise<string> {
  await Deno.stat(path).catch(ignoreMissing); // Throws for a cycle of links.
  const found = await Deno.lstat(path).catch(ignoreMissing);
  if (!found?.isSymlink || found.isFile) return path; // On Windows, a file of OneDrive is both a link and a file.
  const { dirname, resolve } = await import("node:path"); // Loaded only for links: it takes milliseconds.
  return await resolveLink(resolve(await Deno.realPath(dirname(path)), await Deno.readLink(path)));
}
