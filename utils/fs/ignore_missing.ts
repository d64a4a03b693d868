/** Rethrows any error except that of a missing file; pass it to `catch`. */
export function ignoreMissing(error: unknown): undefined {
  const isMissing = error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
  if (!isMissing) throw error;
}
