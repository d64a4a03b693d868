/**
 * Slots: each permits one call at its time. Slots of one limit have equal distances, so any number of processes that share
 * their sequence keep to the limit together.
 */
import { Queue } from "../../utils/queue.ts";

/** Milliseconds for which a slot can be used after its time, unless the next slot is later. */
export const GRACE_MILLISECONDS = 100;

/** Slots that are granted together. */
export interface GrantedSlots {
  /** Number of slots. */
  readonly count: number;
  /** Milliseconds until the first one. */
  readonly delay: number;
  /** Milliseconds from each to the next. */
  readonly interval: number;
}

/** The sequence of slots of one process. */
export class SlotSequence {
  #next = -Infinity;

  /** Grants the next slots, from now on. */
  grant(count: number, perSecond: number, now: number): GrantedSlots {
    const first = Math.max(this.#next, now);
    const interval = 1000 / perSecond;
    this.#next = first + count * interval;
    return { count, delay: first - now, interval };
  }
}

/** The granted slots of a process that are not used yet. All times are of its clock, in milliseconds. */
export class HeldSlots {
  readonly #times = new Queue<number>();
  #grace = GRACE_MILLISECONDS;
  #last = -Infinity;
  #expired = 0;

  /** Number of slots. */
  get length(): number {
    return this.#times.length;
  }

  /** Time of the last slot that was added. */
  get last(): number {
    return this.#last;
  }

  /** Number of slots that have expired since the last ones were added. */
  get expired(): number {
    return this.#expired;
  }

  /** Adds slots that were granted at a time, or before it. */
  add({ count, delay, interval }: GrantedSlots, now: number): void {
    this.#expired = 0;
    this.#grace = Math.max(GRACE_MILLISECONDS, interval);
    for (let index = 0; index < count; index++) this.#times.add(this.#last = now + delay + index * interval);
  }

  /** Returns the time of the next slot that has not expired. */
  findNext(now: number): number | undefined {
    for (let next = this.#times.first; next !== undefined; next = this.#times.first) {
      if (next + this.#grace >= now) return next;
      this.#times.removeFirst();
      this.#expired++;
    }
    return undefined;
  }

  /** Uses the next slot. */
  useNext(): void {
    this.#times.removeFirst();
  }
}
