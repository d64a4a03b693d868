/** Runs queries on a connection. */
import type { DatabaseSync } from "node:sqlite";
import { iterateRows } from "../../../utils/sqlite/iterate_rows.ts";
import { QueryTooSlow, RowsTooLong } from "../query.ts";
import { defineFunctions } from "./define_functions.ts";
import type { Compiled } from "./query.ts";
import type { SqlRow } from "./tables.ts";

/** A query, which may read many rows. */
export interface SqlQuery extends Compiled {
  /** Maximum characters of the column `row` in all rows. Default: no limit. */
  readonly maxLength?: number;
}

/** Runs queries on a connection with a time limit. */
export class QueryRunner {
  readonly #db: DatabaseSync;
  readonly #isStopped: () => boolean;
  #deadline = Infinity;

  /** Uses a connection. A running query also stops when `isStopped` returns true. */
  constructor(db: DatabaseSync, isStopped: () => boolean = () => false) {
    this.#db = db;
    this.#isStopped = isStopped;
    defineFunctions(db, () => this.#checkTime());
  }

  /** Runs a query. Throws `RowsTooLong` or `QueryTooSlow` at a limit. */
  run({ sql, parameters, maxLength }: SqlQuery, milliseconds = Infinity): SqlRow[] {
    this.#deadline = performance.now() + milliseconds;
    let room = maxLength ?? Infinity;
    const rows: SqlRow[] = [];
    // Not `all`, which never returns if a function throws.
    for (const row of iterateRows((text) => this.#db.prepare(text), sql, parameters)) {
      if (maxLength !== undefined) room -= typeof row.row === "string" ? row.row.length : Infinity;
      if (room < 0) throw new RowsTooLong();
      rows.push(row);
    }
    return rows;
  }

  #checkTime(): void {
    if (performance.now() > this.#deadline || this.#isStopped()) throw new QueryTooSlow();
  }
}
