/** HTTP/1.1 as bytes on a connection, for servers that break it at will. */

/** A request or an answer as it was sent. */
export interface WireMessage {
  /** Start line and headers, with the empty line that ends them. */
  readonly head: string;
  /** The body with its framing. */
  readonly body: Uint8Array;
}

const encoder = new TextEncoder();
/** A character for each byte. */
const decoder = new TextDecoder("latin1");

/** Reads messages from a connection, one after another. */
export class WireReader {
  readonly #connection: Deno.Conn;
  #bytes = new Uint8Array();

  /** Reads from a connection. */
  constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  /** The next message; undefined at the end of the connection. */
  async read(): Promise<WireMessage | undefined> {
    const end = await this.#find("\r\n\r\n");
    if (end === undefined) return undefined;
    const head = decoder.decode(this.#take(end));
    const length = Number(headerOf(head, "content-length") ?? 0);
    if (headerOf(head, "transfer-encoding") !== "chunked") return { head, body: await this.#exactly(length) };
    const parts: Uint8Array[] = [];
    for (let last = false; !last;) {
      const line = await this.#find("\r\n");
      if (line === undefined) return undefined;
      const size = this.#take(line);
      const bytes = parseInt(decoder.decode(size), 16);
      parts.push(size, await this.#exactly(bytes + 2));
      last = bytes === 0;
    }
    return { head, body: joined(parts) };
  }

  /** The position after a text. */
  async #find(text: string): Promise<number | undefined> {
    for (;;) {
      const at = decoder.decode(this.#bytes).indexOf(text);
      if (at >= 0) return at + text.length;
      if (!await this.#more()) return undefined;
    }
  }

  async #exactly(length: number): Promise<Uint8Array> {
    while (this.#bytes.length < length && await this.#more());
    return this.#take(length);
  }

  #take(length: number): Uint8Array {
    const taken = this.#bytes.slice(0, length);
    this.#bytes = this.#bytes.slice(length);
    return taken;
  }

  async #more(): Promise<boolean> {
    const piece = new Uint8Array(65_536);
    const count = await this.#connection.read(piece).catch(() => null); // A connection that was cut has ended.
    if (count === null) return false;
    this.#bytes = joined([this.#bytes, piece.subarray(0, count)]);
    return true;
  }
}

/** Sends bytes or a text. */
export async function writeAll(connection: Deno.Conn, data: string | Uint8Array): Promise<void> {
  let bytes = typeof data === "string" ? encoder.encode(data) : data;
  while (bytes.length > 0) bytes = bytes.subarray(await connection.write(bytes));
}

/** A whole message as bytes. */
export function bytesOf({ head, body }: WireMessage): Uint8Array {
  return joined([encoder.encode(head), body]);
}

/** An answer with a JSON body. */
export function jsonAnswer(status: number, body: unknown, headers: Record<string, string> = {}): string {
  const text = JSON.stringify(body);
  const all = { ...headers, "content-type": "application/json", "content-length": String(encoder.encode(text).length) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Status\r\n${lines.join("")}\r\n${text}`;
}

/** A header of a message. */
export function headerOf(head: string, name: string): string | undefined {
  return new RegExp(`^${name}: *(.*?) *$`, "im").exec(head)?.[1];
}

/** Ends a connection, also one that the other side has ended. */
export function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}

/** Either side of a connection may be gone; any other error is thrown. */
export function ignoreBroken(error: unknown): void {
  const { BadResource, BrokenPipe, ConnectionRefused, ConnectionReset, Interrupted } = Deno.errors;
  const known = [BadResource, BrokenPipe, ConnectionRefused, ConnectionReset, Interrupted];
  if (!known.some((kind) => error instanceof kind)) throw error;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
