import { abortable } from "../../utils/async/abortable.ts";
import { redact } from "../../utils/text/redact.ts";
import type { Credentials } from "./settings.ts";
import { isFresh, type IssuedToken, readToken, type Token } from "./token_cache.ts";

/** Shorter tokens are not redacted: they are easy to guess and occur in ordinary words. */
const MIN_REDACTED_LENGTH = 8;

/** Provides the tokens of one session: from memory, from the cache, or from a token exchange. */
export class TokenSource {
  readonly #credentials: Credentials;
  readonly #renewal = new SingleFlight<IssuedToken>();
  #token?: Token;

  /** Creates a source. Nothing is read or sent yet. */
  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  /** Returns a fresh token from memory or the cache. */
  find(): Token | undefined {
    this.#token ??= readToken(this.#credentials);
    return this.#token && isFresh(this.#token) ? this.#token : undefined;
  }

  /** Removes the current token from a text. */
  redact(text: string): string {
    const { accessToken = "" } = this.#token ?? {};
    return accessToken.length < MIN_REDACTED_LENGTH ? text : redact(text, accessToken);
  }

  /** Returns a fresh token. */
  async get(signal: AbortSignal): Promise<IssuedToken> {
    const token = this.find();
    return token ? { token, isNew: false } : await this.#renew(undefined, signal);
  }

  /** Returns a token other than the one that the server rejected. */
  async replace(rejected: Token, signal: AbortSignal): Promise<Token> {
    const current = this.#token;
    if (current && current.accessToken !== rejected.accessToken && isFresh(current)) return current;
    return (await this.#renew(rejected, signal)).token;
  }

  async #renew(rejected: Token | undefined, signal: AbortSignal): Promise<IssuedToken> {
    const issued = await this.#renewal.join(async (flightSignal) => {
      const { renewToken } = await import("./renewal.ts");
      return await renewToken(this.#credentials, rejected, flightSignal);
    }, signal);
    this.#token = issued.token;
    return issued;
  }
}

interface Flight<T> {
  readonly outcome: Promise<T>;
  readonly controller: AbortController;
  callers: number;
}

/** Runs one task at a time for all concurrent callers. Cancels it when the last caller has left. */
class SingleFlight<T> {
  #flight?: Flight<T>;

  /** Joins the task in progress, or starts one. */
  async join(start: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const flight = this.#flight ??= this.#start(start);
    flight.callers++;
    try {
      return await abortable(flight.outcome, signal);
    } finally {
      if (--flight.callers === 0) this.#end(flight);
    }
  }

  #start(start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    return { outcome: start(controller.signal), controller, callers: 0 };
  }

  #end(flight: Flight<T>): void {
    flight.controller.abort();
    if (this.#flight === flight) this.#flight = undefined;
  }
}
