/** The schedules of a journal in PostgreSQL, which any number of workers run. */
import { toSvcError } from "../../lib/errors.ts";
import type { Connection } from "../../utils/postgres/pool.ts";
import { PostgresError } from "../../utils/postgres/postgres_error.ts";
import type { SqlRow } from "../../utils/postgres/sql_value.ts";
import type { PostgresJournal } from "../journal/postgres/postgres_journal.ts";
import { WorkQueue } from "../workers/work_queue.ts";
import { parseSchedule, type ScheduleRecord } from "./schedule.ts";
import type { PackedScript, ScheduleStore } from "./schedule_store.ts";

/** Milliseconds until a schedule is checked again after an error. */
const ERROR_MILLISECONDS = 10_000;

/** The time of the database, or the one that replaces it, in milliseconds since 1970. */
const NOW = "SELECT coalesce($1::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS now";

const ADD = `
  INSERT INTO schedules (name, record, workflow, digest, script) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING
  RETURNING name`;

const LOCK = "SELECT * FROM schedules WHERE name = $1 FOR UPDATE";

/** Changes a schedule. A worker checks it at once, because its due times may have changed. */
const CHANGE = `
  UPDATE schedules SET record = $2, "nextAt" = 0,
    workflow = coalesce($3, workflow), digest = coalesce($4, digest), script = coalesce($5, script)
  WHERE name = $1`;

/** Locks the next schedule to check, except for those that other workers check now. */
const LOCK_NEXT = `
  SELECT schedules.*, clock.now FROM schedules, (${NOW}) AS clock WHERE "nextAt" <= clock.now
  ORDER BY "nextAt" LIMIT 1 FOR UPDATE OF schedules SKIP LOCKED`;

const UPDATE_CHECKED = `UPDATE schedules SET record = coalesce($2, record), "nextAt" = $3 WHERE name = $1`;

/** A schedule that no other process changes until the work on it has ended. */
export interface LockedSchedule {
  /** The schedule. */
  readonly schedule: ScheduleRecord;
  /** Its script. */
  readonly script: PackedScript;
  /** The time of the database, in milliseconds since 1970. */
  readonly now: number;
  /** Connection with a transaction. All that is written through it is committed together with the schedule. */
  readonly connection: Connection;
}

/** The outcome of work on a schedule. */
export interface ScheduleWork {
  /** The schedule. */
  readonly schedule: ScheduleRecord;
  /** When a worker must check it next, in milliseconds since 1970. Undefined: after the next change. */
  readonly nextAt: number | undefined;
}

/** The schedules in the database of a journal. It does not close the journal. */
export class PostgresScheduleStore implements ScheduleStore {
  readonly #journal: PostgresJournal;
  readonly #now: () => number | null;

  /** `now` replaces the clock of the database. */
  constructor(journal: PostgresJournal, now?: () => number) {
    this.#journal = journal;
    this.#now = now ?? (() => null);
  }

  async now(): Promise<number> {
    const [row] = await this.#journal.database.query(NOW, [this.#now()]);
    return Number(row?.now);
  }

  async list(): Promise<readonly ScheduleRecord[]> {
    return (await this.#journal.database.query("SELECT record FROM schedules ORDER BY name")).map(toSchedule);
  }

  async find(name: string): Promise<ScheduleRecord | undefined> {
    const [row] = await this.#journal.database.query("SELECT record FROM schedules WHERE name = $1", [name]);
    return row && toSchedule(row);
  }

  async add(schedule: ScheduleRecord, script: PackedScript): Promise<boolean> {
    const { workflow, digest } = script;
    const values = [schedule.name, JSON.stringify(schedule), workflow, digest, script.script];
    return (await this.#journal.database.query(ADD, values)).length > 0;
  }

  async change(
    name: string,
    change: (schedule: ScheduleRecord) => ScheduleRecord,
    script?: PackedScript,
  ): Promise<ScheduleRecord | undefined> {
    return await this.#transact(async (connection) => {
      const { rows: [row] } = await connection.run(LOCK, [name]);
      if (row === undefined) return undefined;
      const changed = change(toSchedule(row));
      const { workflow = null, digest = null, script: files = null } = script ?? {};
      await connection.run(CHANGE, [name, JSON.stringify(changed), workflow, digest, files]);
      return changed;
    });
  }

  async remove(name: string): Promise<boolean> {
    const rows = await this.#journal.database.query("DELETE FROM schedules WHERE name = $1 RETURNING name", [name]);
    return rows.length > 0;
  }

  async hasWorker(): Promise<boolean> {
    return await new WorkQueue(this.#journal).hasWorkers();
  }

  /**
   * Calls `work` with the next schedule to check that no other worker checks now, in one transaction. Resolves to undefined
   * if there is no such schedule. May call `work` again if the connection is lost. After an error, the schedule is checked
   * again after ten seconds, so that the run does not count as missed.
   */
  async workOnNext<T extends ScheduleWork>(work: (locked: LockedSchedule) => Promise<T>): Promise<T | undefined> {
    let failure: unknown;
    const done = await this.#transact(async (connection) => {
      failure = undefined;
      const { rows: [row] } = await connection.run(LOCK_NEXT, [this.#now()]);
      if (row === undefined) return undefined;
      const now = Number(row.now);
      await connection.run("SAVEPOINT work");
      try {
        const result = await work({ schedule: toSchedule(row), script: toScript(row), now, connection });
        const { schedule, nextAt = Number.MAX_SAFE_INTEGER } = result;
        await connection.run(UPDATE_CHECKED, [schedule.name, JSON.stringify(schedule), nextAt]);
        return result;
      } catch (error) {
        if (error instanceof PostgresError) throw error;
        failure = error;
        await connection.run("ROLLBACK TO work"); // It may have recorded a part of a run.
        await connection.run(UPDATE_CHECKED, [String(row.name), null, now + ERROR_MILLISECONDS]);
        return undefined;
      }
    });
    if (failure === undefined) return done;
    throw toSvcError(failure);
  }

  /** Makes a worker check a schedule at once. */
  async requestCheck(name: string): Promise<void> {
    await this.#journal.database.query(`UPDATE schedules SET "nextAt" = 0 WHERE name = $1`, [name]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  async #transact<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return await this.#journal.database.use(async (connection) => {
      await connection.run("BEGIN");
      const result = await work(connection);
      await connection.run("COMMIT");
      return result;
    });
  }
}

function toSchedule({ record }: SqlRow): ScheduleRecord {
  return parseSchedule(String(record));
}

function toScript({ workflow, digest, script }: SqlRow): PackedScript {
  return { workflow: String(workflow), digest: String(digest), script: String(script) };
}
