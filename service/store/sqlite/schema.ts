/** The tables of a database, and their version. */
import type { DatabaseSync } from "node:sqlite";
import { SvcError } from "../../../lib/errors.ts";
import { type RowProgress, sealRows } from "./upgrade/seal_rows.ts";
import { TABLE_NAMES } from "../tables.ts";
import { SUMS_TABLES } from "./case_sums.ts";
import { addAllTexts, DERIVED_TABLES, EMPTY_TEXT_INDEX, FILL_DERIVED } from "./derived.ts";
import { inTransaction } from "../../../utils/sqlite/in_transaction.ts";

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

/**
 * Indexes for the orders in which people list cases. They contain the type, so that rows of other types are skipped without
 * reading them. Times are read from the newest; in the other direction, SQLite sorts only cases of the same time.
 */
const ORDER_INDEXES = `
  CREATE INDEX IF NOT EXISTS casesByUpdate ON cases (updatedAt DESC, seq, typeId);
  CREATE INDEX IF NOT EXISTS casesByStatusAndCreation ON cases (status, createdAt DESC, seq, typeId);
  CREATE INDEX IF NOT EXISTS casesByUrgency ON cases (urgency DESC, seq, typeId);
  CREATE INDEX IF NOT EXISTS casesByStage ON cases (stageId, seq, typeId);
  CREATE INDEX IF NOT EXISTS casesByUpdater ON cases (updatedBy, seq, typeId);
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

const CHECKSUM_COLUMNS = TABLE_NAMES.map((table) => `ALTER TABLE ${table} ADD COLUMN checksum INTEGER;`).join("\n");

/** A step from one version of the tables to the next. */
export interface SchemaStep {
  /** Completes a progress message, e.g. `adding indexes`. */
  readonly activity: string;
  /** Statements of the step. */
  readonly sql: string;
  /** Changes rows before the statements run, in transactions of its own. Yields the progress after each. */
  readonly changeRows?: (db: DatabaseSync) => Iterable<RowProgress>;
}

/**
 * Removes the indexes whose orders clients rarely ask for: each made every change slower. The index by update contains the
 * status, so that cases of other statuses are skipped without reading them.
 */
const FEWER_INDEXES = `
  DROP INDEX IF EXISTS casesByUrgency;
  DROP INDEX IF EXISTS casesByStage;
  DROP INDEX IF EXISTS casesByUpdater;
  DROP INDEX IF EXISTS casesByUpdate;
  CREATE INDEX casesByUpdate ON cases (updatedAt DESC, seq, typeId, status);
`;

/**
 * The steps to the current version. A step creates only what is missing, because an earlier version of svc may have run a
 * part of it.
 */
export const SCHEMA_STEPS: readonly SchemaStep[] = [
  { activity: "creating the tables", sql: TABLES },
  { activity: "adding the table of items", sql: ITEMS },
  { activity: "adding the table of responses", sql: ANSWERS },
  { activity: "adding an index of items", sql: ITEMS_BY_TIME },
  { activity: "adding indexes for queries", sql: QUERY_INDEXES },
  { activity: "adding indexes for lists", sql: LIST_INDEXES },
  { activity: "adding columns for checksums", sql: CHECKSUM_COLUMNS },
  { activity: "computing checksums", sql: "", changeRows: sealRows },
  { activity: "adding indexes for orders of cases", sql: ORDER_INDEXES },
  { activity: "adding tables for counts and texts", sql: [DERIVED_TABLES, ...FILL_DERIVED].join(";\n") },
  { activity: "preparing the text index", sql: "" }, // A later step fills it.
  { activity: "replacing indexes of cases and the text index", sql: FEWER_INDEXES + EMPTY_TEXT_INDEX },
  { activity: "adding texts to the text index", sql: "", changeRows: addAllTexts },
  { activity: "adding tables for sums", sql: SUMS_TABLES }, // The start of the service fills them.
];

/** Version of the tables: the number of steps that have run. */
export const SCHEMA_VERSION: number = SCHEMA_STEPS.length;

/** First version in which each row has a checksum. */
export const CHECKSUM_VERSION = 8;

/** Creates the error for a missing or empty database of an existing service. */
export function createLostError(path: string): SvcError {
  const message = `${path} is empty, although a service has used it: it or ${path}-wal is missing or damaged.`;
  return new SvcError("INVALID_CONFIG", message, {
    hint: "Restore a backup to another directory with 'svc service restore', or start again with 'svc service reset'.",
  });
}

/** Reads the version of the tables. Returns 0 for an empty database. Throws `INVALID_CONFIG` for a newer version. */
export function readVersion(db: DatabaseSync, path: string): number {
  const found = Number(db.prepare("PRAGMA user_version").get()?.user_version);
  if (found <= SCHEMA_VERSION) return found;
  throw new SvcError(
    "INVALID_CONFIG",
    `${path} was written by a newer version of svc (schema ${found}; this version supports up to ${SCHEMA_VERSION}).`,
    { hint: "Use that version, or another data directory." },
  );
}

/** Runs the step that leads to a version of the tables. */
export function runStep(db: DatabaseSync, version: number): void {
  db.exec(`${SCHEMA_STEPS[version - 1]?.sql}; PRAGMA user_version = ${version}`);
}

/**
 * Creates the tables of a new database. Writes nothing to a database that has them. Throws `INVALID_CONFIG` for an empty
 * database that a service has used before (`isKnown`), and for a database of another version.
 */
export function prepareDatabase(db: DatabaseSync, path: string, isKnown = false): void {
  if (readVersion(db, path) === SCHEMA_VERSION) return;
  inTransaction(db, () => {
    const found = readVersion(db, path); // Another process may have created the tables.
    if (found === SCHEMA_VERSION) return;
    if (found > 0) throw createOutdatedError(path, found);
    if (isKnown) throw createLostError(path);
    for (let version = 1; version <= SCHEMA_VERSION; version++) runStep(db, version);
  });
}

function createOutdatedError(path: string, found: number): SvcError {
  const message = `${path} was written by an older version of svc (schema ${found} instead of ${SCHEMA_VERSION}).`;
  return new SvcError("INVALID_CONFIG", message, { hint: "Start the service with this version to upgrade it." });
}
