/** The tables of a store and their columns, which are the same in every database. */
import { findReviver, isJsonObject, type JsonObject } from "../../utils/json.ts";

/** Types of the values of a column. `optional` is a text or missing, `compressed` a text that is stored as bytes. */
interface ColumnTypes {
  text: string;
  optional: string | undefined;
  integer: number;
  json: JsonObject;
  compressed: string;
}

/** Type of the values of a column. */
export type ColumnType = keyof ColumnTypes;

/** The columns of a table. */
export interface Table {
  /** Columns that identify a row. */
  readonly key: readonly [string, ...string[]];
  /** Columns that never change. An upsert does not set them, because that would also write their indexes. */
  readonly constant?: readonly string[];
  /** Columns with indexes that rarely change. SQLite sets them only if they have changed, for the same reason. */
  readonly rarelyChanged?: readonly string[];
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
    rarelyChanged: ["status", "urgency", "stageId", "updatedBy", "content"],
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

/** Returns the description of a table. */
export function getTable(table: TableName): Table {
  return TABLES[table];
}

/** Returns the columns of a table in the order in which they are written. */
export function listColumns(table: TableName): readonly string[] {
  const known = columnNames.get(table) ?? Object.keys(TABLES[table].columns);
  columnNames.set(table, known);
  return known;
}

const columnNames = new Map<TableName, readonly string[]>();

/** Converts the values that were read to a row. `decode` returns undefined for a value of another type. */
export function toRow<T extends TableName>(table: T, decode: (name: string, type: ColumnType) => unknown): RowOf<T> {
  const decoded: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(getTable(table).columns)) {
    const value = decode(name, type);
    if (value !== undefined) decoded[name] = value;
  }
  if (isRow(table, decoded)) return decoded;
  throw new TypeError(`A row of ${table} was written with a value of a wrong type.`);
}

function isRow<T extends TableName>(table: T, decoded: Readonly<Record<string, unknown>>): decoded is RowOf<T> {
  const columns = Object.entries(getTable(table).columns);
  return columns.every(([name, type]) => type === "optional" || decoded[name] !== undefined);
}

/** Parses JSON that a store has written, whose depth was checked before. */
export function parseStored(text: string): unknown {
  return JSON.parse(text, findReviver(text));
}

/** Parses a JSON object that a store has written. Returns undefined for another value. */
export function parseObject(text: string): JsonObject | undefined {
  const value = parseStored(text);
  return isJsonObject(value) ? value : undefined;
}

/** Reports whether a name is that of a table. */
export function isTableName(name: string): name is TableName {
  return name in TABLES;
}
