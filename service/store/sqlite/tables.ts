/**
 * The tables of the store. Their columns determine the statements that change a row, the conversion of a row that is read,
 * and the checksum of each row.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { findReviver, isJsonObject, type JsonObject } from "../../../utils/json.ts";
import { computeChecksum } from "../../../utils/sqlite/checksum.ts";
import { compressText, decompressText } from "../../../utils/sqlite/compress_text.ts";
import { createRowDamage } from "./row_damage.ts";

/** Types of the values of a column. `optional` is a text or missing, `compressed` a text that is stored as bytes. */
interface ColumnTypes {
  text: string;
  optional: string | undefined;
  integer: number;
  json: JsonObject;
  compressed: string;
}

type ColumnType = keyof ColumnTypes;

interface Table {
  /** Columns that identify a row. */
  readonly key: readonly [string, ...string[]];
  /** Columns that never change. An upsert does not set them, because that would also write their indexes. */
  readonly constant?: readonly string[];
  /** Type of each column. */
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** True for a table `WITHOUT ROWID`. Its key is one column. */
  readonly isWithoutRowid?: true;
}

const TABLES = {
  sequences: { key: ["name"], columns: { name: "text", value: "integer" }, isWithoutRowid: true },
  cases: {
    key: ["id"],
    constant: ["businessId", "typeId", "parentId", "createdBy", "createdAt"],
    columns: {
      id: "text",
      businessId: "text",
      typeId: "text",
      parentId: "optional",
      status: "text",
      urgency: "integer",
      stageId: "text",
      createdBy: "text",
      createdAt: "text",
      updatedBy: "text",
      updatedAt: "text",
      tag: "text",
      content: "json",
      flow: "json",
    },
  },
  assignments: {
    key: ["id"],
    constant: ["caseId"],
    columns: {
      id: "text",
      caseId: "text",
      processId: "text",
      stepId: "text",
      urgency: "integer",
      createdAt: "text",
      assigneeKind: "text",
      assigneeId: "text",
      state: "json",
    },
  },
  events: {
    key: ["seq"],
    columns: { caseId: "text", at: "text", by: "text", kind: "text", text: "text", facts: "json" },
  },
  records: {
    key: ["classId", "key"],
    columns: { classId: "text", key: "text", tag: "text", content: "json" },
  },
  items: {
    key: ["kind", "id"],
    columns: { kind: "text", id: "text", owner: "text", at: "text", content: "json" },
  },
  answers: {
    key: ["caller", "key"],
    columns: {
      caller: "text",
      key: "text",
      request: "text",
      at: "text",
      status: "integer",
      headers: "json",
      body: "compressed",
    },
  },
  clients: {
    key: ["id"],
    columns: { id: "text", secretHash: "text", operator: "text", createdAt: "text" },
    isWithoutRowid: true,
  },
  tokens: { key: ["hash"], columns: { hash: "text", clientId: "text", expiresAt: "text" }, isWithoutRowid: true },
} as const satisfies Readonly<Record<string, Table>>;

/** A table. */
export type TableName = keyof typeof TABLES;

/** The names of all tables. */
export const TABLE_NAMES: readonly TableName[] = Object.keys(TABLES).filter(isTableName);

type Columns<T extends TableName> = (typeof TABLES)[T]["columns"];

type OptionalColumn<T extends TableName> = {
  [C in keyof Columns<T>]: Columns<T>[C] extends "optional" ? C : never;
}[keyof Columns<T>];

/** The values of a row. */
export type RowOf<T extends TableName> =
  & {
    -readonly [C in Exclude<keyof Columns<T>, OptionalColumn<T>>]: Columns<T>[C] extends ColumnType
      ? ColumnTypes[Columns<T>[C]]
      : never;
  }
  & { -readonly [C in OptionalColumn<T>]?: string };

/** A row as SQLite returns it. */
export type SqlRow = Record<string, SQLOutputValue>;

/** Returns the column that determines the order in which the rows of a table are stored. */
export function getStorageKey(table: TableName): string {
  const { key, isWithoutRowid }: Table = TABLES[table];
  return isWithoutRowid ? key[0] : "seq";
}

/** Returns the statement that inserts a row. Its parameters are the values of `encodeRow`. */
export function insertInto(table: TableName, conflict = ""): string {
  const names = listColumns(table);
  const values = names.map((_, index) => `?${index + 1}`);
  return `INSERT ${conflict} INTO ${table} (${names.map(quote).join(", ")}, checksum)
    VALUES (${values.join(", ")}, ${callChecksum(table, values)})`;
}

/** Returns the statement that inserts a row or replaces its columns, apart from the constant ones. */
export function upsert(table: TableName): string {
  const { key, constant = [] }: Table = TABLES[table];
  const changed = listColumns(table).filter((name) => !key.includes(name) && !constant.includes(name));
  const changes = [...changed, "checksum"].map((name) => `${quote(name)} = excluded.${quote(name)}`);
  return `${insertInto(table)} ON CONFLICT (${key.map(quote).join(", ")}) DO UPDATE SET ${changes.join(", ")}`;
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
  const { key }: Table = TABLES[table];
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
  return Object.entries(getColumns(table)).map(([name, type]) => encode(type, values[name]));
}

function encode(type: ColumnType, value: unknown): SQLInputValue {
  if (type === "json") return JSON.stringify(value);
  if (type === "compressed") return compressText(String(value));
  return typeof value === "string" || typeof value === "number" ? value : null;
}

/** Converts a complete row that was read. Throws `STORE_DAMAGED` if it does not match its checksum. */
export function decodeRow<T extends TableName>(table: T, row: SqlRow): RowOf<T> {
  if (!isIntact(table, row)) throw createRowDamage([nameRow(table, row)]);
  const decoded: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(getColumns(table))) {
    const value = decode(type, row[name]);
    if (value !== undefined) decoded[name] = value;
  }
  if (isRow(table, decoded)) return decoded;
  throw new TypeError(`A row of ${table} was written with a value of a wrong type.`);
}

/** Reports whether a complete row matches its checksum. */
export function isIntact(table: TableName, row: SqlRow): boolean {
  return row.checksum === computeChecksum([table, ...listColumns(table).map((name) => row[name] ?? null)]);
}

/** Names a row by its table and its key. */
export function nameRow(table: TableName, row: SqlRow): string {
  const { key }: Table = TABLES[table];
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

function parseObject(text: string): JsonObject | undefined {
  const value = parseStored(text);
  return isJsonObject(value) ? value : undefined;
}

/** Parses JSON that this store has written, whose depth was checked before. */
export function parseStored(text: string): unknown {
  return JSON.parse(text, findReviver(text));
}

function isRow<T extends TableName>(table: T, decoded: Readonly<Record<string, unknown>>): decoded is RowOf<T> {
  return Object.entries(getColumns(table)).every(([name, type]) => type === "optional" || decoded[name] !== undefined);
}

function isTableName(name: string): name is TableName {
  return name in TABLES;
}

function getColumns(table: TableName): Table["columns"] {
  return TABLES[table].columns;
}

const names = new Map<TableName, readonly string[]>();

function listColumns(table: TableName): readonly string[] {
  const known = names.get(table) ?? Object.keys(getColumns(table));
  names.set(table, known);
  return known;
}

function quote(name: string): string {
  return `"${name}"`;
}
