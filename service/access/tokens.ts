/** Access tokens: given out for a while, looked up at every call. */
import type { Store, StoredClient } from "../store/store.ts";
import { hashSecret, randomSecret } from "./secrets.ts";

/** Tokens that are remembered at most; beyond it the store answers. */
const REMEMBERED = 10_000;

/** Gives out tokens and tells whose they are. A token that was seen once costs no look-up again. */
export class Tokens {
  /** Seconds that a token lives. */
  readonly lifetimeSeconds: number;
  readonly #store: Store;
  readonly #known = new Map<string, { operator: string; expires: number }>();

  /** Makes tokens that live for some seconds. */
  constructor(store: Store, lifetimeSeconds: number) {
    this.#store = store;
    this.lifetimeSeconds = lifetimeSeconds;
  }

  /** A new token of a client. */
  async issue(client: StoredClient): Promise<string> {
    const token = randomSecret();
    const now = Date.now();
    const expires = now + this.lifetimeSeconds * 1000;
    const stored = { hash: hashSecret(token), clientId: client.id, expiresAt: new Date(expires).toISOString() };
    await this.#store.transact((tx) => tx.putToken(stored, new Date(now).toISOString()));
    this.#remember(token, client.operator, expires);
    return token;
  }

  /** Finds the operator of a token. Returns undefined if the token is unknown or has expired. */
  operatorOf(token: string): string | undefined | Promise<string | undefined> {
    const known = this.#known.get(token);
    if (!known) return this.#lookUp(token);
    if (known.expires > Date.now()) return known.operator;
    this.#known.delete(token);
    return undefined;
  }

  async #lookUp(token: string): Promise<string | undefined> {
    const found = await this.#store.read((tx) => tx.getToken(hashSecret(token)));
    const expires = found ? Date.parse(found.token.expiresAt) : 0;
    if (!found || expires <= Date.now()) return undefined;
    this.#remember(token, found.client.operator, expires);
    return found.client.operator;
  }

  #remember(token: string, operator: string, expires: number): void {
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    this.#known.set(token, { operator, expires });
  }
}
