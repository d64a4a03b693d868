/**
 * Retries failed calls if that cannot apply a change twice: with exponential backoff, full jitter, and a budget that all
 * calls of the process share, as in the standard mode of the AWS SDKs.
 */
import { type ErrorAttempt, parseRetryAfter, SvcError, toSvcError } from "../errors.ts";
import { isRead, type OperationRef } from "../operation/operation.ts";
import { delay } from "../../utils/async/abort.ts";
import { pluralize } from "../../utils/text/wording.ts";
import type { Attempts, AttemptsOptions, Caller } from "./caller.ts";

/** Options of retries. The defaults suit production; tests replace chance and time. */
export interface RetryOptions {
  /** Number of attempts (default: 3). */
  readonly attempts?: number;
  /** Budget for retries. Default: one for the process. */
  readonly budget?: RetryBudget;
  /** Returns a number from 0 to 1. */
  readonly random?: () => number;
  /** Returns milliseconds since 1970. */
  readonly now?: () => number;
  /** Waits. Rejects when the signal aborts. */
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

const DEFAULT_ATTEMPTS = 3;

/** Longest backoff, in milliseconds. */
const MAX_BACKOFF = 20_000;

/** Longest `Retry-After` that is obeyed, in milliseconds. After a longer one there is no further attempt. */
const MAX_RETRY_AFTER = 60_000;

/** Cost of a retry, and the first backoff in milliseconds. */
const KINDS = {
  transient: { cost: 5, base: 50 },
  timeout: { cost: 10, base: 50 },
  throttled: { cost: 5, base: 1000 },
} as const;

type Kind = (typeof KINDS)[keyof typeof KINDS];

/** Limits retries. When most calls fail, the budget runs out and a service that is down is left alone. */
export class RetryBudget {
  readonly #capacity: number;
  #tokens: number;

  /** Creates a full budget. */
  constructor(capacity = 500) {
    this.#capacity = capacity;
    this.#tokens = capacity;
  }

  /** Takes a cost from the budget. Returns whether the budget covers it. */
  take(cost: number): boolean {
    if (cost > this.#tokens) return false;
    this.#tokens -= cost;
    return true;
  }

  /** Returns the cost of the last attempt after a success, or a little if the first one succeeded. */
  succeeded(cost: number): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + (cost || 1));
  }
}

const sharedBudget = new RetryBudget();

/**
 * Returns a caller that repeats reads, changes with an idempotency key that the service supports, and calls that were
 * certainly not applied. Each attempt of a change carries the entity tag of the first. The final error lists all attempts.
 */
export function retrying(caller: Caller, retry: RetryOptions = {}): Caller {
  const startAttempts = (ref: OperationRef, options: AttemptsOptions) => new RetriedAttempts(ref, retry, options);
  return {
    supportsIdempotencyKeys: () => caller.supportsIdempotencyKeys(),
    prepare: (ref, values, options) => caller.prepare(ref, values, options),
    startAttempts,
    async call(ref, values, options = {}) {
      const { signal, idempotencyKey } = options;
      const isIdempotent = () => idempotencyKey !== undefined && caller.supportsIdempotencyKeys();
      const attempts = startAttempts(ref, { signal, isIdempotent });
      let { knownTag } = options;
      for (;;) {
        try {
          const prepared = await caller.prepare(ref, values, { ...options, knownTag });
          knownTag ??= prepared.ifMatch;
          const reply = await prepared.send();
          attempts.succeeded();
          return reply;
        } catch (thrown) {
          await attempts.next(thrown);
        }
      }
    },
  };
}

/** The attempts of a call under a retry policy. */
class RetriedAttempts implements Attempts {
  readonly #ref: OperationRef;
  readonly #options: AttemptsOptions;
  readonly #limit: number;
  readonly #budget: RetryBudget;
  readonly #random: () => number;
  readonly #now: () => number;
  readonly #wait: NonNullable<RetryOptions["wait"]>;
  readonly #started: number;
  readonly #failed: ErrorAttempt[] = [];
  /** True if an attempt may have been applied. */
  #isUnknown: boolean;
  #cost = 0;

