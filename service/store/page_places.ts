/** The places at which pages ended, so that the next page starts there instead of skipping all rows before it. */

/** Maximum number of queries whose places are remembered. The one that was used longest ago is forgotten first. */
const MAX_QUERIES = 1000;

/** Number of places to remember for each query. */
const MAX_PLACES = 20;

/** Milliseconds for which a place is remembered. */
const LIFETIME = 5 * 60_000;

/** A row of a query: the number of rows up to it, and its place in the order. */
export interface PagePlace<Place> {
  /** Number of rows up to the place, including its row. */
  readonly offset: number;
  readonly place: Place;
}

interface Remembered<Place> extends PagePlace<Place> {
  readonly until: number;
}

/**
 * Remembers places by operator and query. A page continues from the place that the same operator has read before, so that
 * rows that are added or removed in the meantime neither repeat nor hide others. The first page starts again.
 */
export class PagePlaces<Place> {
  readonly #queries = new Map<string, Remembered<Place>[]>();
  readonly #now: () => number;

  /** Remembers places by a clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Finds the last known place at or before an offset. */
  find(query: string, offset: number): PagePlace<Place> | undefined {
    const now = this.#now();
    return this.#queries.get(query)?.findLast((known) => known.offset <= offset && known.until > now);
  }

  /** Remembers the places of a page that starts at an offset. Forgets those after it, which may no longer follow it. */
  add(query: string, offset: number, places: readonly PagePlace<Place>[]): void {
    const earlier = offset === 0 ? [] : (this.#queries.get(query) ?? []).filter((known) => known.offset <= offset);
    this.#queries.delete(query);
    const until = this.#now() + LIFETIME;
    const known = [...earlier, ...places.map((one) => ({ ...one, until }))].slice(-MAX_PLACES);
    if (known.length > 0) this.#queries.set(query, known);
    if (this.#queries.size <= MAX_QUERIES) return;
    const [oldest] = this.#queries.keys();
    if (oldest !== undefined) this.#queries.delete(oldest);
  }
}
