import type { DatabaseSync } from "node:sqlite";

/** Runs work in a transaction and returns its result. Rolls back if it throws. */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.prepare("BEGIN IMMEDIATE").run(); // Unlike `exec`, its errors have a code.
  try {
    const result = work();
    db.prepare("COMMIT").run();
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK"); // SQLite itself rolls back when the disk is full.
    throw error;
  }
}
