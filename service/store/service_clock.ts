/** A clock for expiry that does not follow changes of the system time. */
import type { Store } from "./store.ts";

/**
 * The time for which a service has run. It continues from the time of the newest stored response, so that a wrong system
 * time at a start expires nothing early. Time in which the service does not run is not counted.
 */
export class ServiceClock {
  readonly #base: number;
  readonly #opened = performance.now();

  private constructor(base: number) {
    this.#base = base;
  }

  /** Opens the clock of a store. In a store without responses it begins with the system time. */
  static async open(store: Store): Promise<ServiceClock> {
    const newest = await store.read((tx) => tx.findNewestResponseTime());
    return new ServiceClock(newest === undefined ? Date.now() : Date.parse(newest));
  }

  /** Milliseconds since the clock was opened. */
  get uptime(): number {
    return performance.now() - this.#opened;
  }

  /** Returns the time. It never goes back, and never jumps ahead. */
  now(): Date {
    return new Date(this.#base + this.uptime);
  }
}
