/** The service as a running HTTP server. */
import { SvcError } from "../lib/errors.ts";
import { pause } from "../lib/pause.ts";
import { unfinishedBulk } from "./engine/bulk_jobs.ts";
import type { LaterWork } from "./handler.ts";
import { type AppOptions, createApp } from "./http/app.ts";
import { urlOf } from "./settings.ts";
import type { Store } from "./store/store.ts";

/** What is served, and where. */
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
 * start would not go on with it.
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
  for (const work of unfinished) jobs.add(work); // Not before: where nobody can listen, nothing is begun.
  return {
    url: urlOf(options.hostname, server.addr.port),
    async [Symbol.asyncDispose]() {
      stop.abort();
      const grace = Promise.withResolvers<void>();
      const timer = setTimeout(grace.resolve, GRACE);
      await Promise.race([server.shutdown(), grace.promise]);
      clearTimeout(timer);
      server.unref(); // a call that hangs keeps nobody waiting
      await jobs.done();
    },
  };
}

/** Seconds between two attempts at work that fails, at most. */
const LONGEST_PAUSE = 64;

/** Work that is done after the answer, and calls that wait for more than the store. */
class Jobs {
  readonly #running = new Set<Promise<unknown>>();
  readonly #store: Store;
  readonly #log: (line: string) => void;
  readonly #stop: AbortSignal;
  #last = Promise.resolve();

  constructor(store: Store, log: (line: string) => void, stop: AbortSignal) {
    this.#store = store;
    this.#log = log;
    this.#stop = stop;
  }

  /** One after another: who calls meanwhile waits for one of them, and not for all. */
  add(work: LaterWork, failures = 0): void {
    this.#last = this.track(this.#last.then(() => this.#do(work, failures)));
  }

  async #do(work: LaterWork, failures: number): Promise<void> {
    try {
      const next = await work(this.#store);
      if (next && !this.#stop.aborted) this.add(next);
    } catch (error) {
      const seconds = Math.min(2 ** failures, LONGEST_PAUSE);
      const reason = error instanceof Error ? error.stack : String(error);
      this.#log(`Work in the background failed, and is tried again in ${seconds} s or at the next start: ${reason}`);
      void this.track(this.#doAgain(work, failures + 1, seconds));
    }
  }

  /** The disk may be full, or another process have locked the database: what was promised is done when it can be. */
  async #doAgain(work: LaterWork, failures: number, seconds: number): Promise<void> {
    const isTime = await pause(1000 * seconds, this.#stop).then(() => true, () => false);
    if (isTime) this.add(work, failures);
  }

  track<T>(work: Promise<T>): Promise<T> {
    const job = work.finally(() => this.#running.delete(job));
    this.#running.add(job);
    return job;
  }

  async done(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
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
    throw new SvcError("INVALID_ARGS", `The service cannot listen on ${urlOf(hostname, port)}: ${reason}.`, {
      cause,
      hint: "Choose another port; 0 picks a free one.",
    });
  }
}
