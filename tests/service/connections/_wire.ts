/** Connections to a server as bytes. */
import { type ConnectionLimits, DEFAULT_LIMITS } from "../../../service/connections/limits.ts";
import { HttpServer, type Respond } from "../../../service/connections/http_server.ts";
import type { ServiceRequest } from "../../../service/connections/received_request.ts";
import type { ServiceResponse } from "../../../service/connections/service_response.ts";
import { readHeader, WireReader, writeToConnection } from "../../harness/faults.ts";
import { within } from "../../harness/wait.ts";

/** A server with its log. */
export interface TestServer extends AsyncDisposable {
  readonly server: HttpServer;
  readonly port: number;
  readonly log: string[];
}

/** Starts a server. By default it responds with the method, the target and the body of the request. */
export function startServer(limits: Partial<ConnectionLimits> = {}, respond: Respond = echo): TestServer {
  const log: string[] = [];
  const server = new HttpServer({
    hostname: "127.0.0.1",
    port: 0,
    limits: { ...DEFAULT_LIMITS, maxConnections: 100, maxAnonymous: Infinity, reserved: 0, ...limits },
    respond,
    isPreferred: ({ target }) => target === "/health",
    log: (line) => log.push(line),
  });
  return { server, port: server.port, log, [Symbol.asyncDispose]: () => server.stop(1000) };
}

/** Creates a response with a text. */
export function createText(body: string, status = 200): ServiceResponse {
  return { status, headers: { "content-type": "text/plain" }, body };
}

async function echo(request: ServiceRequest): Promise<ServiceResponse> {
  return createText(`${request.method} ${request.target} ${new TextDecoder().decode(await request.bytes())}`);
}

/** A response as it was received. */
export interface WireResponse {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** A connection of a client. */
export class Wire implements Disposable {
  readonly #conn: Deno.TcpConn;
  readonly #reader: WireReader;

  private constructor(conn: Deno.TcpConn) {
    this.#conn = conn;
    this.#reader = new WireReader(conn);
  }

  /** Connects to a port. */
  static async open(port: number): Promise<Wire> {
    return new Wire(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  /** Sends bytes. */
  async send(data: string | Uint8Array): Promise<void> {
    await writeToConnection(this.#conn, data);
  }

  /** Returns the next response, or undefined when the server closes the connection. */
  async receive(): Promise<WireResponse | undefined> {
    const message = await within("a response arrives", this.#reader.read());
    if (message === undefined) return undefined;
    const { head, body } = message;
    return { status: Number(head.split(" ")[1]), head, body: new TextDecoder().decode(body) };
  }

  /** Waits until the server has closed the connection. */
  async closed(): Promise<void> {
    while (await this.receive() !== undefined);
  }

  [Symbol.dispose](): void {
    this.#conn.close();
  }
}

/** Sends a request on its own connection and returns the response. */
export async function request(port: number, text: string): Promise<WireResponse | undefined> {
  using wire = await Wire.open(port);
  await wire.send(text);
  return await wire.receive();
}

export { readHeader };
