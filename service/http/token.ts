/** The token endpoint: OAuth 2.0 client credentials (RFC 6749, section 4.4). */
import { authenticate, type ClientCredentials } from "../access/clients.ts";
import type { ServiceResponse } from "../connections/service_response.ts";
import type { Tokens } from "../access/tokens.ts";
import type { Store, StoredClient } from "../store/store.ts";
import { RateLimit } from "./rate_limit.ts";
import { createJsonResponse } from "./responses.ts";

/** Requests that a client may send at once. */
const BURST = 300;

/** Milliseconds after which a client may send another request. */
const INTERVAL = 200;

/** Returns the path of token revocation. It is in the folder of the token endpoint, but differs from its path. */
export function getRevocationPath(tokenPath: string): string {
  return tokenPath.replace(/[^/]*$/, (name) => name === "revoke" ? "revoke-token" : "revoke");
}

/** The token endpoint and the revocation endpoint. */
export class TokenEndpoint {
  readonly #store: Store;
  readonly #tokens: Tokens;
  readonly #limit = new RateLimit(BURST, INTERVAL);
  /** A separate limit, so that requests with a wrong secret do not lock out the client itself. */
  readonly #failureLimit = new RateLimit(BURST, INTERVAL);

  /** Creates the endpoints for the clients of a store. */
  constructor({ store, tokens }: { readonly store: Store; readonly tokens: Tokens }) {
    this.#store = store;
    this.#tokens = tokens;
  }

  /** Exchanges a client's credentials, sent by HTTP Basic or in the body, for a token. */
  async exchange(body: string, authorization: string | undefined): Promise<ServiceResponse> {
    const form = new URLSearchParams(body);
    const grant = form.get("grant_type");
    if (grant === null) return refuse(400, "invalid_request", "grant_type is missing.");
    if (grant !== "client_credentials") {
      return refuse(400, "unsupported_grant_type", "The only supported grant type is client_credentials.");
    }
    const client = await this.#authenticate(form, authorization);
    if ("status" in client) return client;
    const token = await this.#tokens.issue(client);
    const { lifetimeSeconds } = this.#tokens;
    return createJsonResponse(200, { access_token: token, token_type: "Bearer", expires_in: lifetimeSeconds });
  }

  /** Revokes a token of the client (RFC 7009). An unknown token and that of another client are ignored. */
  async revoke(body: string, authorization: string | undefined): Promise<ServiceResponse> {
    const form = new URLSearchParams(body);
    const token = form.get("token");
    if (token === null) return refuse(400, "invalid_request", "token is missing.");
    const client = await this.#authenticate(form, authorization);
    if ("status" in client) return client;
    await this.#tokens.revoke(token, client);
    return { status: 200, headers: { "cache-control": "no-store" }, body: "" };
  }

  /** Finds the client, or returns the response for wrong credentials or too many requests. */
  async #authenticate(
    form: URLSearchParams,
    authorization: string | undefined,
  ): Promise<StoredClient | ServiceResponse> {
    const credentials = authorization === undefined ? readForm(form) : parseBasic(authorization);
    const client = credentials && await authenticate(this.#store, credentials);
    if (credentials !== undefined) {
      const wait = (client === undefined ? this.#failureLimit : this.#limit).count(credentials.clientId);
      if (wait > 0) return refuse(429, "slow_down", "The client has sent too many requests.", wait);
    }
    return client ?? refuse(401, "invalid_client", "The client ID or the client secret is wrong.");
  }
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

function refuse(status: 400 | 401 | 429, error: string, description: string, retryAfter?: number): ServiceResponse {
  const headers: Record<string, string> = status === 401 ? { "www-authenticate": 'Basic realm="svc"' } : {};
  if (retryAfter !== undefined) headers["retry-after"] = String(retryAfter);
  return createJsonResponse(status, { error, error_description: description }, headers);
}
