/** Counters per doubling of the duration. A quantile is off by less than 1 %. */
const COUNTERS_PER_DOUBLING = 64;

/** Counts durations in milliseconds in bounded memory, and computes their quantiles. */
export class Durations {
  /** Number of durations. */
  count = 0;
  /** Longest duration. */
  longest = 0;
  /** Counts by the shortest duration of each counter. */
  readonly #counts = new Map<number, number>();

  /** Adds a duration. */
  add(milliseconds: number): void {
    const value = Math.max(0, Math.round(milliseconds));
    const width = widthAt(value);
    const from = Math.floor(value / width) * width;
    this.#counts.set(from, (this.#counts.get(from) ?? 0) + 1);
    this.longest = Math.max(this.longest, value);
    this.count++;
  }

  /** Returns the duration that a share from 0 to 1 of them does not exceed: exact below 128 ms, and 0 without durations. */
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

/** Returns how many adjacent durations share a counter. */
function widthAt(value: number): number {
  return value < 2 * COUNTERS_PER_DOUBLING ? 1 : 2 ** Math.floor(Math.log2(value)) / COUNTERS_PER_DOUBLING;
}
