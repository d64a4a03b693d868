/** Numbers that look random and repeat with the same seed. */
export class Random {
  #state: number;

  /** Starts a sequence. */
  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** Returns a number from 0 up to 1, without 1. The algorithm is Mulberry32. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number between two bounds, both included. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.fraction() * (to - from + 1));
  }

  /** Returns true with a probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** Picks an item. Throws `RangeError` for an empty list. */
  pick<T>(items: readonly T[]): T {
    const item = items[this.integer(0, items.length - 1)];
    if (item === undefined) throw new RangeError("There is nothing to pick from.");
    return item;
  }

  /** Picks an item. The first one is some times as likely as each other one. */
  pickUsual<T>(items: readonly T[], times: number): T {
    const [first] = items;
    return this.pick(first === undefined ? [] : [...Array.from({ length: times - 1 }, () => first), ...items]);
  }

  /** Returns the items in a random order. */
  shuffle<T>(items: readonly T[]): T[] {
    return items.map((item) => ({ item, at: this.fraction() })).sort((a, b) => a.at - b.at).map(({ item }) => item);
  }
}
