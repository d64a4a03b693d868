/** Work that runs after the response, and calls that wait for other systems. */
import { type Log, logError } from "../../lib/telemetry/log.ts";
import { delay } from "../../utils/async/abort.ts";
import type { LaterWork } from "../http/handler.ts";
import type { Store } from "../store/store.ts";

/** Maximum seconds between two attempts of failing work. */
const MAX_PAUSE = 64;

/** The jobs of a service at one time. */
export interface JobLoad {
  /** Number of jobs that are running or waiting. */
  readonly running: number;
  /** Number of failed attempts since the start. */
  readonly failures: number;
}

/** The jobs of a service. The service waits for them before it closes the store. */
export class Jobs {
  readonly #running = new Set<Promise<unknown>>();
  readonly #store: Store;
  readonly #log: Log;
  readonly #stop: AbortSignal;
  #last = Promise.resolve();
  #failures = 0;

  /** Creates the jobs on a store. Aborting the signal ends them after their current work. */
  constructor(store: Store, log: Log, stop: AbortSignal) {
    this.#store = store;
    this.#log = log;
    this.#stop = stop;
  }

  /** Returns the number of jobs. */
  readLoad(): JobLoad {
    return { running: this.#running.size, failures: this.#failures };
  }

  /** Schedules work. Jobs run one after another, so that a call never waits for more than one of them. */
  add(work: LaterWork, failures = 0): void {
    this.#last = this.track(this.#last.then(() => this.#run(work, failures)));
  }

  async #run(work: LaterWork, failures: number): Promise<void> {
    try {
      const next = await work(this.#store);
      if (next && !this.#stop.aborted) this.add(next);
    } catch (error) {
      this.#failures++;
      const seconds = Math.min(2 ** failures, MAX_PAUSE);
      logError(this.#log, `A background job failed. It will be retried in ${seconds} s or at the next start`, error);
      void this.track(this.#retry(work, failures + 1, seconds));
    }
  }

  /** Schedules failed work again after a delay: the disk may be full, or another process may have locked the database. */
  async #retry(work: LaterWork, failures: number, seconds: number): Promise<void> {
    const hasElapsed = await delay(1000 * seconds, this.#stop).then(() => true, () => false);
    if (hasElapsed) this.add(work, failures);
  }

  /** Makes `done` wait for a promise. */
  track<T>(work: Promise<T>): Promise<T> {
    const job = work.finally(() => this.#running.delete(job));
    this.#running.add(job);
    return job;
  }

  /** Waits until all jobs have ended. */
  async done(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}
