/** What keeps a SQLite database from being written. */

/** SQLite's codes of a database that is locked and of a full disk, in the lowest byte; the others say more of it. */
const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;

/** Whether another process keeps the database locked. */
export function isBusy(error: unknown): boolean {
  return hasCode(error, SQLITE_BUSY);
}

/** Whether the disk is full: the system says of it what SQLite has a code for. */
export function isFull(cause: unknown): boolean {
  return hasCode(cause, SQLITE_FULL) || (cause instanceof Error && /no space|not enough space/i.test(cause.message));
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === code;
}
