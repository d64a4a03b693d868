/** Limits how often something happens, by name. */

/** Maximum number of names to remember. Beyond it, the names with an unused limit are forgotten. */
const MAX_NAMES = 10_000;

/** A limit of events per name: a number at once, and further ones at a steady rate. */
export class RateLimit {
  readonly #burst: number;
  readonly #interval: number;
  /** Time of `performance.now()` at which all events of a name are used up, were they at the steady rate. */
  readonly #used = new Map<string, number>();

  /** Allows `burst` events at once, and one more in each interval of milliseconds. */
  constructor(burst: number, interval: number) {
    this.#burst = burst;
    this.#interval = interval;
  }

  /** Counts an event. Returns 0, or the seconds after which it is allowed if it is not allowed now. */
  count(name: string): number {
    const now = performance.now();
    const used = Math.max(this.#used.get(name) ?? 0, now) + this.#interval;
    const wait = used - now - this.#burst * this.#interval;
    if (wait > 0) return Math.ceil(wait / 1000);
    if (this.#used.size >= MAX_NAMES) this.#forget(now);
    this.#used.set(name, used);
    return 0;
  }

  #forget(now: number): void {
    for (const [name, used] of this.#used) if (used <= now) this.#used.delete(name);
    if (this.#used.size >= MAX_NAMES) this.#used.clear();
  }
}
