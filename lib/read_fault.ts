/** What keeps a file from being read, in words. */

/** Why a path cannot be read, where the person can do something about it. */
export function readFault(error: unknown): string | undefined {
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  if (error instanceof Deno.errors.IsADirectory) return "it is a directory";
  if (error instanceof Deno.errors.PermissionDenied) return "you may not read it";
  if (error instanceof Deno.errors.NotADirectory) return "part of the path is a file";
  return undefined;
}