  constructor(ref: OperationRef, retry: RetryOptions, options: AttemptsOptions) {
    this.#ref = ref;
    this.#options = options;
    this.#isUnknown = options.mayHaveArrived === true;
    this.#limit = retry.attempts ?? DEFAULT_ATTEMPTS;
    this.#budget = retry.budget ?? sharedBudget;
    this.#random = retry.random ?? Math.random;
    this.#now = retry.now ?? Date.now;
    this.#wait = retry.wait ?? delay;
    this.#started = this.#now();
  }

  succeeded(): void {
    this.#budget.succeeded(this.#cost);
  }

  async next(thrown: unknown): Promise<void> {
    const error = this.#asRepeated(toSvcError(thrown));
    this.#note(error);
    const milliseconds = this.#chooseDelay(error);
    if (milliseconds === undefined) throw this.#describe(error);
    await this.#pause(milliseconds, error);
    // The machine may have slept for longer than the service keeps a key.
    if (this.#isUnknown && this.#options.isKeyKnown?.() === false) throw this.#describe(error);
  }

  /**
   * After an attempt that may have arrived, a conflict settles nothing: some services return 409 for a key while the
   * first request is in progress. A repeated response is marked as such.
   */
  #asRepeated(error: SvcError): SvcError {
    const isInProgress = this.#isUnknown && error.status === 409 && error.replayed !== true;
    return isInProgress ? error.with({ rejectedByService: undefined, outcomeUnknown: true }) : error;
  }

  #note(error: SvcError): void {
    const { code, status, message } = error;
    const afterMilliseconds = Math.round(this.#now() - this.#started);
    this.#failed.push({ code, ...(status && { status }), message, afterMilliseconds });
    this.#isUnknown = !error.rejectedByService && (this.#isUnknown || error.outcomeUnknown === true);
  }

  /** Returns the delay before the next attempt in milliseconds, or undefined after the last attempt. */
  #chooseDelay(error: SvcError): number | undefined {
    const kind = classify(error, isRead(this.#ref.operation));
    if (kind === undefined || this.#failed.length >= this.#limit) return undefined;
    if (error.outcomeUnknown && !this.#options.isIdempotent()) return undefined;
    const requested = retryAfterMilliseconds(error.retryAfter, this.#now());
    if (requested > MAX_RETRY_AFTER || !this.#budget.take(kind.cost)) return undefined;
    this.#cost = kind.cost;
    const backoff = Math.min(MAX_BACKOFF, kind.base * 2 ** (this.#failed.length - 1));
    return requested + this.#random() * backoff;
  }

  async #pause(milliseconds: number, error: SvcError): Promise<void> {
    const { signal, lastAttempt } = this.#options;
    const cancel = AbortSignal.any([signal, lastAttempt].filter((one) => one !== undefined));
    try {
      await this.#wait(milliseconds, cancel);
    } catch (cause) {
      if (!cancel.aborted) throw cause;
      const message = `The call was cancelled while it waited for another attempt: ${error.message}`;
      throw this.#describe(new SvcError("INTERRUPTED", message, { cause: cancel.reason, operation: this.#ref.name }));
    }
  }

  /** Adds all attempts to the error of the last one. */
  #describe(error: SvcError): SvcError {
    const count = this.#failed.length;
    if (count === 1 && error.code !== "INTERRUPTED") return error;
    const more = { attempts: this.#failed, outcomeUnknown: this.#isUnknown || undefined };
    return error.with(more, `${error.message.replace(/\.$/, "")}, after ${pluralize(count, "attempt")}.`);
  }
}

/** Classifies a failure that another attempt may get past. Returns undefined for any other. */
function classify(error: SvcError, isReading: boolean): Kind | undefined {
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
      return status === 500 && isReading ? KINDS.transient : undefined;
  }
}

/** Returns the delay that a `Retry-After` header requests in milliseconds, or 0. */
export function retryAfterMilliseconds(retryAfter: string | undefined, now: number): number {
  const { seconds = 0, date = now } = parseRetryAfter(retryAfter);
  return Math.max(seconds * 1000, date - now);
}
