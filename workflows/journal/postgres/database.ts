/** Statements on the database of a journal. */
import { SvcError } from "../../../lib/errors.ts";
import { delay } from "../../../utils/async/abort.ts";
import type { Connection, Pool, SqlResult } from "../../../utils/postgres/pool.ts";
import { PostgresError } from "../../../utils/postgres/postgres_error.ts";
import type { SqlParameter, SqlRow } from "../../../utils/postgres/sql_value.ts";
import { LeftOpen } from "../../sandbox/host/interruption.ts";

/** Errors after which the same work can succeed later. */
const TEMPORARY: readonly string[] = ["unavailable", "conflict", "busy", "slow", "full"];

/** Delay before work is repeated, in milliseconds. It doubles with each attempt. */
const FIRST_DELAY = 20;
const MAX_DELAY = 1000;

/** The database of a journal. Repeats what failed because of the connection or of another transaction. */
export class JournalDatabase {
  readonly #pool: Pool;
  readonly #location: string;
  readonly #patience: number;
  readonly #closing = new AbortController();

  /** `patience` is the time in milliseconds for which work is repeated, and `location` the name for messages. */
  constructor(pool: Pool, location: string, patience: number) {
    this.#pool = pool;
    this.#location = location;
    this.#patience = patience;
  }

  /** Runs a statement which can be repeated, and returns its rows. */
  async query(sql: string, parameters: readonly SqlParameter[] = [], name?: string): Promise<readonly SqlRow[]> {
    return (await this.use((connection) => connection.run(sql, parameters, name))).rows;
  }

  /** Runs statements in one transaction, sent together, and returns their results. The transaction can be repeated. */
  async transact(statements: readonly (readonly [sql: string, parameters: readonly SqlParameter[]])[]): Promise<
    readonly SqlResult[]
  > {
    return await this.use(async (connection) => {
      const sent = [
        connection.run("BEGIN"),
        ...statements.map(([sql, parameters]) => connection.run(sql, parameters)),
        connection.run("COMMIT"),
      ];
      const results = await Promise.allSettled(sent);
      const failed = results.find((result) => result.status === "rejected");
      if (failed !== undefined) throw failed.reason;
      return results.slice(1, -1).flatMap((result) => result.status === "fulfilled" ? [result.value] : []);
    });
  }

  /** Does work with a connection. The work can be repeated. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#patience;
    for (let wait = FIRST_DELAY;; wait = Math.min(2 * wait, MAX_DELAY)) {
      try {
        return await this.#pool.use(work);
      } catch (error) {
        const isTemporary = error instanceof PostgresError && TEMPORARY.includes(error.kind);
        if (!isTemporary || performance.now() > deadline || this.#closing.signal.aborted) throw this.describe(error);
      }
      await delay(wait * (0.5 + Math.random()), this.#closing.signal).catch(() => {}); // Then the last attempt.
    }
  }

  /** Describes an error. Inputs are left open by it, because it does not come from them. */
  describe(error: unknown): unknown {
    if (!(error instanceof PostgresError)) return error;
    return new SvcError("INVALID_CONFIG", `The journal ${this.#location} cannot be used: ${error.message}`, {
      cause: new LeftOpen(error.message, { cause: error }),
      hint: error.kind === "refused" ? "Check the location, the user and the password." : "Check the database server.",
    });
  }

  /** Repeats nothing from now on, so that work ends even if the database is unavailable. */
  stopRepeating(): void {
    this.#closing.abort();
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    this.stopRepeating();
    await this.#pool.close();
  }
}
