/** Time in a plan: nobody waits for it. A sleep is over when nothing else happens, the shortest first. */

/** Milliseconds in which nothing happens, before the script is asked whether it does something. */
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
  readonly #rested: () => Promise<void>;

  /** A clock that begins now. It is told when the script does nothing but wait. */
  constructor(rested: () => Promise<void>) {
    this.#rested = rested;
  }

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

  /** The script has done something: it may go on to do more. */
  goesOn(): void {
    this.#rest();
  }

  /** Ends no sleep any more. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sleepers.clear();
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#busy > 0 || this.#sleepers.size === 0) return;
    const timer = setTimeout(async () => {
      await this.#rested(); // It may compute something, and then do more before a sleep would be over.
      if (timer === this.#timer) this.#wakeNext();
    }, QUIET);
    this.#timer = timer;
  }

  #wakeNext(): void {
    const [next] = [...this.#sleepers].toSorted((one, other) => one.due - other.due);
    if (next === undefined) return;
    this.#slept += Math.max(0, next.due - this.now);
    next.wake();
  }
}
