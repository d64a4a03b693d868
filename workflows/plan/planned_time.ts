/** Time in a plan: nobody waits for it. A sleep is over when nothing else happens, the shortest first. */

/** Milliseconds in which nothing happens, before a sleep is over. */
const QUIET = 25;

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

/** The clock of a plan. */
export class PlannedTime {
  readonly #sleepers = new Set<Sleeper>();
  readonly #began = Date.now();
  #slept = 0;
  #busy = 0;
  #timer?: ReturnType<typeof setTimeout>;

  /** The time for the script: milliseconds since 1970. */
  get now(): number {
    return Math.max(Date.now(), this.#began) + this.#slept;
  }

  /** Resolves when the time would be up. */
  async sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const sleeper: Sleeper = { due: this.now + milliseconds, wake: resolve };
    this.#sleepers.add(sleeper);
    signal.addEventListener("abort", () => resolve(), { once: true });
    this.#rest();
    await promise;
    this.#sleepers.delete(sleeper);
    this.#rest();
  }

  /** Does some work; no sleep ends meanwhile. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#busy++;
    this.#rest();
    try {
      return await work;
    } finally {
      this.#busy--;
      this.#rest();
    }
  }

  /** Ends no sleep any more. */
  end(): void {
    clearTimeout(this.#timer);
    this.#sleepers.clear();
  }

  #rest(): void {
    clearTimeout(this.#timer);
    if (this.#busy > 0 || this.#sleepers.size === 0) return;
    this.#timer = setTimeout(() => this.#wakeNext(), QUIET);
  }

  #wakeNext(): void {
    const [next] = [...this.#sleepers].toSorted((one, other) => one.due - other.due);
    if (next === undefined) return;
    this.#slept += Math.max(0, next.due - this.now);
    next.wake();
  }
}
