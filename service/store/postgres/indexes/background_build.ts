/** Builds indexes in the background, without blocking changes. */
import { getErrorMessage } from "../../../../lib/errors.ts";
import { delay } from "../../../../utils/async/abort.ts";
import type { Connection, Pool } from "../../../../utils/postgres/pool.ts";
import { PostgresError } from "../../../../utils/postgres/postgres_error.ts";

/** Milliseconds between two attempts to get the lock of a build. */
const INTERVAL = 10_000;

/** Seconds until a failed build starts again. Each attempt reads all cases. */
const RETRY_SECONDS = 300;

/** Milliseconds until a build starts again after a deadlock: builds of two indexes in one database can wait for each other. */
const CONFLICT_INTERVAL = 1000;

/** Number of deadlocks in a row after which a build counts as failed. Each attempt may read all cases. */
const MAX_CONFLICTS = 5;

/** Options of a build. */
export interface BuildOptions {
  /** Opens a connection whose statements have no time limit. */
  readonly open: () => Promise<Pool>;
  /** Receives a line that explains a failure. */
  readonly note: (line: string) => void;
  /** Seconds until a failed build starts again. Default: 300. */
  readonly retrySeconds?: number;
  /** Milliseconds until a build starts again after a deadlock. Default: 1000. */
  readonly conflictInterval?: number;
}

/** Indexes to build. */
export interface Build {
  /** Subject of messages: `<name> cannot be built`. */
  readonly name: string;
  /** A sentence about the effect of missing indexes. */
  readonly effect: string;
  /** SQL expression for the number of the lock that lets one process at a time build them. */
  readonly lock: string;
  /** Reports whether they exist. */
  isDone(connection: Connection): Promise<boolean>;
  /** Creates those that are missing, outside a transaction. */
  run(connection: Connection): Promise<void>;
}

/** A build that runs in the background until its indexes exist. */
export class BackgroundBuild implements AsyncDisposable {
  readonly #build: Build;
  readonly #options: BuildOptions;
  readonly #closed = new AbortController();
  readonly #ended: Promise<void>;
  #backend: number | undefined;

  /** Starts a build. */
  constructor(build: Build, options: BuildOptions) {
    this.#build = build;
    this.#options = options;
    this.#ended = this.#repeat();
  }

  /** Stops the build. The next process starts it again. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    // If it fails, the connection of the build is lost, too.
    if (this.#backend !== undefined) await this.#terminate(this.#backend).catch(() => {});
    await this.#ended;
  }

  /** Ends the connection of the build. Cancelling would miss a build that is between two statements. */
  async #terminate(backend: number): Promise<void> {
    const pool = await this.#options.open();
    try {
      await pool.use((connection) => connection.run("SELECT pg_terminate_backend($1)", [backend]));
    } finally {
      await pool.close();
    }
  }

  /** Builds the indexes. After a failure, e.g. if the disk is full, tries again until it is stopped. */
  async #repeat(): Promise<void> {
    const { note, retrySeconds = RETRY_SECONDS, conflictInterval = CONFLICT_INTERVAL } = this.#options;
    const { name, effect } = this.#build;
    const { signal } = this.#closed;
    let conflicts = 0;
    while (!signal.aborted) {
      try {
        return await this.#run();
      } catch (error) {
        if (signal.aborted) return;
        const isConflict = error instanceof PostgresError && error.kind === "conflict";
        if (isConflict && ++conflicts < MAX_CONFLICTS) {
          await delay(conflictInterval, signal).catch(() => {});
          continue;
        }
        conflicts = 0;
        const reason = getErrorMessage(error).replace(/\.$/, "");
        note(`${name} cannot be built: ${reason}. The next attempt is in ${retrySeconds} s. ${effect}`);
        await delay(1000 * retrySeconds, signal).catch(() => {});
      }
    }
  }

  async #run(): Promise<void> {
    const { lock } = this.#build;
    const pool = await this.#options.open();
    try {
      await pool.use(async (connection) => {
        while (!this.#closed.signal.aborted && !await this.#build.isDone(connection)) {
          const { rows: [row] } = await connection.run(
            `SELECT pg_try_advisory_lock(${lock}) AS mine, pg_backend_pid() AS pid`,
          );
          if (row?.mine === true) {
            this.#backend = Number(row.pid);
            if (this.#closed.signal.aborted) return;
            await this.#build.run(connection);
            this.#backend = undefined;
          } else await delay(INTERVAL, this.#closed.signal).catch(() => {});
        }
      });
    } finally {
      this.#backend = undefined;
      await pool.close();
    }
  }
}
