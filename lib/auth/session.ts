import { SvcError } from "../errors.ts";
import { getRequestPath } from "../http/address.ts";
import {
  type Credentials,
  type Fetch,
  readSettings,
  requireCredentials,
  type SessionOptions,
  type Target,
} from "./settings.ts";
import type { Token } from "./token_cache.ts";
import { TokenSource } from "./token_source.ts";

/** A request without credentials. */
export interface SessionRequest {
  /** HTTP method. */
  readonly method: string;
  /** Absolute URL. */
  readonly url: string;
  /** Headers without `Authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body. It can be sent again. */
  readonly body?: string | Blob;
  /** Cancels the request. */
  readonly signal: AbortSignal;
  /** True if the request must not arrive twice: the platform then does not resend it when a connection breaks. */
  readonly once?: boolean;
  /** Called with true when the request is sent, and with false if its token is rejected. */
  readonly underWay?: (isSent: boolean) => void;
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
  const response = await send(request, token, fetch);
  const { status, statusText: reason } = response;
  if (status !== 401 || isNew) return response;
  underWay?.(false);
  await response.body?.cancel();
  onExchange({ method, path: getRequestPath(url), status, reason, milliseconds: performance.now() - started });
  return await send(request, await tokens.replace(token, request.signal), fetch);
}

function send(
  { method, url, headers, body, signal, once, underWay }: SessionRequest,
  token: Token,
  fetchInstead?: Fetch,
): Promise<Response> {
  signal.throwIfAborted();
  underWay?.(true);
  const authorized = { ...headers, authorization: `Bearer ${token.accessToken}` };
  const init = { method, headers: authorized, body, signal, redirect: "manual" } as const;
  if (fetchInstead !== undefined) return fetchInstead(url, init);
  return fetch(url, once ? { ...init, ...preventResending(body) } : init);
}

/**
 * Deno's `fetch` resends a request when a reused connection breaks, whether or not the service has read it. It cannot
 * resend a stream. A request without a body gets a connection of its own.
 */
function preventResending(body: SessionRequest["body"]): RequestInit & { client?: Deno.HttpClient } {
  if (body === undefined) return { client: unpooledClient ??= Deno.createHttpClient({ poolMaxIdlePerHost: 0 }) };
  return typeof body === "string" ? { body: new Blob([body]) } : {};
}

let unpooledClient: Deno.HttpClient | undefined;

/** Throws unless the URL belongs to the service that issued the token. */
function checkDestination(url: string, { baseUrl }: Target): void {
  if (url.startsWith(baseUrl + "/")) return;
  throw new SvcError("INVALID_ARGS", `${url} is not below ${baseUrl}: the token is not sent there.`, {
    hint: "Use the address of the service in the profile.",
  });
}
