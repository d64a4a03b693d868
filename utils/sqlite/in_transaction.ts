/** Changes of a SQLite database that are made together. */
import type { DatabaseSync } from "node:sqlite";

/** Does work that changes a database; where it fails, nothing is changed. */
export function inTransaction(db: DatabaseSync, work: () => void): void {
  db.prepare("BEGIN IMMEDIATE").run(); // An error of `exec` has no code.
  try {
    work();
    db.prepare("COMMIT").run();
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK"); // A full disk has ended it already.
    throw error;
  }
}
