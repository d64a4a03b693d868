import type { SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";

/** Column that is 1 in the row after the last one. */
const END = "isEnd";

/**
 * Runs a query and yields its rows. If a row cannot be read, `StatementSync.iterate` of Deno ends without an error.
 * Therefore, an additional row marks the end. If it is missing, `get` reads the failed row again and throws its error.
 */
export function* iterateRows(
  prepare: (sql: string) => StatementSync,
  sql: string,
  parameters: readonly SQLInputValue[] = [],
): Generator<Record<string, SQLOutputValue>> {
  const columns = prepare(sql).columns().map(({ name }) => `"${name}"`);
  const marked = `SELECT ${columns.join(", ")}, 0 AS ${END} FROM (${sql})
    UNION ALL SELECT ${columns.map(() => "NULL").join(", ")}, 1`;
  let count = 0;
  for (const row of prepare(marked).iterate(...parameters)) {
    if (row[END] === 1) return;
    count++;
    yield row;
  }
  prepare(`SELECT * FROM (${marked}) LIMIT 1 OFFSET ${count}`).get(...parameters);
  throw new TypeError(`A query ended before its last row: ${sql}`);
}
