import { abortable } from "./abort.ts";

interface Flight<T> {
  readonly outcome: Promise<T>;
  readonly controller: AbortController;
  callers: number;
}

/** Runs one task at a time for all concurrent callers. Cancels it when the last caller has left. */
export class SingleFlight<T> {
  #flight: Flight<T> | undefined;

  /** True while the task runs. */
  get isRunning(): boolean {
    return this.#flight !== undefined;
  }

  /** Joins the task in progress, or starts one. */
  async join(start: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const flight = this.#flight ??= this.#start(start);
    flight.callers++;
    try {
      return await abortable(flight.outcome, signal);
    } finally {
      if (--flight.callers === 0) this.#end(flight);
    }
  }

  #start(start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    return { outcome: start(controller.signal), controller, callers: 0 };
  }

  #end(flight: Flight<T>): void {
    flight.controller.abort();
    if (this.#flight === flight) this.#flight = undefined;
  }
}
