/** The store on PostgreSQL. Several processes, on any machines, can serve the same cases. */
import { delay } from "../../../utils/async/abort.ts";
import type { PostgresLocation } from "../../../utils/postgres/location.ts";
import { migrate } from "../../../utils/postgres/migrate.ts";
import { openPool, type PoolOptions } from "../../../utils/postgres/pool.ts";
import { mapValues } from "../../../utils/map_values.ts";
import { PostgresError, type PostgresErrorKind } from "../../../utils/postgres/postgres_error.ts";
import { PagePlaces } from "../page_places.ts";
import { OutcomeUnknown, type Store, type Transaction } from "../store.ts";
import { openDatabaseBytes } from "./bytes_database.ts";
import { MERGE_COUNTS } from "./derived.ts";
import { MaintainedSums, MERGE_SUMS } from "./indexes/case_sums.ts";
import { FieldIndexes } from "./indexes/field_indexes.ts";
import { MERGE_TEXTS, TextIndex } from "./indexes/text_index.ts";
import { Numbers } from "./numbers.ts";
import type { RowPlace } from "./query.ts";
import { QueryLanes } from "./query_lanes.ts";
import { ReadConnection } from "./read_connection.ts";
import { STORE_SCHEMA } from "./schema.ts";
import { explainDatabaseFailure, explainSlowQuery, toStoreError } from "./store_error.ts";
import { PostgresTransaction, type TransactionOptions } from "./transaction.ts";

/** Options of a store. */
export interface PostgresStoreOptions {
  /** Returns the password for a new connection. Default: no password. */
  readonly getPassword?: () => Promise<string | undefined>;
  /** Called before each step that creates or upgrades the tables. `activity` completes a progress message. */
  readonly onUpgrade?: (activity: string) => void;
  /** Receives a message if the database lacks a feature, or if an index or count cannot be updated. */
  readonly note?: (line: string) => void;
  /** Seconds that a unit waits for the locks of another one. Default: 5. */
  readonly lockSeconds?: number;
  /** Seconds that a query of a unit that only reads may take. Default: 20. */
  readonly querySeconds?: number;
}

/** Connections for units that change data. */
const CHANGES = 12;

/** Connections for units that only read. */
const READS = 8;

/** Connections for queries. */
const QUERIES = 4;

/** Further connections for queries, with a short time limit. */
const SHORT_QUERIES = 2;

/** Time limit of queries on these connections, in seconds. */
const SHORT_SECONDS = 0.2;

/** Milliseconds that a query may wait for a connection. */
const QUERY_WAIT = 10_000;

/** Connections for files. */
const FILES = 4;

/** Seconds that the build of an index may wait for units that were running before it. */
const BUILD_SECONDS = 24 * 60 * 60;

/** Number of changed cases until the counts are merged. A unit that changes other data counts as one. */
const CHANGES_PER_MERGE = 500;

/** Number of changed cases until their texts are merged. Until then, every text search reads these cases. */
const CASES_PER_MERGE = 256;

/**
 * Makes the space of rows that a merge has replaced free for new rows. Otherwise the tables would grow until the server does
 * it, which takes a minute or more, and each query would read that space.
 */
const FREE_SPACE = "VACUUM (SKIP_LOCKED, TRUNCATE false)";

const COUNTS_MERGE = [...MERGE_COUNTS, MERGE_SUMS, `${FREE_SPACE} "caseCounts", "textCounts", "caseSums"`];
const TEXTS_MERGE = [...MERGE_TEXTS, `${FREE_SPACE} "staleTexts"`];

/** Failures of a merge that end by themselves. A later merge includes its changes. */
const PASSING: readonly PostgresErrorKind[] = ["unavailable", "conflict", "busy"];

/** Number of times that a unit runs, if other units change the same data or the connection is lost. */
const RUNS = 6;

/** Longest delay before the second run of a unit, in milliseconds. It doubles with each run. */
const DELAY = 10;

