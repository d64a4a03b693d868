/** Servers that break HTTP, responses that a test holds back, output that cannot be written, and full disks. */
import { DatabaseSync } from "node:sqlite";
import type { SessionOptions } from "../../lib/auth/settings.ts";
import { clientEnvironment, type FakeService } from "./fake_service.ts";
import { type CommandResult, LimitedCommand, makeFolder, runCommand, spawnSvc, svcCommand } from "./svc.ts";
import { within } from "./wait.ts";

/** An HTTP/1.1 request or response as bytes. */
export interface WireMessage {
  /** Start line and headers, with the empty line that ends them. */
  readonly head: string;
  /** Body with its framing. */
  readonly body: Uint8Array;
}

const encoder = new TextEncoder();
/** Decodes each byte to one character. */
const decoder = new TextDecoder("latin1");

/** Reads HTTP messages from a connection. */
export class WireReader {
  readonly #connection: Deno.Conn;
  #bytes = new Uint8Array();

  /** Reads from a connection. */
  constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  /** Returns the next message, or undefined at the end of the connection. */
  async read(): Promise<WireMessage | undefined> {
    const end = await this.#find("\r\n\r\n");
    if (end === undefined) return undefined;
    const head = decoder.decode(this.#take(end));
    const length = Number(readHeader(head, "content-length") ?? 0);
    if (readHeader(head, "transfer-encoding") !== "chunked") return { head, body: await this.#readBytes(length) };
    const parts: Uint8Array[] = [];
    for (let isLast = false; !isLast;) {
      const line = await this.#find("\r\n");
      if (line === undefined) return undefined;
      const size = this.#take(line);
      const length = parseInt(decoder.decode(size), 16);
      parts.push(size, await this.#readBytes(length + 2));
      isLast = length === 0;
    }
    return { head, body: concatenate(parts) };
  }

  /** Returns the position after a text. */
  async #find(text: string): Promise<number | undefined> {
    for (;;) {
      const at = decoder.decode(this.#bytes).indexOf(text);
      if (at >= 0) return at + text.length;
      if (!await this.#receive()) return undefined;
    }
  }

  async #readBytes(length: number): Promise<Uint8Array> {
    while (this.#bytes.length < length && await this.#receive());
    return this.#take(length);
  }

  #take(length: number): Uint8Array {
    const taken = this.#bytes.slice(0, length);
    this.#bytes = this.#bytes.slice(length);
    return taken;
  }

  async #receive(): Promise<boolean> {
    const piece = new Uint8Array(65_536);
    const count = await this.#connection.read(piece).catch(() => null); // A broken connection has ended.
    if (count === null) return false;
    this.#bytes = concatenate([this.#bytes, piece.subarray(0, count)]);
    return true;
  }
}

/** Sends bytes or a text. */
export async function writeToConnection(connection: Deno.Conn, data: string | Uint8Array): Promise<void> {
  let bytes = typeof data === "string" ? encoder.encode(data) : data;
  while (bytes.length > 0) bytes = bytes.subarray(await connection.write(bytes));
}

/** Joins head and body of a message. */
export function toBytes({ head, body }: WireMessage): Uint8Array {
  return concatenate([encoder.encode(head), body]);
}

/** Formats a response with a JSON body. */
export function formatJsonResponse(status: number, body: unknown, headers: Record<string, string> = {}): string {
  const text = JSON.stringify(body);
  const all = { ...headers, "content-type": "application/json", "content-length": String(encoder.encode(text).length) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Status\r\n${lines.join("")}\r\n${text}`;
}

/** Returns a header of a message. */
export function readHeader(head: string, name: string): string | undefined {
  return new RegExp(`^${name}: *(.*?) *$`, "im").exec(head)?.[1];
}

/** Closes a connection that may be closed already. */
export function closeConnection(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}

/** Ignores the error of a connection that either side has closed, and throws any other. */
export function ignoreBroken(error: unknown): void {
  const { BadResource, BrokenPipe, ConnectionRefused, ConnectionReset, Interrupted } = Deno.errors;
  const known = [BadResource, BrokenPipe, ConnectionRefused, ConnectionReset, Interrupted];
  if (!known.some((kind) => error instanceof kind)) throw error;
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Reaction of an unruly server to a request that it has read. */
export type Behaviour = (connection: Deno.Conn, request: WireMessage) => void | Promise<void>;

/** A server that issues tokens, and treats every other request as a test wants. */
export interface UnrulyServer extends Disposable {
  /** Options of a client of the server. */
  readonly options: SessionOptions;
  /** Requests that were read completely, without those for tokens. */
  readonly received: WireMessage[];
  /** Reaction to requests. */
  behave: Behaviour;
  /** Reaction to requests for tokens. Default: issue one. */
  token?: Behaviour;
}

/** Closes the connection without a response. */
export const cutConnection: Behaviour = (connection) => closeConnection(connection);

/** Sends a text and closes the connection. */
export function sendText(text: string): Behaviour {
  return async (connection) => {
    await writeToConnection(connection, text);
    closeConnection(connection);
  };
}

/** Answers like a gateway without a service behind it. */
export const sendNoBackend: Behaviour = sendText(
  "HTTP/1.1 404 Not Found\r\ncontent-type: text/plain\r\ncontent-length: 10\r\n\r\nno backend",
);

/** Answers with JSON and keeps the connection open. */
export function sendJson(status: number, body: unknown, headers?: Record<string, string>): Behaviour {
  return (connection) => writeToConnection(connection, formatJsonResponse(status, body, headers));
}

/** Reacts differently to each request, and to further requests as to the last one. */
export function inOrder(...behaviours: readonly [Behaviour, ...Behaviour[]]): Behaviour {
  let next = 0;
  return (connection, request) => {
    const behave = behaviours[Math.min(next++, behaviours.length - 1)];
    return behave?.(connection, request);
  };
}

const issueToken = sendJson(200, { access_token: "token", token_type: "Bearer", expires_in: 3600 });

/** Starts an unruly server on a free port. */
export function startUnrulyServer(behave: Behaviour): UnrulyServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  const server: UnrulyServer = {
    options: {
      baseUrl: `http://127.0.0.1:${listener.addr.port}`,
      clientId: "id",
      clientSecret: "secret",
      noCache: true,
    },
    received: [],
    behave,
    [Symbol.dispose]() {
      listener.close();
      for (const connection of open) closeConnection(connection);
    },
  };

  async function serve(connection: Deno.Conn): Promise<void> {
    open.add(connection);
    const reader = new WireReader(connection);
    for (let request = await reader.read(); request !== undefined; request = await reader.read()) {
      if (request.head.startsWith("POST /oauth2/token ")) await (server.token ?? issueToken)(connection, request);
      else {
        server.received.push(request);
        await server.behave(connection, request);
      }
    }
    closeConnection(connection);
  }

  (async () => {
    for await (const connection of listener) serve(connection).catch(ignoreBroken);
  })();
  return server;
}

/** Returns the idempotency keys of the requests that a server received. */
export function listIdempotencyKeys({ received }: UnrulyServer): (string | undefined)[] {
  return received.map(({ head }) => readHeader(head, "idempotency-key"));
}

/** A response that a server holds back until the test releases it. */
export interface HeldResponse {
  /** Handler of the server. */
  readonly answer: () => Promise<Response>;
  /** Waits until the server has received the request. */
  readonly requested: () => Promise<void>;
  /** Releases the response. */
  readonly release: (response: Response) => void;
}

/** Creates a response that is held back. */
export function holdResponse(): HeldResponse {
  const requested = Promise.withResolvers<void>();
  const response = Promise.withResolvers<Response>();
  const answer = () => {
    requested.resolve();
    return response.promise;
  };
  return {
    answer,
    requested: () => within("a request reaches the server that holds its response", requested.promise),
    release: response.resolve,
  };
}

/** Runs `svc` with one output pipe unread. Returns what it writes to the other one, and its exit code. */
export async function runWithUnreadPipe(
  service: FakeService,
  pipe: "stdout" | "stderr",
  line: string,
): Promise<[output: string, code: number]> {
  await using folder = await makeFolder();
  const process = spawnSvc(line.split(" "), { env: { ...clientEnvironment(service), SVC_CONFIG_DIR: folder.path } });
  await Promise.all([process.stdin.close(), process[pipe].cancel()]);
  const output = await new Response(process[pipe === "stdout" ? "stderr" : "stdout"]).text();
  return [output, (await process.status).code];
}

/** Runs `svc` with its standard output on a full disk. */
export async function runOnFullDisk(service: FakeService, line: string): Promise<CommandResult> {
  await using folder = await makeFolder();
  const [program = "", ...args] = svcCommand(line.split(" "), folder.path);
  return await runCommand(
    new LimitedCommand("sh", {
      args: ["-c", 'exec "$0" "$@" > /dev/full', program, ...args],
      env: { ...clientEnvironment(service), SVC_CONFIG_DIR: folder.path },
    }),
  );
}

/** Runs a command line that cannot write the tables of its new database to disk. */
export async function runWithoutSpace(
  command: readonly string[],
  database: string,
  directory: string,
): Promise<CommandResult> {
  using db = new DatabaseSync(database);
  db.exec("PRAGMA page_size = 65536; PRAGMA journal_mode = WAL; CREATE TABLE other (x); DROP TABLE other");
  return await runWithSmallFiles(command, directory);
}

/** Runs a command line that can write only small files: a full disk would affect other tests. */
export async function runWithSmallFiles(command: readonly string[], directory: string): Promise<CommandResult> {
  const limited = `trap "" XFSZ && ulimit -f 200 && exec "$0" "$@"`;
  return await runCommand(
    new LimitedCommand("/bin/sh", { args: ["-c", limited, ...command], env: { SVC_CONFIG_DIR: directory } }),
  );
}
