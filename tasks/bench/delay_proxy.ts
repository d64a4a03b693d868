/** A running proxy. */
export interface DelayProxy extends AsyncDisposable {
  /** Base URL for clients, without a slash at the end. */
  readonly url: string;
}

/** Starts a proxy on a free port of this machine that delays requests and responses, together by some milliseconds. */
export function startDelayProxy(target: string, milliseconds: number): DelayProxy {
  const { hostname, port } = new URL(target);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections = new Set<Deno.Conn>();
  const connect = async (client: Deno.TcpConn) => {
    const service = await Deno.connect({ hostname, port: Number(port) });
    connections.add(client).add(service);
    for (const connection of [client, service]) connection.setNoDelay();
    await Promise.allSettled([
      relay(client, service, milliseconds / 2),
      relay(service, client, milliseconds / 2),
    ]);
    for (const connection of [client, service]) if (connections.delete(connection)) connection.close();
  };
  const serving = (async () => {
    for await (const client of listener) void connect(client).catch(() => {}); // The client notices it.
  })();
  return {
    url: `http://127.0.0.1:${listener.addr.port}`,
    async [Symbol.asyncDispose]() {
      listener.close();
      await serving;
      for (const connection of connections) connection.close();
      connections.clear();
    },
  };
}

/** Forwards bytes in order, each after the delay, until a connection ends. */
async function relay(from: Deno.Conn, to: Deno.Conn, milliseconds: number): Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  const buffer = new Uint8Array(64 * 1024);
  for (let count = await from.read(buffer); count !== null; count = await from.read(buffer)) {
    const bytes = buffer.slice(0, count);
    const elapsed = new Promise((resolve) => setTimeout(resolve, milliseconds));
    last = Promise.all([last, elapsed]).then(() => to.write(bytes));
    last.catch(() => {}); // The next read fails, too.
  }
  await last;
  await to.closeWrite?.();
}
