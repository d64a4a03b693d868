/** Keeps the write-ahead log of a database short. */
import type { DatabaseSync } from "node:sqlite";
import { ignoreMissing } from "../../../utils/fs/ignore_missing.ts";
import type { QueryLanes } from "./query_lanes.ts";

/** Sizes of the write-ahead log in bytes. */
export interface LogLimits {
  /** Size at which the log is copied into the database. */
  readonly copiedLog: number;
  /** Size at which new queries wait until the log is empty. */
  readonly maxLog: number;
}

/** Milliseconds between two checks of the log while there are commits. */
const INTERVAL = 250;

/** Number of checks without a commit after which the service is idle. */
const IDLE_CHECKS = 4;

/**
 * Copies the write-ahead log into the database at certain sizes and when the service is idle. While a query reads, SQLite
 * itself would try this at each commit. The log can be emptied only while nothing reads, so new queries wait if it is long.
 */
export class LogKeeper {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #lanes: QueryLanes;
  readonly #limits: LogLimits;
  /** The limits that apply now. They grow while another process, e.g. a backup, reads. */
  #next: LogLimits;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #idleChecks = 0;
  #isClosed = false;

  /** Keeps the log of a database. */
  constructor(db: DatabaseSync, path: string, lanes: QueryLanes, limits: LogLimits) {
    this.#db = db;
    this.#path = path;
    this.#lanes = lanes;
    this.#limits = this.#next = limits;
    db.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${limits.copiedLog}`);
  }

  /** Notes that the log may have grown. */
  noteCommit(): void {
    this.#idleChecks = 0;
    this.#checkLater();
  }

  /** Frees space in the log for the next changes after a change had no space. */
  freeSpace(): void {
    this.#checkpoint("PASSIVE");
  }

  /** Stops checking the log. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #checkLater(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#check(), INTERVAL);
    Deno.unrefTimer(this.#timer);
  }

  async #check(): Promise<void> {
    const isIdle = ++this.#idleChecks >= IDLE_CHECKS;
    const size = this.#readSize();
    const isLong = size > this.#next.maxLog;
    if (isLong) await this.#lanes.pause();
    const isEmpty = (isIdle || isLong) && this.#checkpoint("TRUNCATE");
    if (isLong) this.#lanes.resume();
    const isCopied = isEmpty || (size > this.#next.copiedLog && this.#checkpoint("PASSIVE"));
    if (isCopied) this.#next = this.#limits;
    else if (size > this.#next.copiedLog) {
      const { copiedLog, maxLog } = this.#limits;
      this.#next = { copiedLog: size + copiedLog, maxLog: isLong ? size + maxLog : this.#next.maxLog };
    }
    this.#timer = undefined;
    if (!isEmpty || this.#idleChecks < IDLE_CHECKS) this.#checkLater();
  }

  #readSize(): number {
    try {
      return Deno.statSync(`${this.#path}-wal`).size;
    } catch (error) {
      ignoreMissing(error);
      return 0;
    }
  }

  /** Copies the log and, with `TRUNCATE`, empties it. Returns false if readers or writers prevented that. */
  #checkpoint(mode: "PASSIVE" | "TRUNCATE"): boolean {
    if (this.#isClosed || this.#db.isTransaction) return false;
    try {
      const result = this.#db.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
      return result?.busy === 0 && result.log === result.checkpointed;
    } catch (error) {
      if (error instanceof Error && "errcode" in error) return false; // The log keeps the changes, e.g. on a full disk.
      throw error;
    }
  }
}
