/** The store on SQLite: one file, one connection that writes, and further connections that only read. */
import { DatabaseSync } from "node:sqlite";
import { makePrivateFile } from "../../../utils/fs/private_file.ts";
import { getErrorMessage, SvcError } from "../../../lib/errors.ts";
import { ignoreMissing } from "../../../utils/fs/ignore_missing.ts";
import { isFileSizeLimit, RAISE_SIZE_LIMIT } from "../../../utils/fs/file_size_limit.ts";
import { findSizeLimit } from "../../../utils/sqlite/size_limit.ts";
import { controlTransaction, GroupCommit } from "../../../utils/sqlite/group_commit.ts";
import { isDatabaseBusy, isDatabaseFull, isDiskFull } from "../../../utils/sqlite/database_errors.ts";
import { FieldIndexes } from "./field_indexes.ts";
import { LogKeeper, type LogLimits } from "./log_keeper.ts";
import { QueryLanes, type QueryLimits } from "./query_lanes.ts";
import { QueryRunner } from "./query_runner.ts";
import { ReadUnits, refuseChange } from "./read_units.ts";
import { createLostError, prepareDatabase } from "./schema.ts";
import { PagePlaces } from "../page_places.ts";
import type { RowPlace } from "./query.ts";
import { SqliteTransaction, Statements, type StoreUnit } from "./transaction.ts";
import { type Store, StoreBusy, StoreFull, type Transaction } from "../store.ts";

/** Limits of a store. */
export interface StoreLimits extends QueryLimits, LogLimits {
  /** Milliseconds to wait for another process that writes, e.g. one that adds a client. */
  readonly patience: number;
}

const DEFAULT_LIMITS: StoreLimits = {
  short: 200,
  long: 20_000,
  wait: 10_000,
  patience: 5000,
  copiedLog: 16 * 1024 * 1024,
  maxLog: 64 * 1024 * 1024,
};

/** Milliseconds to wait for another process while the database is opened. */
const BUSY_TIMEOUT = 5000;

const MEMORY = ":memory:";

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
export function openSqliteStore(path: string, isKnown = false, limits: Partial<StoreLimits> = {}): Store {
  const { patience, copiedLog, maxLog, ...queryLimits } = { ...DEFAULT_LIMITS, ...limits };
  const db = openDatabase(path, isKnown, (db) => prepareDatabase(db, path, isKnown));
  db.exec("PRAGMA busy_timeout = 0"); // From now on, waiting would block all requests.
  const statements = new Statements(db);
  const runner = new QueryRunner(db);
  const commits = new GroupCommit(statements.sums.control(controlTransaction(db, patience)));
  const lanes = path === MEMORY ? undefined : new QueryLanes(path, queryLimits);
  const places = new PagePlaces<RowPlace>();
  const indexes = new FieldIndexes();
  const reads = lanes && new ReadUnits(path, { lanes, places, indexes });
  const log = lanes && new LogKeeper(db, path, lanes, { copiedLog, maxLog });
  let closed = false;

  /** Runs a unit of work. With the pages of an operator, it only reads. */
  async function run<T>(work: (transaction: Transaction) => Promise<T>, pages?: StoreUnit["pages"]): Promise<T> {
    const isReading = pages !== undefined;
    const result = await commits.run(async ({ willWrite, attempt }) => {
      const transaction = new SqliteTransaction(statements, {
        willRead: () => {},
        willWrite: isReading ? refuseChange : willWrite,
        attempt,
        query: (query) =>
          new Promise((resolve) => {
            statements.sums.flush();
            resolve(runner.run(query));
          }),
        indexes,
        ...(pages && { pages }),
      });
      try {
        return await work(transaction);
      } finally {
        transaction.end();
      }
    }, isReading).catch((error) => {
      if (isDiskFull(error)) log?.freeSpace();
      throw error;
    });
    if (!isReading) log?.noteCommit();
    return result;
  }

  async function whileOpen<T>(work: () => Promise<T>): Promise<T> {
    if (closed) throw new TypeError("The store is closed.");
    try {
      return await work();
    } catch (error) {
      if (isDatabaseBusy(error)) throw new StoreBusy("Another process has locked the database.", { cause: error });
      if (isDatabaseFull(error)) throw new StoreFull("The disk of the database is full.", { cause: error });
      const cause = findSizeLimit(error, path);
      if (cause === undefined) throw error;
      log?.freeSpace();
      throw new StoreFull("The database has reached the limit of file sizes.", { cause });
    }
  }

  return {
    transact: (work) => whileOpen(() => run(work)),
    read: (work, operator = "") => whileOpen(() => reads ? reads.run(work, operator) : run(work, { places, operator })),
    indexFields: (fields, sums = []) =>
      whileOpen(async () => {
        const wanted = { fields, sums };
        await commits.run(async ({ willWrite }) => {
          if (indexes.areCreated(db, wanted) && statements.sums.areKept(sums)) return;
          await willWrite();
          indexes.create(db, wanted);
          statements.sums.keep(sums);
        }).catch((error) => {
          statements.sums.forget();
          throw error;
        });
        indexes.use(wanted);
      }),
    readLoad: () => lanes === undefined ? {} : { queries: lanes.readLoad() },
    async close() {
      if (closed) return;
      closed = true;
      log?.close();
      await commits.idle();
      await lanes?.close();
      await reads?.close();
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
    if (path !== MEMORY) makePrivateFile(path);
    db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT, enableForeignKeyConstraints: true });
    for (const setting of SETTINGS) db.prepare(setting).run(); // Unlike those of `exec`, its errors have a code.
    prepare(db);
    return db;
  } catch (cause) {
    db?.close();
    throw explainOpenFailure(path, cause);
  }
}

/** Creates the error for a database that cannot be opened. Returns an `SvcError` unchanged. */
export function explainOpenFailure(path: string, cause: unknown): SvcError {
  if (cause instanceof SvcError) return cause;
  const create = (reason: string, hint: string) =>
    new SvcError("INVALID_CONFIG", `The database ${path} cannot be opened: ${reason}.`, { cause, hint });
  if (isFileSizeLimit(findSizeLimit(cause, path))) {
    return create("it has reached the limit of file sizes", RAISE_SIZE_LIMIT);
  }
  if (isDiskFull(cause)) return create("its disk is full", "Free some space on it.");
  const hint = "Check that it is a database of svc and that you may write to it, or use another data directory.";
  return create(getErrorMessage(cause), hint);
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
