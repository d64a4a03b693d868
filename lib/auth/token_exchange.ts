/** The OAuth 2.0 client credentials grant (RFC 6749, section 4.4), with HTTP Basic authentication of the client. */
import { createRetryHint, getErrorCode, SvcError } from "../errors.ts";
import { type Destination, explainRedirect, getRequestPath } from "../http/address.ts";
import { readText } from "../http/limits.ts";
import { sendRequest } from "../http/send_request.ts";
import { isString, type JsonObject, parseJsonObject } from "../../utils/json.ts";
import { hasShape, type Shape } from "../../utils/shape.ts";
import { redact } from "../../utils/text/redact.ts";
import { USER_AGENT } from "../version.ts";
import { type Credentials, getTokenUrl } from "./settings.ts";
import { createToken, isBearerToken, MAX_TOKEN_SECONDS, type Token } from "./token_cache.ts";

const DEFAULT_TOKEN_SECONDS = 3600;

const WRONG_ADDRESS = "Check baseUrl, and tokenPath in the profile.";

const MAX_RESPONSE_BYTES = 1024 * 1024;

/** Exchanges the client's secret for a token. Rejects with the signal's reason and with network errors as they are. */
export async function exchangeToken(credentials: Credentials, secret: string, signal: AbortSignal): Promise<Token> {
  const url = getTokenUrl(credentials);
  const response = await post(url, { grant_type: "client_credentials" }, credentials, secret, signal);
  const text = await readText(response, MAX_RESPONSE_BYTES).catch((error: unknown) => {
    throw error instanceof SvcError ? invalidResponse(url, `is longer than ${MAX_RESPONSE_BYTES} bytes`) : error;
  });
  if (response.status === 200) return parseToken(text, url);
  const destination = { url, baseUrl: credentials.target.baseUrl };
  throw explainRejection(response, text, destination, [encodeBasic(credentials, secret), formEncode(secret), secret]);
}

/** Revokes a token (RFC 7009). Rejects with the signal's reason and with network errors as they are. */
export async function revokeToken(
  url: string,
  token: Token,
  credentials: Credentials,
  secret: string,
  signal: AbortSignal,
): Promise<void> {
  const form = { token: token.accessToken, token_type_hint: "access_token" };
  const { status, statusText, body } = await post(url, form, credentials, secret, signal);
  await body?.cancel();
  if (status === 200) return;
  const message = `The revocation endpoint ${url} responded with ${status} ${statusText}`.trimEnd();
  throw new SvcError(getErrorCode(status), `${message}.`, { status });
}

/** Sends a form with the client's credentials. */
async function post(
  url: string,
  form: Record<string, string>,
  credentials: Credentials,
  secret: string,
  signal: AbortSignal,
): Promise<Response> {
  const authorization = `Basic ${encodeBasic(credentials, secret)}`;
  const started = performance.now();
  const response = await (credentials.fetch ?? sendRequest)(url, {
    method: "POST",
    headers: { accept: "application/json", authorization, "user-agent": USER_AGENT },
    body: new URLSearchParams(form),
    redirect: "manual",
    signal,
  });
  const { status, statusText: reason } = response;
  const milliseconds = performance.now() - started;
  credentials.onExchange({ method: "POST", path: getRequestPath(url), status, reason, milliseconds });
  return response;
}

function encodeBasic({ clientId }: Credentials, secret: string): string {
  return btoa(`${formEncode(clientId)}:${formEncode(secret)}`);
}

/** Encodes as `application/x-www-form-urlencoded`, which the Basic scheme of OAuth demands. */
function formEncode(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice("=".length);
}

/** A token response. Some servers send null for optional members, and the number as text. */
const TOKEN_RESPONSE = {
  required: { access_token: "string" },
  optional: { token_type: { oneOf: ["string", "null"] }, expires_in: { oneOf: ["number", "string", "null"] } },
} as const satisfies Shape;

/** Parses a token response. Ignores other members. */
function parseToken(text: string, url: string): Token {
  const body = parseJsonObject(text);
  if (!hasShape(body, TOKEN_RESPONSE)) throw invalidResponse(url, "is not a token response");
  const { access_token: token, token_type: type, expires_in: expiresIn } = body;
  const seconds = parseFloat(String(expiresIn ?? DEFAULT_TOKEN_SECONDS));
  if (token === "" || (type ?? "bearer").toLowerCase() !== "bearer" || !(seconds >= 0)) {
    throw invalidResponse(url, "is not a token response");
  }
  if (!isBearerToken(token)) throw invalidResponse(url, "contains a token that cannot be sent in a header");
  return createToken(token, Math.min(seconds, MAX_TOKEN_SECONDS));
}

function explainRejection(
  { status, statusText, headers }: Response,
  text: string,
  destination: Destination,
  secrets: readonly string[],
): SvcError {
  const { url } = destination;
  if (status < 300) return invalidResponse(url, `is not a token response: it has status ${status} instead of 200`);
  const responded = `The token endpoint ${url} responded with ${status} ${statusText}`.trimEnd();
  if (status < 400) {
    const location = headers.get("location");
    const hint = location === null ? WRONG_ADDRESS : redact(explainRedirect(location, destination), ...secrets);
    return new SvcError("INVALID_RESPONSE", `${responded}. Redirects are not followed.`, { status, hint });
  }
  const description = findDescription(parseJsonObject(text));
  const message = description === undefined ? `${responded}.` : `${responded}: ${redact(description, ...secrets)}`;
  if (status === 400 || status === 401 || status === 403) {
    const hint = "Check the client ID and the client secret.";
    return new SvcError("UNAUTHORIZED", message, { status, hint });
  }
  const retryAfter = headers.get("retry-after") ?? undefined;
  const isTemporary = status === 408 || status === 429 || status >= 500;
  const hint = isTemporary ? createRetryHint(retryAfter) : WRONG_ADDRESS;
  return new SvcError(getErrorCode(status), message, { status, hint, retryAfter });
}

/** Returns the server's description of the error, from the members that OAuth or the API define. */
function findDescription(body: JsonObject = {}): string | undefined {
  return [body.error_description, body.localizedValue, body.error].find(isString);
}

function invalidResponse(url: string, problem: string): SvcError {
  return new SvcError("INVALID_RESPONSE", `The response of the token endpoint ${url} ${problem}.`, {
    hint: WRONG_ADDRESS,
  });
}
