/** Stops the clock of the process. Disposing of it restores the clock. */
export class StoppedClock implements Disposable {
  /** Milliseconds that `performance.now()` returns. */
  time = 0;
  readonly #now = performance.now;

  /** Stops the clock at 0. */
  constructor() {
    performance.now = () => this.time;
  }

  [Symbol.dispose](): void {
    performance.now = this.#now;
  }
}
