/** Numbers of sequences, in blocks: each process takes numbers without waiting for others. */
import type { Pool } from "../../../utils/postgres/pool.ts";
import { escapeText } from "./escape_text.ts";

/** Numbers that a process takes at a time. */
const BLOCK = 32;

const TAKE = `INSERT INTO sequences AS taken (name, value) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET value = taken.value + $2 RETURNING value`;

const RETURN = "UPDATE sequences SET value = $3 WHERE name = $1 AND value = $2";

/** A number of a sequence. */
export interface TakenNumber {
  readonly sequence: string;
  readonly number: number;
}

interface Sequence {
  /** Unused numbers, the lowest last. */
  readonly free: number[];
  /** Last number that was taken from the database. */
  end: number;
  taking?: Promise<void>;
}

/** The unused numbers of a process. Those of units that fail are used again. */
export class Numbers {
  readonly #pool: Pool;
  readonly #sequences = new Map<string, Sequence>();

  /** Takes numbers with a pool that no unit of work uses: units could wait for each other. */
  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Takes the lowest unused number of a sequence. */
  async take(name: string): Promise<TakenNumber> {
    const sequence = this.#sequences.get(name) ?? { free: [], end: 0 };
    this.#sequences.set(name, sequence);
    for (;;) {
      const number = sequence.free.pop();
      if (number !== undefined) return { sequence: name, number };
      await (sequence.taking ??= this.#takeBlock(name, sequence));
    }
  }

  /** Takes back a number that was not used. */
  giveBack({ sequence, number }: TakenNumber): void {
    const free = this.#sequences.get(sequence)?.free;
    free?.push(number);
    free?.sort((a, b) => b - a);
  }

  /** Returns the unused numbers to the database, unless another process has taken later ones. */
  async close(): Promise<void> {
    for (const [name, { free, end }] of this.#sequences) {
      let last = end;
      while (free.includes(last)) last--;
      if (last === end) continue;
      await this.#pool.use((connection) => connection.run(RETURN, [escapeText(name), end, last]));
    }
  }

  async #takeBlock(name: string, sequence: Sequence): Promise<void> {
    try {
      const { rows } = await this.#pool.use((connection) => connection.run(TAKE, [escapeText(name), BLOCK], "take"));
      sequence.end = Number(rows[0]?.value);
      for (let number = sequence.end; number > sequence.end - BLOCK; number--) sequence.free.push(number);
    } finally {
      sequence.taking = undefined;
    }
  }
}
