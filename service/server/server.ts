/** The service as a running HTTP server. */
import { getErrorMessage, SvcError } from "../../lib/errors.ts";
import { HttpServer, type Respond } from "../connections/http_server.ts";
import { type ConnectionLimits, DEFAULT_LIMITS, deriveLimits, findMaxConnections } from "../connections/limits.ts";
import type { RequestHead } from "../connections/request_head.ts";
import { delay } from "../../utils/async/abort.ts";
import { AbandonedJobs, listUnfinishedJobs } from "../case_types/bulk_jobs.ts";
import { type AppOptions, createApp, HEALTH, READY } from "../http/app.ts";
import { observeRequests, type RequestObserver } from "../http/observed_call.ts";
import type { Application } from "../application/model/application.ts";
import { StoreUnavailable } from "../store/store.ts";
import { type JobLoad, Jobs } from "./jobs.ts";
import { buildUrl } from "./settings.ts";

/** Options of the server. */
export interface ServerOptions extends Omit<AppOptions, "runLater" | "runContinuation"> {
  /** Address of this machine to listen at. */
  readonly hostname: string;
  /** Port to listen on; 0 picks one. */
  readonly port: number;
  /** Listens on the next free port if this one is in use. Default: false. */
  readonly canUseNextPort?: boolean;
  /** Maximum number of connections. Default: derived from the limit of open files. */
  readonly maxConnections?: number;
  /** Maximum number of unauthenticated connections of one address. Default: half of all. */
  readonly maxAnonymous?: number;
  /** Observers of all requests. Default: none. */
  readonly observers?: readonly RequestObserver[];
}

/** A running server. */
export interface Server extends AsyncDisposable {
  /** Its address, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Counts the background jobs. */
  readJobLoad(): JobLoad;
  /** Serves another application from now on. Requests in progress complete with the previous one. */
  replaceApplication(parts: Pick<ServerOptions, "app" | "assets">): Promise<void>;
}

/** Maximum milliseconds to wait for running calls when the server stops. */
const GRACE = 5000;

/** Number of further ports that a service tries if its port is in use. */
const MAX_NEXT_PORTS = 100;

/** Milliseconds between two searches for jobs of processes that have ended. */
const SEARCH_INTERVAL = 2000;

/** Starts a server. Disposing of it waits for running calls, and for jobs except those that the next start continues. */
export async function serve(options: ServerOptions): Promise<Server> {
  const stop = new AbortController();
  const jobs = new Jobs(options.store, options.log, stop.signal);
  const create = async (parts: Partial<ServerOptions> = {}) => {
    const respond = await createApp({
      ...options,
      ...parts,
      runLater: (work) => jobs.add(work),
      runContinuation: (continuation) => jobs.track(continuation(stop.signal)),
    });
    return observeRequests(respond, options.observers ?? []);
  };
  let { app } = options;
  let respond = await create();
  const unfinished = await listUnfinishedJobs(options.app, options.store);
  const { maxConnections = await findMaxConnections(), maxAnonymous } = options;
  const limits = { ...DEFAULT_LIMITS, ...deriveLimits(maxConnections, maxAnonymous) };
  const server = listen(options, limits, (request) => respond(request));
  for (const work of unfinished) jobs.add(work); // After listening, which may fail.
  if (options.store.server !== undefined) void jobs.track(takeOverJobs(jobs, () => app, stop.signal, options));
  return {
    url: buildUrl(options.hostname, server.port),
    readJobLoad: () => jobs.readLoad(),
    async replaceApplication(parts) {
      respond = await create(parts);
      app = parts.app;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await server.stop(GRACE);
      await jobs.done();
    },
  };
}

/**
 * Continues jobs of other processes that have ended, until the signal aborts. Logs when the database is lost and when it
 * is reachable again.
 */
async function takeOverJobs(
  jobs: Jobs,
  getApplication: () => Application,
  stop: AbortSignal,
  { store, log }: ServerOptions,
): Promise<void> {
  const abandoned = new AbandonedJobs(store);
  let isLost = false;
  while (await delay(SEARCH_INTERVAL, stop).then(() => true, () => false)) {
    try {
      for (const work of await abandoned.find(getApplication())) jobs.add(work);
      if (isLost) log("The database is reachable again.");
      isLost = false;
    } catch (error) {
      const isUnavailable = error instanceof StoreUnavailable;
      if (!isUnavailable) {
        log(`The search for jobs of other processes failed: ${describeCause(error)}`, { level: "error" });
      } else if (!isLost) {
        log(`Calls are refused until the database is reachable: ${describeCause(error)}`, { level: "error" });
      }
      isLost = isUnavailable;
    }
  }
}

/** Returns the message of an error with that of its cause, which says more about a database. */
function describeCause(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return [error, ...(cause === undefined ? [] : [cause])].map(getErrorMessage).join(" ");
}

function listen(options: ServerOptions, limits: ConnectionLimits, respond: Respond): HttpServer {
  const { hostname, port, canUseNextPort, tokenPath, log } = options;
  const isPreferred = ({ target, headers }: RequestHead) => {
    return [HEALTH, READY, tokenPath].includes(target.replace(/[?#].*/s, "")) ||
      headers.some(([name]) => /^authorization$/i.test(name));
  };
  const last = canUseNextPort ? Math.min(port + MAX_NEXT_PORTS, 65535) : port;
  let failure: unknown;
  for (let candidate = port; candidate <= last; candidate++) {
    try {
      return new HttpServer({ hostname, port: candidate, limits, respond, isPreferred, log });
    } catch (cause) {
      failure ??= cause;
      if (!isPortTaken(cause)) break;
    }
  }
  if (failure instanceof Deno.errors.NotCapable) throw failure;
  const reason = isPortTaken(failure) ? "another program listens there" : String(failure);
  throw new SvcError("INVALID_ARGS", `The service cannot listen on ${buildUrl(hostname, port)}: ${reason}.`, {
    cause: failure,
    hint: "Choose another port; 0 picks a free one.",
  });
}

/** Reports whether another program uses a port. Windows refuses access to ports that it has reserved for others. */
function isPortTaken(error: unknown): boolean {
  return error instanceof Deno.errors.AddrInUse ||
    Deno.build.os === "windows" && error instanceof Deno.errors.PermissionDenied;
}
