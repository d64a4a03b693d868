/**
 * Keeps connections to a service busy: `slow_clients.ts <url> <token> <connections> <path of a large response>`. A third
 * of the clients sends a request slowly, a third reads a large response slowly, and the others send nothing. A client
 * whose connection ends connects again. Prints a line when all are connected.
 */
import { delay } from "../../utils/async/abort.ts";

const [url = "", token = "", connections = "", path = ""] = Deno.args;
const { hostname, port } = new URL(url);

/** Milliseconds between two pieces. */
const PACE = 500;
const PIECE = 2048;

const encoder = new TextEncoder();
const authorization = `Host: ${hostname}\r\nAuthorization: Bearer ${token}\r\n`;

const kinds = [sendSlowly, readSlowly, sendNothing] as const;
const clients = Array.from({ length: Number(connections) }, (_, n) => kinds[n % kinds.length] ?? sendNothing);
const first = clients.map(() => connect());
await Promise.all(first);
console.log("connected");
await Promise.all(clients.map((kind, n) => repeat(kind, first[n] ?? connect())));

async function connect(): Promise<Deno.TcpConn> {
  return await Deno.connect({ hostname, port: Number(port) });
}

async function repeat(use: (connection: Deno.TcpConn) => Promise<void>, first: Promise<Deno.TcpConn>): Promise<never> {
  for (let next = first;; next = connect()) {
    // The service may end a slow connection at any time.
    await next.then(useAndClose).catch(() => delay(PACE));
  }

  async function useAndClose(connection: Deno.TcpConn): Promise<void> {
    using _connection = connection;
    await use(connection);
  }
}

async function sendSlowly(connection: Deno.TcpConn): Promise<void> {
  const head =
    `POST /dx-api/v2/cases HTTP/1.1\r\n${authorization}Content-Type: application/json\r\nContent-Length: 4000\r\n\r\n`;
  for (const byte of encoder.encode(head + " ".repeat(4000))) {
    await connection.write(Uint8Array.of(byte));
    await delay(PACE / 10);
  }
}

async function readSlowly(connection: Deno.TcpConn): Promise<void> {
  await connection.write(encoder.encode(`GET ${path} HTTP/1.1\r\n${authorization}Connection: close\r\n\r\n`));
  const piece = new Uint8Array(PIECE);
  while (await connection.read(piece) !== null) await delay(PACE);
}

async function sendNothing(connection: Deno.TcpConn): Promise<void> {
  while (await connection.read(new Uint8Array(PIECE)) !== null);
}
