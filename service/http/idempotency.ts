/**
 * Idempotency keys. A call with a key is performed once. A repetition receives the stored response, until the service has run
 * for 24 hours. The response is stored in the unit of work that makes the change, so that a crash leaves both or neither.
 */
import { DependencyFailed, DomainError, type DomainErrorKind } from "../errors.ts";
import type { ServiceClock } from "../store/service_clock.ts";
import type { Store, StoredResponse, Transaction } from "../store/store.ts";
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

/** Stored while a call waits between units of work. A client receives it only if the service ended during the wait. */
const INTERRUPTED: Outcome = {
  failure: new DependencyFailed(
    "The service ended while this call waited for another server. The changes that it had made are stored.",
  ),
};

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
    const run = async (tx: Transaction, unit: Unit) => {
      const outcome = await unit(tx);
      const response = prepare(outcome.afterCommit === undefined ? outcome : INTERRUPTED);
      await this.#save(tx, call, response);
      return { outcome, response };
    };
    try {
      const first = await this.#store.transact(async (tx) => await this.#find(tx, call) ?? await run(tx, start));
      if ("request" in first) return { response: replay(first, call), isReplay: true };
      let { response } = first;
      await complete(first.outcome, async (unit) => {
        const next = await this.#store.transact((tx) => run(tx, unit));
        response = next.response;
        return next.outcome;
      });
      return { response, isReplay: false };
    } catch (error) {
      // The failed unit has left no changes. Its error is stored unless the same request can succeed later.
      if (error instanceof DomainError && !TEMPORARY.has(error.kind)) {
        await this.#store.transact((tx) => this.#save(tx, call, prepareErrorResponse(error)));
      }
      throw error;
    }
  }

  async #find(tx: Transaction, { caller, key }: KeyedCall): Promise<StoredResponse | undefined> {
    const stored = await tx.getResponse(caller, key);
    return stored !== undefined && stored.at >= getExpiryLimit(this.#clock.now()) ? stored : undefined;
  }

  async #save(tx: Transaction, call: KeyedCall, response: PreparedResponse): Promise<void> {
    const { status, headers, text: body } = response;
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
  while (await store.transact((tx) => tx.deleteResponses(before, DELETED_AT_ONCE)) === DELETED_AT_ONCE);
}

function replay({ request, status, headers, body }: StoredResponse, call: KeyedCall): PreparedResponse {
  if (request !== call.request) {
    throw new RequestError("KeyReused", `The Idempotency-Key ${call.key} was used for another request. Use a new one.`);
  }
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return { status, headers: Object.fromEntries(texts), text: body };
}

/** Returns the time before which stored responses have expired. */
function getExpiryLimit(now: Date): string {
  return new Date(now.getTime() - LIFETIME).toISOString();
}
