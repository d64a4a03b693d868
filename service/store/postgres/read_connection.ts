/** The connection of a unit of work that only reads. Other units use it while the unit waits for a query. */
import type { Connection, Pool, SqlResult } from "../../../utils/postgres/pool.ts";
import type { SqlParameter } from "../../../utils/postgres/sql_value.ts";

/** A connection that was taken from a pool. */
interface Taken {
  readonly connection: Promise<Connection>;
  release(): void;
}

/** A connection that is released while its unit does not read, and replaced when it reads again. */
export class ReadConnection implements Connection {
  readonly #pool: Pool;
  #taken: Taken | undefined;
  #isLost = false;

  private constructor(pool: Pool, taken: Taken) {
    this.#pool = pool;
    this.#taken = taken;
  }

  /** Takes a connection. */
  static async take(pool: Pool): Promise<ReadConnection> {
    const taken = take(pool);
    await taken.connection;
    return new ReadConnection(pool, taken);
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  async run(sql: string, parameters?: readonly SqlParameter[], name?: string): Promise<SqlResult> {
    this.#taken ??= take(this.#pool);
    const connection = await this.#taken.connection;
    try {
      return await connection.run(sql, parameters, name);
    } finally {
      this.#isLost ||= connection.isLost;
    }
  }

  /** Releases the connection when its statements have ended. */
  release(): void {
    this.#taken?.release();
    this.#taken = undefined;
  }
}

function take(pool: Pool): Taken {
  const { promise: connection, resolve, reject } = Promise.withResolvers<Connection>();
  const released = Promise.withResolvers<void>();
  pool.use((taken) => {
    resolve(taken);
    return released.promise;
  }).catch(reject);
  connection.catch(() => {}); // The caller that awaits it receives the error.
  return { connection, release: () => void connection.then(() => released.resolve(), () => {}) };
}
