import type { DatabaseSync } from "node:sqlite";
import { delay } from "../async/abort.ts";
import { nextTurn } from "../async/next_turn.ts";
import { isDatabaseBusy } from "./database_errors.ts";

/** Controls the transaction of a database connection. All methods except `begin` are synchronous. */
export interface TransactionControl {
  /** Reports whether a transaction is open. SQLite itself rolls back when the disk is full. */
  isOpen(): boolean;
  /** Begins a transaction. May wait until another process has finished writing. */
  begin(): Promise<void>;
  commit(): void;
  /** Rolls back. Does nothing to a transaction that SQLite has rolled back by itself, e.g. because the disk is full. */
  rollback(): void;
  /** Creates a savepoint. */
  save(): void;
  /** Releases the savepoint and keeps its changes. */
  release(): void;
  /** Rolls back to the savepoint, which stays open. */
  rollbackToSavepoint(): void;
}

/** Milliseconds between two attempts to begin a transaction. */
const RETRY_INTERVAL = 10;

/**
 * Returns the control of a connection's transaction. While another process writes, `begin` tries again for `patience`
 * milliseconds. After that, calls fail at once until one succeeds, so that queued units do not each wait that long.
 */
export function controlTransaction(db: DatabaseSync, patience = 0): TransactionControl {
  const command = (sql: string) => {
    const statement = db.prepare(sql);
    return () => void statement.run();
  };
  const beginNow = command("BEGIN IMMEDIATE");
  const rollbackNow = command("ROLLBACK");
  let busySince: number | undefined;
  const begin = async () => {
    while (true) {
      try {
        beginNow();
        busySince = undefined;
        return;
      } catch (error) {
        busySince ??= performance.now();
        if (!isDatabaseBusy(error) || performance.now() - busySince >= patience) throw error;
      }
      await delay(RETRY_INTERVAL);
    }
  };
  return {
    isOpen: () => db.isTransaction,
    begin,
    commit: command("COMMIT"),
    rollback: () => {
      if (db.isTransaction) rollbackNow();
    },
    save: command("SAVEPOINT unit"),
    release: command("RELEASE unit"),
    rollbackToSavepoint: command("ROLLBACK TO unit"),
  };
}

/** The transaction as one unit of work uses it. */
export interface UnitOfWork {
  /** Opens the transaction. Call it before each change. */
  willWrite(): Promise<void>;
  /** Runs a part of the unit. If the part fails, only its changes are rolled back. */
  attempt<T>(part: () => Promise<T>): Promise<T>;
}

interface Failure {
  readonly reason: unknown;
}

interface Unit {
  run(unit: UnitOfWork): Promise<Failure | undefined>;
  settle(failure?: Failure): void;
}

/**
 * Runs units of work in shared transactions. A commit waits for the disk, which costs the same for one unit as for
 * thirty: units that wait at the same time run one after another in one transaction and settle after its commit.
 */
export class GroupCommit {
  readonly #transaction: TransactionControl;
  #waiting: Unit[] = [];
  #loop: Promise<void> | undefined;
  #hasBegun = false;

  /** Runs units in the transactions of a connection that nothing else uses. */
  constructor(transaction: TransactionControl) {
    this.#transaction = transaction;
  }

  /**
   * Runs a unit and resolves after its commit. Its work may wait for promises, but for no I/O. A unit that is not urgent
   * starts at the end of the event loop's turn, so that others can share its commit.
   */
  run<T>(work: (unit: UnitOfWork) => Promise<T> | T, urgent = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let outcome: { value: T } | Failure | undefined;
      this.#waiting.push({
        run: async (unit) => {
          try {
            outcome = { value: await work(unit) };
            return undefined;
          } catch (reason) {
            return outcome = { reason };
          }
        },
        settle: (failure) => {
          if (outcome && "reason" in outcome) reject(outcome.reason);
          else if (failure) reject(failure.reason);
          else if (outcome) resolve(outcome.value);
        },
      });
      this.#loop ??= this.#drain(urgent);
    });
  }

  /** Waits until all units have settled. */
  async idle(): Promise<void> {
    while (this.#loop) await this.#loop;
  }

  async #drain(urgent: boolean): Promise<void> {
    if (!urgent) await nextTurn();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      await this.#runBatch(batch);
      if (this.#waiting.length > 0) await nextTurn();
    }
    this.#loop = undefined;
  }

  async #runBatch(batch: readonly Unit[]): Promise<void> {
    let failure: Failure | undefined;
    try {
      for (const unit of batch) await this.#runUnit(unit, batch.length > 1);
      if (this.#hasBegun) this.#transaction.commit();
      this.#hasBegun = false;
    } catch (reason) {
      failure = { reason };
      this.#rollback();
    }
    for (const unit of batch) unit.settle(failure);
  }

  async #runUnit(unit: Unit, isShared: boolean): Promise<void> {
    let hasWritten = false;
    let opening: Promise<void> | undefined;
    const open = async () => {
      if (!this.#hasBegun) await this.#transaction.begin();
      this.#hasBegun = true;
      if (isShared) this.#transaction.save();
      hasWritten = true;
    };
    const willWrite = () => opening ??= open();
    const attempt = async <T>(part: () => Promise<T>) => {
      await willWrite();
      return await this.#attempt(part);
    };
    const failure = await unit.run({ willWrite, attempt });
    await Promise.allSettled([opening]); // The unit may have ended without waiting for it.
    if (!hasWritten) return;
    // SQLite has rolled back the changes of all units.
    if (failure && !this.#transaction.isOpen()) throw failure.reason;
    if (!isShared && failure) this.#rollback();
    if (isShared && failure) this.#transaction.rollbackToSavepoint();
    if (isShared && !failure) this.#transaction.release();
  }

  async #attempt<T>(part: () => Promise<T>): Promise<T> {
    this.#transaction.save();
    try {
      return await part();
    } catch (error) {
      if (this.#transaction.isOpen()) this.#transaction.rollbackToSavepoint();
      throw error;
    } finally {
      if (this.#transaction.isOpen()) this.#transaction.release();
    }
  }

  #rollback(): void {
    this.#hasBegun = false;
    this.#transaction.rollback();
  }
}
