// Primary result codes are in the lowest byte of `errcode`.
const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;

/** Reports whether an error says that another process has locked the database. */
export function isDatabaseBusy(error: unknown): boolean {
  return hasCode(error, SQLITE_BUSY);
}

/** Reports whether an error of SQLite or of the file system says that the disk is full. */
export function isDiskFull(cause: unknown): boolean {
  return hasCode(cause, SQLITE_FULL) || (cause instanceof Error && /no space|not enough space/i.test(cause.message));
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === code;
}
