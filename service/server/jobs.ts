/** Work that is done after the answer, and calls that wait for more than the store. */
import { delay } from "../../utils/async/delay.ts";
import type { LaterWork } from "../http/handler.ts";
import type { Store } from "../store/store.ts";

/** Maximum seconds between two attempts of failing work. */
const LONGEST_PAUSE = 64;

/** The jobs of a service: it ends when they have. */
export class Jobs {
  readonly #running = new Set<Promise<unknown>>();
  readonly #store: Store;
  readonly #log: (line: string) => void;
  readonly #stop: AbortSignal;
  #last = Promise.resolve();

  /** Does the work on a store until the signal says that the service stops. */
  constructor(store: Store, log: (line: string) => void, stop: AbortSignal) {
    this.#store = store;
    this.#log = log;
    this.#stop = stop;
  }

  /** One after another: who calls meanwhile waits for one of them, and not for all. */
  add(work: LaterWork, failures = 0): void {
    this.#last = this.track(this.#last.then(() => this.#do(work, failures)));
  }

  async #do(work: LaterWork, failures: number): Promise<void> {
    try {
      const next = await work(this.#store);
      if (next && !this.#stop.aborted) this.add(next);
    } catch (error) {
      const seconds = Math.min(2 ** failures, LONGEST_PAUSE);
      const reason = error instanceof Error ? error.stack : String(error);
      this.#log(`Work in the background failed, and is tried again in ${seconds} s or at the next start: ${reason}`);
      void this.track(this.#doAgain(work, failures + 1, seconds));
    }
  }

  /** The disk may be full, or another process have locked the database: what was promised is done when it can be. */
  async #doAgain(work: LaterWork, failures: number, seconds: number): Promise<void> {
    const isTime = await delay(1000 * seconds, this.#stop).then(() => true, () => false);
    if (isTime) this.add(work, failures);
  }

  /** Counts work as the service's until it has ended. */
  track<T>(work: Promise<T>): Promise<T> {
    const job = work.finally(() => this.#running.delete(job));
    this.#running.add(job);
    return job;
  }

  /** Waits for all of it. */
  async done(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}
