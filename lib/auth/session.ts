/** Authenticated connections to a service: requests, and the tokens that they carry. */
import { SingleFlight } from "../../utils/async/single_flight.ts";
import { redact } from "../../utils/text/redact.ts";
import { SvcError } from "../errors.ts";
import { getRequestPath } from "../http/address.ts";
import { readText } from "../http/limits.ts";
import { listLoggedHeaders } from "../http/logged_headers.ts";
import { sendRequest } from "../http/send_request.ts";
import {
  type Credentials,
  type Fetch,
  readSettings,
  requireCredentials,
  type SessionOptions,
  type Target,
} from "./settings.ts";
import { isFresh, type IssuedToken, readToken, type Token } from "./token_cache.ts";

/** A request without credentials. */
export interface SessionRequest {
  /** HTTP method. */
  readonly method: string;
  /** Absolute URL. */
  readonly url: string;
  /** Headers without `Authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body. It can be sent again. */
  readonly body?: string | Blob | undefined;
  /** Cancels the request. */
  readonly signal: AbortSignal;
  /** True if the request must not arrive twice: the platform then does not resend it when a connection breaks. */
  readonly once?: boolean | undefined;
  /** Called with true when the request is sent, and with false if its token is rejected. */
  readonly underWay?: ((isSent: boolean) => void) | undefined;
}

/** An authenticated connection to one service. */
export interface Session {
  /** The service. */
  readonly target: Target;
  /** Sends a request with a valid token. If a cached token is rejected, replaces it and sends the request again. */
  fetch(request: SessionRequest): Promise<Response>;
  /** Removes the token from a text of the service. */
  redact(text: string): string;
}

/** Maximum size of the body of a response that rejects a token. */
const MAX_REJECTION_BYTES = 1024 * 1024;

/** Opens a session with the service that options, environment and profile name. Nothing is sent yet. */
export function openSession(options: SessionOptions = {}): Session {
  const credentials = requireCredentials(readSettings(options));
  return createSession(credentials, new TokenSource(credentials));
}

/** Creates a session. Secret and tokens stay in closures, so that the session does not expose them. */
export function createSession(credentials: Credentials, tokens: TokenSource): Session {
  return Object.freeze({
    target: credentials.target,
    fetch: (request: SessionRequest) => fetchWithToken(request, credentials, tokens),
    redact: (text: string) => tokens.redact(text),
  });
}

async function fetchWithToken(
  request: SessionRequest,
  { target, onExchange, fetch }: Credentials,
  tokens: TokenSource,
): Promise<Response> {
  const { method, url, underWay } = request;
  checkDestination(url, target);
  // With a token in memory the request is sent synchronously, so that the caller's next steps overlap with it.
  const available = tokens.find();
  const { token, isNew } = available ? { token: available, isNew: false } : await tokens.get(request.signal);
  const started = performance.now();
  const response = await sendWithToken(request, token, fetch);
  const { status, statusText: reason } = response;
  if (status !== 401 || isNew) return response;
  underWay?.(false);
  const milliseconds = performance.now() - started;
  const text = tokens.redact(await readText(response, { limit: MAX_REJECTION_BYTES }).catch(() => ""));
  const headers = listLoggedHeaders(response.headers, (text) => tokens.redact(text));
  onExchange({ method, path: getRequestPath(url), status, reason, milliseconds, headers, text });
  return await sendWithToken(request, await tokens.replace(token, request.signal), fetch);
}

function sendWithToken(
  { method, url, headers, body, signal, once, underWay }: SessionRequest,
  token: Token,
  fetchInstead?: Fetch,
): Promise<Response> {
  signal.throwIfAborted();
  underWay?.(true);
  const authorized = { ...headers, authorization: `Bearer ${token.accessToken}` };
  const init = {
    method,
    headers: authorized,
    ...(body !== undefined && { body }),
    signal,
    redirect: "manual",
  } as const;
  return fetchInstead === undefined ? sendRequest(url, init, { once }) : fetchInstead(url, init);
}

/** Throws unless the URL belongs to the service that issued the token. */
function checkDestination(url: string, { baseUrl }: Target): void {
  if (url.startsWith(baseUrl + "/")) return;
  throw new SvcError("INVALID_ARGS", `${url} is not below ${baseUrl}: the token is not sent there.`, {
    hint: "Use the address of the service in the profile.",
  });
}

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

  /** Returns a fresh token from memory. */
  find(): Token | undefined {
    return this.#token && isFresh(this.#token) ? this.#token : undefined;
  }

  /** Removes the current token from a text. */
  redact(text: string): string {
    const { accessToken = "" } = this.#token ?? {};
    return accessToken.length < MIN_REDACTED_LENGTH ? text : redact(text, accessToken);
  }

  /** Returns a fresh token. */
  async get(signal: AbortSignal): Promise<IssuedToken> {
    const token = this.find() ?? await readToken(this.#credentials);
    if (token === undefined) return await this.#renew(undefined, signal);
    this.#token = token;
    return { token, isNew: false };
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
