/** Durations of which there may be any number: how many, the longest, and quantiles, from a bounded number of counters. */

/** Counters for each doubling of the duration: a quantile is wrong by less than 1 % of it. */
const PER_DOUBLING = 64;

/** Durations in milliseconds. */
export class Durations {
  /** How many there are. */
  count = 0;
  /** The longest. */
  longest = 0;
  /** Counts by the shortest duration that each of them takes. */
  readonly #counts = new Map<number, number>();

  /** Takes one. */
  add(milliseconds: number): void {
    const value = Math.max(0, Math.round(milliseconds));
    const width = widthAt(value);
    const from = Math.floor(value / width) * width;
    this.#counts.set(from, (this.#counts.get(from) ?? 0) + 1);
    this.longest = Math.max(this.longest, value);
    this.count++;
  }

  /** The duration that this share of them, from 0 to 1, does not exceed. Exact below 128 milliseconds; 0 of none. */
  quantile(share: number): number {
    const rank = Math.max(1, Math.ceil(share * this.count));
    let seen = 0;
    for (const [from, count] of [...this.#counts].toSorted(([one], [other]) => one - other)) {
      seen += count;
      if (seen >= rank) return Math.min(this.longest, from + (widthAt(from) - 1) / 2);
    }
    return 0;
  }
}

/** How many durations share the counter of this one. */
function widthAt(value: number): number {
  return value < 2 * PER_DOUBLING ? 1 : 2 ** Math.floor(Math.log2(value)) / PER_DOUBLING;
}
