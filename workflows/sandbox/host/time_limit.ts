/**
 * How long a run may take. The time that it sleeps does not count; the steps that it takes meanwhile do, and so does what
 * it computes: it is asked now and then whether it rests, and one that does not answer does something else.
 */

/** Milliseconds that a step counts which is taken while the clock stands still: without end they would fill a disk. */
const STEP = 1;

/** Milliseconds between two questions, and until one counts as not answered. */
const PAUSE = 1000;

/** A clock that calls back when a time is up, and that can stand still. */
export class TimeLimit {
  readonly #whenUp: () => void;
  readonly #rested: () => Promise<void>;
  #left: number;
  #since = 0;
  #isStill = false;
  #isAsked = false;
  #timer?: ReturnType<typeof setTimeout>;
  #questions?: ReturnType<typeof setInterval>;

  /** A clock that runs from now on, and is told by this function when the run rests. */
  constructor(seconds: number, whenUp: () => void, rested: () => Promise<void>) {
    this.#left = seconds * 1000;
    this.#whenUp = whenUp;
    this.#rested = rested;
    this.#start();
  }

  /** Stands still, or runs on. */
  standStill(isStill: boolean): void {
    if (isStill === this.#isStill) return;
    this.#isStill = isStill;
    clearInterval(this.#questions);
    if (!isStill) return this.#start();
    this.#stop();
    this.#questions = setInterval(() => void this.#question(), PAUSE);
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
    clearInterval(this.#questions);
  }

  async #question(): Promise<void> {
    if (this.#isAsked) return this.#start();
    this.#isAsked = true;
    await this.#rested();
    this.#isAsked = false;
    if (this.#isStill) this.#stop();
  }

  #start(): void {
    if (this.#timer !== undefined) return;
    this.#since = performance.now();
    this.#timer = setTimeout(this.#whenUp, Math.max(0, this.#left));
  }

  #stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left -= performance.now() - this.#since;
  }
}
