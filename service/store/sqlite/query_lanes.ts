/**
 * Queries in threads. Every query starts in the short lane, which has a short time limit. A query that takes longer starts
 * again in the long lane. In both lanes, the operators take turns. So a short query does not wait for long ones, and no
 * operator can occupy the lanes.
 */
import { QueryTooSlow } from "../query.ts";
import { StoreBusy } from "../store.ts";
import type { SqlQuery, SqlRow } from "./query_runner.ts";
import { QueryThread } from "./query_thread.ts";

/** Time limits of queries in milliseconds. */
export interface QueryLimits {
  /** Time in the short lane. */
  readonly short: number;
  /** Time in the long lane. */
  readonly long: number;
  /** Time to wait for a lane. */
  readonly wait: number;
}

/** Runs queries of a database file in two lanes. */
export class QueryLanes {
  readonly #short: Lane;
  readonly #long: Lane;

  /** Creates the lanes. Their threads start with the first query. */
  constructor(path: string, { short, long, wait }: QueryLimits) {
    this.#short = new Lane(new QueryThread(path), short, wait);
    this.#long = new Lane(new QueryThread(path), long, wait);
  }

  /** Runs a query for an operator. Rejects with `QueryTooSlow` or `StoreBusy` at a time limit. */
  async run(query: SqlQuery, operator: string): Promise<SqlRow[]> {
    try {
      return await this.#short.run(query, operator);
    } catch (error) {
      if (error instanceof QueryTooSlow) return await this.#long.run(query, operator);
      throw error;
    }
  }

  /** Waits for the running queries, and keeps others from starting until `resume`. */
  async pause(): Promise<void> {
    await Promise.all([this.#short.pause(), this.#long.pause()]);
  }

  /** Continues after `pause`. */
  resume(): void {
    this.#short.resume();
    this.#long.resume();
  }

  /** Stops the running queries, rejects those that wait, and ends the threads. */
  async close(): Promise<void> {
    await Promise.all([this.#short.close(), this.#long.close()]);
  }
}

interface Entry {
  /** Starts the query, or rejects it. */
  readonly start: () => Promise<void>;
  readonly reject: (error: Error) => void;
  readonly deadline: number;
}

/** Runs the queries of one thread. */
class Lane {
  readonly #thread: QueryThread;
  readonly #limit: number;
  readonly #wait: number;
  /** The waiting queries of each operator. The operator whose turn is next comes first. */
  readonly #waiting = new Map<string, Entry[]>();
  #running: Promise<void> | undefined;
  #isPaused = false;
  #isClosed = false;

  constructor(thread: QueryThread, limit: number, wait: number) {
    this.#thread = thread;
    this.#limit = limit;
    this.#wait = wait;
  }

  run(query: SqlQuery, operator: string): Promise<SqlRow[]> {
    if (this.#isClosed) return Promise.reject(createClosedError());
    return new Promise((resolve, reject) => {
      const start = () =>
        this.#thread.run(query, this.#limit).then(resolve, (error) => {
          reject(this.#isClosed ? createClosedError() : error);
        });
      const entries = this.#waiting.get(operator) ?? [];
      entries.push({ start, reject, deadline: performance.now() + this.#wait });
      this.#waiting.set(operator, entries);
      this.#startNext();
    });
  }

  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.#running;
  }

  resume(): void {
    this.#isPaused = false;
    this.#startNext();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const entry of [...this.#waiting.values()].flat()) entry.reject(createClosedError());
    this.#waiting.clear();
    await this.#thread.close();
  }

  #startNext(): void {
    while (this.#running === undefined && !this.#isPaused) {
      const next = this.#takeNext();
      if (next === undefined) return;
      if (performance.now() > next.deadline) next.reject(new StoreBusy("Too many queries are waiting."));
      else {
        this.#running = next.start().finally(() => {
          this.#running = undefined;
          this.#startNext();
        });
      }
    }
  }

  /** Takes the oldest query of the operator whose turn it is. The operator's next turn comes after all others. */
  #takeNext(): Entry | undefined {
    for (const [operator, entries] of this.#waiting) {
      const entry = entries.shift();
      this.#waiting.delete(operator);
      if (entries.length > 0) this.#waiting.set(operator, entries);
      return entry;
    }
    return undefined;
  }
}

function createClosedError(): StoreBusy {
  return new StoreBusy("The service is stopping.");
}