/** Opens a database. Creates or upgrades its tables. Throws `INVALID_CONFIG` if it cannot be used. */
export async function openPostgresStore(
  location: PostgresLocation,
  options: PostgresStoreOptions = {},
): Promise<Store> {
  const { getPassword, lockSeconds, querySeconds = 20 } = options;
  const explain = (error: unknown): never => {
    throw explainDatabaseFailure(location, error);
  };
  const open = (more: Partial<PoolOptions>) =>
    openPool(location, { applicationName: "svc service", getPassword, lockSeconds, ...more }).catch(explain);
  const upgrade = await open({ maxConnections: 1, statementSeconds: Infinity });
  const builds = {
    open: () => open({ maxConnections: 1, statementSeconds: Infinity, lockSeconds: BUILD_SECONDS }),
    note: (line: string) => options.note?.(line),
  };
  const prepare = async () => {
    await migrate(upgrade, location, { ...STORE_SCHEMA, onStep: ({ activity }) => options.onUpgrade?.(activity) });
    return await upgrade.use((connection) => TextIndex.prepare(connection, builds));
  };
  const texts = await prepare().catch(explain).finally(() => upgrade.close());
  const changes = await open({ maxConnections: CHANGES });
  const reads = await open({ maxConnections: READS, statementSeconds: querySeconds });
  const files = await open({ maxConnections: FILES });
  const control = await open({ maxConnections: 1, connectSeconds: 5, statementSeconds: 5 });
  const anyQueries = await open({ maxConnections: QUERIES, statementSeconds: querySeconds });
  const shortQueries = await open({ maxConnections: SHORT_QUERIES, statementSeconds: SHORT_SECONDS });
  const pools = { changes, reads, files, control, queries: anyQueries, "short-queries": shortQueries };
  const queries = new QueryLanes(
    { pool: anyQueries, size: QUERIES },
    { pool: shortQueries, size: SHORT_QUERIES },
    QUERY_WAIT,
  );
  const numbers = new Numbers(control);
  const fields = new FieldIndexes();
  const sums = new MaintainedSums();
  const shared: TransactionOptions = {
    numbers,
    get indexes() {
      return { hasTexts: texts.isReady, hasField: fields.hasField, sums: sums.ready };
    },
  };
  const places = new PagePlaces<RowPlace>();
  const running = new Set<Promise<unknown>>();
  const mergeCounts = mergeAfter(CHANGES_PER_MERGE, COUNTS_MERGE);
  const mergeTexts = mergeAfter(CASES_PER_MERGE, TEXTS_MERGE);
  let isClosed = false;

  async function runOnce<T>(transaction: PostgresTransaction, work: Work<T>): Promise<Run<T>> {
    try {
      const value = await work(transaction);
      await transaction.commit();
      return { value };
    } catch (error) {
      transaction.rollback();
      const { failure, isOutcomeUnknown, isRepeatable } = transaction;
      if (isOutcomeUnknown) return { error: failure, canRepeat: isRepeatable, isOutcomeUnknown };
      // The error of the work may be a consequence of the error of the database.
      const isLost = failure?.kind === "conflict" || failure?.kind === "unavailable";
      return { error: isLost ? failure : error, canRepeat: isLost };
    }
  }

  async function change<T>(work: Work<T>): Promise<Run<T>> {
    return await changes.use(async (connection) => {
      const transaction = new PostgresTransaction(connection, shared);
      const result = await runOnce(transaction, work);
      if (transaction.hasChanged) {
        mergeCounts(Math.max(1, transaction.changedCases));
        mergeTexts(transaction.changedCases);
      }
      return result;
    });
  }

  /**
   * Returns a function that counts changes. It merges them when the store is first used, and after each `limit` changes. One
   * merge runs at a time, because a second one would wait for it, and occupy a connection.
   */
  function mergeAfter(limit: number, statements: readonly string[]): (changes: number) => void {
    let unmerged = limit;
    let isRunning = false;
    const mergeIfDue = () => {
      if (isRunning || isClosed || unmerged < limit) return;
      unmerged = 0;
      isRunning = true;
      const merged = merge(statements).finally(() => {
        isRunning = false;
        running.delete(merged);
        mergeIfDue();
      });
      running.add(merged);
    };
    return (changes) => {
      unmerged += changes;
      mergeIfDue();
    };
  }

  async function merge(statements: readonly string[]): Promise<void> {
    try {
      await changes.use((connection) => Promise.all(statements.map((sql) => connection.run(sql))));
    } catch (error) {
      if (!(error instanceof PostgresError)) throw error;
      // Unmerged counts have the same sums, and queries read stale texts, too.
      if (PASSING.includes(error.kind)) return;
      const reason = error.message.replace(/\.$/, "");
      options.note?.(
        `Changes of counts, sums and texts cannot be merged: ${reason}. ` +
          "Until this is fixed, counts and text searches become slower with each change.",
      );
    }
  }

  async function read<T>(work: Work<T>, operator: string): Promise<Run<T>> {
    const connection = await ReadConnection.take(reads);
    const transaction = new PostgresTransaction(connection, shared, {
      pages: { places, operator },
      query: (query) => queries.run(query, operator),
      release: () => connection.release(),
    });
    return await runOnce(transaction, work).finally(() => connection.release());
  }

  async function repeat<T>(run: () => Promise<Run<T>>): Promise<T> {
    for (let attempt = 1;; attempt++) {
      const result = await run();
      if ("value" in result) return result.value;
      if (!result.canRepeat || attempt >= RUNS) throw result.isOutcomeUnknown ? createUnknown(result) : result.error;
      await delay(Math.random() * DELAY * 2 ** (attempt - 1));
    }
  }

  async function whileOpen<T>(start: () => Promise<T>): Promise<T> {
    if (isClosed) throw new TypeError("The store is closed.");
    const result = start();
    running.add(result);
    try {
      return await result;
    } catch (error) {
      throw toStoreError(error);
    } finally {
      running.delete(result);
    }
  }

  return {
    server: {
      files: openDatabaseBytes(files),
      readTime: () =>
        whileOpen(async () => {
          const sql = "SELECT extract(epoch FROM clock_timestamp())::float8 AS seconds";
          const { rows } = await control.use((connection) => connection.run(sql));
          return new Date(Number(rows[0]?.seconds) * 1000);
        }),
    },
    transact: (work) => whileOpen(() => repeat(() => change(work))),
    read: (work, operator = "") =>
      whileOpen(() =>
        repeat(() => read(work, operator)).catch((error) => {
          throw explainSlowQuery(error);
        })
      ),
    indexFields: (members, wanted = []) =>
      whileOpen(() =>
        control.use(async (connection) => {
          await fields.create(connection, members, builds);
          await sums.maintain(connection, wanted, builds);
        })
      ),
    readLoad: () => ({ queries: queries.readLoad(), pools: mapValues(pools, (pool) => pool.readLoad()) }),
    async close() {
      if (isClosed) return;
      isClosed = true;
      queries.close();
      await Promise.allSettled(running);
      await Promise.all([texts, fields, sums].map((indexes) => indexes[Symbol.asyncDispose]()));
      await numbers.close().catch(ignoreDatabaseError); // Unused numbers are only gaps.
      await Promise.all(Object.values(pools).map((pool) => pool.close()));
    },
  };
}

type Work<T> = (transaction: Transaction) => Promise<T>;

/** The result of one run of a unit. */
type Run<T> = { readonly value: T } | Failure;

interface Failure {
  readonly error: unknown;
  /** True if the unit can run again. */
  readonly canRepeat: boolean;
  readonly isOutcomeUnknown?: boolean;
}

function createUnknown({ error }: Failure): OutcomeUnknown {
  return new OutcomeUnknown("The connection to the database was lost while it stored the changes.", { cause: error });
}

function ignoreDatabaseError(error: unknown): void {
  if (!(error instanceof PostgresError)) throw error;
}
