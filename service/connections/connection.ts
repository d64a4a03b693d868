/** A connection of a client: reads its requests and writes the responses, one after another. */
import { Buffer } from "node:buffer";
import { STATUS_CODES } from "node:http";
import { type Log, logError } from "../../lib/telemetry/log.ts";
import { Invalid } from "../errors.ts";
import { createResponse, prepareErrorResponse } from "../http/responses.ts";
import { isKnownError, type KnownError, RequestError } from "../http/status.ts";
import type { ConnectionLimits } from "./limits.ts";
import { ReceivedRequest, type ServiceRequest } from "./received_request.ts";
import { type ByteSource, PIECE, RequestBody } from "./request_body.ts";
import type { ServiceResponse } from "./service_response.ts";
import { findHeadEnd, MAX_HEAD_BYTES, parseRequestHead, type RequestHead } from "./request_head.ts";

/** The server of a connection. */
export interface ConnectionOwner {
  readonly limits: ConnectionLimits;
  /** Returns the error for a request that the server does not accept now. */
  refuse(connection: Connection, head?: RequestHead): KnownError | undefined;
  /** Counts a connection as authenticated. */
  trust(connection: Connection): void;
  /** Responds to a request. */
  respond(request: ServiceRequest): ServiceResponse | Promise<ServiceResponse>;
  /** Resolves when all responses that are ready now can be sent together. */
  joinNextSending(): Promise<void> | undefined;
  /** Counts bytes of a response that were not sent yet. A negative number takes them back. */
  countUnsent(bytes: number): void;
  readonly log: Log;
}

/** Phase of a connection. */
export type ConnectionPhase = "idle" | "head" | "request" | "response" | "lingering";

/** The client has closed the connection, or it was closed because of a deadline. */
class Disconnected extends Error {}

const INITIAL_BUFFER = 4096;

/** A connection. */
export class Connection implements ByteSource {
  /** Current phase. */
  phase: ConnectionPhase = "idle";
  /** Time of `performance.now()` at which the current phase began. */
  since = performance.now();
  /** Address of the client. */
  readonly address: string;
  /** True if it exceeds the maximum number of connections, and serves only one request. */
  isExtra: boolean;
  /** True after a request with a valid token. */
  isTrusted = false;
  /** True if the current request began to arrive before the server was stopped. */
  isTaken = false;
  readonly #owner: ConnectionOwner;
  readonly #conn: Deno.TcpConn;
  #buffer = new Uint8Array(INITIAL_BUFFER);
  #start = 0;
  #end = 0;
  /** Time at which the current wait ends. */
  #deadline = Infinity;
  #interrupt: ((error: Error) => void) | undefined;
  #failure: Error | undefined;
  /** Milliseconds that the current body may still take, and the bytes that extend it. */
  #patience = 0;

  /** Creates the connection of a client. */
  constructor(conn: Deno.TcpConn, owner: ConnectionOwner, isExtra: boolean) {
    this.#conn = conn;
    this.#owner = owner;
    this.address = conn.remoteAddr.hostname;
    this.isExtra = isExtra;
  }

