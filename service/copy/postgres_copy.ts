/** Copies from and to a PostgreSQL database. */
import { SvcError } from "../../lib/errors.ts";
import { formatLocation, type PostgresLocation } from "../../utils/postgres/location.ts";
import { migrate } from "../../utils/postgres/migrate.ts";
import { type Connection, openPool, type Pool } from "../../utils/postgres/pool.ts";
import type { SqlParameter, SqlRow } from "../../utils/postgres/sql_value.ts";
import { openDatabaseBytes } from "../store/postgres/bytes_database.ts";
import { escapeText, unescapeText } from "../store/postgres/escape_text.ts";
import { decodeRow, encodeRow, insertInto, selectList } from "../store/postgres/rows.ts";
import { STORE_SCHEMA } from "../store/postgres/schema.ts";
import { explainDatabaseFailure } from "../store/postgres/store_error.ts";
import { getTable, listColumns, TABLE_NAMES, type TableName } from "../store/tables.ts";
import type { CopyProgress, CopySource, CopyTarget, Place } from "./copied_database.ts";
import { parseProgress, toPlace } from "./sqlite_copy.ts";

/** Purpose of a schema during the copy. A service refuses it. */
const UNFINISHED = "an unfinished copy";

/** Returns the password for a new connection. */
export type GetPassword = () => Promise<string | undefined>;

/** Opens a database that no service uses. */
export async function openPostgresSource(location: PostgresLocation, getPassword: GetPassword): Promise<CopySource> {
  const pool = await open(location, getPassword);
  try {
    if (await readPurpose(pool, location) === undefined) {
      throw new SvcError("NOT_FOUND", `There are no tables at ${formatLocation(location)}.`, {
        hint: "Check the database and the schema of the source.",
      });
    }
    await migrate(pool, location, STORE_SCHEMA);
  } catch (error) {
    await pool.close();
    throw error;
  }
  return readTables(pool);
}

/** Opens a database into which rows are copied. */
export async function openPostgresTarget(location: PostgresLocation, getPassword: GetPassword): Promise<CopyTarget> {
  const pool = await open(location, getPassword);
  return {
    ...readTables(pool),
    begin: async (source) => {
      if (await readPurpose(pool, location) === UNFINISHED) {
        const { rows: [row] } = await run(pool, `SELECT progress FROM "copyProgress"`);
        return parseProgress(row?.progress) ?? { source };
      }
      await migrate(pool, location, STORE_SCHEMA);
      await assertEmpty(pool, location);
      await inTransaction(pool, async (connection) => {
        await connection.run("UPDATE schema_version SET purpose = $1", [UNFINISHED]);
        await connection.run(`CREATE TABLE "copyProgress" (progress text NOT NULL)`);
        await connection.run(`INSERT INTO "copyProgress" VALUES ($1)`, [JSON.stringify({ source })]);
      });
      return { source };
    },
    write: (table, rows, progress) =>
      inTransaction(pool, async (connection) => {
        const sql = hasSeq(table) ? insertWithSeq(table) : insertInto(table);
        // The statements are sent together.
        await Promise.all(rows.map(({ place, row }) => {
          const values = [...encodeRow(table, row), ...(hasSeq(table) ? [place] : [])];
          return connection.run(sql, values, `copy_${table}`);
        }));
        await noteProgress(connection, progress);
      }),
    finish: () =>
      inTransaction(pool, async (connection) => {
        for (const table of TABLE_NAMES.filter(hasSeq)) {
          await connection.run(`SELECT setval(pg_get_serial_sequence($1, 'seq'), MAX(seq)) FROM ${table}`, [table]);
        }
        await connection.run(`DROP TABLE "copyProgress"`);
        await connection.run("UPDATE schema_version SET purpose = $1", [STORE_SCHEMA.purpose]);
      }),
  };
}

async function open(location: PostgresLocation, getPassword: GetPassword): Promise<Pool> {
  const explain = (error: unknown) => {
    throw explainDatabaseFailure(location, error);
  };
  const pool = await openPool(location, { applicationName: "svc service copy", getPassword, maxConnections: 2 })
    .catch(explain);
  return { ...pool, use: (work) => pool.use(work).catch(explain) };
}

async function readPurpose(pool: Pool, { schema }: PostgresLocation): Promise<string | undefined> {
  const exists = "SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'schema_version'";
  if ((await run(pool, exists, [schema])).rows.length === 0) return undefined;
  const { rows: [row] } = await run(pool, "SELECT purpose FROM schema_version");
  return String(row?.purpose);
}

async function assertEmpty(pool: Pool, location: PostgresLocation): Promise<void> {
  for (const table of TABLE_NAMES) {
    if ((await run(pool, `SELECT 1 FROM ${table} LIMIT 1`)).rows.length === 0) continue;
    throw new SvcError(
      "CONFLICT",
      `${formatLocation(location)} already contains data, which a copy does not replace.`,
      {
        hint: "Name another schema with ?schema=<name>.",
      },
    );
  }
}

function readTables(pool: Pool): CopySource {
  return {
    bytes: openDatabaseBytes(pool),
    count: async (table) => Number((await run(pool, `SELECT COUNT(*) AS count FROM ${table}`)).rows[0]?.count),
    read: async (table, after, limit) => {
      const key = hasSeq(table) ? "seq" : getTable(table).key[0];
      const place = typeof after === "string" ? escapeText(after) : after;
      const condition = after === undefined ? "" : `WHERE ${key} > $2`;
      const sql = `SELECT ${key} AS place, ${selectList(table)} FROM ${table} ${condition} ORDER BY ${key} LIMIT $1`;
      const { rows } = await run(pool, sql, place === undefined ? [limit] : [limit, place]);
      return rows.map((row) => ({ place: readPlace(row), row: decodeRow(table, row) }));
    },
    [Symbol.asyncDispose]: () => pool.close(),
  };
}

function readPlace({ place }: SqlRow): Place {
  return typeof place === "string" ? unescapeText(place) : toPlace(place);
}

function hasSeq(table: TableName): boolean {
  return getTable(table).isWithoutRowid !== true;
}

function insertWithSeq(table: TableName): string {
  const seq = `$${listColumns(table).length + 1}`;
  return insertInto(table).replace("(", "(seq, ").replace("VALUES (", `VALUES (${seq}, `);
}

async function noteProgress(connection: Connection, progress: CopyProgress): Promise<void> {
  await connection.run(`UPDATE "copyProgress" SET progress = $1`, [JSON.stringify(progress)]);
}

async function run(
  pool: Pool,
  sql: string,
  parameters: readonly SqlParameter[] = [],
): Promise<{ readonly rows: readonly SqlRow[] }> {
  return await pool.use((connection) => connection.run(sql, parameters));
}

/** An error closes the connection, which undoes the transaction. */
async function inTransaction(pool: Pool, work: (connection: Connection) => Promise<void>): Promise<void> {
  await pool.use(async (connection) => {
    await connection.run("BEGIN");
    await work(connection);
    await connection.run("COMMIT");
  });
}
