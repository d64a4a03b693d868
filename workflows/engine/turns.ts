/** The order in which a script is given the answers that it was given before. */

/** Positions of steps, each of which has its turn. */
export class Turns {
  readonly #overs = Promise.withResolvers<void>();
  readonly #waiting = new Map<number, () => void>();
  readonly #past = new Set<number>();
  #order: readonly number[];
  #next = 0;
  #isEndAwaited = false;

  /** Turns in this order. */
  constructor(order: readonly number[]) {
    this.#order = order;
    this.#proceed();
  }

  /** Whether somebody waits for a turn that has not come. */
  get isAwaited(): boolean {
    return this.#isEndAwaited || this.#waiting.size > 0;
  }

  /** Resolves when all have had their turn. */
  over(): Promise<void> {
    this.#isEndAwaited = true;
    return this.#overs.promise;
  }

  /** Resolves when it is the turn of a position, or at once where it has had its turn. */
  of(position: number): Promise<void> {
    if (this.#past.has(position)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.set(position, resolve);
      this.#proceed();
    });
  }

  /** Ends a turn, if it is this position's; false for one that has none. */
  take(position: number): boolean {
    if (this.#order[this.#next] !== position) return false;
    this.#next++;
    this.#past.add(position);
    this.#waiting.delete(position);
    this.#proceed();
    return true;
  }

  /** Leaves out those whose turn is yet to come. */
  leaveOut(isLeftOut: (position: number) => boolean): void {
    this.#order = this.#order.filter((position, i) => i < this.#next || !isLeftOut(position));
    this.#proceed();
  }

  #proceed(): void {
    const position = this.#order[this.#next];
    if (position === undefined) this.#overs.resolve();
    else this.#waiting.get(position)?.();
  }
}