  /** True while it waits for bytes of the client. */
  get isWaiting(): boolean {
    return this.phase === "idle" || this.phase === "head" || (this.phase === "request" && this.#deadline !== Infinity);
  }

  /** Serves requests until the connection ends. */
  async run(): Promise<void> {
    try {
      while (await this.#serveNext());
    } catch (error) {
      if (!(error instanceof Disconnected)) logError(this.#owner.log, "A connection failed", error);
    } finally {
      this.close();
    }
  }

  /** Ends the current wait if its deadline has passed. */
  checkDeadline(now: number): void {
    if (now < this.#deadline) return;
    if (this.phase === "head" || this.phase === "request") this.interrupt(new RequestError("TimedOut", TOO_SLOW));
    else this.close();
  }

  /** Ends a wait for bytes of the client with an error. */
  interrupt(error: Error): void {
    this.#deadline = Infinity;
    this.#failure = error;
    this.#interrupt?.(error);
  }

  /** Closes the connection at once. */
  close(): void {
    this.interrupt(new Disconnected("The connection was closed."));
    try {
      this.#conn.close();
    } catch (error) {
      if (!(error instanceof Deno.errors.BadResource)) throw error; // It is already closed.
    }
  }

  /** Serves a request. Returns whether the connection can serve another one. */
  async #serveNext(): Promise<boolean> {
    let head: RequestHead | undefined;
    try {
      head = await this.#readHead();
      if (head === undefined) return false;
    } catch (error) {
      if (!isKnownError(error)) throw error;
      await this.#sendLast(createErrorResponse(error), false);
      return false;
    }
    const isHead = head.method === "HEAD";
    const refusal = this.#owner.refuse(this, head);
    if (refusal !== undefined) {
      await this.#sendLast(createErrorResponse(refusal), isHead);
      return false;
    }
    this.#enter("request", Infinity);
    this.#patience = this.#owner.limits.bodyTimeout;
    const body = new RequestBody(this, head.framing, () => this.#continue(head.expectsContinue));
    const response = await this.#respond(head, body);
    body.takeArrived(); // A handler may have ignored the body.
    if (!body.isFinished) {
      await this.#sendLast(response, isHead);
      return false;
    }
    const isLast = !head.isPersistent || this.isExtra || this.#failure !== undefined;
    await this.#send(response, { isHead, isLast });
    return !isLast;
  }

  async #respond(head: RequestHead, body: RequestBody): Promise<ServiceResponse> {
    try {
      return await this.#owner.respond(new ReceivedRequest(head, body, () => this.#trust()));
    } catch (error) {
      if (isKnownError(error)) return createErrorResponse(error);
      throw error;
    }
  }

  #trust(): void {
    if (this.isTrusted) return;
    this.isTrusted = true;
    this.#owner.trust(this);
  }

  /** Reads the head of the next request. Returns undefined if the client sends none. */
  async #readHead(): Promise<RequestHead | undefined> {
    const { idleTimeout, lingerTimeout } = this.#owner.limits;
    const headTimeout = this.isExtra ? lingerTimeout : this.#owner.limits.headTimeout;
    const isFirst = this.phase === "idle";
    this.isTaken = false;
    if (this.available === 0) {
      this.#shrink();
      this.#enter("idle", isFirst ? headTimeout : idleTimeout);
      if (!await this.#fill()) return undefined;
    }
    this.#enter("head", headTimeout);
    this.isTaken = this.#owner.refuse(this) === undefined;
    this.#skipEmptyLines();
    for (let searched = this.#start;;) {
      const end = findHeadEnd(this.#buffer, searched, this.#end);
      if (end >= 0) {
        const bytes = this.#buffer.subarray(this.#start, end);
        this.#start = end;
        return parseRequestHead(bytes);
      }
      searched = Math.max(this.#start, this.#end - 3);
      if (this.available >= MAX_HEAD_BYTES) {
        throw new RequestError("HeadTooLarge", `A request line with headers may have at most ${MAX_HEAD_BYTES} bytes.`);
      }
      searched -= this.#start;
      if (!await this.#fill()) throw new Invalid("The request is incomplete.");
      searched += this.#start;
    }
  }

  /** Skips empty lines before a request, which some clients send after a body. */
  #skipEmptyLines(): void {
    while (this.#start < this.#end && (this.#buffer[this.#start] === 13 || this.#buffer[this.#start] === 10)) {
      this.#start++;
    }
  }

  async #continue(isExpected: boolean): Promise<void> {
    if (isExpected && this.available === 0) {
      await this.#writeAll(Buffer.from("HTTP/1.1 100 Continue\r\n\r\n", "latin1"));
    }
  }

  /** Number of bytes that have arrived and were not taken. */
  get available(): number {
    return this.#end - this.#start;
  }

  /** Takes bytes that have arrived. */
  takeNow(length: number): Uint8Array<ArrayBuffer> {
    const bytes = this.#buffer.slice(this.#start, this.#start + length);
    this.#start += bytes.length;
    return bytes;
  }

  /** Takes bytes of a body. */
  async take(limit: number): Promise<Uint8Array<ArrayBuffer>> {
    if (this.available > 0) return this.takeNow(Math.min(limit, this.available));
    const piece = new Uint8Array(Math.min(limit, PIECE));
    const count = await this.#readBody(piece);
    return count === piece.length ? piece : piece.slice(0, count);
  }

  /** Takes a line of a chunked body. */
  async takeLine(limit: number): Promise<string> {
    for (;;) {
      const end = this.#buffer.subarray(0, this.#end).indexOf(10, this.#start);
      const length = end < 0 ? this.available : end - this.#start - 1;
      if (length > limit + 1 || (end >= 0 && (length < 0 || this.#buffer[end - 1] !== 13))) {
        throw new Invalid("A chunk of the body is malformed.");
      }
      if (end >= 0) {
        const line = Buffer.from(this.#buffer.buffer, this.#start, length).toString("latin1");
        this.#start = end + 1;
        return line;
      }
      this.#makeSpace();
      this.#end += await this.#readBody(this.#buffer.subarray(this.#end));
    }
  }

  /** Reads bytes of a body. The time for which the service has waited before shortens the wait. */
  async #readBody(target: Uint8Array): Promise<number> {
    if (this.phase !== "request") throw new Disconnected("The response has begun.");
    const started = performance.now();
    this.#deadline = started + Math.min(this.#patience, this.#owner.limits.stallTimeout);
    const count = await this.#read(target);
    if (count === null) throw new Disconnected("The client closed the connection.");
    this.#deadline = Infinity;
    this.#patience += 1000 * count / this.#owner.limits.bodyRate - (performance.now() - started);
    return count;
  }

  /** Reads more bytes into the buffer. Returns false at the end of the connection. */
  async #fill(): Promise<boolean> {
    this.#makeSpace();
    const count = await this.#read(this.#buffer.subarray(this.#end));
    if (count === null) return false;
    this.#end += count;
    return true;
  }

  #makeSpace(): void {
    if (this.#start > 0) {
      this.#buffer.copyWithin(0, this.#start, this.#end);
      this.#end -= this.#start;
      this.#start = 0;
    }
    if (this.#end < this.#buffer.length) return;
    const larger = new Uint8Array(2 * this.#buffer.length);
    larger.set(this.#buffer);
    this.#buffer = larger;
  }

  /** Releases a large buffer while the client sends nothing. */
  #shrink(): void {
    this.#start = this.#end = 0;
    if (this.#buffer.length > INITIAL_BUFFER) this.#buffer = new Uint8Array(INITIAL_BUFFER);
  }

  /** Reads bytes. Rejects when the wait is interrupted. */
  async #read(target: Uint8Array): Promise<number | null> {
    if (this.#failure !== undefined) throw this.#failure;
    const { promise, resolve, reject } = Promise.withResolvers<number | null>();
    this.#interrupt = reject;
    this.#conn.read(target).then(resolve, (cause) => reject(new Disconnected("Reading failed.", { cause })));
    try {
      return await promise;
    } finally {
      this.#interrupt = undefined;
    }
  }

  /** Sends a response that ends the connection although the client may still send. */
  async #sendLast(response: ServiceResponse, isHead: boolean): Promise<void> {
    // A pending read of the body would replace the deadlines of the response when it ends.
    this.interrupt(new Disconnected("The response has begun."));
    this.#failure = undefined;
    await this.#send(response, { isHead, isLast: true });
    // If unread bytes remained, closing would reset the connection, and the client might not receive the response.
    this.#enter("lingering", this.#owner.limits.lingerTimeout);
    this.isTaken = false;
    await this.#conn.closeWrite().catch((cause) => {
      throw new Disconnected("The client closed the connection.", { cause });
    });
    const rest = new Uint8Array(PIECE);
    while (await this.#read(rest) !== null);
  }

  async #send(response: ServiceResponse, { isHead, isLast }: { isHead: boolean; isLast: boolean }): Promise<void> {
    this.#enter("response", Infinity);
    await this.#owner.joinNextSending();
    const { status, headers, body } = response;
    if (typeof body !== "string") {
      return await this.#sendStream(response, body, { size: Number(headers["content-length"]), isHead, isLast });
    }
    const length = Buffer.byteLength(body);
    const hasLength = status !== 204 && status !== 304;
    const head = formatHead(response, hasLength ? length : undefined, isLast);
    const bytes = Buffer.allocUnsafe(head.length + (isHead ? 0 : length));
    bytes.write(head, "latin1");
    if (!isHead) bytes.write(body, head.length);
    await this.#writeCounted(bytes);
  }

  async #sendStream(
    response: ServiceResponse,
    body: ReadableStream<Uint8Array>,
    { size, isHead, isLast }: { size: number; isHead: boolean; isLast: boolean },
  ): Promise<void> {
    await this.#writeCounted(Buffer.from(formatHead(response, undefined, isLast), "latin1"));
    if (isHead) return await body.cancel();
    let sent = 0;
    for await (const piece of body) {
      sent += piece.length;
      await this.#writeCounted(piece);
    }
    if (sent !== size) throw new TypeError(`A response had ${sent} bytes instead of ${size}.`);
  }

  async #writeCounted(bytes: Uint8Array): Promise<void> {
    this.#owner.countUnsent(bytes.length);
    try {
      await this.#writeAll(bytes);
    } finally {
      this.#owner.countUnsent(-bytes.length);
    }
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    const before = this.#deadline;
    try {
      for (let written = 0; written < bytes.length;) {
        this.#deadline = performance.now() + this.#owner.limits.stallTimeout;
        written += await this.#conn.write(written === 0 ? bytes : bytes.subarray(written));
      }
    } catch (cause) {
      throw new Disconnected("The client closed the connection.", { cause });
    }
    this.#deadline = before;
  }

  #enter(phase: ConnectionPhase, timeout: number): void {
    this.phase = phase;
    this.since = performance.now();
    this.#deadline = this.since + timeout;
  }
}

const TOO_SLOW = "The request did not arrive in time.";

function createErrorResponse(error: KnownError): ServiceResponse {
  return createResponse(prepareErrorResponse(error), crypto.randomUUID());
}

function formatHead({ status, headers }: ServiceResponse, length: number | undefined, isLast: boolean): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\ndate: ${formatDate()}\r\n`;
  for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`;
  if (length !== undefined) head += `content-length: ${length}\r\n`;
  if (isLast) head += "connection: close\r\n";
  return `${head}\r\n`;
}

let date = { second: 0, text: "" };

/** Formats the current time. It is formatted once per second. */
function formatDate(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== date.second) date = { second, text: new Date().toUTCString() };
  return date.text;
}
