/**
 * The tables on SQLite. Their columns determine the statements that change a row, the conversion of a row that is read, and
 * the checksum of each row.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { isJsonObject, type JsonObject } from "../../../utils/json.ts";
import { computeChecksum } from "../../../utils/sqlite/checksum.ts";
import { compressText, decompressText } from "../../../utils/sqlite/compress_text.ts";
import {
  type ColumnType,
  getTable,
  listColumns,
  parseObject,
  parseStored,
  type RowOf,
  type TableName,
  toRow,
} from "../tables.ts";
import { createRowDamage } from "./row_damage.ts";

/** A row as SQLite returns it. */
export type SqlRow = Record<string, SQLOutputValue>;

/** Returns the column that determines the order in which the rows of a table are stored. */
export function getStorageKey(table: TableName): string {
  const { key, isWithoutRowid } = getTable(table);
  return isWithoutRowid ? key[0] : "seq";
}

/** Returns the statement that inserts a row. Its parameters are the values of `encodeRow`. */
export function insertInto(table: TableName, conflict = ""): string {
  const names = listColumns(table);
  const values = names.map((_, index) => `?${index + 1}`);
  return `INSERT ${conflict} INTO ${table} (${names.map(quote).join(", ")}, checksum)
    VALUES (${values.join(", ")}, ${callChecksum(table, values)})`;
}

/** Returns the statement that inserts a row with its `seq`, which is the parameter after those of `encodeRow`. */
export function insertWithSeq(table: TableName): string {
  const seq = `?${listColumns(table).length + 1}`;
  return insertInto(table).replace("(", "(seq, ").replace("VALUES (", `VALUES (${seq}, `);
}

/** Returns the statement that inserts a row or replaces its columns, apart from the constant ones. */
export function upsert(table: TableName): string {
  const { key, constant = [] } = getTable(table);
  const changed = listColumns(table).filter((name) => !key.includes(name) && !constant.includes(name));
  const changes = [...changed, "checksum"].map((name) => `${quote(name)} = excluded.${quote(name)}`);
  return `${insertInto(table)} ON CONFLICT (${key.map(quote).join(", ")}) DO UPDATE SET ${changes.join(", ")}`;
}

/** Returns the columns of a table that an update sets only if they have changed. */
export function listRarelyChanged(table: TableName): readonly string[] {
  return getTable(table).rarelyChanged ?? [];
}

/**
 * Returns the statement that updates a row that is found by its key. It sets those of the rarely changed columns that are
 * given, and all others apart from the constant ones. Its parameters are the values of `encodeRow`.
 */
export function update(table: TableName, changed: readonly string[]): string {
  const { key, constant = [] } = getTable(table);
  const names = listColumns(table);
  const kept = [...key, ...constant, ...listRarelyChanged(table).filter((name) => !changed.includes(name))];
  const at = (name: string) => `?${names.indexOf(name) + 1}`;
  const changes = names.filter((name) => !kept.includes(name)).map((name) => `${quote(name)} = ${at(name)}`);
  const checksum = `checksum = ${callChecksum(table, names.map(at))}`;
  const isFound = key.map((name) => `${quote(name)} = ${at(name)}`).join(" AND ");
  return `UPDATE ${table} SET ${[...changes, checksum].join(", ")} WHERE ${isFound}`;
}

/** Returns the part of an UPDATE that sets columns to SQL expressions. A damaged row does not get a valid checksum. */
export function set(table: TableName, values: Readonly<Record<string, string>>): string {
  const changes = Object.entries(values).map(([name, value]) => `${quote(name)} = ${value}`);
  const before = listColumns(table).map((name) => `${table}.${quote(name)}`);
  const after = listColumns(table).map((name) => values[name] ?? `${table}.${quote(name)}`);
  const isIntact = `${table}.checksum = ${callChecksum(table, before)}`;
  return `SET ${changes.join(", ")}, checksum = iif(${isIntact}, ${callChecksum(table, after)}, NULL)`;
}

/** Returns the SQL expression that computes the checksum of a stored row. */
export function checksumOf(table: TableName): string {
  return callChecksum(table, listColumns(table).map((name) => `${table}.${quote(name)}`));
}

/** Returns an SQL expression that is NULL for an intact row, and the name of a damaged row. */
export function describeDamage(table: TableName): string {
  const { key } = getTable(table);
  const parts = key.map((name) => `'${name} ' || json_quote(CAST(${table}.${quote(name)} AS TEXT))`);
  const name = `'${table} (' || ${parts.join(" || ', ' || ")} || ')'`;
  return `iif(${table}.checksum = ${checksumOf(table)}, NULL, ${name})`;
}

function callChecksum(table: TableName, values: readonly string[]): string {
  return `checksum('${table}', ${values.join(", ")})`;
}

/** Defines the SQL function `checksum` on a connection. */
export function defineChecksum(db: DatabaseSync): void {
  // Without BigInt, an unsafe integer would fail, and a query with a failing function never ends.
  const options = { deterministic: true, varargs: true, useBigIntArguments: true };
  db.function("checksum", options, (...values) => computeChecksum(values.map(toRead)));
}

/** Converts an argument of an SQL function to the value that a statement would return. A text ends at a NUL. */
function toRead(value: SQLOutputValue): SQLOutputValue {
  if (typeof value === "bigint") return Number(value);
  return typeof value === "string" && value.includes("\0") ? value.slice(0, value.indexOf("\0")) : value;
}

/** Converts the values of a row to the parameters of the statement that writes it. */
export function encodeRow<T extends TableName>(table: T, row: RowOf<T>): SQLInputValue[] {
  const values: Readonly<Record<string, unknown>> = row;
  return Object.entries(getTable(table).columns).map(([name, type]) => encode(type, values[name]));
}

function encode(type: ColumnType, value: unknown): SQLInputValue {
  if (type === "json") return JSON.stringify(value);
  if (type === "compressed") return compressText(String(value));
  return typeof value === "string" || typeof value === "number" ? value : null;
}

/** Converts a complete row that was read. Throws `STORE_DAMAGED` if it does not match its checksum. */
export function decodeRow<T extends TableName>(table: T, row: SqlRow): RowOf<T> {
  if (!isIntact(table, row)) throw createRowDamage([nameRow(table, row)]);
  return toRow(table, (name, type) => decode(type, row[name]));
}

/** Reports whether a complete row matches its checksum. */
export function isIntact(table: TableName, row: SqlRow): boolean {
  return row.checksum === computeChecksum([table, ...listColumns(table).map((name) => row[name] ?? null)]);
}

/** Names a row by its table and its key. */
export function nameRow(table: TableName, row: SqlRow): string {
  const { key } = getTable(table);
  return `${table} (${key.map((name) => `${name} ${JSON.stringify(String(row[name]))}`).join(", ")})`;
}

function decode(type: ColumnType, value: SQLOutputValue | undefined): unknown {
  switch (type) {
    case "text":
    case "optional":
      return typeof value === "string" ? value : undefined;
    case "integer":
      return typeof value === "number" ? value : undefined;
    case "json":
      return typeof value === "string" ? parseObject(value) : undefined;
    case "compressed":
      return value instanceof Uint8Array ? decompressText(value) : undefined;
  }
}

function quote(name: string): string {
  return `"${name}"`;
}

/** Parses the content from which rows are derived. That of a damaged row counts as empty. */
export function parseContent(text: SQLOutputValue | undefined): JsonObject {
  try {
    const content = parseStored(String(text));
    return isJsonObject(content) ? content : {};
  } catch {
    return {};
  }
}
