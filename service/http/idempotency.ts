/**
 * Idempotency keys. A call with a key is performed once. A repetition receives the stored response, until the service has run
 * for 24 hours. The response is stored in the unit of work that makes the change, so that a crash leaves both or neither.
 */
import { delay } from "../../utils/async/abort.ts";
import { DependencyFailed, DomainError, type DomainErrorKind } from "../errors.ts";
import type { ServiceClock } from "../store/service_clock.ts";
import { OutcomeUnknown, type Store, type StoredResponse, StoreUnavailable, type Transaction } from "../store/store.ts";
import { CallLease, deleteEndedLeases } from "./call_lease.ts";
import type { Outcome } from "./handler.ts";
import { type PreparedResponse, prepareErrorResponse } from "./responses.ts";
import { RequestError } from "./status.ts";

/** Milliseconds for which a response is stored. */
const LIFETIME = 24 * 60 * 60 * 1000;

/** Maximum number of responses that one unit of work deletes, so that other calls do not wait long. */
const DELETED_AT_ONCE = 100;

/** Errors that are not stored: the same request can succeed when a right, the entity tag or a lock has changed. */
const TEMPORARY: ReadonlySet<DomainErrorKind> = new Set([
  "Forbidden",
  "Stale",
  "Locked",
  "EntityTagRequired",
  "OperationFailed",
]);

/** Milliseconds between two checks of a call that another process performs. */
const POLL_INTERVAL = 200;

/** The failure of a call whose process ended while it waited between units of work. */
const INTERRUPTION = new DependencyFailed(
  "The service ended while this call waited for another server. The changes that it had made are stored.",
);

/** Stored while a call waits between units of work. A client receives it only if the process ended during the wait. */
const INTERRUPTED: Outcome = { failure: INTERRUPTION };

/** A call with a key. */
export interface KeyedCall {
  /** Operator to whom the key belongs. */
  readonly caller: string;
  readonly key: string;
  /** Digest of the request. */
  readonly request: string;
}

/** A part of a call: one unit of work. */
export type Unit = (tx: Transaction) => Promise<Outcome>;

/** The steps of a call. */
export interface CallSteps {
  /** Runs the first unit of work. */
  readonly start: Unit;
  /** Completes the call if the outcome of the first unit has a continuation. */
  readonly complete: (outcome: Outcome, transact: (unit: Unit) => Promise<Outcome>) => Promise<Outcome>;
  /** Prepares the response of an outcome. */
  readonly prepare: (outcome: Outcome) => PreparedResponse;
}

/** The response to a call with a key. */
export interface KeyedResponse {
  readonly response: PreparedResponse;
  /** True if an earlier request has received it. */
  readonly isReplay: boolean;
}

/** Performs calls with keys. */
export class KeyedCalls {
  readonly #store: Store;
  readonly #clock: ServiceClock;
  readonly #turns = new Map<string, Promise<void>>();

