/** Hint for a file that has reached the limit of file sizes. */
export const RAISE_SIZE_LIMIT = "Raise the limit of file sizes: ulimit -f.";

/** Reports whether an error, or its cause, says that a file has reached the limit of file sizes (`ulimit -f`). */
export function isFileSizeLimit(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /file too large/i.test(error.message) || isFileSizeLimit(error.cause);
}
