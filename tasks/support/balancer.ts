import { ignoreBroken } from "../../tests/harness/faults.ts";

/** Forwards each connection to the next of several services on this machine that accepts it. */
export class Balancer implements Disposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #listPorts: () => readonly number[];
  #turn = 0;

  /** Starts to listen. `listPorts` returns the ports of the services. */
  constructor(listPorts: () => readonly number[]) {
    this.#listPorts = listPorts;
    void this.#accept();
  }

  /** Address for clients. */
  get url(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}`;
  }

  /** Accepts no more connections. */
  [Symbol.dispose](): void {
    this.#listener.close();
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) void this.#forward(client).catch(ignoreBroken);
  }

  async #forward(client: Deno.Conn): Promise<void> {
    const service = await this.#connect();
    if (service === undefined) return client.close();
    await Promise.allSettled([client.readable.pipeTo(service.writable), service.readable.pipeTo(client.writable)]);
  }

  async #connect(): Promise<Deno.Conn | undefined> {
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
