/** Range of ports that systems do not use for port 0 or for outgoing connections. */
const [FIRST_PORT, PORT_COUNT] = [20_000, 12_000];

/**
 * Finds a free port for a server that starts later, or more than once. Servers that listen on port 0 never get it, and
 * another call of this function is unlikely to return it.
 */
export function findFreePort(): number {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORT_COUNT);
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
