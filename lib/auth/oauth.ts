/** The token exchange: OAuth 2.0 client credentials (RFC 6749, section 4.4), the client authenticated by HTTP Basic. */
import type { ClientAuth, TokenEndpointResponse } from "oauth4webapi";
import { createRetryHint, getErrorCode, SvcError } from "../errors.ts";
import { type Destination, hintOfRedirect, lineOf } from "../http/address.ts";
import { readText } from "../http/read_text.ts";
import { type JsonObject, parseJsonObject } from "../../utils/json.ts";
import { USER_AGENT } from "../version.ts";
import { redact } from "./redact.ts";
import type { Credentials, Settings } from "./settings.ts";
import { isTokenText, LONGEST_LIFE, type Token, tokenOf } from "./token_cache.ts";

const DEFAULT_LIFE = 3600;

const WRONG_ADDRESS = "Check baseUrl, and tokenPath in the profile.";

/** The most bytes that an answer may have: a token endpoint sends less. */
const ANSWER_LIMIT = 1024 * 1024;

/** Exchanges the client's secret for a token; rejects with the signal's reason or the network's error as they come. */
export async function exchangeToken(credentials: Credentials, secret: string, signal: AbortSignal): Promise<Token> {
  const oauth = await import("oauth4webapi").catch(notInstalled);
  const url = tokenUrl(credentials);
  const server = { issuer: credentials.target.baseUrl, token_endpoint: url };
  const client = { client_id: credentials.clientId };
  let sent = "";
  const authentication: ClientAuth = (as, client, body, headers) => {
    oauth.ClientSecretBasic(secret)(as, client, body, headers);
    sent = headers.get("authorization") ?? "";
  };
  const started = performance.now();
  const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, {}, {
    signal,
    headers: { "user-agent": USER_AGENT },
    // Whether plain http is allowed here has been checked with the profile.
    [oauth.allowInsecureRequests]: true,
  });
  const { status, statusText: reason } = response;
  const milliseconds = performance.now() - started;
  credentials.onExchange({ method: "POST", path: lineOf(url), status, reason, milliseconds });
  const text = await readText(response, ANSWER_LIMIT).catch((error: unknown) => {
    throw error instanceof SvcError ? invalidAnswer(url, `is longer than ${ANSWER_LIMIT} bytes`) : error;
  });
  if (status !== 200) {
    throw refusal(response, text, { url, baseUrl: credentials.target.baseUrl }, [...partsOf(sent), secret]);
  }
  return await tokenIn(text, url, (granted) => oauth.processClientCredentialsResponse(server, client, granted));
}

/** The token that an answer of the endpoint grants, once the library has read what matters of it. */
async function tokenIn(
  text: string,
  url: string,
  read: (granted: Response) => Promise<TokenEndpointResponse>,
): Promise<Token> {
  const body = parseJsonObject(text);
  if (body === undefined) throw invalidAnswer(url, "is no token response");
  // Beside this some send an ID token of an issuer of their own, or null for what there is not: the library refuses both.
  const { access_token, expires_in } = body;
  const token_type = body.token_type ?? "bearer"; // Some leave it out: there is no other that they could mean.
  const granted = Response.json({ access_token, token_type, expires_in: expires_in ?? undefined });
  const answer = await read(granted).catch((error: unknown) => {
    if (!isOAuthError(error)) throw error;
    // The library's error carries the answer, and with it the token: it goes no further.
    throw invalidAnswer(url, "is no token response");
  });
  if (!isTokenText(answer.access_token)) throw invalidAnswer(url, "holds a token that no header can carry");
  return tokenOf(answer.access_token, Math.min(answer.expires_in ?? DEFAULT_LIFE, LONGEST_LIFE));
}

/** A part of svc that cannot be loaded is not the service's fault. */
function notInstalled(cause: unknown): never {
  throw new SvcError("INTERNAL_ERROR", "A package of svc is not on this machine and cannot be fetched.", {
    cause,
    hint: "Install svc again where the npm registry can be reached.",
  });
}

/** The address of the token endpoint. */
export function tokenUrl({ target, tokenPath }: Settings): string {
  return target.baseUrl + tokenPath;
}

/** What may not show of a Basic header: its credentials, and the secret in them, which is form-encoded there. */
function partsOf(header: string): string[] {
  const credentials = header.replace(/^Basic /, "");
  return [credentials, atob(credentials).replace(/^[^:]*:/, "")];
}

function refusal(
  { status, statusText, headers }: Response,
  text: string,
  sent: Destination,
  secrets: readonly string[],
): SvcError {
  const { url } = sent;
  const said = descriptionOf(parseJsonObject(text));
  const answered = `The token endpoint ${url} answered ${status} ${statusText}`.trimEnd();
  if (status < 300) return invalidAnswer(url, `is no token response: it has status ${status}, not 200`);
  if (status < 400) {
    const location = headers.get("location");
    const hint = location === null ? WRONG_ADDRESS : redact(hintOfRedirect(location, sent), ...secrets);
    return new SvcError("INVALID_RESPONSE", `${answered}, and redirects are not followed.`, { status, hint });
  }
  const message = said === undefined ? `${answered}.` : `${answered}: ${redact(said, ...secrets)}`;
  if (status === 400 || status === 401 || status === 403) {
    const hint = "Check the client ID and the client secret.";
    return new SvcError("UNAUTHORIZED", message, { status, hint });
  }
  const retryAfter = headers.get("retry-after") ?? undefined;
  const mayPass = status === 408 || status === 429 || status >= 500;
  const hint = mayPass ? createRetryHint(retryAfter) : WRONG_ADDRESS;
  return new SvcError(getErrorCode(status), message, { status, hint, retryAfter });
}

/** What the server says of its refusal, in the members of OAuth or of the API. */
function descriptionOf(body: JsonObject | undefined): string | undefined {
  return [body?.error_description, body?.localizedValue, body?.error].find((said) => typeof said === "string");
}

function isOAuthError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("OAUTH_");
}

function invalidAnswer(url: string, what: string): SvcError {
  return new SvcError("INVALID_RESPONSE", `The answer of the token endpoint ${url} ${what}.`, {
    hint: WRONG_ADDRESS,
  });
}
