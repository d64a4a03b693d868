/** The HTTP server of a service: accepts connections, limits them, and stops without losing requests. */
import { setImmediate } from "node:timers";
import type { Log } from "../../lib/telemetry/log.ts";
import { delay } from "../../utils/async/abort.ts";
import { type KnownError, RequestError } from "../http/status.ts";
import { Connection, type ConnectionOwner } from "./connection.ts";
import { type ConnectionLimits, isFileLimit } from "./limits.ts";
import type { ServiceRequest } from "./received_request.ts";
import type { ServiceResponse } from "./service_response.ts";
import type { RequestHead } from "./request_head.ts";

/** Responds to requests. Errors that it throws end the connection. */
export type Respond = (request: ServiceRequest) => ServiceResponse | Promise<ServiceResponse>;

/** Options of a server. */
export interface HttpServerOptions {
  readonly hostname: string;
  /** Port to listen on; 0 picks one. */
  readonly port: number;
  readonly limits: ConnectionLimits;
  readonly respond: Respond;
  /**
   * Reports whether a request is served above the maximum number of connections, such as a health check or a request with a
   * token. Default: no request is.
   */
  readonly isPreferred?: (head: RequestHead) => boolean;
  /** Logs unexpected errors. */
  readonly log: Log;
}

/** Number of connections above a limit that serve one request. Further ones are not accepted yet. */
const MAX_EXTRA = 32;

/** Milliseconds that such a connection has for its request while others wait to be accepted. */
const EXTRA_PATIENCE = 100;

/** Milliseconds between two checks of the deadlines. */
const CHECK_INTERVAL = 200;

/** Milliseconds between two attempts to accept connections after a failure. */
const ACCEPT_PAUSE = 100;

/** Milliseconds between two lines in the log about the same problem. */
const LOG_INTERVAL = 60_000;

/** Milliseconds between two checks for requests in progress while the server stops. */
const STOP_PAUSE = 10;

/** Milliseconds to send 503 for requests that have not arrived in the grace time. */
const LAST_RESPONSES = 500;

/** A running server. */
export class HttpServer implements ConnectionOwner {
  /** Limits of the connections. */
  readonly limits: ConnectionLimits;
  readonly #options: HttpServerOptions;
  readonly #listener: Deno.TcpListener;
  readonly #connections = new Set<Connection>();
  readonly #timer: ReturnType<typeof setInterval>;
  /** Number of unauthenticated connections by address. */
  readonly #anonymous = new Map<string, number>();
  #totalAnonymous = 0;
  #extra = 0;
  #changed = Promise.withResolvers<void>();
  #isStopping = false;
  #isClosed = false;
  #maxConnections: number;
  /** Time, as in `performance.now()`, at which a lowered maximum is next raised. */
  #raiseAt = 0;
  #unsent = 0;
  #nextSending: Promise<void> | undefined;
  #logged = -Infinity;

