/** The OAuth 2.0 client credentials grant (RFC 6749, section 4.4). */
import { createRetryHint, getErrorCode, type Hint, SvcError } from "../errors.ts";
import { type Destination, explainRedirect, getRequestPath } from "../http/address.ts";
import { readText } from "../http/limits.ts";
import { listLoggedHeaders } from "../http/logged_headers.ts";
import { sendRequest } from "../http/send_request.ts";
import {
  filterObjects,
  isNonEmptyString,
  isScalar,
  type JsonObject,
  type JsonValue,
  parseJsonObject,
} from "../../utils/json.ts";
import { redact } from "../../utils/text/redact.ts";
import { USER_AGENT } from "../version.ts";
import { authenticateForm, createGrantForm, listSecretForms } from "./client_auth.ts";
import { type Credentials, getTokenUrl } from "./settings.ts";
import { createToken, isBearerToken, MAX_TOKEN_SECONDS, type Token } from "./token_cache.ts";

const DEFAULT_TOKEN_SECONDS = 3600;

const WRONG_ADDRESS = "Check baseUrl, and tokenPath in the profile.";

/** Advice on rejected credentials. */
export const CHECK_CREDENTIALS = "Check the client ID and the client secret.";

const MAX_RESPONSE_BYTES = 1024 * 1024;

/** Exchanges the client's secret for a token. Rejects with the signal's reason and with network errors as they are. */
export async function exchangeToken(credentials: Credentials, secret: string, signal: AbortSignal): Promise<Token> {
  const url = getTokenUrl(credentials);
  const response = await post(url, createGrantForm(credentials), credentials, secret, signal);
  const source = `The response of the token endpoint ${url}`;
  const text = await readText(response, { limit: MAX_RESPONSE_BYTES, source }).catch((error: unknown) => {
    throw error instanceof SvcError ? error.with({ hint: WRONG_ADDRESS }) : error;
  });
  const secrets = listSecretForms(credentials.clientId, secret);
  if (response.status === 200) return parseToken(text, url, secrets);
  const destination = { url, baseUrl: credentials.target.baseUrl };
  throw explainRejection(response, text, destination, secrets);
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
  const sent = authenticateForm(form, credentials.clientAuth, credentials.clientId, secret);
  const { authorization } = sent;
  const headers = { accept: "application/json", "user-agent": USER_AGENT };
  const path = getRequestPath(url);
  credentials.onRequest({
    method: "POST",
    path,
    headers: { ...headers, ...(authorization !== undefined && { authorization: "Basic [REDACTED]" }) },
    text: describeForm(sent.form),
  });
  const started = performance.now();
  const response = await (credentials.fetch ?? sendRequest)(url, {
    method: "POST",
    headers: { ...headers, ...(authorization !== undefined && { authorization }) },
    body: new URLSearchParams(sent.form),
    redirect: "manual",
    signal,
  });
  const { status, statusText: reason } = response;
  const milliseconds = performance.now() - started;
  const secrets = [...listSecretForms(credentials.clientId, secret), ...(form.token === undefined ? [] : [form.token])];
  const received = listLoggedHeaders(response.headers, (text) => redact(text, ...secrets));
  credentials.onExchange({ method: "POST", path, status, reason, milliseconds, headers: received });
  return response;
}

/** Members of the form that a log may show. */
const SHOWN_MEMBERS = ["grant_type", "scope", "audience", "client_id", "token_type_hint"];

function describeForm(form: Readonly<Record<string, string>>): string {
  const members = Object.entries(form).map(([name, value]) =>
    `${name}=${SHOWN_MEMBERS.includes(name) ? encodeURIComponent(value) : "[REDACTED]"}`
  );
  return members.join("&");
}

/** Parses a token response. Accepts null for optional members, and a number as text, because some servers send them. */
function parseToken(text: string, url: string, secrets: readonly string[]): Token {
  const body = parseJsonObject(text);
  if (body === undefined) throw invalidResponse(url, "is not a token response: it is not a JSON object");
  const { access_token: token, token_type: type = "Bearer", expires_in: expiresIn } = body;
  if (!isNonEmptyString(token)) {
    const reason = findDescription(body);
    const problem = reason === undefined ? "access_token is missing" : redact(reason, ...secrets);
    throw invalidResponse(url, `is not a token response: ${problem}`);
  }
  if (!isBearerToken(token)) throw invalidResponse(url, "contains a token that cannot be sent in a header");
  if (type !== null && String(type).toLowerCase() !== "bearer") {
    throw invalidResponse(url, `is not a token response: token_type ${describeValue(type)}, not "Bearer"`);
  }
  const seconds = parseFloat(String(expiresIn ?? DEFAULT_TOKEN_SECONDS));
  if (!(seconds >= 0)) {
    throw invalidResponse(
      url,
      `is not a token response: expires_in ${describeValue(expiresIn)}, not a number of seconds`,
    );
  }
  return createToken(token, Math.min(seconds, MAX_TOKEN_SECONDS));
}

/** Describes an invalid value. Shows only short words, because a longer text could be a secret. */
function describeValue(value: JsonValue | undefined): string {
  const isShown = isScalar(value) && /^[\w.-]{1,40}$/.test(String(value));
  return isShown ? `is ${JSON.stringify(value)}` : "has an unexpected value";
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
  const body = parseJsonObject(text);
  const description = findDescription(body);
  const message = description === undefined ? `${responded}.` : `${responded}: ${redact(description, ...secrets)}`;
  if (status === 400 || status === 401 || status === 403) {
    return new SvcError("UNAUTHORIZED", message, { status, hint: adviseOnError(body?.error) });
  }
  const retryAfter = headers.get("retry-after") ?? undefined;
  const isTemporary = status === 408 || status === 429 || status >= 500;
  const hint = isTemporary ? createRetryHint(retryAfter) : WRONG_ADDRESS;
  return new SvcError(getErrorCode(status), message, { status, hint, retryAfter });
}

/** Returns advice on an error code of OAuth. */
function adviseOnError(error: JsonValue | undefined): string | Hint {
  switch (error) {
    case "unsupported_grant_type":
      return "This endpoint does not issue tokens for client credentials. Check tokenPath in the profile.";
    case "unauthorized_client":
      return "On the server, allow this client to use the grant type client_credentials.";
    case "invalid_scope":
      return "Check scope in the profile.";
    case "invalid_target":
      return "Check audience in the profile.";
    default:
      return {
        text: CHECK_CREDENTIALS,
        commands: [{ args: ["auth", "diagnose"], purpose: "to see how the server expects them" }],
      };
  }
}

/** Returns the server's description of the error, from the members that OAuth, the API or other servers use. */
function findDescription(body: JsonObject = {}): string | undefined {
  const { error } = body;
  const issues = filterObjects([body.errors, body.errorDetails, error].flat());
  const reasons = issues.map(({ localizedValue, message, ID }) => [localizedValue, message, ID].find(isNonEmptyString));
  const listed = reasons.filter(isNonEmptyString).join("; ");
  return [body.error_description, body.localizedValue, listed, body.message, body.detail, error, body.title]
    .find(isNonEmptyString);
}

function invalidResponse(url: string, problem: string): SvcError {
  return new SvcError("INVALID_RESPONSE", `The response of the token endpoint ${url} ${problem}.`, {
    hint: WRONG_ADDRESS,
  });
}
