import { isFileSizeLimit } from "../fs/file_size_limit.ts";

// Primary result codes are in the lowest byte of `errcode`.
const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_READONLY = 8;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_CONSTRAINT = 19;
const SQLITE_MISMATCH = 20;
const SQLITE_NOTADB = 26;

// Extended result codes.
const SQLITE_IOERR_SHORT_READ = 522;
const SQLITE_IOERR_WRITE = 778;
const SQLITE_IOERR_SHMSIZE = 4874;
const SQLITE_CONSTRAINT_TRIGGER = 1811;

/** Codes of statements that cannot fail while the tables are as they were created. */
const DAMAGED = [SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_NOTADB];

/** Reports whether an error says that another process has locked the database. */
export function isDatabaseBusy(error: unknown): boolean {
  return hasCode(error, SQLITE_BUSY);
}

/**
 * Reports whether an error, or its cause, says that the disk is full, or that a file has reached the limit of file sizes. It
 * may come from SQLite or from the file system.
 * SQLite reports an I/O error if there is no space for the shared memory of a write-ahead log.
 */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (hasCode(error, SQLITE_FULL) || getCode(error) === SQLITE_IOERR_SHMSIZE) return true;
  // Errors of `DatabaseSync.exec` have no code.
  if (/no space|not enough space|database or disk is full/i.test(error.message)) return true;
  return isFileSizeLimit(error) || isDiskFull(error.cause);
}

/** Reports whether a statement failed because the disk of its database is full. */
export function isDatabaseFull(error: unknown): boolean {
  return getCode(error) !== undefined && isDiskFull(error);
}

/** Reports whether SQLite could not write to a file for a reason that it does not name. */
export function isWriteFailure(error: unknown): boolean {
  return getCode(error) === SQLITE_IOERR_WRITE;
}

/** Reports whether SQLite cannot read a database because it may not create files beside it. */
export function isUnwritable(error: unknown): boolean {
  return hasCode(error, SQLITE_READONLY) || hasCode(error, SQLITE_CANTOPEN);
}

/**
 * Reports whether a statement that is known to be correct failed because the file is damaged: it is not a database, is
 * truncated, lacks a table, or has an integer that no program has written.
 */
export function isDatabaseDamaged(error: unknown): boolean {
  if (error instanceof RangeError && "code" in error && error.code === "ERR_OUT_OF_RANGE") return true;
  const code = getCode(error);
  if (code === SQLITE_CONSTRAINT_TRIGGER) return false; // Triggers are not ours.
  return code === SQLITE_IOERR_SHORT_READ || DAMAGED.some((damaged) => hasCode(error, damaged));
}

function hasCode(error: unknown, code: number): boolean {
  const found = getCode(error);
  return found !== undefined && (found & 0xff) === code;
}

function getCode(error: unknown): number | undefined {
  return error instanceof Error && "errcode" in error ? Number(error.errcode) : undefined;
}
