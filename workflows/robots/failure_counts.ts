import type { InputRecord } from "../journal/journal.ts";

/** Counts how often the work on each assignment has failed since it was last completed or parked. */
export class FailureCounts {
  readonly #failures = new Map<string, { count: number; lastAt: number }>();
  readonly #maxAttempts: number;

  /** Creates empty counts. After `maxAttempts` failures an assignment is parked. */
  constructor(maxAttempts: number) {
    this.#maxAttempts = maxAttempts;
  }

  /** Counts an input of an earlier run. */
  addRecord({ place, end, endedAt = 0 }: InputRecord): void {
    if (end?.state === "done") this.succeeded(place);
    else if (end !== undefined && this.failed(place, endedAt) >= this.#maxAttempts) this.parked(place);
  }

  /** Counts a failure, and returns the number of failures. */
  failed(assignment: string, at: number): number {
    const count = (this.#failures.get(assignment)?.count ?? 0) + 1;
    this.#failures.set(assignment, { count, lastAt: at });
    return count;
  }

  /** Forgets the failures of a completed assignment. */
  succeeded(assignment: string): void {
    this.#failures.delete(assignment);
  }

  /** Resets the count: a parked assignment that returns to the queue gets new attempts. */
  parked(assignment: string): void {
    this.#failures.delete(assignment);
  }

  /** Reports whether an assignment has failed too recently to be taken again. */
  isDelayed(assignment: string, now: number, retryMilliseconds: number): boolean {
    const failure = this.#failures.get(assignment);
    return failure !== undefined && now < failure.lastAt + failure.count * retryMilliseconds;
  }
}
