import { mayReadVariable, readVariable } from "../auth/environment.ts";

/** Options of a request. */
export interface SendOptions {
  /**
   * Prevents Deno's `fetch` from sending the request again when a reused connection breaks, whether or not the service has
   * read it.
   */
  readonly once?: boolean | undefined;
}

/**
 * Sends a request as `fetch` does. A request to an `http` address does not use a proxy of the environment, because the
 * proxy would read its credentials.
 */
export function sendRequest(url: string, init: RequestInit, { once = false }: SendOptions = {}): Promise<Response> {
  const isBare = once && init.body === undefined;
  // Deno cannot send a stream again. A request without a body gets a connection of its own.
  const body = once && typeof init.body === "string" ? new Blob([init.body]) : init.body ?? null;
  const options = { ...init, body, client: getClient(new URL(url), isBare) }; // Types of browsers have no client.
  return fetch(url, options);
}

let hasProxy: boolean | undefined;

/** Reports whether Deno's `fetch` may use a proxy for `http` addresses. Assumes so without permission to find out. */
function hasHttpProxy(): boolean {
  return hasProxy ??= HTTP_PROXIES.some((name) => !mayReadVariable(name) || readVariable(name) !== undefined);
}

const HTTP_PROXIES = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] as const;

const clients = new Map<string, Deno.HttpClient>();

/** Returns a client that connects directly or alone. Returns undefined for the client of Deno. */
function getClient({ protocol, hostname, port }: URL, isAlone: boolean): Deno.HttpClient | undefined {
  const isDirect = protocol === "http:" && hasHttpProxy();
  if (!isDirect && !isAlone) return undefined;
  const key = `${isDirect ? `${hostname}:${port}` : ""} ${isAlone}`;
  let client = clients.get(key);
  if (client === undefined) {
    client = Deno.createHttpClient({
      ...(isAlone && { poolMaxIdlePerHost: 0 }),
      ...(isDirect && {
        // A "proxy" that is the service itself takes the place of the one in the environment.
        proxy: { transport: "tcp", hostname: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 80) },
      }),
    });
    clients.set(key, client);
  }
  return client;
}
