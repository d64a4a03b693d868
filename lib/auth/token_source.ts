/** The tokens of one session: from memory, else from the cache, else by an exchange that all who wait share. */
import { redact } from "./redact.ts";
import { Shared } from "./shared.ts";
import type { Credentials } from "./settings.ts";
import { isFresh, readToken, type Token } from "./token_cache.ts";

/** A token, and whether it was exchanged for this very request. */
export interface Taken {
  /** The token. */
  readonly token: Token;
  /** Whether it was exchanged just now, so that a refusal of it is final. */
  readonly isNew: boolean;
}

/** Characters of a token that is looked for in texts: a shorter one could be guessed, and is part of many words. */
const SHORTEST = 8;

/** Hands out tokens. */
export class TokenSource {
  readonly #credentials: Credentials;
  readonly #renewal = new Shared<Taken>();
  #token?: Token;

  /** A source that has read and sent nothing yet. */
  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  /** The token at hand, if it has not come to its end. */
  atHand(): Token | undefined {
    this.#token ??= readToken(this.#credentials);
    return this.#token && isFresh(this.#token) ? this.#token : undefined;
  }

  /** A text without the token at hand. */
  redact(text: string): string {
    const { accessToken = "" } = this.#token ?? {};
    return accessToken.length < SHORTEST ? text : redact(text, accessToken);
  }

  /** A token that has not come to its end. */
  async take(signal: AbortSignal): Promise<Taken> {
    const token = this.atHand();
    return token ? { token, isNew: false } : await this.#renew(undefined, signal);
  }

  /** Another token than the one that the server refused. */
  async replace(refused: Token, signal: AbortSignal): Promise<Token> {
    const current = this.#token;
    if (current && current.accessToken !== refused.accessToken && isFresh(current)) return current;
    return (await this.#renew(refused, signal)).token;
  }

  async #renew(refused: Token | undefined, signal: AbortSignal): Promise<Taken> {
    const taken = await this.#renewal.join(async (shared) => {
      const { renewToken } = await import("./renewal.ts");
      return await renewToken(this.#credentials, refused, shared);
    }, signal);
    this.#token = taken.token;
    return taken;
  }
}
