/** Access tokens, which expire. */
import { type Store, type StoredClient, StoreFull } from "../store/store.ts";
import { createSecret, hashSecret } from "./secrets.ts";

/** Maximum number of cached tokens, and of tokens that a full disk has left unstored. */
const MAX_CACHED = 10_000;

/** Milliseconds after which a cached token is looked up again: another process may have removed its client. */
const CHECK_INTERVAL = 2000;

interface CachedToken {
  readonly clientId: string;
  readonly operator: string;
  readonly expires: number;
  /** Time of `performance.now()` from which it is looked up again. */
  readonly checkAt: number;
}

/** Issues access tokens and finds their operators. Caches tokens, so that a call needs no look-up in the store. */
export class Tokens {
  /** Lifetime of a token in seconds. */
  readonly lifetimeSeconds: number;
  readonly #store: Store;
  readonly #cache = new Map<string, CachedToken>();
  /** Tokens that a full disk has left unstored, the oldest first. They are valid until the service ends. */
  readonly #unstored = new Map<string, CachedToken>();

  /** Creates the tokens of a store. */
  constructor(store: Store, lifetimeSeconds: number) {
    this.#store = store;
    this.lifetimeSeconds = lifetimeSeconds;
  }

  /** Issues a token for a client. */
  async issue(client: StoredClient): Promise<string> {
    const token = createSecret();
    const now = Date.now();
    const expires = now + this.lifetimeSeconds * 1000;
    const stored = { hash: hashSecret(token), clientId: client.id, expiresAt: new Date(expires).toISOString() };
    const issued = { clientId: client.id, operator: client.operator, expires };
    try {
      await this.#store.transact((tx) => tx.putToken(stored, new Date(now).toISOString()));
    } catch (error) {
      if (!(error instanceof StoreFull)) throw error;
      this.#addUnstored(token, { ...issued, checkAt: Infinity }); // So that clients can read.
      return token;
    }
    this.#add(token, issued);
    return token;
  }

  /** Finds the operator of a token. Returns undefined if the token is unknown or has expired. */
  findOperator(token: string): string | undefined | Promise<string | undefined> {
    const cached = this.#findCached(token);
    if (!cached || performance.now() >= cached.checkAt) return this.#lookUp(token);
    if (cached.expires > Date.now()) return cached.operator;
    this.#forget(token);
    return undefined;
  }

  /** Revokes a token, if it belongs to the client. */
  async revoke(token: string, client: StoredClient): Promise<void> {
    const found = await this.#store.read((tx) => tx.getToken(hashSecret(token)));
    const owner = found?.client.id ?? this.#findCached(token)?.clientId;
    if (owner !== client.id) return;
    if (found) await this.#store.transact((tx) => tx.deleteToken(hashSecret(token)));
    this.#forget(token); // Last: a look-up that found the token may have added it again.
  }

  async #lookUp(token: string): Promise<string | undefined> {
    const found = await this.#store.read((tx) => tx.getToken(hashSecret(token)));
    const expires = found ? Date.parse(found.token.expiresAt) : 0;
    if (!found || expires <= Date.now()) {
      this.#cache.delete(token);
      return undefined;
    }
    const { id: clientId, operator } = found.client;
    this.#add(token, { clientId, operator, expires });
    return operator;
  }

  #findCached(token: string): CachedToken | undefined {
    return this.#cache.get(token) ?? this.#unstored.get(token);
  }

  #forget(token: string): void {
    this.#cache.delete(token);
    this.#unstored.delete(token);
  }

  #addUnstored(token: string, entry: CachedToken): void {
    const [oldest] = this.#unstored.keys();
    if (oldest !== undefined && this.#unstored.size >= MAX_CACHED) this.#unstored.delete(oldest);
    this.#unstored.set(token, entry);
  }

  #add(token: string, entry: Omit<CachedToken, "checkAt">): void {
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(token, { ...entry, checkAt: performance.now() + CHECK_INTERVAL });
  }
}
