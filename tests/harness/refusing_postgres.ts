/** A PostgreSQL server that refuses every password. */
const PASSWORD_REQUEST = Uint8Array.of("R".charCodeAt(0), 0, 0, 0, 8, 0, 0, 0, 3);

/** Starts a server that refuses the password of each connection, and remembers it. */
export function startRefusingServer(): Disposable & { readonly location: string; readonly passwords: string[] } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const passwords: string[] = [];
  const refuse = async (connection: Deno.Conn) => {
    using client = connection;
    await client.read(new Uint8Array(1024)); // The start of the connection.
    await client.write(PASSWORD_REQUEST);
    const answer = new Uint8Array(1024);
    const size = await client.read(answer) ?? 0;
    passwords.push(new TextDecoder().decode(answer.subarray(5, size - 1)));
    const fields = new TextEncoder().encode("SFATAL\0C28P01\0Mwrong password\0\0");
    await client.write(Uint8Array.of("E".charCodeAt(0), 0, 0, 0, fields.length + 4, ...fields));
  };
  const serve = async () => {
    for await (const connection of listener) await refuse(connection);
  };
  void serve();
  return {
    location: `postgres://ada@127.0.0.1:${listener.addr.port}/city`,
    passwords,
    [Symbol.dispose]: () => listener.close(),
  };
}
