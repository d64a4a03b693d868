/** The tables of a journal, and their version. */
import type { DatabaseSync } from "node:sqlite";
import { SvcError } from "../../../lib/errors.ts";
import { inTransaction } from "../../../utils/sqlite/in_transaction.ts";

/** Increases with each change of the tables. */
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

/** Identifies a journal: "svcJ". */
const APPLICATION_ID = 0x7376634a;

/** Reads all marks of a file at once, because another process may be setting it up. */
const CONDITION = `
  SELECT application_id AS application, user_version AS version, (SELECT count(*) FROM sqlite_master) AS entries
  FROM pragma_application_id, pragma_user_version`;

/** Returns whether a database is a journal that this version can use, or false if it is empty. Throws for any other. */
export function isPrepared(db: DatabaseSync, path: string): boolean {
  const { application, version, entries } = db.prepare(CONDITION).get() ?? {};
  if (application !== APPLICATION_ID) {
    if (version === 0 && entries === 0) return false;
    throw new SvcError("INVALID_CONFIG", `${path} is a database, but not a journal.`, {
      hint: "Name another file with --journal.",
    });
  }
  if (Number(version) <= VERSION) return true;
  throw new SvcError("INVALID_CONFIG", `The journal ${path} was written by a newer version of svc.`, {
    hint: "Use that version, or another file with --journal.",
  });
}

/** Creates the tables of a new journal, unless another process has created them. */
export function prepareJournal(db: DatabaseSync, path: string): void {
  inTransaction(db, () => {
    if (isPrepared(db, path)) return;
    db.exec(TABLES);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${VERSION}`);
  });
}
