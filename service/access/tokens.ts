/** Access tokens, which expire. */
import { type Store, type StoredClient, StoreFull } from "../store/store.ts";
import { createSecret, hashSecret } from "./secrets.ts";

/** Maximum number of cached tokens. */
const MAX_CACHED = 10_000;

/** Milliseconds after which a cached token is looked up again: another process may have removed its client. */
const CHECK_INTERVAL = 2000;

interface CachedToken {
  readonly clientId: string;
  readonly operator: string;
  readonly expires: number;
  /** False if the disk was full when it was issued. */
  readonly isStored: boolean;
  /** Time of `performance.now()` from which it is looked up again. */
  readonly checkAt: number;
}

/** Issues access tokens and finds their operators. Caches tokens, so that a call needs no look-up in the store. */
export class Tokens {
  /** Lifetime of a token in seconds. */
  readonly lifetimeSeconds: number;
  readonly #store: Store;
  readonly #cache = new Map<string, CachedToken>();

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
    let isStored = true;
    try {
      await this.#store.transact((tx) => tx.putToken(stored, new Date(now).toISOString()));
    } catch (error) {
      if (!(error instanceof StoreFull)) throw error;
      isStored = false; // It is valid until the service ends, so that clients can read.
    }
    this.#add(token, { clientId: client.id, operator: client.operator, expires, isStored });
    return token;
  }

  /** Finds the operator of a token. Returns undefined if the token is unknown or has expired. */
  findOperator(token: string): string | undefined | Promise<string | undefined> {
    const cached = this.#cache.get(token);
    if (!cached || (cached.isStored && performance.now() >= cached.checkAt)) return this.#lookUp(token);
    if (cached.expires > Date.now()) return cached.operator;
    this.#cache.delete(token);
    return undefined;
  }

  /** Revokes a token, if it belongs to the client. */
  async revoke(token: string, client: StoredClient): Promise<void> {
    const found = await this.#store.read((tx) => tx.getToken(hashSecret(token)));
    const owner = found?.client.id ?? this.#cache.get(token)?.clientId;
    if (owner !== client.id) return;
    if (found) await this.#store.transact((tx) => tx.deleteToken(hashSecret(token)));
    this.#cache.delete(token); // Last: a look-up that found the token may have added it again.
  }

  async #lookUp(token: string): Promise<string | undefined> {
    const found = await this.#store.read((tx) => tx.getToken(hashSecret(token)));
    const expires = found ? Date.parse(found.token.expiresAt) : 0;
    if (!found || expires <= Date.now()) {
      this.#cache.delete(token);
      return undefined;
    }
    const { id: clientId, operator } = found.client;
    this.#add(token, { clientId, operator, expires, isStored: true });
    return operator;
  }

  #add(token: string, entry: Omit<CachedToken, "checkAt">): void {
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(token, { ...entry, checkAt: performance.now() + CHECK_INTERVAL });
  }
}
