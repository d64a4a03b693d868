/** Connections to a PostgreSQL database. */
import { type ClientConfig, loadClientLibrary, type PoolClient } from "./client_library.ts";
import { formatLocation, type PostgresLocation, usesTls } from "./location.ts";
import { PostgresError, toPostgresError } from "./postgres_error.ts";
import type { SqlParameter, SqlRow, SqlValue } from "./sql_value.ts";

/** The result of a statement. */
export interface SqlResult {
  readonly rows: readonly SqlRow[];
  /** Number of rows that the statement has read or changed. */
  readonly count: number;
}

/** One connection, which only one piece of work uses at a time. */
export interface Connection {
  /** True if the connection was lost, so that no further statement reaches the server. */
  readonly isLost: boolean;
  /**
   * Runs a statement. Statements are sent at once and run in their order, so that several can wait for one round trip.
   * A named statement is parsed and planned once; its name always means the same text. Throws `PostgresError`.
   */
  run(sql: string, parameters?: readonly SqlParameter[], name?: string): Promise<SqlResult>;
}

/** The connections of a pool at one time. */
export interface PoolLoad {
  /** Number of connections in use. */
  readonly used: number;
  /** Number of open connections that are not in use. */
  readonly idle: number;
  /** Number of callers that wait for a connection. */
  readonly waiting: number;
  /** Number of connections that failed or were lost since the pool was opened. */
  readonly errors: number;
}

/** Connections that are reused. */
export interface Pool {
  /**
   * Runs work with a connection of its own. Waits if all are in use. Statements that still run when the work ends are
   * completed before the connection is used again. A connection with an open transaction is closed.
   */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Counts the connections. */
  readLoad(): PoolLoad;
  /** Waits for the work that has started, and closes all connections. */
  close(): Promise<void>;
}

/** Options of a pool. */
export interface PoolOptions {
  /** Name of the program, which the server shows in its list of connections. */
  readonly applicationName: string;
  /** Returns the password for a new connection. Default: no password. */
  readonly getPassword?: () => Promise<string | undefined>;
  /** Maximum number of connections. Default: 16. */
  readonly maxConnections?: number;
  /** Seconds to wait for a connection. Default: 10. */
  readonly connectSeconds?: number;
  /** Seconds that a statement may take. `Infinity` sets no limit. Default: 30. */
  readonly statementSeconds?: number;
  /** Seconds that a statement waits for a lock. Default: 5. */
  readonly lockSeconds?: number;
  /** Seconds that a transaction may wait for its next statement. Default: 10. */
  readonly idleSeconds?: number;
}

/** Seconds after which an unused connection is closed. */
const UNUSED_SECONDS = 60;

/** Seconds after which a connection counts as lost, although the server should have stopped the statement. */
const ANSWER_SECONDS = 5;

/** Opens a pool. It connects when it is first used. */
export async function openPool(location: PostgresLocation, options: PoolOptions): Promise<Pool> {
  const { Pool } = await loadClientLibrary();
  const { connectSeconds = 10, statementSeconds = 30 } = options;
  const pool = new Pool({
    ...await toClientConfig(location, options),
    max: options.maxConnections ?? 16,
    connectionTimeoutMillis: connectSeconds * 1000,
    idleTimeoutMillis: UNUSED_SECONDS * 1000,
    ...(Number.isFinite(statementSeconds) && {
      statement_timeout: statementSeconds * 1000,
      query_timeout: (statementSeconds + ANSWER_SECONDS) * 1000,
    }),
    lock_timeout: (options.lockSeconds ?? 5) * 1000,
    idle_in_transaction_session_timeout: (options.idleSeconds ?? 10) * 1000,
  });
  let errors = 0;
  // Without a listener, the error of a lost connection would end the process. The next statement reports it.
  pool.on("error", () => void errors++);
  // The same applies to a connection that is lost before `use` listens to it.
  pool.on("connect", (client) => client.on("error", () => {}));
  return {
    async use(work) {
      const client = await pool.connect().catch((error) => {
        errors++;
        throw explainConnectFailure(location, error);
      });
      const connection = new PooledConnection(client);
      const noteLoss = () => {
        errors++;
        connection.noteLoss();
      };
      client.on("error", noteLoss);
      try {
        return await work(connection);
      } finally {
        connection.idle().then(() => {
          client.off("error", noteLoss);
          client.release(!connection.isReusable);
        });
      }
    },
    readLoad: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      errors,
    }),
    close: () => pool.end(),
  };
}

class PooledConnection implements Connection {
  readonly #client: PoolClient;
  readonly #running = new Set<Promise<unknown>>();
  #isLost = false;
  #isCollecting = false;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  noteLoss(): void {
    this.#isLost = true;
  }

  get isReusable(): boolean {
    return !this.#isLost && this.#client.getTransactionStatus() === "I";
  }

  /** Waits for the statements that run. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  async run(sql: string, parameters: readonly SqlParameter[] = [], name?: string): Promise<SqlResult> {
    this.#collect();
    const result = this.#client.query({ text: sql, values: parameters, name });
    this.#running.add(result);
    try {
      const { rows, rowCount } = await result;
      return { rows, count: rowCount ?? 0 };
    } catch (cause) {
      const error = toPostgresError(cause);
      if (error.kind === "unavailable") this.#isLost = true;
      throw error;
    } finally {
      this.#running.delete(result);
    }
  }

  /** Sends statements that start together in one packet, so that the server need not wait between them. */
  #collect(): void {
    if (this.#isCollecting) return;
    this.#isCollecting = true;
    const { stream } = this.#client.connection;
    stream.cork();
    queueMicrotask(() => {
      this.#isCollecting = false;
      stream.uncork();
    });
  }
}

async function toClientConfig(location: PostgresLocation, options: PoolOptions): Promise<ClientConfig> {
  const { host, port, user, database, schema, authorities } = location;
  const { getPassword } = options;
  return {
    host,
    port,
    user,
    database,
    // Not undefined: the library would read PGPASSWORD and ~/.pgpass.
    password: async () => await getPassword?.() ?? "",
    ssl: usesTls(location) && {
      rejectUnauthorized: true,
      ...(authorities === undefined ? {} : { ca: await readAuthorities(authorities) }),
    },
    application_name: options.applicationName,
    options: `-c search_path=${schema} -c client_min_messages=warning -c jit=off`,
    keepAlive: true,
    pipeline: true,
    types: { getTypeParser: findParser },
  };
}

async function readAuthorities(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (cause) {
    throw new PostgresError("refused", `The sslrootcert file ${path} cannot be read.`, { cause });
  }
}

const BOOL = 16;
const BYTEA = 17;
const NUMBERS = [20, 21, 23, 700, 701]; // int8, int2, int4, float4, float8

function findParser(type: number): (text: string) => SqlValue {
  if (NUMBERS.includes(type)) return Number;
  if (type === BOOL) return (text) => text === "t";
  return type === BYTEA ? (text) => Uint8Array.fromHex(text.slice(2)) : String;
}

function explainConnectFailure(location: PostgresLocation, cause: unknown): PostgresError {
  const { kind, message, code } = toPostgresError(cause, true);
  const what = kind === "unavailable" ? "cannot be reached" : "refuses the connection";
  return new PostgresError(kind, `${formatLocation(location)} ${what}: ${message}.`, { cause, code });
}
