/** Errors for damaged rows. */
import { getErrorMessage, SvcError } from "../../../lib/errors.ts";

/** Creates the error for rows that do not match their checksums. */
export function createRowDamage(rows: readonly string[]): SvcError {
  const what = rows.length === 1 ? "A stored row is" : `${rows.length} stored rows are`;
  return createDamage(`${what} damaged: ${rows.join(", ")}.`);
}

/** Creates the error for rows that cannot be read. */
export function createReadDamage(cause: unknown): SvcError {
  return createDamage(`Stored rows are damaged and cannot be read: ${getErrorMessage(cause)}.`, cause);
}

function createDamage(message: string, cause?: unknown): SvcError {
  return new SvcError("STORE_DAMAGED", message, {
    cause,
    hint: "Run 'svc service verify' to list the damaged rows, and restore the latest backup to another directory.",
  });
}
