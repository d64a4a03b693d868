/** Waiting for work no longer than a signal allows, also for work that several callers wait for. */
import { Deadline, type TimeLimit } from "../http/deadline.ts";
import { onAbort } from "../../utils/async/on_abort.ts";

/** The outcome of some work, or the signal's reason when that comes first. */
export async function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  using _listening = onAbort(signal, () => aborted.reject(signal.reason));
  return await Promise.race([aborted.promise, work]);
}

/** The outcome of one exchange that may take some seconds; `exchange` names it in the error of one that fails. */
export async function within<T>(
  limit: TimeLimit,
  outer: AbortSignal,
  exchange: string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  using deadline = Deadline.started(limit, outer);
  try {
    return await orAbort(run(deadline.signal), deadline.signal);
  } catch (error) {
    throw deadline.explain(error, exchange);
  }
}

interface Run<T> {
  readonly outcome: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

/** One run of some work at a time, shared by all who ask while it runs; it is cancelled when the last of them is gone. */
export class Shared<T> {
  #run?: Run<T>;

  /** Joins the run in progress, or starts one. */
  async join(start: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const run = this.#run ??= this.#begin(start);
    run.waiting++;
    try {
      return await orAbort(run.outcome, signal);
    } finally {
      if (--run.waiting === 0) this.#end(run);
    }
  }

  #begin(start: (signal: AbortSignal) => Promise<T>): Run<T> {
    const controller = new AbortController();
    return { outcome: start(controller.signal), controller, waiting: 0 };
  }

  #end(run: Run<T>): void {
    run.controller.abort();
    if (this.#run === run) this.#run = undefined;
  }
}
