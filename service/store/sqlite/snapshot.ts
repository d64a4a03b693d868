/** Consistent copies of a database, and the check of its structure. Both also work while a service uses the database. */
import { backup, DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { SvcError } from "../../../lib/errors.ts";
import { isUnwritable } from "../../../utils/sqlite/database_errors.ts";
import { makePrivateFile } from "../../../utils/fs/private_file.ts";
import { isJsonObject, type JsonObject } from "../../../utils/json.ts";

import { defineSearchText, fillDerived, findWrongTables } from "./derived.ts";
import { CHECKSUM_VERSION, SCHEMA_VERSION } from "./schema.ts";
import { TABLE_NAMES } from "../tables.ts";
import { isEmptyFile } from "./sqlite_store.ts";
import { defineChecksum, describeDamage } from "./tables.ts";

const PAGES_PER_STEP = 1000;

/** Largest number of issues that a check reports. */
const MAX_ISSUES = 20;

/** Findings of a check of a database. */
export interface DatabaseFindings {
  /** Version of the tables. */
  readonly schema: number;
  /** Number of cases. */
  readonly cases: number;
  /** Problems as sentences. Empty for an intact database. */
  readonly issues: readonly string[];
}

/** Receives the fraction copied so far, from 0 to 1. If it throws, the copy fails with its error. */
export type ObserveCopy = (part: number) => void;

/**
 * Writes a copy that contains every committed change. Writers do not wait for it. The open transaction keeps the copy from
 * starting again with each change that another process makes.
 */
export async function copyDatabase(path: string, target: string, observe?: ObserveCopy): Promise<void> {
  makePrivateFile(target);
  using db = openForReading(path);
  db.exec("BEGIN");
  db.prepare("SELECT count(*) FROM sqlite_schema").get(); // The transaction begins with the first read.
  await backup(db, target, {
    rate: PAGES_PER_STEP,
    progress: ({ totalPages, remainingPages }) => observe?.(1 - remainingPages / totalPages),
  });
}

/** Reads every page, index and reference of a database. An unreadable database is an issue, too. */
export function checkDatabase(path: string): DatabaseFindings {
  try {
    return readFindings(path);
  } catch (error) {
    if (!(error instanceof Error && "errcode" in error)) throw error;
    return { schema: 0, cases: 0, issues: [`The database cannot be read: ${error.message}`] };
  }
}

/**
 * Lists the tables whose rows are derived from others, and do not match them. Those of an earlier version are not checked.
 * `repair` computes their rows again: no other process may write meanwhile.
 */
export function checkDerived(path: string, { repair = false }: { repair?: boolean } = {}): string[] {
  using db = repair ? new DatabaseSync(path, { timeout: 5000 }) : openForReading(path);
  if (db.prepare("PRAGMA user_version").get()?.user_version !== SCHEMA_VERSION) return [];
  defineSearchText(db);
  db.exec("BEGIN"); // Thus all queries read one state.
  const wrong = findWrongTables(db);
  db.exec("COMMIT");
  if (repair && wrong.length > 0) fillDerived(db);
  return wrong;
}

/** Reads every page of a database, but does not compare the indexes with the rows. Returns the issues as sentences. */
export function checkStructure(path: string): string[] {
  using db = openForReading(path);
  return readIssues(db, "quick_check");
}

/** Reports whether a file is the database of a service, of any version. */
export function isServiceDatabase(path: string): boolean {
  try {
    using db = openForReading(path);
    const found = db.prepare("SELECT count(*) AS number FROM sqlite_schema WHERE name IN ('cases', 'clients')").get();
    return found?.number === 2;
  } catch {
    return false; // It is another file, or too damaged to be known.
  }
}

function readFindings(path: string): DatabaseFindings {
  using db = openForReading(path);
  const integrity = readIssues(db, "integrity_check");
  const references = db.prepare("PRAGMA foreign_key_check").all().slice(0, MAX_ISSUES)
    .map(({ table, parent }) => `A row of ${table} refers to a row of ${parent} that does not exist`);
  const schema = Number(db.prepare("PRAGMA user_version").get()?.user_version);
  const rows = schema >= CHECKSUM_VERSION ? findDamagedRows(db) : [];
  return {
    schema,
    cases: Number(db.prepare("SELECT count(*) AS number FROM cases").get()?.number),
    issues: [...integrity, ...references, ...rows],
  };
}

function findDamagedRows(db: DatabaseSync): string[] {
  defineChecksum(db);
  return TABLE_NAMES.flatMap((table) => {
    const damage = `SELECT ${describeDamage(table)} AS name FROM ${table}`;
    const found = db.prepare(`SELECT name FROM (${damage}) WHERE name IS NOT NULL LIMIT ${MAX_ISSUES}`).all();
    return found.map(({ name }) => `A row is damaged: ${name}`);
  });
}

function readIssues(db: DatabaseSync, check: "integrity_check" | "quick_check"): string[] {
  const found = db.prepare(`PRAGMA ${check}(${MAX_ISSUES})`).all().map((row) => String(row[check]));
  return found.filter((issue) => issue !== "ok");
}

/** Returns the contents of all items of a kind, by ID. */
export function readItems(path: string, kind: string): Map<string, JsonObject> {
  using db = openForReading(path);
  // The table exists since version 2 of the schema.
  if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'items'").get() === undefined) return new Map();
  const rows = db.prepare("SELECT id, content FROM items WHERE kind = ?").all(kind);
  return new Map(rows.map(({ id, content }) => [String(id), parseContent(String(content))]));
}

/** Finds records of one class whose keys differ only in how accents are stored. An earlier version kept them apart. */
export function findTwins(path: string): readonly (readonly string[])[] {
  using db = openForReading(path);
  if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'records'").get() === undefined) return [];
  const rows = db.prepare("SELECT classId, key FROM records WHERE octet_length(key) > length(key)").all();
  const names = rows.map(({ classId, key }) => `${classId} ${key}`).sort();
  return [...Map.groupBy(names, (name) => name.normalize("NFC")).values()].filter(({ length }) => length > 1);
}

function parseContent(text: string): JsonObject {
  const content: unknown = JSON.parse(text);
  return isJsonObject(content) ? content : {};
}

/** Opens a connection that changes nothing, and does not copy the write-ahead log into the database when it closes. */
export function openForReading(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  try {
    db.prepare("PRAGMA schema_version").get();
    return db;
  } catch (error) {
    db.close();
    if (!isUnwritable(error)) throw error;
    return openUnwritable(path, error);
  }
}

/** Opens a database in a folder where SQLite cannot create the files for its write-ahead log. Nothing may write to it. */
function openUnwritable(path: string, cause: unknown): DatabaseSync {
  if (!isEmptyFile(`${path}-wal`)) {
    throw new SvcError(
      "INVALID_CONFIG",
      `The last changes of ${path} are in ${path}-wal, but the folder is read-only.`,
      {
        cause,
        hint: "Copy the directory to a writable folder, and pass the copy with --data.",
      },
    );
  }
  const url = pathToFileURL(path);
  url.search = "?immutable=1";
  return new DatabaseSync(url, { readOnly: true });
}
