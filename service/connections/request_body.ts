/** Reads the body of a request from its connection. */
import { Invalid } from "../errors.ts";
import type { BodyFraming } from "./request_head.ts";

/** The bytes of a connection. */
export interface ByteSource {
  /** Number of bytes that have arrived and were not taken. */
  readonly available: number;
  /** Takes bytes, at least one and at most `limit`. Waits for them if necessary. Throws at the end of the connection. */
  take(limit: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Takes a line and removes its end. Throws `Invalid` if it is longer than the limit. */
  takeLine(limit: number): Promise<string>;
  /** Takes bytes that have arrived. */
  takeNow(length: number): Uint8Array<ArrayBuffer>;
}

/** Maximum number of bytes to read at a time. */
export const PIECE = 64 * 1024;

/** Maximum length of the line before a chunk, and of the trailers. */
const MAX_LINE = 4096;

/** Maximum number of trailers. */
const MAX_TRAILERS = 64;

/** The body of a request. */
export class RequestBody {
  readonly #source: ByteSource;
  readonly #isChunked: boolean;
  readonly #beforeRead: () => Promise<void>;
  /** Bytes that are left of the body or of the current chunk. */
  #left: number;
  #isFirst = true;
  #hasStarted = false;
  #isFinished: boolean;

  /** Creates a body. `beforeRead` runs before the first wait for its bytes. */
  constructor(source: ByteSource, framing: BodyFraming, beforeRead: () => Promise<void>) {
    this.#source = source;
    this.#isChunked = framing === "chunked";
    this.#left = framing === "chunked" ? 0 : framing;
    this.#isFinished = framing === 0;
    this.#beforeRead = beforeRead;
  }

  /** True if all of it was read. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** Returns the whole body if it has arrived and its length is declared. */
  takeArrived(): Uint8Array<ArrayBuffer> | undefined {
    if (this.#isChunked || this.#left > this.#source.available) return undefined;
    const bytes = this.#source.takeNow(this.#left);
    this.#left = 0;
    this.#isFinished = true;
    return bytes;
  }

  /** Returns the next bytes, or undefined at the end. Throws if the body is malformed or does not arrive. */
  async read(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      await this.#beforeRead();
    }
    if (this.#isChunked && this.#left === 0 && !this.#isFinished) await this.#startChunk();
    if (this.#isFinished) return undefined;
    const bytes = await this.#source.take(Math.min(PIECE, this.#left));
    this.#left -= bytes.length;
    if (!this.#isChunked && this.#left === 0) this.#isFinished = true;
    return bytes;
  }

  /** Creates a stream of the bytes, which reads them when they are needed. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream({
      pull: async (controller) => {
        const bytes = await this.read();
        if (bytes === undefined) controller.close();
        else controller.enqueue(bytes);
      },
    }, { highWaterMark: 0 });
  }

  async #startChunk(): Promise<void> {
    if (!this.#isFirst && await this.#source.takeLine(0) !== "") throw new Invalid("A chunk of the body is malformed.");
    this.#isFirst = false;
    const [, size] = /^([0-9a-f]{1,12})[ \t]*(;.*)?$/i.exec(await this.#source.takeLine(MAX_LINE)) ?? [];
    if (size === undefined) throw new Invalid("A chunk of the body is malformed.");
    this.#left = parseInt(size, 16);
    if (this.#left === 0) await this.#skipTrailers();
  }

  async #skipTrailers(): Promise<void> {
    for (let count = 0; await this.#source.takeLine(MAX_LINE) !== ""; count++) {
      if (count === MAX_TRAILERS) throw new Invalid("The body has too many trailers.");
    }
    this.#isFinished = true;
  }
}
