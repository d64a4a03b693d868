/** Serves the metrics of a process to Prometheus. */
import type { Registry } from "prom-client";
import { isLoopbackHost } from "../../utils/loopback_host.ts";
import { toUrlHost } from "../../utils/url_host.ts";
import { SvcError } from "../errors.ts";

/** An address to listen on. */
export interface ListenAddress {
  readonly hostname: string;
  /** 0 picks a free port. */
  readonly port: number;
}

/** A running metrics server. */
export interface MetricsServer extends AsyncDisposable {
  /** Its address, e.g. `http://127.0.0.1:9464/metrics`. */
  readonly url: string;
}

const PATH = "/metrics";

/** Parses the address of `--metrics`: a port of 127.0.0.1, or a host with a port. Throws `INVALID_ARGS`. */
export function parseMetricsAddress(address: string): ListenAddress {
  const [, host = "127.0.0.1", port] = /^(?:(\[[0-9a-f:.]+\]|[^:/\s]+):)?(\d+)$/i.exec(address) ?? [];
  if (port !== undefined && Number(port) <= 65535) {
    return { hostname: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
  }
  throw new SvcError("INVALID_ARGS", `--metrics: ${JSON.stringify(address)} is not a port or an address with a port.`, {
    hint: "Use a port such as 9464, or an address such as 127.0.0.1:9464 or [::1]:9464.",
  });
}

/** Serves metrics on a separate address, so that clients of a service cannot read them. */
export function serveMetrics({ hostname, port }: ListenAddress, registry: Registry): MetricsServer {
  const isLocal = isLoopbackHost(toUrlHost(hostname));
  const respond = async (request: Request) => {
    // Prevents DNS rebinding: a web page could read the metrics through a domain name that resolves to this machine.
    const { hostname: named, pathname } = new URL(request.url);
    if (isLocal && !isLoopbackHost(named)) return respondWith(403, "Use localhost or a loopback address as the host.");
    if (pathname !== PATH) return respondWith(404, `The metrics are at ${PATH}.`);
    if (request.method !== "GET" && request.method !== "HEAD") {
      return respondWith(405, "Use GET.", { allow: "GET, HEAD" });
    }
    return respondWith(200, await registry.metrics(), { "content-type": registry.contentType });
  };
  const server = listen({ hostname, port }, respond);
  return {
    url: `http://${toUrlHost(hostname)}:${server.addr.port}${PATH}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function listen({ hostname, port }: ListenAddress, respond: (request: Request) => Promise<Response>) {
  try {
    return Deno.serve({ hostname, port, onListen() {} }, respond);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotCapable) throw cause;
    const reason = cause instanceof Deno.errors.AddrInUse ? "another program listens there" : String(cause);
    throw new SvcError("INVALID_ARGS", `--metrics: ${toUrlHost(hostname)}:${port} cannot be used: ${reason}.`, {
      cause,
      hint: "Use another address or port. Port 0 picks a free port.",
    });
  }
}

function respondWith(status: number, text: string, headers: Record<string, string> = {}): Response {
  const all = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", ...headers };
  return new Response(text.endsWith("\n") ? text : `${text}\n`, { status, headers: all });
}
