/** Keeps the write-ahead log of a database short. */
import type { DatabaseSync } from "node:sqlite";
import { ignoreMissing } from "../../../utils/fs/ignore_missing.ts";
import { isDiskFull } from "../../../utils/sqlite/database_errors.ts";
import type { QueryLanes } from "./query_lanes.ts";

/** Milliseconds between two looks at the log, while there are commits. */
const INTERVAL = 1000;

/**
 * Copies the write-ahead log into the database when the service is idle, and empties the log. Under load, SQLite does so
 * itself, but a log can start again only while nothing reads. Above a size, queries therefore wait for those that run.
 */
export class LogKeeper {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #lanes: QueryLanes;
  readonly #step: number;
  /** Size at which queries wait. It grows while another process, e.g. a backup, reads for a long time. */
  #limit: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hasCommitted = false;
  #isClosed = false;

  /** Keeps the log of a database. Above `limit` bytes, queries wait. */
  constructor(db: DatabaseSync, path: string, lanes: QueryLanes, limit: number) {
    this.#db = db;
    this.#path = path;
    this.#lanes = lanes;
    this.#step = this.#limit = limit;
  }

  /** Notes that the log may have grown. */
  noteCommit(): void {
    this.#hasCommitted = true;
    this.#lookLater();
  }

  /** Makes the room of the log available for the next changes, after the disk was full. */
  makeRoom(): void {
    try {
      if (!this.#isClosed && !this.#db.isTransaction) this.#db.prepare("PRAGMA wal_checkpoint(PASSIVE)").run();
    } catch (error) {
      if (!isDiskFull(error)) throw error; // The database has no room for the pages in the log.
    }
  }

  /** Stops. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #lookLater(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#look(), INTERVAL);
    Deno.unrefTimer(this.#timer);
  }

  async #look(): Promise<void> {
    const isIdle = !this.#hasCommitted;
    this.#hasCommitted = false;
    const isLong = this.#isLong();
    if (isLong) await this.#lanes.pause();
    const isDone = (isIdle || isLong) && !this.#isClosed && this.#empty();
    if (isLong) this.#lanes.resume();
    if (isDone) this.#limit = this.#step;
    else if (isLong) this.#limit += this.#step;
    this.#timer = undefined;
    if (!isDone || this.#hasCommitted) this.#lookLater();
  }

  #isLong(): boolean {
    try {
      return Deno.statSync(`${this.#path}-wal`).size > this.#limit;
    } catch (error) {
      ignoreMissing(error);
      return false;
    }
  }

  /** Empties the log. Reports whether it could: nothing else may read or write. */
  #empty(): boolean {
    if (this.#db.isTransaction) return false;
    try {
      return this.#db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
    } catch (error) {
      if (error instanceof Error && "errcode" in error) return false; // The log keeps the changes, e.g. on a full disk.
      throw error;
    }
  }
}
