/** The tables of a journal, and their version. */
import type { DatabaseSync } from "node:sqlite";
import { SvcError } from "../../../lib/errors.ts";
import { inTransaction } from "../../../utils/sqlite/in_transaction.ts";
import { JournalDamage } from "../damage.ts";
import { sealAll, TABLE_NAMES } from "./seal.ts";

/**
 * Increases with each change of the tables or their content. Version 3 adds references to repeated responses; version 4
 * adds waits, signals and downtimes; version 5 adds schedules; version 6 adds patches, continuations and deleted histories.
 */
const VERSION = 6;

/** The tables of version 1. */
const FIRST_TABLES = `
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

/** Version 2 adds a checksum to each record, and the number of events of each input. */
const CHECKSUMS = `
  ALTER TABLE runs ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE inputs ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE events ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;

  CREATE TABLE lengths (
    run INTEGER NOT NULL,
    input INTEGER NOT NULL,
    events INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (run, input)
  ) STRICT, WITHOUT ROWID;
`;

/** Version 4 adds the times until which inputs wait. */
const WAITS = `
  CREATE TABLE waits (
    run INTEGER NOT NULL,
    input INTEGER NOT NULL,
    until INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (run, input)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX waitsByTime ON waits (run, until);
`;

/** Version 5 adds the schedules. */
const SCHEDULES = `
  CREATE TABLE schedules (
    seq INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
`;

/** Identifies a journal: "svcJ". */
const APPLICATION_ID = 0x7376634a;

/** Reads all marks of a file at once, because another process may be setting it up. */
const CONDITION = `
  SELECT application_id AS application, user_version AS version, (SELECT count(*) FROM sqlite_master) AS entries,
    (SELECT count(*) FROM sqlite_master
     WHERE type = 'table' AND name IN (${TABLE_NAMES.map((name) => `'${name}'`).join(", ")})) AS tables
  FROM pragma_application_id, pragma_user_version`;

/** Highest plausible version. A higher number is damage. */
const MAX_VERSION = 1000;

/** Number of tables of each earlier version. */
const TABLE_COUNTS: Readonly<Record<number, number>> = { 1: 3, 2: 4, 3: 4, 4: 5 };

/**
 * Reports whether a database is a journal of the current version, and not empty or of an earlier version. Throws for
 * any other database.
 */
export function isPrepared(db: DatabaseSync, path: string): boolean {
  return readVersion(db, path) === VERSION;
}

/** Reads the version of a journal. Returns 0 for an empty database. */
function readVersion(db: DatabaseSync, path: string): number {
  const { application, version, entries, tables } = db.prepare(CONDITION).get() ?? {};
  if (application !== APPLICATION_ID) {
    if (version === 0 && entries === 0) return 0;
    if (Number(tables) >= Number(TABLE_COUNTS[1])) throw new JournalDamage({}, "its header has changed");
    throw new SvcError("INVALID_CONFIG", `${path} is a database, but not a journal.`, {
      hint: "Name another file with --journal.",
    });
  }
  if (Number(version) > MAX_VERSION) throw new JournalDamage({}, "its header has changed");
  if (Number(version) > VERSION) {
    throw new SvcError("INVALID_CONFIG", `The journal ${path} was written by a newer version of svc.`, {
      hint: "Use that version, or another file with --journal.",
    });
  }
  const expected = TABLE_COUNTS[Number(version)] ?? TABLE_NAMES.length;
  if (Number(version) >= 1 && tables === expected) return Number(version);
  throw new JournalDamage({}, Number(tables) >= expected ? "its header has changed" : "a table is missing");
}

/** Lists the identifiers of the runs in a journal of an earlier version. */
export function listEarlierRuns(db: DatabaseSync, path: string): string[] {
  const version = readVersion(db, path);
  if (version === 0 || version === VERSION) return [];
  return db.prepare("SELECT id FROM runs").all().map(({ id }) => String(id));
}

/** Creates the tables of a new journal, or changes those of an earlier version, unless another process has done so. */
export function prepareJournal(db: DatabaseSync, path: string): void {
  inTransaction(db, () => {
    const version = readVersion(db, path);
    if (version === VERSION) return;
    if (version === 0) db.exec(`${FIRST_TABLES}; PRAGMA application_id = ${APPLICATION_ID}`);
    else checkIntegrity(db); // Damage must not get a valid checksum.
    if (version < 4) db.exec(WAITS);
    if (version < 5) db.exec(SCHEDULES);
    if (version < 2) {
      db.exec(CHECKSUMS);
      sealAll(db);
    }
    db.exec(`PRAGMA user_version = ${VERSION}`);
  });
}

/** Checks the structure of the database file. Throws if it is damaged. */
export function checkIntegrity(db: DatabaseSync): void {
  for (const { integrity_check: issue } of db.prepare("PRAGMA integrity_check(1)").all()) {
    if (issue !== "ok") throw new JournalDamage({}, String(issue));
  }
}
