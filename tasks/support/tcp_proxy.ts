import { delay } from "../../utils/async/abort.ts";
import { closeConnection, ignoreBroken, writeToConnection } from "../../tests/harness/faults.ts";

/** Options of a proxy. */
export interface TcpProxyOptions {
  /** Milliseconds between the arrival of bytes and their forwarding, in each direction. Default: 0. */
  readonly delayMilliseconds?: number;
}

/**
 * Forwards each connection to the next of several servers on this machine that accepts it. It can delay the bytes, and cut
 * and freeze the connections, as a long or broken network does.
 */
export class TcpProxy implements Disposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #listPorts: () => readonly number[];
  readonly #delay: number;
  readonly #connections = new Set<Deno.TcpConn>();
  #frozen?: PromiseWithResolvers<void>;
  #turn = 0;

  /** Starts to listen. `listPorts` returns the ports of the servers. */
  constructor(listPorts: () => readonly number[], { delayMilliseconds = 0 }: TcpProxyOptions = {}) {
    this.#listPorts = listPorts;
    this.#delay = delayMilliseconds;
    void this.#accept();
  }

  /** Port for clients, on 127.0.0.1. */
  get port(): number {
    return this.#listener.addr.port;
  }

  /** Closes all connections. Clients can connect again. */
  cut(): void {
    for (const connection of this.#connections) closeConnection(connection);
  }

  /** Forwards nothing until `thaw`. Connections stay open. */
  freeze(): void {
    this.#frozen ??= Promise.withResolvers();
  }

  /** Forwards everything again. */
  thaw(): void {
    this.#frozen?.resolve();
    this.#frozen = undefined;
  }

  /** Closes all connections, and accepts no more. */
  [Symbol.dispose](): void {
    this.#listener.close();
    this.cut();
    this.thaw();
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) void this.#forward(client).catch(ignoreBroken);
  }

  async #forward(client: Deno.TcpConn): Promise<void> {
    this.#connections.add(client);
    const server = await this.#connect();
    if (server !== undefined) {
      this.#connections.add(server);
      for (const connection of [client, server]) connection.setNoDelay();
      await Promise.race([this.#copy(client, server), this.#copy(server, client)]).catch(ignoreBroken);
    }
    for (const connection of [client, server]) {
      if (connection === undefined) continue;
      closeConnection(connection);
      this.#connections.delete(connection);
    }
  }

  /** Copies until either side has closed its connection. */
  async #copy(from: Deno.Conn, to: Deno.Conn): Promise<void> {
    const buffer = new Uint8Array(64 * 1024);
    let delivered: Promise<void> = Promise.resolve();
    for (let length = await from.read(buffer); length !== null; length = await from.read(buffer)) {
      await this.#frozen?.promise;
      if (this.#delay === 0) await writeToConnection(to, buffer.subarray(0, length));
      else {
        delivered = this.#deliverLater(delivered, to, buffer.slice(0, length));
        delivered.catch(() => {}); // Awaited below, or the next read fails, too.
      }
    }
    await delivered;
  }

  async #deliverLater(earlier: Promise<void>, to: Deno.Conn, bytes: Uint8Array): Promise<void> {
    await Promise.all([earlier, delay(this.#delay)]);
    await writeToConnection(to, bytes);
  }

  async #connect(): Promise<Deno.TcpConn | undefined> {
    await this.#frozen?.promise;
    const ports = this.#listPorts();
    this.#turn++;
    for (let attempt = 0; attempt < ports.length; attempt++) {
      const port = ports[(this.#turn + attempt) % ports.length];
      try {
        if (port !== undefined) return await Deno.connect({ hostname: "127.0.0.1", port });
      } catch (error) {
        if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
      }
    }
    return undefined;
  }
}
