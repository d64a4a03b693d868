/** Limits the calls per second of a run or to a service. */
import { abortable, delay, MAX_TIMER } from "../../utils/async/abort.ts";
import { type GrantedSlots, HeldSlots, SlotSequence } from "./slots.ts";

/** Milliseconds for which slots are requested at once, and which they may be ahead. */
const BLOCK_MILLISECONDS = 100;

/** Requests slots. */
export type GrantSlots = (count: number, perSecond: number) => Promise<GrantedSlots>;

/**
 * A limit of calls per second. Requests slots in blocks: the next one is twice as large if all slots of a block were used,
 * and smaller if some have expired.
 */
export class CallLimiter {
  readonly #getRate: () => number | undefined;
  readonly #grant: GrantSlots;
  readonly #held = new HeldSlots();
  #size = 1;
  #granting?: Promise<void>;

  /** Creates a limit that may change. It is undefined while there is no limit. */
  constructor(getRate: () => number | undefined, grant: GrantSlots) {
    this.#getRate = getRate;
    this.#grant = grant;
  }

  /** True while there is a limit. */
  get isLimited(): boolean {
    return this.#getRate() !== undefined;
  }

  /** Returns when the next call may start, or `Infinity` until slots are granted. Requests slots for all calls that wait. */
  findNext(now: number, waiting: number): number {
    const perSecond = this.#getRate();
    if (perSecond === undefined) return now;
    const next = this.#held.findNext(now) ?? Infinity;
    const isAhead = this.#held.length > 0 && this.#held.last > now + BLOCK_MILLISECONDS;
    if (this.#held.length < waiting && !isAhead && this.#granting === undefined) {
      this.#granting = this.#requestBlock(perSecond);
      this.#granting.catch(() => {}); // `granted` throws it. Otherwise it is requested again.
    }
    return next;
  }

  /** Uses the slot that `findNext` has found. */
  useNext(): void {
    this.#held.useNext();
  }

  /** Resolves when the requested slots are granted. */
  async granted(): Promise<void> {
    await this.#granting;
  }

  async #requestBlock(perSecond: number): Promise<void> {
    const { expired } = this.#held;
    const size = expired === 0 ? this.#size * 2 : this.#size - expired;
    this.#size = Math.max(1, Math.min(size, Math.floor(perSecond * BLOCK_MILLISECONDS / 1000)));
    try {
      const granted = await this.#grant(this.#size, perSecond);
      this.#held.add(granted, performance.now());
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

/** Lets calls start in their order, within several limits. */
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

  /** Resolves when a call may start that sends some requests. Rejects with the signal's reason if that aborts first. */
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
