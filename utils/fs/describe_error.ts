import { lowerFirst } from "../text/wording.ts";

/** Describes why a path cannot be read. Returns undefined for an error that does not come from the file system. */
export function describeReadError(error: unknown): string | undefined {
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  if (error instanceof Deno.errors.IsADirectory) return "it is a directory";
  if (error instanceof Deno.errors.PermissionDenied) return "you may not read it";
  if (error instanceof Deno.errors.NotADirectory) return "part of the path is a file";
  // The operating system describes the rest, such as a name that is too long or a link cycle.
  const [, reason] = error instanceof Error ? /^(.+?) \(os error \d+\)/.exec(error.message) ?? [] : [];
  return reason && lowerFirst(reason);
}

/** Describes why a path cannot be written. Returns undefined for an error that does not come from the file system. */
export function describeWriteError(error: unknown): string | undefined {
  if (error instanceof Deno.errors.NotFound) return "there is no such directory"; // A missing file would have been created.
  return error instanceof Deno.errors.PermissionDenied ? "you may not write there" : describeReadError(error);
}
