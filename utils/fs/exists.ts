import { ignoreMissing } from "./ignore_missing.ts";

/** Whether there is something at a path; of a link, whether it is there itself. */
export async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).catch(ignoreMissing) !== undefined;
}
