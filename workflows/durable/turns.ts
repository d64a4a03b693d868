/** The order in which a script is given the answers that it was given before. */

/** Milliseconds for which a script may wait for something else than it did before it is taken to have left its path. */
const PATIENCE = 30_000;

/** Positions of calls, each of which has its turn. */
export class Turns {
  readonly #overs = Promise.withResolvers<void>();
  readonly #waiting = new Map<number, () => void>();
  readonly #stalled: (position: number) => void;
  readonly #patience: number;
  #waitForAll = 0;
  #order: readonly number[];
  #next = 0;
  #timer?: ReturnType<typeof setTimeout>;

  /** Turns in this order; `stalled` is told of a position whose call does not come. */
  constructor(order: readonly number[], stalled: (position: number) => void, patience: number = PATIENCE) {
    this.#order = order;
    this.#stalled = stalled;
    this.#patience = patience;
    this.#proceed();
  }

  /** Resolves when all have had their turn. */
  over(): Promise<void> {
    this.#waitForAll++;
    return this.#overs.promise;
  }

  /** Resolves when it is the turn of a position. */
  of(position: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.set(position, resolve);
      this.#proceed();
    });
  }

  /** Ends a turn, if it is this position's; false for one that has none. */
  take(position: number): boolean {
    if (this.#order[this.#next] !== position) return false;
    this.#next++;
    this.#proceed();
    return true;
  }

  /** Leaves out those whose turn is yet to come. */
  leaveOut(isLeftOut: (position: number) => boolean): void {
    this.#order = this.#order.filter((position, i) => i < this.#next || !isLeftOut(position));
    this.#proceed();
  }

  /** Waits for nothing any more. */
  end(): void {
    clearTimeout(this.#timer);
  }

  #proceed(): void {
    clearTimeout(this.#timer);
    const position = this.#order[this.#next];
    if (position === undefined) return this.#overs.resolve();
    this.#timer = setTimeout(() => this.#look(position), this.#patience);
    this.#waiting.get(position)?.();
    this.#waiting.delete(position);
  }

  /** While nobody waits for a later turn, the script is at work and may still come to this one. */
  #look(position: number): void {
    if (this.#waitForAll > 0 || this.#waiting.size > 0) this.#stalled(position);
    else this.#proceed();
  }
}
