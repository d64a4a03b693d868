/** A store on PostgreSQL that has what queries need. */
import { decodeRow, encodeRow, insertInto, selectList } from "../../../../service/store/postgres/rows.ts";
import {
  countRows,
  countTextUses,
  queryRows,
  type RunStatement,
} from "../../../../service/store/postgres/run_query.ts";
import { STORE_SCHEMA } from "../../../../service/store/postgres/schema.ts";
import { countMismatchedKeys, countUses, countValues, rename } from "../../../../service/store/postgres/uses.ts";
import type { Transaction } from "../../../../service/store/store.ts";
import { type RowOf, TABLE_NAMES, type TableName } from "../../../../service/store/tables.ts";
import { migrate } from "../../../../utils/postgres/migrate.ts";
import { useTestSchema } from "../../../harness/postgres_schema.ts";

/** The units of work that the tests need. */
export type QueryTransaction = Pick<
  Transaction,
  | "putCase"
  | "getCase"
  | "putAssignment"
  | "addEvent"
  | "putRecord"
  | "putItem"
  | "listItems"
  | "putClient"
  | "getClient"
  | "queryRows"
  | "countRows"
  | "textUses"
  | "countUses"
  | "countValues"
  | "countMismatchedKeys"
  | "rename"
>;

/** A store for tests of queries. */
export interface QueryStore extends AsyncDisposable {
  readonly transaction: QueryTransaction;
  /** Deletes all rows. */
  clear(): Promise<void>;
}

/** Creates the tables in a schema of their own. */
export async function openQueryStore(): Promise<QueryStore> {
  const schema = useTestSchema();
  const pool = await schema.open({ maxConnections: 2 });
  await migrate(pool, schema.parsed, STORE_SCHEMA);
  const run: RunStatement = ({ sql, parameters }) => pool.use((connection) => connection.run(sql, parameters));
  const put = async <T extends TableName>(table: T, row: RowOf<T>) => {
    await run({ sql: insertInto(table), parameters: encodeRow(table, row) });
  };
  const find = async <T extends TableName>(table: T, column: string, value: string): Promise<RowOf<T>[]> => {
    const sql = `SELECT ${selectList(table)} FROM ${table} WHERE ${column} = $1 ORDER BY seq DESC`;
    return (await run({ sql, parameters: [value] })).rows.map((row) => decodeRow(table, row));
  };
  return {
    transaction: {
      putCase: (stored) => put("cases", stored),
      getCase: async (id) => (await find("cases", "id", id))[0],
      putAssignment: ({ assignee, ...stored }) =>
        put("assignments", { ...stored, assigneeKind: assignee.kind, assigneeId: assignee.id }),
      addEvent: (event) => put("events", event),
      putRecord: (stored) => put("records", stored),
      putItem: (item) => put("items", item),
      listItems: (kind) => find("items", "kind", kind),
      putClient: (client) => put("clients", client),
      getClient: async (id) => {
        const sql = `SELECT ${selectList("clients")} FROM clients WHERE id = $1`;
        const { rows: [row] } = await run({ sql, parameters: [id] });
        return row && decodeRow("clients", row);
      },
      queryRows: (query, page) => queryRows(run, query, page),
      countRows: (query) => countRows(run, query),
      textUses: (...args) => countTextUses(run, ...args),
      countUses: () => countUses(run),
      countValues: (source) => countValues(run, source),
      countMismatchedKeys: (...args) => countMismatchedKeys(run, ...args),
      rename: (change) => rename(run, change),
    },
    clear: async () => {
      const tables = [
        ...TABLE_NAMES,
        '"caseCounts"',
        '"caseSums"',
        '"textCounts"',
        '"itemRecipients"',
        '"caseTexts"',
        '"staleTexts"',
      ];
      await run({ sql: `TRUNCATE ${tables.join(", ")} RESTART IDENTITY`, parameters: [] });
    },
    async [Symbol.asyncDispose]() {
      await pool.close();
      await schema[Symbol.asyncDispose]();
    },
  };
}
