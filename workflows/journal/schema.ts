/** The tables of a journal, and the version of them that a file has. */
import type { DatabaseSync } from "node:sqlite";
import { SvcError } from "../../lib/errors.ts";

/** Raised with every change of the tables. */
const VERSION = 1;

const TABLES = `
  CREATE TABLE runs (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    digest TEXT NOT NULL,
    settings TEXT NOT NULL,
    state TEXT NOT NULL,
    startedAt INTEGER NOT NULL,
    endedAt INTEGER
  ) STRICT;

  CREATE TABLE inputs (
    run INTEGER NOT NULL,
    number INTEGER NOT NULL,
    place TEXT NOT NULL,
    value TEXT,
    startedAt INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    state TEXT NOT NULL,
    outcome TEXT,
    endedAt INTEGER,
    PRIMARY KEY (run, number)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    input INTEGER NOT NULL,
    kind TEXT NOT NULL,
    position INTEGER NOT NULL,
    at INTEGER NOT NULL,
    content ANY NOT NULL
  ) STRICT;
  CREATE INDEX eventsByInput ON events (run, input);
`;

/** Whether the names of our tables are taken. */
function isTaken(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM sqlite_master WHERE name IN ('runs', 'inputs', 'events')").get() !== undefined;
}

/** Makes the tables of a new journal and refuses one that a newer version of svc has written. */
export function prepareSchema(db: DatabaseSync, path: string): void {
  db.prepare("BEGIN IMMEDIATE").run();
  try {
    const found = Number(db.prepare("PRAGMA user_version").get()?.user_version);
    if (found > VERSION) {
      throw new SvcError("INVALID_CONFIG", `The journal ${path} was written by a newer version of svc.`, {
        hint: "Use that version, or another file with --journal.",
      });
    }
    if (found < 1) {
      if (isTaken(db)) {
        throw new SvcError("INVALID_CONFIG", `${path} is a database, but no journal.`, {
          hint: "Name another file with --journal.",
        });
      }
      db.exec(TABLES);
    }
    db.exec(`PRAGMA user_version = ${VERSION}`);
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK"); // A full disk has ended it already.
    throw error;
  }
}
