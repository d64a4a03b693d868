/**
 * Idempotency keys. A call with a key is performed once; a repetition within 24 hours receives the stored response. The
 * response is stored in the unit of work that makes the change, so that a crash leaves both or neither.
 */
import { DependencyFailed, DomainError, type DomainErrorKind } from "../errors.ts";
import type { Outcome } from "./handler.ts";
import type { Store, StoredAnswer, Transaction } from "../store/store.ts";
import { failureAnswer, type PreparedResponse } from "./responses.ts";
import { RequestError } from "./status.ts";

/** Milliseconds for which a response is stored. */
const LIFETIME = 24 * 60 * 60 * 1000;

/** Expired answers that one unit of work removes: calls wait for no longer than for another call. */
const REMOVED_AT_ONCE = 100;

/** Errors that are not stored: the same request can succeed when a right, the entity tag or a lock has changed. */
const TEMPORARY: ReadonlySet<DomainErrorKind> = new Set([
  "Forbidden",
  "Stale",
  "Locked",
  "EntityTagRequired",
  "OperationFailed",
]);

/** Stands for the answer while a call waits outside of units of work: only a service that was ended meanwhile gives it. */
const CUT_SHORT: Outcome = {
  failure: new DependencyFailed(
    "The service ended while this call waited for another server. What it had done by then is kept.",
  ),
};

/** A call with a key. */
export interface KeyedCall {
  /** Operator whose key it is. */
  readonly caller: string;
  /** The key. */
  readonly key: string;
  /** Digest of the request. */
  readonly request: string;
}

/** A part of a call: one unit of work. */
export type Unit = (tx: Transaction) => Promise<Outcome>;

/** How a call is done. */
export interface Steps {
  /** Its first unit of work. */
  readonly first: Unit;
  /** Completes the call if the outcome of the first unit has a continuation. */
  readonly rest: (outcome: Outcome, transact: (unit: Unit) => Promise<Outcome>) => Promise<Outcome>;
  /** The answer of an outcome. */
  readonly answer: (outcome: Outcome) => PreparedResponse;
}

/** An answer, and whether an earlier request has had it. */
export interface Given {
  /** The answer. */
  readonly answer: PreparedResponse;
  /** Set if an earlier request received it. */
  readonly isReplay: boolean;
}

/** Does calls with keys. */
export class KeyedCalls {
  readonly #store: Store;
  readonly #turns = new Map<string, Promise<void>>();

  /** Keeps the answers in a store. */
  constructor(store: Store) {
    this.#store = store;
  }

  /** Performs a call, or returns its stored response. Throws if its key belongs to another request. */
  async answer(call: KeyedCall, steps: Steps): Promise<Given> {
    using _turn = await this.#turn(JSON.stringify([call.caller, call.key]));
    const kept = await new Attempt(this.#store, call, steps).run();
    if (!("request" in kept)) return { answer: kept, isReplay: false };
    if (kept.request === call.request) return { answer: answerIn(kept), isReplay: true };
    throw new RequestError("KeyReused", `The Idempotency-Key ${call.key} was used for another request. Use a new one.`);
  }

  /** Serializes requests with the same key, so that the next one finds the stored response. */
  async #turn(name: string): Promise<Disposable> {
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

/** One call whose turn it is. */
class Attempt {
  readonly #store: Store;
  readonly #call: KeyedCall;
  readonly #steps: Steps;

  constructor(store: Store, call: KeyedCall, steps: Steps) {
    this.#store = store;
    this.#call = call;
    this.#steps = steps;
  }

  /** Returns the stored response, or performs the call. */
  async run(): Promise<StoredAnswer | PreparedResponse> {
    try {
      return await this.#findOrDo();
    } catch (error) {
      // A failure has taken back what its unit of work did. It is kept where another try would give the same.
      if (error instanceof DomainError && !TEMPORARY.has(error.kind)) {
        await this.#store.transact((tx) => this.#keep(tx, failureAnswer(error)));
      }
      throw error;
    }
  }

  async #findOrDo(): Promise<StoredAnswer | PreparedResponse> {
    const { first, rest } = this.#steps;
    const found = await this.#store.transact(async (tx) => {
      return await keptFor(tx, this.#call) ?? await this.#done(tx, await first(tx));
    });
    if ("request" in found) return found;
    let { answer } = found;
    await rest(found.outcome, async (unit) => {
      const next = await this.#store.transact(async (tx) => await this.#done(tx, await unit(tx)));
      answer = next.answer;
      return next.outcome;
    });
    return answer;
  }

  async #done(tx: Transaction, outcome: Outcome): Promise<{ outcome: Outcome; answer: PreparedResponse }> {
    const answer = this.#steps.answer(outcome.afterCommit === undefined ? outcome : CUT_SHORT);
    await this.#keep(tx, answer);
    return { outcome, answer };
  }

  async #keep(tx: Transaction, { status, headers, text }: PreparedResponse): Promise<void> {
    await tx.putAnswer({ ...this.#call, at: new Date().toISOString(), status, headers: { ...headers }, body: text });
  }
}

/** Deletes expired responses in small batches, so that calls are served in between. */
export async function removeExpiredAnswers(store: Store, now: Date): Promise<void> {
  const before = endOfLife(now);
  while (await store.transact((tx) => tx.deleteAnswers(before, REMOVED_AT_ONCE)) === REMOVED_AT_ONCE);
}

async function keptFor(tx: Transaction, { caller, key }: KeyedCall): Promise<StoredAnswer | undefined> {
  const kept = await tx.getAnswer(caller, key);
  return kept !== undefined && kept.at >= endOfLife(new Date()) ? kept : undefined;
}

/** The time before which answers have had theirs. */
function endOfLife(now: Date): string {
  return new Date(now.getTime() - LIFETIME).toISOString();
}

function answerIn({ status, headers, body }: StoredAnswer): PreparedResponse {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return { status, headers: Object.fromEntries(texts), text: body };
}
