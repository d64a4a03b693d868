/** The service as a running HTTP server. */
import { SvcError } from "../../lib/errors.ts";
import { unfinishedBulk } from "../case_types/bulk_jobs.ts";
import { type AppOptions, createApp } from "../http/app.ts";
import { Jobs } from "./jobs.ts";
import { buildUrl } from "./settings.ts";

/** Options of the server. */
export interface ServerOptions extends Omit<AppOptions, "background" | "seeThrough"> {
  /** Address of this machine to listen at. */
  readonly hostname: string;
  /** Port to listen on; 0 picks one. */
  readonly port: number;
}

/** A server that runs. */
export interface Server extends AsyncDisposable {
  /** Its address, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
}

/** Milliseconds that calls in hand are given to finish. */
const GRACE = 5000;

/**
 * Starts to serve, until it is disposed of: that finishes the calls in hand and the work behind them, as far as the next
 * start would not continue it.
 */
export async function serve(options: ServerOptions): Promise<Server> {
  const stop = new AbortController();
  const jobs = new Jobs(options.store, options.log, stop.signal);
  const answer = await createApp({
    ...options,
    background: (work) => jobs.add(work),
    seeThrough: (rest) => jobs.track(rest(stop.signal)),
  });
  const unfinished = await unfinishedBulk(options.app, options.store);
  const server = listen(options, answer);
  for (const work of unfinished) jobs.add(work); // Not earlier: if the server cannot listen, no work is started.
  return {
    url: buildUrl(options.hostname, server.addr.port),
    async [Symbol.asyncDispose]() {
      stop.abort();
      const grace = Promise.withResolvers<void>();
      const timer = setTimeout(grace.resolve, GRACE);
      await Promise.race([server.shutdown(), grace.promise]);
      clearTimeout(timer);
      server.unref(); // A call that hangs does not keep the process alive.
      await jobs.done();
    },
  };
}

function listen(
  { hostname, port }: ServerOptions,
  answer: (request: Request) => Response | Promise<Response>,
): Deno.HttpServer<Deno.NetAddr> {
  try {
    return Deno.serve({ hostname, port, onListen: () => {} }, answer);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotCapable) throw cause;
    const reason = cause instanceof Deno.errors.AddrInUse ? "another program listens there" : String(cause);
    throw new SvcError("INVALID_ARGS", `The service cannot listen on ${buildUrl(hostname, port)}: ${reason}.`, {
      cause,
      hint: "Choose another port; 0 picks a free one.",
    });
  }
}
