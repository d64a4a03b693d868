/** Computes the checksums of rows that were written before rows had one. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { inTransaction } from "../../../../utils/sqlite/in_transaction.ts";
import { TABLE_NAMES, type TableName } from "../../tables.ts";
import { checksumOf, getStorageKey } from "../tables.ts";

/** Progress of a change of many rows. */
export interface RowProgress {
  /** Number of rows that were visited. */
  readonly done: number;
  /** Number of rows. */
  readonly total: number;
}

/** Number of rows that share a transaction. */
const BATCH = 1000;

/** Computes the missing checksums. Each batch is a transaction. A later call continues after an interruption. */
export function* sealRows(db: DatabaseSync): Generator<RowProgress> {
  const counts = TABLE_NAMES.map((table) => Number(db.prepare(`SELECT COUNT(*) AS count FROM ${table}`).get()?.count));
  const total = counts.reduce((sum, count) => sum + count, 0);
  let done = 0;
  // The final transaction of the upgrade makes all batches durable.
  db.exec("PRAGMA synchronous = NORMAL");
  for (const table of TABLE_NAMES) {
    for (const count of sealTable(db, table)) yield { done: done += count, total };
  }
  db.exec("PRAGMA synchronous = FULL");
}

/** Yields the number of rows of each batch. */
function* sealTable(db: DatabaseSync, table: TableName): Generator<number> {
  const key = getStorageKey(table);
  const findEnd = db.prepare(
    `SELECT max(key) AS end, COUNT(*) AS count
     FROM (SELECT ${key} AS key FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT ${BATCH})`,
  );
  const seal = db.prepare(
    `UPDATE ${table} SET checksum = ${checksumOf(table)} WHERE ${key} > ? AND ${key} <= ? AND checksum IS NULL`,
  );
  let last: SQLInputValue = key === "seq" ? -1 : "";
  for (;;) {
    const { end, count }: Record<string, SQLOutputValue> = findEnd.get(last) ?? {};
    if (end === undefined || end === null) return;
    const first = last;
    inTransaction(db, () => seal.run(first, end));
    yield Number(count);
    last = end;
  }
}
