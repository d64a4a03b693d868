/** The token endpoint: OAuth 2.0 client credentials (RFC 6749, section 4.4). */
import { authenticate, type ClientCredentials } from "../access/clients.ts";
import type { Tokens } from "../access/tokens.ts";
import type { Store } from "../store/store.ts";
import { createJsonResponse } from "./responses.ts";

/** Options of the token endpoint. */
export interface TokenEndpoint {
  readonly store: Store;
  readonly tokens: Tokens;
}

/** Exchanges a client's credentials, sent by HTTP Basic or in the body, for a token. */
export async function exchange(
  endpoint: TokenEndpoint,
  body: string,
  authorization: string | undefined,
): Promise<Response> {
  const form = new URLSearchParams(body);
  const grant = form.get("grant_type");
  if (grant === null) return refuse(400, "invalid_request", "grant_type is missing.");
  if (grant !== "client_credentials") {
    return refuse(400, "unsupported_grant_type", "The only supported grant type is client_credentials.");
  }
  const credentials = authorization === undefined ? readForm(form) : parseBasic(authorization);
  const client = credentials && await authenticate(endpoint.store, credentials);
  if (!client) return refuse(401, "invalid_client", "The client ID or the client secret is wrong.");
  const token = await endpoint.tokens.issue(client);
  return createJsonResponse(200, {
    access_token: token,
    token_type: "Bearer",
    expires_in: endpoint.tokens.lifetimeSeconds,
  });
}

function readForm(form: URLSearchParams): ClientCredentials | undefined {
  const [clientId, clientSecret] = [form.get("client_id"), form.get("client_secret")];
  return clientId === null || clientSecret === null ? undefined : { clientId, clientSecret };
}

/** Parses HTTP Basic credentials. Both parts are form-encoded (RFC 6749, section 2.3.1). */
function parseBasic(authorization: string): ClientCredentials | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const text = decodeBase64(encoded);
  const colon = text.indexOf(":");
  if (colon < 0) return undefined;
  return { clientId: formDecode(text.slice(0, colon)), clientSecret: formDecode(text.slice(colon + 1)) };
}

function decodeBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    return ""; // Malformed credentials are wrong credentials.
  }
}

function formDecode(text: string): string {
  return new URLSearchParams("=" + text.replaceAll("&", "%26")).get("") ?? "";
}

function refuse(status: 400 | 401, error: string, description: string): Response {
  const headers: Record<string, string> = status === 401 ? { "www-authenticate": 'Basic realm="svc"' } : {};
  return createJsonResponse(status, { error, error_description: description }, headers);
}
