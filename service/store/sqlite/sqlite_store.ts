/** The store on SQLite: one file, one connection, one writer; what was answered is on disk. */
import { DatabaseSync } from "node:sqlite";
import { makePrivateFile } from "../../../utils/fs/private_file.ts";
import { SvcError } from "../../../lib/errors.ts";
import { ignoreMissing } from "../../../utils/fs/ignore_missing.ts";
import { controlTransaction, GroupCommit } from "../../../utils/sqlite/group_commit.ts";
import { lowered } from "./query.ts";
import { lostDatabase, prepareDatabase } from "./schema.ts";
import { SqliteTransaction, Statements } from "./transaction.ts";
import type { Store, Transaction } from "../store.ts";

/** Milliseconds to wait for another process that writes, e.g. one that adds a client. */
const BUSY_TIMEOUT = 5000;

/**
 * Settings of a connection. `FULL` makes a commit durable before its response is sent. Pages are small, because a commit
 * writes whole pages to the log. The log is copied into the database every 16 MB, so that a page that changes often is
 * copied once.
 */
const SETTINGS = `
  PRAGMA page_size = 2048;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = 8000;
  PRAGMA cache_size = -65536;
`;

/**
 * Opens a database file, made if need be, or one in memory (`:memory:`). One that a service is known to have worked with
 * (`isKnown`) is not created again: its file or its write-ahead log is lost.
 */
export function openSqliteStore(path: string, isKnown = false): Store {
  const db = open(path, isKnown);
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
    }, urgent);
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

function open(path: string, isKnown: boolean): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    if (isKnown && isEmptyFile(path)) throw lostDatabase(path); // Before SQLite, which would remove the log beside it.
    // It holds what is known of people: theirs to read who run the service. SQLite would ask the umask.
    if (path !== ":memory:") makePrivateFile(path);
    db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT, enableForeignKeyConstraints: true });
    db.exec(SETTINGS);
    prepareDatabase(db, path, isKnown);
    defineFunctions(db);
    return db;
  } catch (cause) {
    db?.close();
    if (cause instanceof SvcError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SvcError("INVALID_CONFIG", `The database ${path} cannot be opened: ${reason}.`, {
      cause,
      hint: "Check that it is a database of svc and that you may write it, or use another data directory.",
    });
  }
}

function isEmptyFile(path: string): boolean {
  try {
    return Deno.statSync(path).size === 0;
  } catch (error) {
    ignoreMissing(error);
    return true;
  }
}

function defineFunctions(db: DatabaseSync): void {
  // An unsafe integer would fail, and a query whose function fails never ends.
  const options = { deterministic: true, useBigIntArguments: true };
  db.function("fold", options, lowered);
  db.function("contains", options, (text, part) => {
    return text === null || part === null ? null : Number(contains(String(text), String(part)));
  });
}

/**
 * Whether a text has a part, in a time that grows with their lengths: the searches of SQLite and JavaScript take that of
 * their product for texts that are made for it. (Knuth, Morris and Pratt's.)
 */
export function contains(text: string, part: string): boolean {
  const borders = findBorders(part);
  let found = 0;
  for (let place = 0; place < text.length && found < part.length; place++) {
    found = oneMore(part, borders, found, text.charCodeAt(place));
  }
  return found === part.length;
}

/** For each beginning of a text, by its length: how long a shorter beginning is with which it ends. */
function findBorders(text: string): Int32Array {
  const borders = new Int32Array(text.length + 1);
  for (let length = 2; length <= text.length; length++) {
    borders[length] = oneMore(text, borders, borders[length - 1] ?? 0, text.charCodeAt(length - 1));
  }
  return borders;
}

/** How long a beginning of the text is found with the next character, where one was found before it. */
function oneMore(text: string, borders: Int32Array, before: number, next: number): number {
  let found = before;
  while (found > 0 && text.charCodeAt(found) !== next) found = borders[found] ?? 0;
  return text.charCodeAt(found) === next ? found + 1 : 0;
}
