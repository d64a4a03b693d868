/**
 * Repeats calls that failed, where that cannot do anything twice: with exponential backoff and full jitter, and under a
 * budget that all calls of the process share, as in the standard mode of the AWS SDKs.
 */
import { type ErrorAttempt, parseRetryAfter, SvcError, toSvcError } from "../errors.ts";
import { isRead, type OperationRef } from "../operation/operation.ts";
import { delay } from "../../utils/async/delay.ts";
import { pluralize } from "../../utils/text/wording.ts";
import type { Caller, RepeatableOptions } from "./caller.ts";
import type { Reply } from "./reply.ts";
import type { Values } from "./values.ts";

/** How calls are repeated. What is left out is as in production; tests bring their own chance and time. */
export interface RetryOptions {
  /** Attempts in all; 3 without it. */
  readonly attempts?: number;
  /** What repeating may cost; one budget for the process without it. */
  readonly budget?: RetryBudget;
  /** A number from 0 to 1. */
  readonly random?: () => number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Waits; rejects when the signal aborts. */
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

const ATTEMPTS = 3;
const LONGEST_BACKOFF = 20_000;
/** The longest `Retry-After` that is obeyed, in milliseconds; after a longer one there is no further attempt. */
const LONGEST_WAIT = 60_000;

/** What a failure says about another attempt: its price, and from where the backoff grows, in milliseconds. */
const KINDS = {
  transient: { cost: 5, base: 50 },
  timeout: { cost: 10, base: 50 },
  throttled: { cost: 5, base: 1000 },
} as const;

type Kind = (typeof KINDS)[keyof typeof KINDS];

/** What repeating may cost: while most calls fail there is soon nothing left, and a service that is down is left alone. */
export class RetryBudget {
  readonly #capacity: number;
  #tokens: number;

  /** A full budget. */
  constructor(capacity = 500) {
    this.#capacity = capacity;
    this.#tokens = capacity;
  }

  /** Takes a price, if it is there. */
  take(cost: number): boolean {
    if (cost > this.#tokens) return false;
    this.#tokens -= cost;
    return true;
  }

  /** Gives back after a success: what the last attempt cost, or a little if the first one succeeded. */
  succeeded(cost: number): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + (cost || 1));
  }
}

const shared = new RetryBudget();

/**
 * A caller that repeats reads, changes with an idempotency key that the service honours, and whatever surely was not
 * done. A key's changes carry the entity tag of their first attempt. The error that remains holds all attempts.
 */
export function retrying(caller: Caller, options: RetryOptions = {}): Caller {
  return {
    supportsIdempotencyKeys: () => caller.supportsIdempotencyKeys(),
    call: (ref, values, callOptions = {}) => new Attempts(caller, options, ref, callOptions).run(values),
  };
}

/** One call and its attempts. */
class Attempts {
  readonly #caller: Caller;
  readonly #ref: OperationRef;
  readonly #call: RepeatableOptions;
  readonly #limit: number;
  readonly #budget: RetryBudget;
  readonly #random: () => number;
  readonly #now: () => number;
  readonly #wait: NonNullable<RetryOptions["wait"]>;
  readonly #failed: ErrorAttempt[] = [];
  #knownTag?: string;
  #isTold = false;
  #isUnknown: boolean;
  #cost = 0;

  constructor(caller: Caller, options: RetryOptions, ref: OperationRef, call: RepeatableOptions) {
    this.#caller = caller;
    this.#ref = ref;
    this.#call = call;
    this.#knownTag = call.knownTag;
    this.#isUnknown = call.mayHaveArrived === true;
    const { attempts = ATTEMPTS, budget = shared, random = Math.random, now = Date.now, wait = delay } = options;
    this.#limit = attempts;
    this.#budget = budget;
    this.#random = random;
    this.#now = now;
    this.#wait = wait;
  }

