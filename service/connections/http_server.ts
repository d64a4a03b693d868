/** The HTTP server of a service: accepts connections, limits them, and stops without losing requests. */
import type { Log } from "../../lib/telemetry/log.ts";
import { delay } from "../../utils/async/abort.ts";
import { type KnownError, RequestError } from "../http/status.ts";
import { Connection, type ConnectionOwner } from "./connection.ts";
import { type ConnectionLimits, isFileLimit } from "./limits.ts";

/** Responds to requests. Errors that it throws end the connection. */
export type Respond = (request: Request) => Response | Promise<Response>;

/** Options of a server. */
export interface HttpServerOptions {
  readonly hostname: string;
  /** Port to listen on; 0 picks one. */
  readonly port: number;
  readonly limits: ConnectionLimits;
  readonly respond: Respond;
  /** Logs unexpected errors. */
  readonly log: Log;
}

/** Number of connections above the limit that get a 503 at the same time. Further ones are not accepted yet. */
const MAX_EXTRA = 32;

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
  #changed = Promise.withResolvers<void>();
  #isStopping = false;
  #isClosed = false;
  #maxConnections: number;
  /** Time, as in `performance.now()`, at which a lowered maximum is next raised. */
  #raiseAt = 0;
  #unsent = 0;
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
  refuse(connection: Connection): KnownError | undefined {
    if (this.#isStopping && !connection.isTaken) return createStoppingError();
    if (connection.isExtra) {
      return new RequestError(
        "Unavailable",
        `The service has ${this.#maxConnections} connections and accepts no more.`,
        {
          retryAfter: 1,
        },
      );
    }
    if (this.#unsent > this.limits.maxUnsentBytes) {
      return new RequestError("Unavailable", "Other clients are reading too slowly.", { retryAfter: 1 });
    }
    return undefined;
  }

  /** Responds to a request. */
  respond(request: Request): Response | Promise<Response> {
    return this.#options.respond(request);
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
      while (this.connections >= this.#maxConnections + MAX_EXTRA) await this.#changed.promise;
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
    const isExtra = this.connections >= this.#maxConnections && !this.#closeIdle();
    const connection = new Connection(conn, this, isExtra);
    this.#connections.add(connection);
    void connection.run().finally(() => {
      this.#connections.delete(connection);
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    });
    conn.setNoDelay(true);
  }

  /** Closes the connection that has had no request for the longest time. */
  #closeIdle(): boolean {
    let oldest: Connection | undefined;
    for (const connection of this.#connections) {
      if (connection.phase !== "idle" || (oldest !== undefined && oldest.since <= connection.since)) continue;
      oldest = connection;
    }
    if (oldest === undefined || performance.now() - oldest.since < this.limits.minIdle) return false;
    oldest.close();
    return true;
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
