/**
 * Runs queries in two threads. A query that exceeds a short time limit is long. Only one long query runs at a time: any
 * other is stopped, and restarted when its turn comes. Thus one thread always serves short queries. Operators take turns.
 */
import { OperatorTurns, type WaitingQuery } from "../operator_turns.ts";
import { QueryTooSlow } from "../query.ts";
import { type QueryLoad, StoreBusy } from "../store.ts";
import type { SqlQuery } from "./query_runner.ts";
import type { SqlRow } from "./tables.ts";
import { QueryThread } from "./query_thread.ts";

/** Time limits of queries in milliseconds. */
export interface QueryLimits {
  /** Time after which a query is long. */
  readonly short: number;
  /** Time limit of a long query. */
  readonly long: number;
  /** Maximum time that a query waits for a thread. */
  readonly wait: number;
}

interface Entry extends WaitingQuery {
  readonly query: SqlQuery;
  readonly resolve: (rows: SqlRow[]) => void;
}

/** Runs queries of a database file in two threads. */
export class QueryLanes {
  readonly #limits: QueryLimits;
  readonly #threads: readonly QueryThread[];
  readonly #idle: QueryThread[];
  readonly #short: OperatorTurns<Entry>;
  readonly #long: OperatorTurns<Entry>;
  readonly #running = new Set<Promise<void>>();
  #isLongRunning = false;
  #isPaused = false;
  #isClosed = false;

  /** Creates the threads. They start with their first query. */
  constructor(path: string, limits: QueryLimits) {
    this.#limits = limits;
    this.#threads = [new QueryThread(path), new QueryThread(path)];
    this.#idle = [...this.#threads];
    this.#short = new OperatorTurns(limits.wait);
    this.#long = new OperatorTurns(limits.wait);
  }

  /** Runs a query for an operator. Rejects with `QueryTooSlow` or `StoreBusy` at a time limit. */
  run(query: SqlQuery, operator: string): Promise<SqlRow[]> {
    if (this.#isClosed) return Promise.reject(createClosedError());
    return new Promise((resolve, reject) => {
      this.#short.add({ query, operator, resolve, reject });
      this.#startNext();
    });
  }

  /** Counts the queries. */
  readLoad(): QueryLoad {
    return { running: this.#running.size, waiting: this.#short.size, waitingLong: this.#long.size };
  }

  /** Waits for the running queries, and keeps others from starting until `resume`. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await Promise.all(this.#running);
  }

  /** Continues after `pause`. */
  resume(): void {
    this.#isPaused = false;
    this.#startNext();
  }

  /** Stops the running queries, rejects the waiting ones, and ends the threads. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const lane of [this.#short, this.#long]) {
      for (let entry = lane.take(); entry !== undefined; entry = lane.take()) entry.reject(createClosedError());
    }
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #startNext(): void {
    while (!this.#isPaused && !this.#isClosed && this.#idle.length > 0) {
      const long = this.#isLongRunning ? undefined : this.#long.take();
      const entry = long ?? this.#short.take();
      const thread = entry && this.#idle.pop();
      if (entry === undefined || thread === undefined) return;
      const running = this.#run(thread, entry, long !== undefined).finally(() => {
        this.#running.delete(running);
        this.#idle.push(thread);
        this.#startNext();
      });
      this.#running.add(running);
    }
  }

  async #run(thread: QueryThread, entry: Entry, startsLong: boolean): Promise<void> {
    const { short, long } = this.#limits;
    let isLong = startsLong;
    let isStopped = false;
    if (isLong) this.#isLongRunning = true;
    const timer = isLong ? undefined : setTimeout(() => {
      if (this.#isLongRunning) {
        isStopped = true;
        thread.stop();
      } else isLong = this.#isLongRunning = true;
    }, short);
    try {
      entry.resolve(await thread.run(entry.query, long));
    } catch (error) {
      if (this.#isClosed) entry.reject(createClosedError());
      else if (isStopped && error instanceof QueryTooSlow) this.#long.add(entry);
      else entry.reject(error instanceof Error ? error : new Error(String(error)));
    } finally {
      clearTimeout(timer);
      if (isLong) this.#isLongRunning = false;
    }
  }
}

function createClosedError(): StoreBusy {
  return new StoreBusy("The service is stopping.");
}
