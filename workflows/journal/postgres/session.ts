/** The presence of a process at a journal. Other processes notice when it is gone, and take over its inputs. */
import { delay } from "../../../utils/async/abort.ts";
import type { Connection, Pool } from "../../../utils/postgres/pool.ts";
import { PostgresError } from "../../../utils/postgres/postgres_error.ts";
import type { SqlRow } from "../../../utils/postgres/sql_value.ts";

/** Milliseconds between two heartbeats. */
const HEARTBEAT = 1000;

/** Seconds without a heartbeat after which a process counts as gone, e.g. because its network was cut. */
export const LEASE_SECONDS = 12;

/** Seconds after a start of the server in which processes that were connected before may still be connecting again. */
const RECONNECT_SECONDS = 5;

/** Longest time that ending a session may take, in milliseconds. */
const END_MILLISECONDS = 3000;

/** The class of the advisory locks, as a signed and as an unsigned number. */
const LOCK_CLASS = "hashtext('svc journal ' || current_schema())";
const LOCK_CLASS_ID = `(${LOCK_CLASS}::bigint & 4294967295)`;

/** The lowest limit of calls per second among the workers of a service. A service has one address, and any number of clients. */
const LOWEST_CALL_RATE = `(
  SELECT min(others."callRate") FROM workers AS others
  WHERE others.state <> 'ended' AND split_part(others.service, ' ', 1) = split_part(workers.service, ' ', 1)
)`;

const REGISTER = `
  INSERT INTO workers (name, kind, concurrency, service, "callRate")
  VALUES ($1 || coalesce(' at ' || host(inet_client_addr()), ''), $2, $3, $4, $5)
  RETURNING id, pg_try_advisory_lock(${LOCK_CLASS}, id::integer) AS "isLocked", LEAST("callRate", ${LOWEST_CALL_RATE}) AS "callRate"`;

const SEND_HEARTBEAT = `
  UPDATE workers SET "seenAt" = now(), note = $2 WHERE id = $1 AND state <> 'ended'
  RETURNING state, ${LOWEST_CALL_RATE} AS "callRate"`;

const LOCK = `SELECT pg_try_advisory_lock(${LOCK_CLASS}, $1::integer) AS "isLocked"`;

/**
 * Ends the sessions of processes that are gone. The server releases the lock of a session at once when its process is
 * killed. If the network was cut, only the lease ends.
 */
const END_OTHERS = `
  UPDATE workers SET state = 'ended', "endedAt" = now()
  WHERE state <> 'ended' AND id <> $1 AND (
    "seenAt" < now() - interval '${LEASE_SECONDS} seconds' OR
    pg_postmaster_start_time() < GREATEST("startedAt", now() - interval '${RECONNECT_SECONDS} seconds') AND NOT EXISTS (
      SELECT 1 FROM pg_locks
      WHERE locktype = 'advisory' AND objsubid = 2 AND classid::bigint = ${LOCK_CLASS_ID}
        AND objid::bigint = workers.id
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    )
  )`;

/**
 * Releases the inputs of ended sessions. The new fence refuses later writes of their processes. It also releases those that
 * a process has claimed after its session ended, for example by a statement that the network had delayed.
 */
const RELEASE = `
  UPDATE inputs SET worker = NULL, fence = fence + 1 FROM workers
  WHERE inputs.worker IS NOT NULL AND workers.id = inputs.worker AND workers.state = 'ended'`;

const END = `
  WITH own AS (UPDATE workers SET state = 'ended', "endedAt" = now() WHERE id = $1 AND state <> 'ended' RETURNING id)
  UPDATE inputs SET worker = NULL, fence = fence + 1 FROM own WHERE inputs.worker = own.id`;

/** How other processes see a session. */
export interface SessionOptions {
  /** Name, e.g. the process ID. The address of the machine is added. */
  readonly name: string;
  /** `worker` for a process that takes inputs, `process` for any other. */
  readonly kind: "worker" | "process";
  /** Number of inputs that it works on at the same time. */
  readonly concurrency: number;
  /** Address and client of the service. */
  readonly service?: string;
  /** Calls per second that all workers of the service may make together. Default: no limit. */
  readonly callRate?: number;
}

/** A request of other processes to a worker. `paused`: take no further input; `draining`: end when the current ones have ended. */
export type WorkerState = "active" | "paused" | "draining";

/** A session. It lasts until it is disposed of, and survives interruptions of the connection. */
export class Session implements AsyncDisposable {
  /** The request of other processes. */
  state: WorkerState = "active";
  /** Calls per second that all workers of the service may make together: the lowest limit of any of them. */
  callRate: number | undefined;
  /** Called when others have taken over the inputs of this process, because they took it for dead. */
  onReplaced: () => void = () => {};
  /** A text for other processes, e.g. the reason for not taking the inputs of a run. */
  note: string | null = null;
  readonly #pool: Pool;
  readonly #options: SessionOptions;
  readonly #ending = new AbortController();
  readonly #registered = Promise.withResolvers<void>();
  readonly #done: Promise<void>;
  #id = 0;

  private constructor(pool: Pool, options: SessionOptions) {
    this.#pool = pool;
    this.#options = options;
    this.#done = this.#keep();
  }

  /** Opens a session. Its pool must have a connection that nothing else needs. */
  static async open(pool: Pool, options: SessionOptions): Promise<Session> {
    const session = new Session(pool, options);
    await session.#registered.promise;
    return session;
  }

  /** Number of the session. It changes if others took the process for dead. */
  get id(): number {
    return this.#id;
  }

  /** Ends the session and releases its inputs. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await Promise.race([this.#done, delay(END_MILLISECONDS)]);
  }

  async #keep(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      try {
        await this.#pool.use((connection) => this.#attend(connection));
      } catch (error) {
        const isOutage = error instanceof PostgresError && error.kind !== "refused" && error.kind !== "other";
        if (this.#id === 0 && !isOutage) return this.#registered.reject(error);
        await delay(HEARTBEAT / 4, this.#ending.signal).catch(() => {});
      }
    }
  }

  /** Sends heartbeats over one connection until it is lost or the session ends. */
  async #attend(connection: Connection): Promise<void> {
    let isLocked = this.#id === 0 ? await this.#register(connection) : false;
    while (!this.#ending.signal.aborted) {
      if (!isLocked) isLocked = (await connection.run(LOCK, [this.#id])).rows[0]?.isLocked === true;
      const [{ rows: [row] }] = await Promise.all([
        connection.run(SEND_HEARTBEAT, [this.#id, this.note]),
        connection.run(END_OTHERS, [this.#id]),
        connection.run(RELEASE),
      ]);
      if (row === undefined) {
        this.onReplaced();
        isLocked = await this.#register(connection);
      } else {
        this.state = row.state === "paused" || row.state === "draining" ? row.state : "active";
        this.#noteCallRate(row);
      }
      await delay(HEARTBEAT, this.#ending.signal).catch(() => {});
    }
    await connection.run(END, [this.#id]);
    await connection.run("SELECT pg_advisory_unlock_all()");
  }

  async #register(connection: Connection): Promise<boolean> {
    const { name, kind, concurrency, service = null, callRate = null } = this.#options;
    const { rows: [row] } = await connection.run(REGISTER, [name, kind, concurrency, service, callRate]);
    this.#id = Number(row?.id);
    this.#noteCallRate(row);
    this.#registered.resolve();
    return row?.isLocked === true;
  }

  #noteCallRate(row: SqlRow | undefined): void {
    const { callRate = null } = row ?? {};
    this.callRate = callRate === null ? undefined : Number(callRate);
  }
}
