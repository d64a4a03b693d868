/** How long a run may take. The time that it sleeps does not count, the steps that it takes meanwhile do. */

/** Milliseconds that a step counts which is taken while the clock stands still: without end they would fill a disk. */
const STEP = 1;

/** A clock that calls back when a time is up, and that can stand still. */
export class TimeLimit {
  readonly #whenUp: () => void;
  #left: number;
  #since = 0;
  #isStill = false;
  #timer?: ReturnType<typeof setTimeout>;

  /** A clock that runs from now on. */
  constructor(seconds: number, whenUp: () => void) {
    this.#left = seconds * 1000;
    this.#whenUp = whenUp;
    this.#start();
  }

  /** Stands still, or runs on. */
  standStill(isStill: boolean): void {
    if (isStill === this.#isStill) return;
    this.#isStill = isStill;
    if (!isStill) return this.#start();
    this.end();
    this.#left -= performance.now() - this.#since;
  }

  /** Counts a step. */
  step(): void {
    if (!this.#isStill) return;
    this.#left -= STEP;
    if (this.#left <= 0) this.#whenUp();
  }

  /** Calls back no more. */
  end(): void {
    clearTimeout(this.#timer);
  }

  #start(): void {
    this.#since = performance.now();
    this.#timer = setTimeout(this.#whenUp, Math.max(0, this.#left));
  }
}
