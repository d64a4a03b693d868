/**
 * Group commit. A commit waits for the disk, and that costs the same for one unit of work as for thirty: units that wait
 * at the same time run one after another inside one transaction and are answered together after its commit.
 */

/** The transaction below, in the words that a batch needs. All of it happens at once: nothing else runs in between. */
export interface BatchTarget {
  /** Whether it is open: the database itself drops it where there is no more room. */
  isOpen(): boolean;
  /** Opens the transaction. */
  begin(): void;
  /** Makes it durable. */
  commit(): void;
  /** Drops it. */
  rollback(): void;
  /** Marks a place inside of it. */
  mark(): void;
  /** Keeps what was done since the mark. */
  releaseMark(): void;
  /** Drops what was done since the mark. */
  rollbackToMark(): void;
}

/** What one unit of work has done so far. */
export interface UnitState {
  /** To be called before each change. */
  willWrite(): void;
  /** Does a part of it: one that fails takes back its own changes alone. */
  attempt<T>(part: () => Promise<T>): Promise<T>;
}

/** Why something did not succeed. */
interface Failure {
  readonly reason: unknown;
}

interface Unit {
  /** Does the work and tells why it failed, where it did. */
  run(state: UnitState): Promise<Failure | undefined>;
  /** Tells the caller: the outcome of `run`, or why it could not be made durable. */
  settle(failure?: Failure): void;
}

/** The units that wait, and the one loop that runs them. */
export class Batches {
  readonly #target: BatchTarget;
  #waiting: Unit[] = [];
  #loop: Promise<void> | undefined;
  #begun = false;

  /** Makes batches for a database. */
  constructor(target: BatchTarget) {
    this.#target = target;
  }

  /** Runs a unit. One that is not `urgent` lets others that are on their way join its commit. */
  add<T>(work: (state: UnitState) => Promise<T>, urgent: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let outcome: { value: T } | Failure | undefined;
      this.#waiting.push({
        run: async (state) => {
          try {
            outcome = { value: await work(state) };
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

  /** Waits until nothing is left to do. */
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
      if (this.#begun) this.#target.commit();
      this.#begun = false;
    } catch (reason) {
      failure = { reason };
      this.#rollback();
    }
    for (const unit of batch) unit.settle(failure);
  }

  /** A failed unit takes back its own changes alone; its caller learns the reason when the batch is settled. */
  async #runUnit(unit: Unit, shared: boolean): Promise<void> {
    let wrote = false;
    const willWrite = () => {
      if (wrote) return;
      this.#begin();
      if (shared) this.#target.mark();
      wrote = true;
    };
    const attempt = <T>(part: () => Promise<T>) => {
      willWrite();
      return this.#attempt(part);
    };
    const failure = await unit.run({ willWrite, attempt });
    if (!wrote) return;
    if (failure && !this.#target.isOpen()) throw failure.reason; // It is why the changes of all are gone.
    if (!shared && failure) this.#rollback();
    if (shared && failure) this.#target.rollbackToMark();
    if (shared && !failure) this.#target.releaseMark();
  }

  async #attempt<T>(part: () => Promise<T>): Promise<T> {
    this.#target.mark();
    try {
      return await part();
    } catch (error) {
      if (this.#target.isOpen()) this.#target.rollbackToMark();
      throw error;
    } finally {
      if (this.#target.isOpen()) this.#target.releaseMark();
    }
  }

  #begin(): void {
    if (this.#begun) return;
    this.#target.begin();
    this.#begun = true;
  }

  #rollback(): void {
    this.#begun = false;
    if (this.#target.isOpen()) this.#target.rollback();
  }
}

/** The end of this turn of the event loop: requests that have arrived are handed over in it. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
