/** The SQLite file of a journal: how it is opened, and what can be done about what keeps it from being written. */
import { DatabaseSync } from "node:sqlite";
import { pause } from "../../lib/pause.ts";
import { isPrepared, prepareSchema } from "./schema.ts";

/** Milliseconds between two attempts to open a file that another process is making a journal. */
const BUSY_PAUSE = 20;

/** SQLite's codes of a database that is locked and of a full disk, in the lowest byte; the others say more of it. */
const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;

/** What a new file is made with: it gives its free pages back. */
const OF_FILE = "auto_vacuum = INCREMENTAL";

/**
 * What every connection says. What is deleted is overwritten at once: cases are about people. A commit does not wait for
 * the disk by itself: we do, after it.
 */
const OF_CONNECTION = ["secure_delete = ON", "journal_mode = WAL", "synchronous = NORMAL"];

/** The database, its tables made. SQLite does not wait for another process that makes the same file a journal: we do. */
export async function openDatabase(path: string, patience: number): Promise<DatabaseSync> {
  const giveUp = Date.now() + patience;
  for (;;) {
    const db = new DatabaseSync(path, { timeout: patience });
    try {
      const isReady = isPrepared(db, path); // Before anything is set: another program's database stays as it is.
      const settings = isReady ? OF_CONNECTION : [OF_FILE, ...OF_CONNECTION];
      for (const setting of settings) db.prepare(`PRAGMA ${setting}`).run(); // An error of `exec` has no code.
      if (!isPrepared(db, path)) prepareSchema(db, path); // Again: to read it now makes its write-ahead log.
      return db;
    } catch (error) {
      db.close();
      if (!isBusy(error) || Date.now() > giveUp) throw error;
    }
    await pause(BUSY_PAUSE);
  }
}

/** Whether another process keeps the database locked. */
export function isBusy(error: unknown): boolean {
  return hasCode(error, SQLITE_BUSY);
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === code;
}

/** Whether the disk is full: the system says of it what SQLite has a code for. */
export function isFull(cause: unknown): boolean {
  return hasCode(cause, SQLITE_FULL) || (cause instanceof Error && /no space|not enough space/i.test(cause.message));
}

/** What can be done about what keeps a journal from being written. */
export function adviceFor(cause: unknown): string {
  if (isBusy(cause)) return "End the process that keeps it locked.";
  return isFull(cause) ? "Free some space." : "Check the file, and the disk that it is on.";
}
