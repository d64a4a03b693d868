/** A request that a proxy has received completely. */
export interface ProxiedRequest {
  readonly method: string;
  /** Path with the query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Sees a request before the service. Returns a response to answer it instead. */
export type Observe = (request: ProxiedRequest) => Response | undefined;

/** Headers that describe a connection and not the message. */
const CONNECTION_HEADERS = ["host", "connection", "accept-encoding", "content-length", "transfer-encoding"];

/** A proxy in front of a service that sees every request. */
export class ObservingProxy implements AsyncDisposable {
  readonly #service: string;
  readonly #observe: Observe;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  /** Starts a proxy for the service with this base URL. */
  constructor(service: string, observe: Observe) {
    this.#service = service;
    this.#observe = observe;
    const place = { hostname: "127.0.0.1", port: 0, onListen() {} };
    this.#server = Deno.serve(place, (request) => this.#answer(request));
  }

  /** Base URL for clients. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Stops the proxy after its current requests. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    const { method, headers } = request;
    const { pathname, search } = new URL(request.url);
    const path = pathname + search;
    const body = await request.bytes();
    const instead = this.#observe({ method, path, headers, body });
    if (instead !== undefined) return instead;
    const forwarded = await fetch(this.#service + path, {
      method,
      headers: [...headers].filter(([name]) => !CONNECTION_HEADERS.includes(name)),
      ...(body.length > 0 && { body }),
      redirect: "manual",
    });
    const content = await forwarded.bytes();
    const { status } = forwarded;
    return new Response(content.length > 0 ? content : null, { status, headers: forwarded.headers });
  }
}
