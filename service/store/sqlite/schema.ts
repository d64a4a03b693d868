/** The tables of a database, and their version. */
import type { DatabaseSync } from "node:sqlite";
import { SvcError } from "../../../lib/errors.ts";
import { inTransaction } from "../../../utils/sqlite/in_transaction.ts";

/** Version of the tables. A database of an older version is migrated step by step. */
const VERSION = 6;

const ITEMS = `
  CREATE TABLE items (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    owner TEXT NOT NULL,
    at TEXT NOT NULL,
    content TEXT NOT NULL,
    UNIQUE (kind, id)
  ) STRICT;
  CREATE INDEX itemsByOwner ON items (kind, owner, at, seq);
`;

/** Lets a feed of many owners read a page without sorting all items. */
const ITEMS_BY_TIME = "CREATE INDEX IF NOT EXISTS itemsByTime ON items (kind, at, seq)";

/** Indexes for queries by time, operator, number or owner. */
const QUERY_INDEXES = `
  DROP INDEX eventsByCase;
  CREATE INDEX eventsByCase ON events (caseId, at DESC);
  CREATE INDEX IF NOT EXISTS eventsByTime ON events (at DESC);
  CREATE INDEX IF NOT EXISTS eventsByOperator ON events ("by", at DESC);
  CREATE INDEX IF NOT EXISTS casesByNumber ON cases (businessId);
  CREATE INDEX IF NOT EXISTS itemsOfOwner ON items (owner);
`;

/**
 * Indexes for lists, which show the first or newest rows and their number. The type of a case is never the first column:
 * SQLite would use such an index for every query on cases, and lose their order.
 */
const LIST_INDEXES = `
  CREATE INDEX IF NOT EXISTS recordsByClass ON records (classId);
  CREATE INDEX IF NOT EXISTS casesByCreation ON cases (createdAt DESC, seq, typeId);
  CREATE INDEX IF NOT EXISTS casesByCreator ON cases (createdBy, seq, typeId);
  CREATE INDEX IF NOT EXISTS casesByStatus ON cases (status, seq, typeId);
`;

/** New rows have the highest `seq`, so that the oldest are found without an index. The long column comes last. */
const ANSWERS = `
  CREATE TABLE answers (
    seq INTEGER PRIMARY KEY,
    caller TEXT NOT NULL,
    key TEXT NOT NULL,
    request TEXT NOT NULL,
    at TEXT NOT NULL,
    status INTEGER NOT NULL,
    headers TEXT NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (caller, key)
  ) STRICT;
`;

const TABLES = `
  CREATE TABLE sequences (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE cases (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    businessId TEXT NOT NULL,
    typeId TEXT NOT NULL,
    parentId TEXT REFERENCES cases (id) ON DELETE SET NULL,
    status TEXT NOT NULL,
    urgency INTEGER NOT NULL,
    stageId TEXT NOT NULL,
    createdBy TEXT NOT NULL,
    createdAt TEXT NOT NULL,
    updatedBy TEXT NOT NULL,
    updatedAt TEXT NOT NULL,
    tag TEXT NOT NULL,
    content TEXT NOT NULL,
    flow TEXT NOT NULL
  ) STRICT;
  CREATE INDEX casesByParent ON cases (parentId) WHERE parentId IS NOT NULL;

  CREATE TABLE assignments (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    caseId TEXT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    processId TEXT NOT NULL,
    stepId TEXT NOT NULL,
    urgency INTEGER NOT NULL,
    createdAt TEXT NOT NULL,
    assigneeKind TEXT NOT NULL,
    assigneeId TEXT NOT NULL,
    state TEXT NOT NULL
  ) STRICT;
  CREATE INDEX assignmentsByCase ON assignments (caseId);
  CREATE INDEX assignmentsByAssignee ON assignments (assigneeKind, assigneeId, urgency DESC, createdAt, seq);

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    caseId TEXT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    at TEXT NOT NULL,
    "by" TEXT NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    facts TEXT NOT NULL
  ) STRICT;
  CREATE INDEX eventsByCase ON events (caseId);

  CREATE TABLE records (
    seq INTEGER PRIMARY KEY,
    classId TEXT NOT NULL,
    key TEXT NOT NULL,
    tag TEXT NOT NULL,
    content TEXT NOT NULL,
    UNIQUE (classId, key)
  ) STRICT;

  CREATE TABLE clients (
    id TEXT PRIMARY KEY,
    secretHash TEXT NOT NULL,
    operator TEXT NOT NULL,
    createdAt TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE tokens (
    hash TEXT PRIMARY KEY,
    clientId TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    expiresAt TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tokensByExpiry ON tokens (expiresAt);
`;

/** Creates the error for a missing or empty database of an existing service. */
export function createLostError(path: string): SvcError {
  const message = `${path} is empty, although a service has used it: it or ${path}-wal is missing or damaged.`;
  return new SvcError("INVALID_CONFIG", message, {
    hint: "Restore a backup to another directory with 'svc service restore', or start again with 'svc service reset'.",
  });
}

/**
 * Creates or migrates the tables. Throws `INVALID_CONFIG` for an empty database that a service has used before
 * (`isKnown`), and for a database of a newer version of svc.
 */
export function prepareDatabase(db: DatabaseSync, path: string, isKnown = false): void {
  inTransaction(db, () => {
    const found = Number(db.prepare("PRAGMA user_version").get()?.user_version);
    if (found > VERSION) {
      throw new SvcError(
        "INVALID_CONFIG",
        `${path} was written by a newer version of svc (schema ${found}; this version supports up to ${VERSION}).`,
        {
          hint: "Use that version, or another data directory.",
        },
      );
    }
    if (found < 1 && isKnown) throw createLostError(path);
    if (found < 1) db.exec(TABLES);
    if (found < 2) db.exec(ITEMS);
    if (found < 3) db.exec(ANSWERS);
    if (found < 4) db.exec(ITEMS_BY_TIME);
    if (found < 5) db.exec(QUERY_INDEXES);
    if (found < 6) db.exec(LIST_INDEXES);
    if (found < VERSION) db.exec(`PRAGMA user_version = ${VERSION}`); // A full disk does not prevent a start.
  });
}
