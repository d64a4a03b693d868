/** Waiting queries. Operators take turns, so that many queries of one operator do not delay those of others. */
import { StoreBusy } from "./store.ts";

/** A query that waits. */
export interface WaitingQuery {
  readonly operator: string;
  readonly reject: (error: Error) => void;
}

/** Waiting queries, each with a time limit. */
export class OperatorTurns<Entry extends WaitingQuery> {
  readonly #wait: number;
  /** The waiting queries of each operator. The operator whose turn is next comes first. */
  readonly #waiting = new Map<string, { readonly entry: Entry; readonly deadline: number }[]>();

  /** Rejects queries that wait longer than `wait` milliseconds with `StoreBusy` when their turn comes. */
  constructor(wait: number) {
    this.#wait = wait;
  }

  /** Number of waiting queries. */
  get size(): number {
    return this.#waiting.values().reduce((sum, waiting) => sum + waiting.length, 0);
  }

  /** Adds a query. */
  add(entry: Entry): void {
    const waiting = this.#waiting.get(entry.operator) ?? [];
    waiting.push({ entry, deadline: performance.now() + this.#wait });
    this.#waiting.set(entry.operator, waiting);
  }

  /** Takes the oldest query of the operator whose turn it is. The operator's next turn comes after all others. */
  take(hasTurn: (operator: string) => boolean = () => true): Entry | undefined {
    for (const [operator, waiting] of this.#waiting) {
      if (!hasTurn(operator)) continue;
      this.#waiting.delete(operator);
      const next = waiting.shift();
      if (waiting.length > 0) this.#waiting.set(operator, waiting);
      if (next === undefined) continue;
      if (performance.now() <= next.deadline) return next.entry;
      next.entry.reject(new StoreBusy("Too many queries are waiting."));
    }
    return undefined;
  }
}