  async run(values: Values): Promise<Reply> {
    const started = this.#now();
    for (;;) {
      try {
        const reply = await this.#caller.call(this.#ref, values, this.#attemptOptions());
        this.#budget.succeeded(this.#cost);
        return reply;
      } catch (thrown) {
        const error = this.#asFurther(toSvcError(thrown));
        this.#note(error, this.#now() - started);
        const delay = this.#pauseAfter(error);
        if (delay === undefined) throw this.#final(error);
        await this.#pause(delay, error);
        // A machine may have slept meanwhile for longer than a key lives.
        if (this.#isUnknown && this.#call.isKeyKnown?.() === false) throw this.#final(error);
      }
    }
  }

  /** The entity tag of the first attempt that was sent is the one of all: a service may take another for another request. */
  #attemptOptions(): RepeatableOptions {
    const sending = async (ifMatch: string | undefined) => {
      if (this.#isTold) return;
      await this.#call.sending?.(ifMatch);
      this.#isTold = true;
      this.#knownTag = ifMatch;
    };
    return { ...this.#call, sending, knownTag: this.#knownTag };
  }

  /**
   * A conflict is no verdict where an earlier attempt may have arrived: that one may still be at work, and some services
   * say 409 to a key until it has ended. One that gives an answer again says so.
   */
  #asFurther(error: SvcError): SvcError {
    const isBusyWithIt = this.#isUnknown && error.status === 409 && error.replayed !== true;
    return isBusyWithIt ? error.with({ rejectedByService: undefined, outcomeUnknown: true }) : error;
  }

  #note(error: SvcError, after: number): void {
    const { code, status, message } = error;
    this.#failed.push({ code, ...(status && { status }), message, afterMilliseconds: Math.round(after) });
    this.#isUnknown = !error.rejectedByService && (this.#isUnknown || error.outcomeUnknown === true);
  }

  /** Milliseconds until another attempt; undefined where there is none. */
  #pauseAfter(error: SvcError): number | undefined {
    const kind = kindOf(error, isRead(this.#ref.operation));
    if (kind === undefined || this.#failed.length >= this.#limit) return undefined;
    if (error.outcomeUnknown && !this.#isDoneOnce()) return undefined;
    const asked = retryAfterMilliseconds(error.retryAfter, this.#now());
    if (asked > LONGEST_WAIT || !this.#budget.take(kind.cost)) return undefined;
    this.#cost = kind.cost;
    const backoff = Math.min(LONGEST_BACKOFF, kind.base * 2 ** (this.#failed.length - 1));
    return asked + this.#random() * backoff;
  }

  #isDoneOnce(): boolean {
    return this.#call.idempotencyKey !== undefined && this.#caller.supportsIdempotencyKeys();
  }

  async #pause(milliseconds: number, error: SvcError): Promise<void> {
    const { signal, lastAttempt } = this.#call;
    const given = AbortSignal.any([signal, lastAttempt].filter((one) => one !== undefined));
    try {
      await this.#wait(milliseconds, given);
    } catch (cause) {
      if (!given.aborted) throw cause;
      const message = `The call was cancelled while it waited for another attempt: ${error.message}`;
      throw this.#final(new SvcError("INTERRUPTED", message, { cause: given.reason, operation: this.#ref.name }));
    }
  }

  #final(error: SvcError): SvcError {
    const count = this.#failed.length;
    if (count === 1 && error.code !== "INTERRUPTED") return error;
    const more = { attempts: this.#failed, outcomeUnknown: this.#isUnknown || undefined };
    const times = pluralize(count, "attempt");
    return error.with(more, `${error.message.replace(/\.$/, "")}, after ${times}.`);
  }
}

/** The kind of a failure that another attempt may get past; undefined for any other. */
function kindOf(error: SvcError, reads: boolean): Kind | undefined {
  const { code, status, retryAfter } = error;
  switch (status) {
    case undefined:
      return code === "NETWORK_ERROR" ? KINDS.transient : code === "TIMEOUT" ? KINDS.timeout : undefined;
    case 429:
      return KINDS.throttled;
    case 503:
      return retryAfter === undefined ? KINDS.transient : KINDS.throttled;
    case 408:
    case 502:
    case 504:
      return KINDS.transient;
    case 409:
      return error.outcomeUnknown ? KINDS.transient : undefined;
    default:
      return status === 500 && reads ? KINDS.transient : undefined;
  }
}

/** The milliseconds that a `Retry-After` asks for; 0 where it says nothing. */
export function retryAfterMilliseconds(retryAfter: string | undefined, now: number): number {
  const { seconds = 0, date = now } = parseRetryAfter(retryAfter);
  return Math.max(seconds * 1000, date - now);
}
