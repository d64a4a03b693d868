/**
 * A slot permits one call at a time. The slots of a limit are evenly spaced, so processes that share their sequence keep to
 * the limit together.
 */
import { Queue } from "../../utils/queue.ts";

/** Milliseconds after which an unused slot expires, unless the slots are further apart. */
export const GRACE_MILLISECONDS = 100;

/** Slots that are granted together. */
export interface GrantedSlots {
  /** Number of slots. */
  readonly count: number;
  /** Milliseconds until the first one. */
  readonly delay: number;
  /** Milliseconds between two slots. */
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

/** The granted slots that a process has not used yet. Times are in milliseconds, by its own clock. */
export class UnusedSlots {
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

  /** Adds slots. `now` is the time at which they were granted, or a later one. */
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
