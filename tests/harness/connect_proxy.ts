/** A proxy for `https` that connects every tunnel to one service, whatever host the client names. */
import { within } from "./wait.ts";

/** A proxy for `https`. */
export interface ConnectProxy extends AsyncDisposable {
  /** Its address. */
  readonly url: string;
  /** The first lines of all requests. */
  readonly requests: readonly string[];
}

/** Starts a proxy that connects tunnels to a local port, or that rejects them with a status line. */
export function startConnectProxy(answer: { port: number } | { reject: string }): ConnectProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const requests: string[] = [];
  const serving = (async () => {
    for await (const client of listener) void serve(client).catch(ignoreBroken);
  })();

  async function serve(client: Deno.Conn): Promise<void> {
    using _client = client;
    const chunk = new Uint8Array(8192);
    const length = await client.read(chunk) ?? 0;
    requests.push(new TextDecoder().decode(chunk.subarray(0, length)).split("\r\n")[0] ?? "");
    const write = async (line: string) => void await client.write(new TextEncoder().encode(`HTTP/1.1 ${line}\r\n\r\n`));
    if ("reject" in answer) return await write(answer.reject);
    using service = await Deno.connect({ hostname: "127.0.0.1", port: answer.port });
    await write("200 Connection established");
    await Promise.all([
      client.readable.pipeTo(service.writable),
      service.readable.pipeTo(client.writable),
    ]);
  }

  return {
    url: `http://127.0.0.1:${listener.addr.port}`,
    requests,
    async [Symbol.asyncDispose]() {
      listener.close();
      await within("the proxy has stopped", serving);
    },
  };
}

function ignoreBroken(error: unknown): void {
  const isClosed = error instanceof Deno.errors.BadResource || error instanceof Deno.errors.ConnectionReset ||
    error instanceof Deno.errors.BrokenPipe || error instanceof Deno.errors.Interrupted;
  if (!isClosed) throw error;
}
