/**
 * Retries failed calls if that cannot apply a change twice: with exponential backoff, full jitter, and a budget that all
 * calls of the process to a service share, as in the standard mode of the AWS SDKs.
 */
import { type ErrorAttempt, getRetryDelay, SvcError, toSvcError } from "../errors.ts";
import { isRead, type OperationRef } from "../operation/operation.ts";
import { delay } from "../../utils/async/abort.ts";
import { pluralize } from "../../utils/text/wording.ts";
import { type Availability, type Chance, getAvailability, isOutageTooLong, probeService } from "./availability.ts";
import { type Attempts, type AttemptsOptions, type Caller, sendPrepared } from "./caller.ts";

/** Options of retries. The defaults suit production; tests replace chance and time. */
export interface RetryOptions extends Partial<Chance> {
  /** Number of attempts. Default: one more than the retries of the service's settings, or 3. */
  readonly attempts?: number;
  /** Seconds to wait for the service while it is unavailable. This counts as no attempt. Default: 0. */
  readonly maxOutageSeconds?: number;
  /** Budget for retries. Default: that of the service. */
  readonly budget?: RetryBudget;
  /** Availability of the service. Default: the one that all calls of the process share. */
  readonly availability?: Availability;
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

const budgets = new Map<string, RetryBudget>();

/** Returns the budget of a service. A service that is down must not use up the retries of another one. */
function getBudget(baseUrl: string): RetryBudget {
  const known = budgets.get(baseUrl) ?? new RetryBudget();
  budgets.set(baseUrl, known);
  return known;
}

/**
 * Returns a caller that repeats reads, changes with an idempotency key that the service supports, and calls that were
 * certainly not applied. Each attempt of a change carries the entity tag of the first. The final error lists all attempts.
 */
export function retrying(caller: Caller, retry: RetryOptions = {}): Caller {
  const startAttempts = (ref: OperationRef, options: AttemptsOptions) =>
    new RetriedAttempts(ref, caller, retry, options);
  return {
    getTarget: () => caller.getTarget(),
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
          await attempts.begin();
          const prepared = await caller.prepare(ref, values, { ...options, knownTag });
          knownTag ??= prepared.ifMatch;
          const reply = await sendPrepared(prepared, (tag) => knownTag = tag);
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
  readonly #caller: Caller;
  readonly #retry: RetryOptions;
  readonly #options: AttemptsOptions;
  readonly #random: () => number;
  readonly #now: () => number;
  readonly #wait: Chance["wait"];
  readonly #started: number;
  readonly #failed: ErrorAttempt[] = [];
  /** Attempts that failed because the service was unavailable. */
  #outages = 0;
  /** True if an attempt may have been applied. */
  #isUnknown: boolean;
  #cost = 0;

  constructor(ref: OperationRef, caller: Caller, retry: RetryOptions, options: AttemptsOptions) {
    this.#ref = ref;
    this.#caller = caller;
    this.#retry = retry;
    this.#options = options;
    this.#isUnknown = options.mayHaveArrived === true;
    this.#random = retry.random ?? Math.random;
    this.#now = retry.now ?? Date.now;
    this.#wait = retry.wait ?? delay;
    this.#started = this.#now();
  }

  get #limit(): number {
    const { retries } = this.#caller.getTarget();
    return this.#retry.attempts ?? (retries === undefined ? DEFAULT_ATTEMPTS : retries + 1);
  }

  get #budget(): RetryBudget {
    return this.#retry.budget ?? getBudget(this.#caller.getTarget().baseUrl);
  }

  /** The availability of the service, if calls wait for it. */
  get #availability(): Availability | undefined {
    const { maxOutageSeconds = 0, availability } = this.#retry;
    return maxOutageSeconds === 0 ? undefined : availability ?? getAvailability(this.#caller.getTarget().baseUrl);
  }

  async begin(): Promise<void> {
    const outage = this.#availability?.outage;
    if (outage !== undefined) await this.#outlast(outage);
  }

  succeeded(): void {
    this.#budget.succeeded(this.#cost);
    this.#availability?.noteAnswer();
  }

  async next(thrown: unknown): Promise<void> {
    const error = this.#asRepeated(toSvcError(thrown));
    if (isOutageTooLong(error)) throw this.#describe(error); // It comes from `begin`, before an attempt.
    this.#note(error);
    if (this.#mayRepeat(error) && await this.outlast(error)) this.#outages++;
    else {
      const milliseconds = this.#chooseDelay(error);
      if (milliseconds === undefined) throw this.#describe(error);
      await this.#pause(error, (signal) => this.#wait(milliseconds, signal));
    }
    // The machine may have slept for longer than the service keeps a key.
    if (this.#isUnknown && this.#options.isKeyKnown?.() === false) throw this.#describe(error);
  }

  async outlast(thrown: unknown): Promise<boolean> {
    const error = toSvcError(thrown);
    if (!this.#availability?.mayBeOutage(error)) return false;
    const { maxOutageSeconds = 0 } = this.#retry;
    // A service that fails again and again in between is not waited for without end.
    if (this.#now() - this.#started > maxOutageSeconds * 1000 && this.#outages > 0) return false;
    return await this.#outlast(error);
  }

  /** Waits until the service is available. Returns whether it was unavailable. */
  async #outlast(error: SvcError): Promise<boolean> {
    const { maxOutageSeconds: maxSeconds = 0 } = this.#retry;
    const probe = (signal: AbortSignal) => probeService(this.#caller, signal);
    this.#options.onWaiting?.(true);
    try {
      return await this.#pause(error, async (signal) => {
        return await this.#availability?.outlast(error, { maxSeconds, probe, signal }) ?? false;
      });
    } finally {
      this.#options.onWaiting?.(false);
    }
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
    const count = this.#failed.length - this.#outages;
    if (kind === undefined || !this.#mayRepeat(error) || count >= this.#limit) return undefined;
    const requested = getRetryDelay(error.retryAfter, this.#now());
    if (requested > MAX_RETRY_AFTER || !this.#budget.take(kind.cost)) return undefined;
    this.#cost = kind.cost;
    const backoff = Math.min(MAX_BACKOFF, kind.base * 2 ** (count - 1));
    return requested + this.#random() * backoff;
  }

  /** Reports whether another attempt could neither fail in the same way nor apply a change twice. */
  #mayRepeat(error: SvcError): boolean {
    if (classify(error, isRead(this.#ref.operation)) === undefined) return false;
    return !error.outcomeUnknown || this.#options.isIdempotent();
  }

  async #pause<T>(error: SvcError, wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal, lastAttempt } = this.#options;
    const cancel = AbortSignal.any([signal, lastAttempt].filter((one) => one !== undefined));
    try {
      return await wait(cancel);
    } catch (cause) {
      if (!cancel.aborted) throw cause instanceof SvcError ? this.#describe(cause) : cause;
      const message = `The call was cancelled while it waited for another attempt: ${error.message}`;
      throw this.#describe(new SvcError("INTERRUPTED", message, { cause: cancel.reason, operation: this.#ref.name }));
    }
  }

  /** Adds all attempts to the error of the last one. */
  #describe(error: SvcError): SvcError {
    const count = this.#failed.length;
    if (count === 0 || (count === 1 && error.code !== "INTERRUPTED")) return error;
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
