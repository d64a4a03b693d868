/** Files that are not there. */

/** The error of a file that does not exist, or could not at its path, is no error here; any other is. */
export function ignoreMissing(error: unknown): undefined {
  const isMissing = error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
  if (!isMissing) throw error;
}
