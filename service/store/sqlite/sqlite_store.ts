/** The store on SQLite: one file, one connection, one writer. */
import { DatabaseSync } from "node:sqlite";
import { makePrivateFile } from "../../../utils/fs/private_file.ts";
import { SvcError } from "../../../lib/errors.ts";
import { ignoreMissing } from "../../../utils/fs/ignore_missing.ts";
import { isDiskFull } from "../../../utils/sqlite/database_errors.ts";
import { controlTransaction, GroupCommit } from "../../../utils/sqlite/group_commit.ts";
import { toLowerCase } from "./query.ts";
import { createLostError, prepareDatabase } from "./schema.ts";
import { SqliteTransaction, Statements } from "./transaction.ts";
import type { Store, Transaction } from "../store.ts";

/** Milliseconds to wait for another process that writes, e.g. one that adds a client. */
const BUSY_TIMEOUT = 5000;

/**
 * Settings of a connection. `FULL` makes a commit durable before its response is sent. Pages are small, because a commit
 * writes whole pages to the log. The log is copied into the database every 16 MB, so that a page that changes often is
 * copied once.
 */
const SETTINGS = [
  "PRAGMA page_size = 2048",
  "PRAGMA journal_mode = WAL",
  "PRAGMA synchronous = FULL",
  "PRAGMA wal_autocheckpoint = 8000",
  "PRAGMA cache_size = -65536",
];

/**
 * Opens a database file, or a database in memory (`:memory:`). Creates a missing file, unless a service has used it before
 * (`isKnown`): then the file or its write-ahead log is lost.
 */
export function openSqliteStore(path: string, isKnown = false): Store {
  const db = openDatabase(path, isKnown, (db) => prepareDatabase(db, path, isKnown));
  const statements = new Statements(db);
  const commits = new GroupCommit(controlTransaction(db));
  let closed = false;

  function run<T>(work: (transaction: Transaction) => Promise<T>, urgent: boolean): Promise<T> {
    if (closed) return Promise.reject(new TypeError("The store is closed."));
    return commits.run(async (unit) => {
      const transaction = new SqliteTransaction(statements, unit);
      try {
        return await work(transaction);
      } finally {
        transaction.end();
      }
    }, urgent).catch((error) => {
      if (isDiskFull(error)) freeLog();
      throw error;
    });
  }

  /** Makes the room of the write-ahead log available for the next changes. */
  function freeLog(): void {
    try {
      if (!closed && !db.isTransaction) db.prepare("PRAGMA wal_checkpoint(PASSIVE)").run();
    } catch (error) {
      if (!isDiskFull(error)) throw error; // The database has no room for the pages in the log.
    }
  }

  return {
    transact: (work) => run(work, false),
    read: (work) => run(work, true),
    async close() {
      if (closed) return;
      closed = true;
      await commits.idle();
      db.close();
    },
  };
}

/** Opens the connection that writes to a database file, and prepares it. Closes it if that fails. */
export function openDatabase(path: string, isKnown: boolean, prepare: (db: DatabaseSync) => void): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    if (isKnown && isEmptyFile(path)) throw createLostError(path); // Before SQLite opens it and deletes the log.
    // It contains personal data, and SQLite would apply the umask.
    if (path !== ":memory:") makePrivateFile(path);
    db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT, enableForeignKeyConstraints: true });
    for (const setting of SETTINGS) db.prepare(setting).run(); // Unlike `exec`, its errors have a code.
    defineFunctions(db);
    prepare(db);
    return db;
  } catch (cause) {
    db?.close();
    throw explainOpenFailure(path, cause);
  }
}

/** Creates the error for a database that cannot be opened. Returns an error that has a code itself. */
export function explainOpenFailure(path: string, cause: unknown): SvcError {
  if (cause instanceof SvcError) return cause;
  const reason = isDiskFull(cause) ? "its disk is full" : cause instanceof Error ? cause.message : String(cause);
  return new SvcError("INVALID_CONFIG", `The database ${path} cannot be opened: ${reason}.`, {
    cause,
    hint: isDiskFull(cause)
      ? "Free some space on it."
      : "Check that it is a database of svc and that you may write it, or use another data directory.",
  });
}

/** Reports whether a database file is empty or missing. */
export function isEmptyFile(path: string): boolean {
  try {
    return Deno.statSync(path).size === 0;
  } catch (error) {
    ignoreMissing(error);
    return true;
  }
}

function defineFunctions(db: DatabaseSync): void {
  // Without BigInt, an unsafe integer would fail, and a query with a failing function never ends.
  const options = { deterministic: true, useBigIntArguments: true };
  db.function("fold", options, toLowerCase);
  db.function("contains", options, (text, part) => {
    return text === null || part === null ? null : Number(contains(String(text), String(part)));
  });
}

/**
 * Checks whether a text contains another, in linear time (Knuth-Morris-Pratt). The searches of SQLite and JavaScript take
 * quadratic time for malicious texts.
 */
export function contains(text: string, part: string): boolean {
  const borders = findBorders(part);
  let found = 0;
  for (let place = 0; place < text.length && found < part.length; place++) {
    found = extendMatch(part, borders, found, text.charCodeAt(place));
  }
  return found === part.length;
}

/** Computes, for each prefix of a text by length, the length of its longest proper prefix that is also its suffix. */
function findBorders(text: string): Int32Array {
  const borders = new Int32Array(text.length + 1);
  for (let length = 2; length <= text.length; length++) {
    borders[length] = extendMatch(text, borders, borders[length - 1] ?? 0, text.charCodeAt(length - 1));
  }
  return borders;
}

/** Returns the length of the matched prefix after the next character. */
function extendMatch(text: string, borders: Int32Array, before: number, next: number): number {
  let found = before;
  while (found > 0 && text.charCodeAt(found) !== next) found = borders[found] ?? 0;
  return text.charCodeAt(found) === next ? found + 1 : 0;
}
