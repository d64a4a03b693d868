/** Rows of the tables on PostgreSQL: the statements that write them, and the conversion of their values. */
import type { SqlParameter, SqlRow, SqlValue } from "../../../utils/postgres/sql_value.ts";
import { compressText, decompressText } from "../../../utils/sqlite/compress_text.ts";
import { type ColumnType, getTable, listColumns, parseObject, type RowOf, type TableName, toRow } from "../tables.ts";
import { escapeJson, escapeText, unescapeJson, unescapeText } from "./escape_text.ts";

/** Returns the columns of a table for a SELECT. They are listed, because a newer version may add some. */
export function selectList(table: TableName): string {
  return listColumns(table).map((name) => `${table}.${quote(name)}`).join(", ");
}

/** Returns the statement that inserts a row. Its parameters are the values of `encodeRow`. */
export function insertInto(table: TableName): string {
  const names = listColumns(table);
  const values = names.map((_, index) => `$${index + 1}`);
  return `INSERT INTO ${table} (${names.map(quote).join(", ")}) VALUES (${values.join(", ")})`;
}

/** Returns the statement that replaces the columns of a row, apart from the constant ones. `encodeUpdate` returns its parameters. */
export function update(table: TableName): string {
  const { key } = getTable(table);
  const set = (name: string, index: number) => `${quote(name)} = $${index + 1}`;
  const changes = listChangeable(table).map((name, index) => set(name, key.length + index));
  return `UPDATE ${table} SET ${changes.join(", ")} WHERE ${key.map(set).join(" AND ")}`;
}

/** Converts the values of a row to the parameters of the statement that replaces them. */
export function encodeUpdate<T extends TableName>(table: T, row: RowOf<T>): SqlParameter[] {
  const values: Readonly<Record<string, unknown>> = row;
  const types: Readonly<Record<string, ColumnType>> = getTable(table).columns;
  return [...getTable(table).key, ...listChangeable(table)].map((name) => encode(types[name] ?? "text", values[name]));
}

/** Lists the columns that a change may replace. */
function listChangeable(table: TableName): string[] {
  const { key, constant = [] } = getTable(table);
  return listColumns(table).filter((name) => !key.includes(name) && !constant.includes(name));
}

/** Returns the statement that inserts a row or replaces its columns, apart from the constant ones. */
export function upsert(table: TableName): string {
  const { key } = getTable(table);
  const changes = listChangeable(table).map((name) => `${quote(name)} = excluded.${quote(name)}`);
  return `${insertInto(table)} ON CONFLICT (${key.map(quote).join(", ")}) DO UPDATE SET ${changes.join(", ")}`;
}

/** Converts the values of a row to the parameters of the statement that writes it. */
export function encodeRow<T extends TableName>(table: T, row: RowOf<T>): SqlParameter[] {
  const values: Readonly<Record<string, unknown>> = row;
  return Object.entries(getTable(table).columns).map(([name, type]) => encode(type, values[name]));
}

function encode(type: ColumnType, value: unknown): SqlParameter {
  if (type === "json") return escapeJson(JSON.stringify(value));
  if (type === "compressed") return compressText(String(value));
  if (typeof value === "string") return escapeText(value);
  return typeof value === "number" ? value : null;
}

/** Converts a complete row that was read. */
export function decodeRow<T extends TableName>(table: T, row: SqlRow): RowOf<T> {
  return toRow(table, (name, type) => decode(type, row[name]));
}

function decode(type: ColumnType, value: SqlValue | undefined): unknown {
  switch (type) {
    case "text":
    case "optional":
      return typeof value === "string" ? unescapeText(value) : undefined;
    case "integer":
      return typeof value === "number" ? value : undefined;
    case "json":
      return typeof value === "string" ? parseObject(unescapeJson(value)) : undefined;
    case "compressed":
      return value instanceof Uint8Array ? decompressText(value) : undefined;
  }
}

function quote(name: string): string {
  return `"${name}"`;
}
