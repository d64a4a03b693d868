/** Opens the SQLite file of a journal. */
import { DatabaseSync } from "node:sqlite";
import { delay } from "../../../utils/async/abort.ts";
import { isDatabaseBusy, isDiskFull } from "../../../utils/sqlite/database_errors.ts";
import { isPrepared, prepareJournal } from "./schema.ts";

/** Delay between two attempts to open a file that another process is setting up, in milliseconds. */
const RETRY_MILLISECONDS = 20;

/** Settings of a new file. It returns free pages to the file system. */
const FILE_SETTINGS = "auto_vacuum = INCREMENTAL";

/**
 * Settings of each connection. Deleted data is overwritten at once, because cases are about people. A commit does not
 * sync: the journal does, afterwards.
 */
const CONNECTION_SETTINGS = ["secure_delete = ON", "journal_mode = WAL", "synchronous = NORMAL"];

/** Opens a database and creates missing tables. Waits for another process that is setting up the same file, as SQLite does not. */
export async function openDatabase(path: string, timeoutMilliseconds: number): Promise<DatabaseSync> {
  const deadline = Date.now() + timeoutMilliseconds;
  for (;;) {
    const db = new DatabaseSync(path, { timeout: timeoutMilliseconds });
    try {
      const isReady = isPrepared(db, path); // Before any setting: the database of another program must not change.
      const settings = isReady ? CONNECTION_SETTINGS : [FILE_SETTINGS, ...CONNECTION_SETTINGS];
      for (const setting of settings) db.prepare(`PRAGMA ${setting}`).run(); // An error of `exec` has no code.
      if (!isPrepared(db, path)) prepareJournal(db, path); // Checked again: this read creates the write-ahead log.
      return db;
    } catch (error) {
      db.close();
      if (!isDatabaseBusy(error) || Date.now() > deadline) throw error;
    }
    await delay(RETRY_MILLISECONDS);
  }
}

/** Returns a hint for a journal that cannot be written. */
export function chooseWriteHint(cause: unknown): string {
  if (isDatabaseBusy(cause)) return "End the process that keeps it locked.";
  return isDiskFull(cause) ? "Free some space." : "Check the file and its disk.";
}
