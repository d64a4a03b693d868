import { ignoreMissing } from "./ignore_missing.ts";

/** Reports whether a path exists, without following a link. */
export async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).catch(ignoreMissing) !== undefined;
}
