/** The schedules in the SQLite file of a journal. */
import type { DatabaseSync } from "node:sqlite";
import { FileLock } from "../../utils/fs/file_lock.ts";
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import { inTransaction } from "../../utils/sqlite/in_transaction.ts";
import { JournalDamage } from "../journal/damage.ts";
import { type JournalOptions, openJournalFile, unusable } from "../journal/sqlite/database.ts";
import { describeDamage } from "../journal/sqlite/describe_damage.ts";
import { insertInto, isIntact, type Row, seal, update } from "../journal/sqlite/seal.ts";
import { parseSchedule, type ScheduleRecord } from "./schedule.ts";
import type { ScheduleStore } from "./schedule_store.ts";

const BY_NAME = "SELECT * FROM schedules WHERE name = ?";

/** Options of `openScheduleStore`. */
export interface ScheduleStoreOptions extends JournalOptions {
  /** Returns the time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/** Opens the schedules of the journal in a file. */
export async function openScheduleStore(
  path: string,
  { now = Date.now, ...options }: ScheduleStoreOptions = {},
): Promise<SqliteScheduleStore> {
  const { db, file } = await openJournalFile(path, options);
  db.prepare("PRAGMA synchronous = FULL").run();
  return new SqliteScheduleStore(file, db, now);
}

/** The schedules in a file. */
export class SqliteScheduleStore implements ScheduleStore {
  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #now: () => number;

  /** Use `openScheduleStore`. */
  constructor(path: string, db: DatabaseSync, now: () => number) {
    this.#path = path;
    this.#db = db;
    this.#now = now;
  }

  now(): Promise<number> {
    return Promise.resolve(this.#now());
  }

  list(): Promise<readonly ScheduleRecord[]> {
    return this.#guard("read", () => this.#db.prepare("SELECT * FROM schedules ORDER BY name").all().map(toSchedule));
  }

  find(name: string): Promise<ScheduleRecord | undefined> {
    return this.#guard("read", () => {
      const row = this.#db.prepare(BY_NAME).get(name);
      return row && toSchedule(row);
    });
  }

  add(schedule: ScheduleRecord): Promise<boolean> {
    return this.#write(() => {
      if (this.#db.prepare(BY_NAME).get(schedule.name) !== undefined) return false;
      const seq = Number(this.#db.prepare("SELECT max(seq) AS last FROM schedules").get()?.last ?? 0) + 1;
      this.#db.prepare(insertInto("schedules")).run(seal("schedules", toRow(seq, schedule)));
      return true;
    });
  }

  change(name: string, change: (schedule: ScheduleRecord) => ScheduleRecord): Promise<ScheduleRecord | undefined> {
    return this.#write(() => {
      const row = this.#db.prepare(BY_NAME).get(name);
      if (row === undefined) return undefined;
      const changed = change(toSchedule(row));
      this.#db.prepare(update("schedules")).run(seal("schedules", toRow(Number(row.seq), changed)));
      return changed;
    });
  }

  remove(name: string): Promise<boolean> {
    return this.#write(() => this.#db.prepare("DELETE FROM schedules WHERE name = ?").run(name).changes > 0);
  }

  async hasWorker(): Promise<boolean> {
    const isHeld = await FileLock.isHeld(this.#lockPath).catch(ignoreMissing).catch((cause) => {
      throw unusable(this.#path, "read", cause);
    });
    return isHeld ?? false;
  }

  /**
   * Claims the right to run the schedules until the claim is disposed or the process ends. Resolves to undefined if another
   * process has claimed it.
   */
  async claimWorker(): Promise<AsyncDisposable | undefined> {
    const lock = await FileLock.tryAcquire(this.#lockPath, { isTemporary: true }).catch((cause) => {
      throw unusable(this.#path, "locked", cause);
    });
    return lock && { [Symbol.asyncDispose]: () => Promise.resolve(lock[Symbol.dispose]()) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#db.close();
    return Promise.resolve();
  }

  /** Path of the lock of the worker. The lock of a run has another name: its ID follows a dot. */
  get #lockPath(): string {
    return `${this.#path}-worker.lock`;
  }

  /** Runs work on the database. Converts errors. */
  #guard<T>(verb: "read" | "written", work: () => T): Promise<T> {
    try {
      return Promise.resolve(work());
    } catch (cause) {
      return Promise.reject(unusable(this.#path, verb, cause));
    }
  }

  #write<T>(write: () => T): Promise<T> {
    return this.#guard("written", () => inTransaction(this.#db, write));
  }
}

function toSchedule(row: Row): ScheduleRecord {
  if (!isIntact("schedules", row)) throw new JournalDamage({}, describeDamage("schedules", row));
  return parseSchedule(String(row.record));
}

function toRow(seq: number, schedule: ScheduleRecord) {
  return { seq, name: schedule.name, record: JSON.stringify(schedule) };
}
