/**
 * Wakes sandboxes whose answer takes long. A sandbox that waits for an answer does nothing else; see deliveries.ts. One
 * clock serves all of them: a timer for each call would cost more than the call.
 */

/** Milliseconds between two looks at who waits: a sandbox that waits for two of them is woken. */
const PERIOD = 20;

const all = new Set<Wakening>();
let clock: ReturnType<typeof setInterval> | undefined;
let now = 0;

/** Wakes one sandbox. */
export class Wakening {
  readonly #wake: () => void;
  #since = Infinity;

  /** Wakes it by this function. */
  constructor(wake: () => void) {
    this.#wake = wake;
  }

  /** The sandbox waits for an answer from now on. */
  expect(): void {
    this.#since = now;
    all.add(this);
    clock ??= setInterval(look, PERIOD);
  }

  /** The sandbox waits for none. */
  rest(): void {
    this.#since = Infinity;
  }

  /** There is no sandbox any more. */
  end(): void {
    all.delete(this);
    if (all.size > 0) return;
    clearInterval(clock);
    clock = undefined;
  }

  /** Wakes the sandbox if it is time to. */
  look(): void {
    if (this.#since > now - 2) return;
    this.rest();
    this.#wake();
  }
}

function look(): void {
  now++;
  for (const one of all) one.look();
}
