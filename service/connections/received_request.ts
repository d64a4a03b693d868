/** A request as it was received. It is cheaper to create than a `Request`, and its URL is not normalized. */
import { Buffer } from "node:buffer";
import type { RequestBody } from "./request_body.ts";
import type { RequestHead } from "./request_head.ts";

/** The members of a `Request` that the service uses. */
export class ReceivedRequest implements Pick<Request, "method" | "url" | "headers" | "body" | "bytes"> {
  readonly method: string;
  readonly url: string;
  readonly #pairs: [string, string][];
  readonly #body: RequestBody;
  readonly #trust: () => void;
  #headers: Headers | undefined;
  #stream: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;

  /**
   * Creates a request. The host of its URL is fixed, because its header may be missing. `trust` is called if the request
   * shows a valid token.
   */
  constructor({ method, target, headers }: RequestHead, body: RequestBody, trust: () => void) {
    this.method = method;
    this.url = `http://service${target}`;
    this.#pairs = headers;
    this.#body = body;
    this.#trust = trust;
  }

  /** Reports that the request has shown valid credentials: its connection is not one of the first to be closed. */
  trust(): void {
    this.#trust();
  }

  /** The headers. */
  get headers(): Headers {
    return this.#headers ??= new Headers(this.#pairs);
  }

  /** The body as a stream, or null if the request has no body. */
  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#stream === undefined && this.#body.isFinished) return null;
    return this.#stream ??= this.#body.stream();
  }

  /** Reads the whole body. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const arrived = this.#body.takeArrived();
    if (arrived !== undefined) return arrived;
    const pieces: Uint8Array[] = [];
    for (let piece = await this.#body.read(); piece !== undefined; piece = await this.#body.read()) pieces.push(piece);
    return new Uint8Array(Buffer.concat(pieces));
  }
}

Object.setPrototypeOf(ReceivedRequest.prototype, Request.prototype);

/** Returns a received request with the type of its prototype. Members that it does not define throw. */
export function toRequest(received: ReceivedRequest): Request {
  const request: object = received;
  if (request instanceof Request) return request;
  throw new TypeError("The prototype of a received request was changed.");
}

/** Reports that a request has shown valid credentials. */
export function reportCredentials(request: Request): void {
  const received: object = request;
  if (received instanceof ReceivedRequest) received.trust();
}
