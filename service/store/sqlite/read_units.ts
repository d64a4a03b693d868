/** Units of work that only read. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Transaction } from "../store.ts";
import type { PagePlaces } from "../page_places.ts";
import type { RowPlace } from "./query.ts";
import type { FieldIndexes } from "./field_indexes.ts";
import type { QueryLanes } from "./query_lanes.ts";
import type { SqlQuery } from "./query_runner.ts";
import type { SqlRow } from "./tables.ts";
import { openReader } from "./open_reader.ts";
import { SqliteTransaction, Statements, type StoreUnit } from "./transaction.ts";

/** Parts of a store that its units share. */
export interface ReadParts {
  readonly lanes: QueryLanes;
  readonly places: PagePlaces<RowPlace>;
  readonly indexes: FieldIndexes;
}

/**
 * Runs units of work that only read, on a connection of their own. Units take turns: while one reads, it sees one state of
 * the database, and the others wait. While it waits for a query in a thread, another unit has its turn.
 */
export class ReadUnits {
  readonly #db: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  readonly #statements: Statements;
  readonly #lanes: QueryLanes;
  readonly #places: PagePlaces<RowPlace>;
  readonly #indexes: FieldIndexes;
  /** Resolves when the last turn has ended. */
  #turns: Promise<void> = Promise.resolve();
  readonly #running = new Set<Promise<unknown>>();

  /** Opens a database file whose tables exist. */
  constructor(path: string, { lanes, places, indexes }: ReadParts) {
    this.#places = places;
    this.#indexes = indexes;
    this.#db = openReader(path);
    this.#begin = this.#db.prepare("BEGIN");
    this.#end = this.#db.prepare("COMMIT");
    this.#statements = new Statements(this.#db);
    this.#lanes = lanes;
  }

  /** Runs a unit of work for an operator. */
  async run<T>(work: (transaction: Transaction) => Promise<T>, operator: string): Promise<T> {
    const running = this.#run(work, operator);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Waits for the units, and closes the connection. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#running);
    this.#db.close();
  }

  async #run<T>(work: (transaction: Transaction) => Promise<T>, operator: string): Promise<T> {
    const unit = new ReadUnit(await this.#takeTurn(), () => this.#takeTurn(), {
      pages: { places: this.#places, operator },
      indexes: this.#indexes,
      query: (query) => this.#lanes.run(query, operator),
    });
    const transaction = new SqliteTransaction(this.#statements, unit);
    try {
      return await work(transaction);
    } finally {
      transaction.end();
      unit.end();
    }
  }

  /** Waits for a turn, and begins to read a state of the database. Disposing of the turn ends it. */
  async #takeTurn(): Promise<Disposable> {
    const before = this.#turns;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turns = promise;
    await before;
    try {
      this.#begin.run(); // The first read takes the state.
    } catch (error) {
      resolve();
      throw error;
    }
    return {
      [Symbol.dispose]: () => {
        try {
          if (this.#db.isTransaction) this.#end.run(); // SQLite itself ends it after some errors.
        } finally {
          resolve();
        }
      },
    };
  }
}

class ReadUnit implements StoreUnit {
  readonly #takeTurn: () => Promise<Disposable>;
  readonly #query: (query: SqlQuery) => Promise<SqlRow[]>;
  readonly pages: StoreUnit["pages"];
  readonly indexes: FieldIndexes;
  #turn: Disposable | undefined;
  #hasEnded = false;

  constructor(
    turn: Disposable,
    takeTurn: () => Promise<Disposable>,
    { pages, indexes, query }: Pick<StoreUnit, "pages" | "indexes" | "query">,
  ) {
    this.#turn = turn;
    this.#takeTurn = takeTurn;
    this.pages = pages;
    this.indexes = indexes;
    this.#query = query;
  }

  end(): void {
    this.#hasEnded = true;
    this.#endTurn();
  }

  willRead(): void {
    if (this.#turn === undefined) {
      throw new TypeError("This unit of work is waiting for a query. Await the query first.");
    }
  }

  willWrite(): Promise<void> {
    return refuseChange();
  }

  async attempt<T>(part: () => Promise<T>): Promise<T> {
    return await part();
  }

  async query(query: SqlQuery): Promise<SqlRow[]> {
    this.willRead();
    this.#endTurn();
    try {
      return await this.#query(query);
    } finally {
      this.#turn = await this.#takeTurn();
      if (this.#hasEnded) this.#endTurn();
    }
  }

  #endTurn(): void {
    this.#turn?.[Symbol.dispose]();
    this.#turn = undefined;
  }
}

/** Refuses a change in a unit of work that only reads. */
export function refuseChange(): Promise<never> {
  return Promise.reject(new TypeError("This unit of work only reads."));
}
