/** What keeps a file from being read or written, in words. */
import { lowerFirst } from "../text/wording.ts";

/** Why a path cannot be read, where the person can do something about it. */
export function readFault(error: unknown): string | undefined {
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  if (error instanceof Deno.errors.IsADirectory) return "it is a directory";
  if (error instanceof Deno.errors.PermissionDenied) return "you may not read it";
  if (error instanceof Deno.errors.NotADirectory) return "part of the path is a file";
  // A name that is too long, links that lead round and round, a disk that fails: the system says it.
  const [, said] = error instanceof Error ? /^(.+?) \(os error \d+\)/.exec(error.message) ?? [] : [];
  return said && lowerFirst(said);
}

/** Why a path cannot be written, where the person can do something about it. */
export function writeFault(error: unknown): string | undefined {
  if (error instanceof Deno.errors.NotFound) return "there is no such directory"; // The file would have been made.
  return error instanceof Deno.errors.PermissionDenied ? "you may not write there" : readFault(error);
}