  /** Starts a server. Throws if it cannot listen. */
  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.limits = options.limits;
    this.#maxConnections = options.limits.maxConnections;
    this.#listener = Deno.listen({ hostname: options.hostname, port: options.port, tcpBacklog: 511 });
    this.#timer = setInterval(() => this.#checkDeadlines(), CHECK_INTERVAL);
    void this.#accept();
  }

  /** The port that it listens on. */
  get port(): number {
    return this.#listener.addr.port;
  }

  /** Number of open connections. */
  get connections(): number {
    return this.#connections.size;
  }

  /**
   * Stops the server. Requests that have begun to arrive are completed within `grace` milliseconds. All others receive
   * 503, so that their clients repeat them.
   */
  async stop(grace: number): Promise<void> {
    this.#isStopping = true;
    if (this.connections > 0) await delay(STOP_PAUSE); // Requests whose bytes have arrived are read first.
    if (!await this.#waitForRequests(grace)) {
      for (const connection of this.#connections) {
        if (connection.phase === "head" || connection.phase === "request") connection.interrupt(createStoppingError());
      }
      await this.#waitForRequests(LAST_RESPONSES);
    }
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#listener.close();
    for (const connection of this.#connections) connection.close();
  }

  /** Waits until no request is in progress. Returns false after some milliseconds. */
  async #waitForRequests(milliseconds: number): Promise<boolean> {
    const expired = AbortSignal.timeout(milliseconds);
    while ([...this.#connections].some(({ isTaken, phase }) => isTaken || phase === "response")) {
      if (expired.aborted) return false;
      await Promise.race([this.#changed.promise, delay(STOP_PAUSE)]);
    }
    return true;
  }

  /** Returns the error for a request that cannot be served now. */
  refuse(connection: Connection, head?: RequestHead): KnownError | undefined {
    if (this.#isStopping && !connection.isTaken) return createStoppingError();
    if (connection.isExtra && head !== undefined && !this.#options.isPreferred?.(head)) return this.#createFullError();
    if (this.#unsent > this.limits.maxUnsentBytes) {
      return new RequestError("Unavailable", "Other clients are reading too slowly.", { retryAfter: 1 });
    }
    return undefined;
  }

  /** Counts a connection as authenticated. It can then serve further requests, if the maximum allows. */
  trust(connection: Connection): void {
    this.#countAnonymous(connection, -1);
    if (!connection.isExtra || this.connections - this.#extra >= this.#maxConnections) return;
    connection.isExtra = false;
    this.#extra--;
  }

  /** Responds to a request. */
  respond(request: ServiceRequest): ServiceResponse | Promise<ServiceResponse> {
    return this.#options.respond(request);
  }

  /**
   * Resolves when all responses that are ready now can be sent. Sent together, they cost the service much less, because a
   * client that waits wakes up only once.
   */
  joinNextSending(): Promise<void> | undefined {
    if (this.#connections.size < 2) return undefined;
    return this.#nextSending ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#nextSending = undefined;
        resolve();
      });
    });
  }

  /** Counts bytes of a response that were not sent yet. */
  countUnsent(bytes: number): void {
    this.#unsent += bytes;
  }

  /** Logs unexpected errors. */
  get log(): Log {
    return this.#options.log;
  }

  async #accept(): Promise<void> {
    while (!this.#isClosed) {
      while (this.#extra >= MAX_EXTRA || this.connections >= this.#maxConnections + MAX_EXTRA) {
        const shed = this.#findOldest(({ isExtra }) => isExtra, EXTRA_PATIENCE);
        shed?.close();
        await (shed === undefined
          ? Promise.race([this.#changed.promise, delay(EXTRA_PATIENCE)])
          : this.#changed.promise);
      }
      try {
        const conn = await this.#listener.accept();
        this.#serve(conn);
      } catch (error) {
        if (this.#isClosed) return;
        this.#reportAcceptFailure(error);
        await delay(ACCEPT_PAUSE);
      }
    }
  }

  #serve(conn: Deno.TcpConn): void {
    const isExtra = !this.#makeRoom(conn.remoteAddr.hostname);
    const connection = new Connection(conn, this, isExtra);
    this.#connections.add(connection);
    this.#countAnonymous(connection, 1);
    if (isExtra) this.#extra++;
    void connection.run().finally(() => {
      this.#connections.delete(connection);
      if (!connection.isTrusted) this.#countAnonymous(connection, -1);
      if (connection.isExtra) this.#extra--;
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    });
    conn.setNoDelay(true);
  }

  #countAnonymous({ address }: Connection, difference: number): void {
    this.#totalAnonymous += difference;
    const count = (this.#anonymous.get(address) ?? 0) + difference;
    if (count === 0) this.#anonymous.delete(address);
    else this.#anonymous.set(address, count);
  }

  /**
   * Returns whether an address may have another connection. If not, closes the connection that has waited longest for its
   * client: first an unauthenticated one, then one without a request.
   */
  #makeRoom(address: string): boolean {
    const { maxAnonymous, reserved, minIdle } = this.limits;
    const isCrowded = (this.#anonymous.get(address) ?? 0) >= maxAnonymous;
    const isFullOfAnonymous = this.#totalAnonymous >= this.#maxConnections - reserved;
    if (!isCrowded && !isFullOfAnonymous && this.connections < this.#maxConnections) return true;
    const mayClose = (one: Connection) => !one.isTrusted && (!isCrowded || one.address === address);
    const isIdle = ({ phase }: Connection) => phase === "idle";
    const shed = this.#findOldest((one) => mayClose(one) && isIdle(one), minIdle) ??
      this.#findOldest(mayClose, minIdle) ??
      (isCrowded || isFullOfAnonymous ? undefined : this.#findOldest(isIdle, minIdle));
    shed?.close();
    return shed !== undefined;
  }

  /** Finds the connection that has waited longest for its client, if it has waited at least some milliseconds. */
  #findOldest(isCandidate: (connection: Connection) => boolean, milliseconds: number): Connection | undefined {
    let oldest: Connection | undefined;
    for (const connection of this.#connections) {
      if (!connection.isWaiting || !isCandidate(connection)) continue;
      if (oldest === undefined || connection.since < oldest.since) oldest = connection;
    }
    return oldest === undefined || performance.now() - oldest.since < milliseconds ? undefined : oldest;
  }

  #createFullError(): RequestError {
    const sentence = this.connections - this.#extra < this.#maxConnections
      ? "The service has too many unauthenticated connections."
      : `The service has ${this.#maxConnections} connections and accepts no more.`;
    return new RequestError("Unavailable", sentence, { retryAfter: 1 });
  }

  /** Reports a failure to accept a connection. The usual reason is the limit of open files, which lowers the maximum. */
  #reportAcceptFailure(error: unknown): void {
    const isLimit = isFileLimit(error);
    if (isLimit) {
      this.#maxConnections = Math.max(1, Math.min(this.#maxConnections, Math.floor(this.connections * 0.75)));
      this.#raiseAt = performance.now() + this.limits.recoveryTime;
    }
    const now = performance.now();
    if (now - this.#logged < LOG_INTERVAL) return;
    this.#logged = now;
    this.log(
      isLimit
        ? `The limit of open files is reached. The service accepts ${this.#maxConnections} connections for now. ` +
          "To accept more, raise the limit with 'ulimit -n' and restart the service."
        : `A connection was not accepted: ${error instanceof Error ? error.message : String(error)}`,
      { level: "warning" },
    );
  }

  /** Raises a lowered maximum step by step, because the lack of files may have been temporary. */
  #raiseMaximum(now: number): void {
    if (this.#maxConnections >= this.limits.maxConnections || now < this.#raiseAt) return;
    this.#maxConnections = Math.min(this.limits.maxConnections, Math.ceil(this.#maxConnections * 1.25));
    this.#raiseAt = now + this.limits.recoveryTime;
  }

  #checkDeadlines(): void {
    const now = performance.now();
    this.#raiseMaximum(now);
    for (const connection of this.#connections) connection.checkDeadline(now);
  }
}

function createStoppingError(): KnownError {
  return new RequestError("Unavailable", "The service is stopping.", { retryAfter: 1 });
}
