/** Limits the calls per second of a run or to a service. */
import { abortable, delay, MAX_TIMER } from "../../utils/async/abort.ts";
import { type GrantedSlots, SlotSequence, UnusedSlots } from "./slots.ts";

/** Maximum number of milliseconds that one block of slots covers, and that unused slots may lie in the future. */
const BLOCK_MILLISECONDS = 100;

/** Requests slots. */
export type GrantSlots = (count: number, perSecond: number) => Promise<GrantedSlots>;

/**
 * A limit of calls per second. Requests slots in blocks. If all slots of a block were used, the next block is twice as large;
 * if some have expired, it is smaller.
 */
export class CallLimiter {
  readonly #getRate: () => number | undefined;
  readonly #grant: GrantSlots;
  readonly #unused = new UnusedSlots();
  #size = 1;
  #granting?: Promise<void>;

  /** Creates a limit that may change. `getRate` returns calls per second, or undefined while there is no limit. */
  constructor(getRate: () => number | undefined, grant: GrantSlots) {
    this.#getRate = getRate;
    this.#grant = grant;
  }

  /** True while there is a limit. */
  get isLimited(): boolean {
    return this.#getRate() !== undefined;
  }

  /** Returns when the next call may start, or `Infinity` while it waits for `granted`. Requests slots for waiting calls. */
  findNext(now: number, waiting: number): number {
    const perSecond = this.#getRate();
    if (perSecond === undefined) return now;
    const next = this.#unused.findNext(now) ?? Infinity;
    const isAhead = this.#unused.length > 0 && this.#unused.last > now + BLOCK_MILLISECONDS;
    if (this.#unused.length < waiting && !isAhead && this.#granting === undefined) {
      this.#granting = this.#requestBlock(perSecond);
      this.#granting.catch(() => {}); // `granted` reports the error. If nothing waits for it, the next call requests a block again.
    }
    return next;
  }

  /** Uses the slot that `findNext` has found. */
  useNext(): void {
    this.#unused.useNext();
  }

  /** Resolves when the requested slots are granted. */
  async granted(): Promise<void> {
    await this.#granting;
  }

  async #requestBlock(perSecond: number): Promise<void> {
    const { expired } = this.#unused;
    const size = expired === 0 ? this.#size * 2 : this.#size - expired;
    this.#size = Math.max(1, Math.min(size, Math.floor(perSecond * BLOCK_MILLISECONDS / 1000)));
    try {
      const granted = await this.#grant(this.#size, perSecond);
      this.#unused.add(granted, performance.now());
    } finally {
      this.#granting = undefined;
    }
  }
}

/** Creates a limit for this process. */
export function createLocalLimiter(perSecond: number): CallLimiter {
  const sequence = new SlotSequence();
  return new CallLimiter(
    () => perSecond,
    (count, perSecond) => Promise.resolve(sequence.grant(count, perSecond, performance.now())),
  );
}

/** Starts calls in order, and keeps to several limits at once. */
export class CallPacer {
  readonly #limiters: readonly CallLimiter[];
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();

  /** Creates a pacer. It requests slots of a limit only when all limits before it permit a call. */
  constructor(limiters: readonly CallLimiter[]) {
    this.#limiters = limiters;
  }

  /** True while there is a limit. */
  get isLimited(): boolean {
    return this.#limiters.some(({ isLimited }) => isLimited);
  }

  /** Resolves when a call with some requests may start. Rejects with the signal's reason if that aborts first. */
  async start(requests: number, signal: AbortSignal): Promise<void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    this.#waiting += requests;
    try {
      await abortable(before, signal);
      for (let request = 0; request < requests; request++) await this.#startNext(signal);
    } finally {
      this.#waiting -= requests;
      void before.then(resolve);
    }
  }

  async #startNext(signal: AbortSignal): Promise<void> {
    for (;;) {
      const blocking = this.#findBlocking(performance.now());
      if (blocking === undefined) break;
      const { limiter, milliseconds } = blocking;
      if (milliseconds === Infinity) await abortable(limiter.granted(), signal);
      else await delay(Math.min(milliseconds, MAX_TIMER), signal);
    }
    for (const limiter of this.#limiters) limiter.useNext();
  }

  /** Finds the first limit that does not permit a call now. */
  #findBlocking(now: number): { readonly limiter: CallLimiter; readonly milliseconds: number } | undefined {
    for (const [index, limiter] of this.#limiters.entries()) {
      const next = limiter.findNext(now, index === 0 ? this.#waiting : 1);
      if (next > now) return { limiter, milliseconds: Math.ceil(next - now) };
    }
    return undefined;
  }
}
