import type { DatabaseSync } from "node:sqlite";

/** Runs work in a transaction and rolls back if it throws. */
export function inTransaction(db: DatabaseSync, work: () => void): void {
  db.prepare("BEGIN IMMEDIATE").run(); // Unlike `exec`, its errors have a code.
  try {
    work();
    db.prepare("COMMIT").run();
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK"); // SQLite itself rolls back when the disk is full.
    throw error;
  }
}
