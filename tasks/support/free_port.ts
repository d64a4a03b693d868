/** Ports that no system chooses for a server without a port, nor for the client of a connection. */
const [FIRST, COUNT] = [20_000, 12_000];

/**
 * Returns a free port of this machine for a server that starts later, or that starts again at the same address. While
 * it does not run, servers of other tests get other ports.
 */
export function findFreePort(): number {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