  /** Stores the responses in a store. The clock decides when they expire. */
  constructor(store: Store, clock: ServiceClock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Performs a call, or returns its stored response. Throws if its key belongs to another request. */
  async perform(call: KeyedCall, { start, complete, prepare }: CallSteps): Promise<KeyedResponse> {
    using _turn = await this.#takeTurn(JSON.stringify([call.caller, call.key]));
    const lease = this.#store.server && new CallLease(call, this.#clock);
    const run = async (tx: Transaction, unit: Unit, isFirst: boolean) => {
      const isOwn = isFirst || lease === undefined || await lease.isOwn(tx);
      if (!isOwn) throw INTERRUPTION; // Another process has reported it.
      const outcome = await unit(tx);
      const isFinal = outcome.afterCommit === undefined;
      const response = prepare(isFinal ? outcome : INTERRUPTED);
      await this.#save(tx, call, response);
      if (!isFinal) await lease?.take(tx);
      else if (!isFirst) await lease?.release(tx);
      return { outcome, response };
    };
    let hasBegun = false;
    try {
      const first = await this.#begin(call, lease, (tx) => run(tx, start, true));
      if ("request" in first) return { response: replay(first, call), isReplay: true };
      hasBegun = true;
      if (first.outcome.afterCommit === undefined) return { response: first.response, isReplay: false };
      await using _kept = lease?.keep(this.#store);
      let { response } = first;
      await complete(first.outcome, async (unit) => {
        const next = await this.#store.transact((tx) => run(tx, unit, false));
        response = next.response;
        return next.outcome;
      });
      return { response, isReplay: false };
    } catch (error) {
      const other = await this.#saveError(call, error, { lease, hasBegun });
      if (other !== undefined) return { response: replay(other, call), isReplay: true };
      throw error;
    }
  }

  /** Runs the first unit of a call, or returns its stored response. Waits while another process performs the call. */
  async #begin<T>(
    call: KeyedCall,
    lease: CallLease | undefined,
    run: (tx: Transaction) => Promise<T>,
  ): Promise<T | StoredResponse> {
    const findOrRun = async (tx: Transaction) => {
      const stored = await this.#find(tx, call);
      if (stored === undefined) return await run(tx);
      return stored.request === call.request && await lease?.isHeld(tx) ? undefined : stored;
    };
    while (true) {
      const found = await this.#store.transact(findOrRun).catch(async (failure) => {
        if (!(failure instanceof OutcomeUnknown)) throw failure;
        return await this.#store.transact(findOrRun).catch((error) => {
          throw error instanceof StoreUnavailable ? failure : error;
        });
      });
      if (found !== undefined) return found;
      await delay(POLL_INTERVAL);
    }
  }

  /**
   * Stores the error of a failed unit, which has left no changes, unless the same request can succeed later. Returns the
   * response that another process has stored in the meantime, if the call had not begun.
   */
  async #saveError(
    call: KeyedCall,
    error: unknown,
    { lease, hasBegun }: { readonly lease: CallLease | undefined; readonly hasBegun: boolean },
  ): Promise<StoredResponse | undefined> {
    if (!(error instanceof DomainError)) return undefined;
    const isTemporary = TEMPORARY.has(error.kind);
    if (isTemporary && (lease === undefined || !hasBegun)) return undefined;
    return await this.#store.transact(async (tx) => {
      const other = hasBegun ? undefined : await this.#find(tx, call);
      if (other !== undefined || (hasBegun && lease !== undefined && !await lease.isOwn(tx))) return other;
      if (!isTemporary) await this.#save(tx, call, prepareErrorResponse(error));
      if (hasBegun) await lease?.release(tx);
      return undefined;
    });
  }

  async #find(tx: Transaction, { caller, key }: KeyedCall): Promise<StoredResponse | undefined> {
    const stored = await tx.getResponse(caller, key);
    return stored !== undefined && stored.at >= getExpiryLimit(this.#clock.now()) ? stored : undefined;
  }

  async #save(tx: Transaction, call: KeyedCall, response: PreparedResponse): Promise<void> {
    const { status, headers, body } = response;
    await tx.putResponse({ ...call, at: this.#clock.now().toISOString(), status, headers: { ...headers }, body });
  }

  /** Serializes requests with the same key, so that the next one finds the stored response. */
  async #takeTurn(name: string): Promise<Disposable> {
    const before = this.#turns.get(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turns.set(name, promise);
    await before;
    return {
      [Symbol.dispose]: () => {
        if (this.#turns.get(name) === promise) this.#turns.delete(name);
        resolve();
      },
    };
  }
}

/** Deletes expired responses in small batches, so that other calls can run between them. */
export async function deleteExpiredResponses(store: Store, now: Date): Promise<void> {
  const before = getExpiryLimit(now);
  if (store.server !== undefined) await deleteEndedLeases(store, before);
  while (await store.transact((tx) => tx.deleteResponses(before, DELETED_AT_ONCE)) === DELETED_AT_ONCE);
}

function replay({ request, status, headers, body }: StoredResponse, call: KeyedCall): PreparedResponse {
  if (request !== call.request) {
    throw new RequestError("KeyReused", `The Idempotency-Key ${call.key} was used for another request. Use a new one.`);
  }
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return { status, headers: Object.fromEntries(texts), body };
}

/** Returns the time before which stored responses have expired. */
function getExpiryLimit(now: Date): string {
  return new Date(now.getTime() - LIFETIME).toISOString();
}
