/** The SQLite file of a journal: how it is opened, and what can be done about what keeps it from being written. */
import { DatabaseSync } from "node:sqlite";
import { delay } from "../../../utils/async/delay.ts";
import { isDatabaseBusy, isDiskFull } from "../../../utils/sqlite/database_errors.ts";
import { isPrepared, prepareSchema } from "./schema.ts";

/** Milliseconds between two attempts to open a file that another process is making a journal. */
const BUSY_PAUSE = 20;

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
      if (!isDatabaseBusy(error) || Date.now() > giveUp) throw error;
    }
    await delay(BUSY_PAUSE);
  }
}

/** What can be done about what keeps a journal from being written. */
export function adviceFor(cause: unknown): string {
  if (isDatabaseBusy(cause)) return "End the process that keeps it locked.";
  return isDiskFull(cause) ? "Free some space." : "Check the file, and the disk that it is on.";
}
