/** Checksums of the journal's records. */
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { computeChecksum } from "../../../utils/sqlite/checksum.ts";

/** A row as SQLite returns it. */
export type Row = Record<string, SQLOutputValue>;

/** The columns of each table that the checksum of a record covers. The first `keyLength` columns are the key. */
const TABLES = {
  runs: { keyLength: 1, columns: ["seq", "id", "name", "digest", "settings", "state", "startedAt", "endedAt"] },
  inputs: {
    keyLength: 2,
    columns: ["run", "number", "place", "value", "startedAt", "generation", "state", "outcome", "endedAt"],
  },
  events: { keyLength: 1, columns: ["seq", "run", "input", "kind", "position", "at", "content"] },
  lengths: { keyLength: 2, columns: ["run", "input", "events"] },
  waits: { keyLength: 2, columns: ["run", "input", "until"] },
  schedules: { keyLength: 1, columns: ["seq", "name", "record"] },
} as const;

/** A table of the journal. */
export type TableName = keyof typeof TABLES;

/** All tables of the journal. */
export const TABLE_NAMES: readonly TableName[] = Object.keys(TABLES).filter(isTableName);

/** The values of a record, without its checksum. */
export type Columns<T extends TableName> = Readonly<Record<(typeof TABLES[T]["columns"])[number], SQLOutputValue>>;

/** Number of records that are sealed between two queries for the next keys. */
const KEYS_AT_ONCE = 1000;

/** Computes the checksum of a record. */
export function computeSeal(table: TableName, row: Row): number {
  return computeChecksum([table, ...TABLES[table].columns.map((column) => row[column] ?? null)]);
}

/** Reports whether a record is as it was written. It is not if a column is missing, because its name has changed. */
export function isIntact(table: TableName, row: Row): boolean {
  return TABLES[table].columns.every((column) => row[column] !== undefined) && row.checksum === computeSeal(table, row);
}

/** Returns the statement that inserts a record. Its parameters are named like the columns. */
export function insertInto(table: TableName): string {
  const columns = [...TABLES[table].columns, "checksum"];
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map((name) => `:${name}`).join(", ")})`;
}

/** Returns the statement that updates a record. Its parameters are named like the columns. */
export function update(table: TableName): string {
  const keys = getKey(table);
  const changed = [...TABLES[table].columns, "checksum"].filter((column) => !keys.includes(column));
  const assign = (column: string) => `${column} = :${column}`;
  return `UPDATE ${table} SET ${changed.map(assign).join(", ")} WHERE ${keys.map(assign).join(" AND ")}`;
}

/** Returns the parameters of a statement that writes a record, with the checksum of what SQLite will return for it. */
export function seal(
  table: TableName,
  columns: Readonly<Record<string, SQLOutputValue | undefined>>,
): Record<string, SQLOutputValue> {
  const stored: Row = {};
  for (const name of TABLES[table].columns) stored[name] = toStored(columns[name] ?? null);
  return { ...stored, checksum: computeSeal(table, stored) };
}

/** Converts a value to what SQLite returns for it. A text is well-formed, and ends at a NUL. */
function toStored(value: SQLOutputValue): SQLOutputValue {
  if (typeof value !== "string") return value;
  return (value.includes("\0") ? value.slice(0, value.indexOf("\0")) : value).toWellFormed();
}

/** Computes the checksums of all records, and counts the events of each input. */
export function sealAll(db: DatabaseSync): void {
  db.exec("DELETE FROM lengths");
  db.exec("INSERT INTO lengths SELECT run, input, count(*), 0 FROM events GROUP BY run, input");
  for (const table of TABLE_NAMES) sealTable(db, table);
}

function isTableName(name: string): name is TableName {
  return name in TABLES;
}

/** Returns the columns that identify a record. */
function getKey(table: TableName): readonly string[] {
  const { columns, keyLength } = TABLES[table];
  return columns.slice(0, keyLength);
}

function sealTable(db: DatabaseSync, table: TableName): void {
  const columns = getKey(table);
  const key = `(${columns.join(", ")})`;
  const marks = `(${columns.map(() => "?").join(", ")})`;
  const listKeys = db.prepare(
    `SELECT ${columns.join(", ")} FROM ${table} WHERE ${key} > ${marks} ORDER BY ${columns.join(", ")}
     LIMIT ${KEYS_AT_ONCE}`,
  );
  const read = db.prepare(`SELECT * FROM ${table} WHERE ${key} = ${marks}`);
  const write = db.prepare(`UPDATE ${table} SET checksum = ? WHERE ${key} = ${marks}`);
  let last: number[] | undefined = columns.map(() => -1);
  while (last !== undefined) {
    const keys: number[][] = listKeys.all(...last).map((row) => columns.map((column) => Number(row[column])));
    for (const values of keys) write.run(computeSeal(table, read.get(...values) ?? {}), ...values);
    last = keys.at(-1);
  }
}
