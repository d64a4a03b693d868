import type { InputRecord } from "../journal/journal.ts";
import type { FailureCounter } from "./assignment_handler.ts";

/** Counts the failures of the only robot that uses a journal. */
export class FailureCounts implements FailureCounter {
  readonly #failures = new Map<string, { count: number; lastAt: number }>();
  readonly #maxAttempts: number;

  /** Creates empty counts. After `maxAttempts` failures an assignment is parked. */
  constructor(maxAttempts: number) {
    this.#maxAttempts = maxAttempts;
  }

  /** Counts an input of an earlier run. */
  addRecord({ place, end, endedAt = 0 }: InputRecord): void {
    if (end === undefined) return;
    if (end.state === "done" || this.#add(place, endedAt) >= this.#maxAttempts) this.forget(place);
  }

  count(assignment: string): number {
    return this.#add(assignment, Date.now());
  }

  /** A parked assignment that returns to the queue gets new attempts. */
  forget(assignment: string): void {
    this.#failures.delete(assignment);
  }

  /** Reports whether an assignment has failed too recently to be taken again. */
  isDelayed(assignment: string, now: number, retryMilliseconds: number): boolean {
    const failure = this.#failures.get(assignment);
    return failure !== undefined && now < failure.lastAt + failure.count * retryMilliseconds;
  }

  #add(assignment: string, at: number): number {
    const count = (this.#failures.get(assignment)?.count ?? 0) + 1;
    this.#failures.set(assignment, { count, lastAt: at });
    return count;
  }
}
