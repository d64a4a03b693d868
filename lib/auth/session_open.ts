/** Opens sessions. The secret and the tokens stay in closures: a session holds neither. */
import { SvcError } from "../errors.ts";
import { lineOf } from "../http/address.ts";
import type { Session, SessionRequest, Target } from "./session.ts";
import { type Credentials, readSettings, type SessionOptions, withCredentials } from "./settings.ts";
import type { Token } from "./token_cache.ts";
import { TokenSource } from "./token_source.ts";

/** Opens a session with the service that options, environment and profile name; nothing is sent yet. */
export function openSession(options: SessionOptions = {}): Session {
  const credentials = withCredentials(readSettings(options));
  return sessionOf(credentials, new TokenSource(credentials));
}

/** The service that options, environment and profile name; needs no credentials. */
export function openTarget(options: SessionOptions = {}): Target {
  return readSettings(options).target;
}

/** A session whose tokens come from a source. */
export function sessionOf(credentials: Credentials, tokens: TokenSource): Session {
  return Object.freeze({
    target: credentials.target,
    fetch: (request: SessionRequest) => fetchWithToken(request, credentials, tokens),
    redact: (text: string) => tokens.redact(text),
  });
}

async function fetchWithToken(
  request: SessionRequest,
  { target, onExchange }: Credentials,
  tokens: TokenSource,
): Promise<Response> {
  const { method, url, underWay } = request;
  checkDestination(url, target);
  // With a token at hand the request leaves at once: what its caller does next happens while it is on its way.
  const atHand = tokens.atHand();
  const { token, isNew } = atHand ? { token: atHand, isNew: false } : await tokens.take(request.signal);
  const started = performance.now();
  const response = await send(request, token);
  const { status, statusText: reason } = response;
  if (status !== 401 || isNew) return response;
  underWay?.(false);
  await response.body?.cancel();
  onExchange({ method, path: lineOf(url), status, reason, milliseconds: performance.now() - started });
  return await send(request, await tokens.replace(token, request.signal));
}

function send({ method, url, headers, body, signal, once, underWay }: SessionRequest, token: Token): Promise<Response> {
  signal.throwIfAborted();
  underWay?.(true);
  const authorized = { ...headers, authorization: `Bearer ${token.accessToken}` };
  const init = { method, headers: authorized, body, signal, redirect: "manual" } as const;
  return fetch(url, once ? { ...init, ...sentOnce(body) } : init);
}

/**
 * Deno's `fetch` sends a request again when a connection that it reuses breaks, whether or not the service has read it;
 * only what it reads as a stream it cannot send again. Where there is nothing to read, no connection is reused.
 */
function sentOnce(body: SessionRequest["body"]): RequestInit & { client?: Deno.HttpClient } {
  if (body === undefined) return { client: unpooled ??= Deno.createHttpClient({ poolMaxIdlePerHost: 0 }) };
  return typeof body === "string" ? { body: new Blob([body]) } : {};
}

let unpooled: Deno.HttpClient | undefined;

/** A token goes to the service that issued it and nowhere else. */
function checkDestination(url: string, { baseUrl }: Target): void {
  if (url.startsWith(baseUrl + "/")) return;
  throw new SvcError("INVALID_ARGS", `${url} is not below ${baseUrl}: the token is not sent there.`, {
    hint: "Call the service through the address of its profile.",
  });
}
