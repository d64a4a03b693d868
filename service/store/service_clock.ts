/** A clock for expiry that does not follow changes of the system time. */
import type { Store, StoreServer } from "./store.ts";

/**
 * The clock of the database server or, for an embedded database, the time for which a service has run. The latter continues
 * from the time of the newest stored response, so that a wrong system time at a start expires nothing early. Time in which
 * the service does not run is not counted.
 */
export class ServiceClock {
  readonly #server: StoreServer | undefined;
  readonly #opened = performance.now();
  #base: number;

  private constructor(base: number, server: StoreServer | undefined) {
    this.#base = base;
    this.#server = server;
  }

  /** Opens the clock of a store. In an embedded store without responses it begins with the system time. */
  static async open(store: Store): Promise<ServiceClock> {
    if (store.server !== undefined) return new ServiceClock((await store.server.readTime()).getTime(), store.server);
    const newest = await store.read((tx) => tx.findNewestResponseTime());
    return new ServiceClock(newest === undefined ? Date.now() : Date.parse(newest), undefined);
  }

  /** Sets the clock to that of the database server. They differ after this machine was suspended. */
  async synchronize(): Promise<void> {
    if (this.#server === undefined) return;
    const time = await this.#server.readTime();
    this.#base = time.getTime() - this.uptime;
  }

  /** Milliseconds since the clock was opened. */
  get uptime(): number {
    return performance.now() - this.#opened;
  }

  /** Returns the time. Between two synchronizations, it never goes back and never jumps ahead. */
  now(): Date {
    return new Date(this.#base + this.uptime);
  }
}
