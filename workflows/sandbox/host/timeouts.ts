/** The timers of a sandbox: the time limit of its run, and the one that wakes a guest whose results take long. */

/** Time that a step costs while the time limit is paused, in milliseconds. Endless steps would fill the disk. */
const STEP_COST = 1;

/** Time between two checks of a paused limit, and until a check counts as failed, in milliseconds. */
const CHECK_PERIOD = 1000;

/**
 * The time limit of a run. It is paused while the script sleeps. Steps in the meantime count, and so does computation: the
 * guest is regularly asked whether it is idle, and the limit runs while it does not reply.
 */
export class TimeLimit {
  readonly #onTimeout: () => void;
  readonly #whenIdle: () => Promise<void>;
  #left: number;
  #startedAt = 0;
  #isPaused = false;
  #isChecking = false;
  #timer?: ReturnType<typeof setTimeout>;
  #checks?: ReturnType<typeof setInterval>;

  /** Starts the limit. `whenIdle` resolves when the guest is idle. */
  constructor(seconds: number, onTimeout: () => void, whenIdle: () => Promise<void>) {
    this.#left = seconds * 1000;
    this.#onTimeout = onTimeout;
    this.#whenIdle = whenIdle;
    this.#start();
  }

  /** Pauses the limit, or resumes it. */
  setPaused(isPaused: boolean): void {
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    clearInterval(this.#checks);
    if (!isPaused) return this.#start();
    this.#stop();
    this.#checks = setInterval(() => void this.#check(), CHECK_PERIOD);
  }

  /** Counts a step. */
  countStep(): void {
    if (!this.#isPaused) return;
    this.#left -= STEP_COST;
    if (this.#left <= 0) this.#onTimeout();
  }

  /** Removes the limit. */
  end(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#checks);
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return this.#start();
    this.#isChecking = true;
    await this.#whenIdle();
    this.#isChecking = false;
    if (this.#isPaused) this.#stop();
  }

  #start(): void {
    if (this.#timer !== undefined) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(this.#onTimeout, Math.max(0, this.#left));
  }

  #stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left -= performance.now() - this.#startedAt;
  }
}

/** Time between two looks at the waiting guests, in milliseconds. A guest is woken after two of them. */
const WAKE_PERIOD = 20;

const wakeTimers = new Set<WakeTimer>();
let interval: ReturnType<typeof setInterval> | undefined;
let now = 0;

/**
 * Wakes a guest whose results take long: a guest that waits for a result does nothing else, see `guest/steps.ts`. All
 * guests share one interval, because a timer for each call would cost more than the call.
 */
export class WakeTimer {
  readonly #wake: () => void;
  #since = Infinity;

  /** Creates a stopped timer. */
  constructor(wake: () => void) {
    this.#wake = wake;
  }

  /** Starts the timer, or restarts it: the guest waits for a result from now on. */
  start(): void {
    this.#since = now;
    wakeTimers.add(this);
    interval ??= setInterval(tick, WAKE_PERIOD);
  }

  /** Stops the timer: the guest does not wait for a result. */
  stop(): void {
    this.#since = Infinity;
  }

  /** Removes the timer. */
  end(): void {
    wakeTimers.delete(this);
    if (wakeTimers.size > 0) return;
    clearInterval(interval);
    interval = undefined;
  }

  /** Wakes the guest if it has waited long enough. */
  check(): void {
    if (this.#since > now - 2) return;
    this.stop();
    this.#wake();
  }
}

function tick(): void {
  now++;
  for (const timer of wakeTimers) timer.check();
}
