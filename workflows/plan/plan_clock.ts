/** Milliseconds without activity after which the script is asked whether it is idle. */
const QUIET_MILLISECONDS = 25;

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

/** The simulated clock of a plan. A sleep ends as soon as the script is idle, the shortest sleep first. */
export class PlanClock {
  readonly #sleepers = new Set<Sleeper>();
  readonly #startedAt = Date.now();
  #slept = 0;
  #busy = 0;
  #timer?: ReturnType<typeof setTimeout>;
  readonly #whenIdle: () => Promise<void>;

  /** Starts the clock. `whenIdle` resolves when the script only waits. */
  constructor(whenIdle: () => Promise<void>) {
    this.#whenIdle = whenIdle;
  }

  /** Current time in milliseconds since 1970. */
  get now(): number {
    return Math.max(Date.now(), this.#startedAt) + this.#slept;
  }

  /** Advances the clock when the script is idle, and resolves then. */
  async sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const sleeper: Sleeper = { due: this.now + milliseconds, wake: resolve };
    this.#sleepers.add(sleeper);
    signal.addEventListener("abort", () => resolve(), { once: true });
    this.#schedule();
    await promise;
    this.#sleepers.delete(sleeper);
    this.#schedule();
  }

  /** Awaits work. No sleep ends before it has settled. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#busy++;
    this.#schedule();
    try {
      return await work;
    } finally {
      this.#busy--;
      this.#schedule();
    }
  }

  /** Notes that the script is active. */
  noteActivity(): void {
    this.#schedule();
  }

  /** Stops the clock: pending sleeps never end. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sleepers.clear();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#busy > 0 || this.#sleepers.size === 0) return;
    const timer = setTimeout(async () => {
      await this.#whenIdle(); // It may still compute, and then act before a sleep would end.
      if (timer === this.#timer) this.#wakeNext();
    }, QUIET_MILLISECONDS);
    this.#timer = timer;
  }

  #wakeNext(): void {
    const [next] = [...this.#sleepers].toSorted((one, other) => one.due - other.due);
    if (next === undefined) return;
    this.#slept += Math.max(0, next.due - this.now);
    next.wake();
  }
}
