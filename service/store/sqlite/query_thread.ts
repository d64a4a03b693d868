/** A thread that runs queries, so that they do not delay other work. */
import { resolveOwnModule } from "../../../lib/own_files.ts";
import { QueryTooSlow, RowsTooLong } from "../query.ts";
import type { SqlQuery } from "./query_runner.ts";
import type { SqlRow } from "./tables.ts";
import type { OpenMessage, QueryMessage, QueryReply } from "./query_worker.ts";

const WORKER = "service/store/sqlite/query_worker.ts";

/** Never called. The import makes Deno fetch and verify the module of the worker together with this one. */
const _fetched = () => import("./query_worker.ts");

/** Callbacks that settle the running query. */
interface Settle {
  readonly resolve: (rows: SqlRow[]) => void;
  readonly reject: (error: Error) => void;
}

/** A thread with a connection that only reads. It starts with its first query, and runs one query at a time. */
export class QueryThread {
  readonly #path: string;
  readonly #stop = new Int32Array(new SharedArrayBuffer(4));
  #worker: Worker | undefined;
  #settle: Settle | undefined;
  #running: Promise<void> | undefined;

  /** Creates the thread of a database file. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Runs a query. Rejects with `RowsTooLong` or `QueryTooSlow` at a limit. */
  run(query: SqlQuery, milliseconds: number): Promise<SqlRow[]> {
    const worker = this.#worker ??= this.#start();
    Atomics.store(this.#stop, 0, 0);
    const { promise, resolve, reject } = Promise.withResolvers<SqlRow[]>();
    this.#settle = { resolve, reject };
    this.#running = promise.then(() => {}, () => {});
    worker.postMessage({ query, milliseconds } satisfies QueryMessage);
    return promise;
  }

  /** Stops the running query, if there is one. It rejects with `QueryTooSlow`. */
  stop(): void {
    Atomics.store(this.#stop, 0, 1);
  }

  /** Stops the running query, closes the connection and ends the thread. */
  async close(): Promise<void> {
    this.stop();
    await this.#running;
    const worker = this.#worker;
    if (worker === undefined) return;
    await new Promise<void>((resolve) => {
      worker.onerror = worker.onmessage = () => resolve();
      worker.postMessage("close");
    });
    worker.terminate();
    this.#worker = undefined;
  }

  #start(): Worker {
    const worker = new Worker(resolveOwnModule(WORKER), { type: "module", name: "svc queries" });
    worker.onmessage = ({ data }: MessageEvent<QueryReply>) => {
      if ("rows" in data) this.#settle?.resolve(data.rows);
      else this.#settle?.reject(toError(data));
    };
    worker.onerror = (event) => {
      event.preventDefault(); // Otherwise the program ends.
      this.#worker = undefined;
      this.#settle?.reject(new Error(`The thread for queries failed: ${event.message}`));
    };
    worker.postMessage({ path: this.#path, stop: this.#stop } satisfies OpenMessage);
    return worker;
  }
}

function toError(reply: Exclude<QueryReply, { rows: unknown }>): Error {
  if ("error" in reply) return Object.assign(new Error(reply.error), { errcode: reply.errcode });
  return reply.limit === "size" ? new RowsTooLong() : new QueryTooSlow();
}
