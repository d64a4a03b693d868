/**
 * Runs queries on connections of their own. A few connections run any query. If all of them are in use, further queries have
 * a short time limit. A query that exceeds it starts again when its turn comes, so that the other connections always serve
 * short queries. Operators take turns, and none uses all connections for long queries.
 */
import type { Pool, SqlResult } from "../../../utils/postgres/pool.ts";
import { PostgresError } from "../../../utils/postgres/postgres_error.ts";
import { OperatorTurns, type WaitingQuery } from "../operator_turns.ts";
import { type QueryLoad, StoreBusy } from "../store.ts";
import type { Compiled } from "./query.ts";
import { explainSlowQuery } from "./store_error.ts";

/** Connections with the same time limit for queries. */
export interface QueryPool {
  readonly pool: Pool;
  /** Number of its connections. */
  readonly size: number;
}

interface Entry extends WaitingQuery {
  readonly query: Compiled;
  readonly resolve: (result: SqlResult) => void;
}

/** Runs queries of a database. */
export class QueryLanes {
  readonly #any: QueryPool;
  readonly #short: QueryPool;
  readonly #waiting: OperatorTurns<Entry>;
  readonly #waitingLong: OperatorTurns<Entry>;
  /** Operators of the queries that run without the short time limit, one entry per query. */
  readonly #running: string[] = [];
  #shortRunning = 0;

  /** Uses connections for any queries, and connections with a short time limit. A query waits up to `wait` milliseconds. */
  constructor(any: QueryPool, short: QueryPool, wait: number) {
    this.#any = any;
    this.#short = short;
    this.#waiting = new OperatorTurns(wait);
    this.#waitingLong = new OperatorTurns(wait);
  }

  /** Runs a query for an operator. Rejects with `QueryTooSlow` or `StoreBusy` at a time limit. */
  run(query: Compiled, operator: string): Promise<SqlResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.add({ query, operator, resolve, reject });
      this.#startNext();
    });
  }

  /** Counts the queries. */
  readLoad(): QueryLoad {
    const running = this.#running.length + this.#shortRunning;
    return { running, waiting: this.#waiting.size, waitingLong: this.#waitingLong.size };
  }

  /** Rejects the queries that wait. */
  close(): void {
    for (const turns of [this.#waiting, this.#waitingLong]) {
      for (let entry = turns.take(); entry !== undefined; entry = turns.take()) {
        entry.reject(new StoreBusy("The service is stopping."));
      }
    }
  }

  #startNext(): void {
    const mayBeLong = (operator: string) =>
      this.#running.filter((other) => other === operator).length < this.#any.size - 1;
    while (this.#running.length < this.#any.size) {
      const entry = this.#waitingLong.take(mayBeLong) ?? this.#waiting.take(mayBeLong);
      if (entry === undefined) break;
      this.#runAny(entry);
    }
    while (this.#shortRunning < this.#short.size) {
      const entry = this.#waiting.take();
      if (entry === undefined) return;
      this.#runShort(entry);
    }
  }

  async #runAny(entry: Entry): Promise<void> {
    this.#running.push(entry.operator);
    await run(this.#any.pool, entry.query).then(entry.resolve, (error: Error) => {
      entry.reject(explainSlowQuery(error));
    });
    this.#running.splice(this.#running.indexOf(entry.operator), 1);
    this.#startNext();
  }

  async #runShort(entry: Entry): Promise<void> {
    this.#shortRunning++;
    await run(this.#short.pool, entry.query).then(entry.resolve, (error: Error) => {
      if (error instanceof PostgresError && error.kind === "slow") this.#waitingLong.add(entry);
      else entry.reject(error);
    });
    this.#shortRunning--;
    this.#startNext();
  }
}

function run(pool: Pool, { sql, parameters }: Compiled): Promise<SqlResult> {
  return pool.use((connection) => connection.run(sql, parameters));
}
