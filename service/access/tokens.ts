/** Access tokens, which expire. */
import type { Store, StoredClient } from "../store/store.ts";
import { createSecret, hashSecret } from "./secrets.ts";

/** Maximum number of cached tokens. */
const MAX_CACHED = 10_000;

/** Issues access tokens and finds their operators. Caches tokens, so that a call needs no look-up in the store. */
export class Tokens {
  /** Lifetime of a token in seconds. */
  readonly lifetimeSeconds: number;
  readonly #store: Store;
  readonly #cache = new Map<string, { operator: string; expires: number }>();

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
    await this.#store.transact((tx) => tx.putToken(stored, new Date(now).toISOString()));
    this.#add(token, client.operator, expires);
    return token;
  }

  /** Finds the operator of a token. Returns undefined if the token is unknown or has expired. */
  findOperator(token: string): string | undefined | Promise<string | undefined> {
    const cached = this.#cache.get(token);
    if (!cached) return this.#lookUp(token);
    if (cached.expires > Date.now()) return cached.operator;
    this.#cache.delete(token);
    return undefined;
  }

  async #lookUp(token: string): Promise<string | undefined> {
    const found = await this.#store.read((tx) => tx.getToken(hashSecret(token)));
    const expires = found ? Date.parse(found.token.expiresAt) : 0;
    if (!found || expires <= Date.now()) return undefined;
    this.#add(token, found.client.operator, expires);
    return found.client.operator;
  }

  #add(token: string, operator: string, expires: number): void {
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(token, { operator, expires });
  }
}
