import { isInputDamage } from "../journal/damage.ts";
import type { InputRecord } from "../journal/journal.ts";

/**
 * The records of the inputs of a run, read in pages and in the order of their numbers. A record lacks the signals that have
 * arrived since it was read.
 */
export class RecordedInputs {
  readonly #records: AsyncIterator<InputRecord>;
  #next?: InputRecord;
  #hasEnded = false;

  /** Reads records by number. */
  constructor(records: AsyncIterable<InputRecord>) {
    this.#records = records[Symbol.asyncIterator]();
  }

  /** Finds the record of an input. Each number must be higher than the last one. */
  async find(number: number): Promise<InputRecord | undefined> {
    while (!this.#hasEnded && (this.#next?.number ?? 0) < number) await this.#readNext();
    return this.#next?.number === number ? this.#next : undefined;
  }

  async #readNext(): Promise<void> {
    try {
      const { done = false, value } = await this.#records.next();
      this.#next = done ? undefined : value;
      this.#hasEnded = done;
    } catch (thrown) {
      if (!isInputDamage(thrown)) throw thrown;
      this.#next = undefined;
      this.#hasEnded = true; // The damaged input reports the error when it runs.
    }
  }
}
