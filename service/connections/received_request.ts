/** A request as it was received. */
import { Buffer } from "node:buffer";
import type { RequestBody } from "./request_body.ts";
import type { RequestHead } from "./request_head.ts";

/** A request of a client. It is cheaper to create than a `Request`, and its target is not normalized. */
export interface ServiceRequest {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** Returns the value of a header, by its name in small letters. */
  header(name: string): string | undefined;
  /** The body as a stream, or null if the request has no body. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /** Reads the whole body. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  /** Marks the connection as authenticated, because the request contains valid credentials. */
  trust(): void;
}

/** A request on a connection. */
export class ReceivedRequest implements ServiceRequest {
  readonly method: string;
  readonly target: string;
  readonly trust: () => void;
  readonly #pairs: readonly [string, string][];
  readonly #body: RequestBody;
  #headers: Map<string, string> | undefined;
  #stream: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;

  /** Creates a request. `trust` is called if it contains valid credentials. */
  constructor({ method, target, headers }: RequestHead, body: RequestBody, trust: () => void) {
    this.method = method;
    this.target = target;
    this.trust = trust;
    this.#pairs = headers;
    this.#body = body;
  }

  header(name: string): string | undefined {
    return (this.#headers ??= toMap(this.#pairs)).get(name);
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#stream === undefined && this.#body.isFinished) return null;
    return this.#stream ??= this.#body.stream();
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const arrived = this.#body.takeArrived();
    if (arrived !== undefined) return arrived;
    const pieces: Uint8Array[] = [];
    for (let piece = await this.#body.read(); piece !== undefined; piece = await this.#body.read()) pieces.push(piece);
    return new Uint8Array(Buffer.concat(pieces));
  }
}

/** Joins the values of a header that occurs several times. */
function toMap(pairs: readonly [string, string][]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of pairs) {
    const key = name.toLowerCase();
    const before = headers.get(key);
    headers.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}
