/** Rows of the database as what the store promises, checked where they leave the database. */
import type { SQLOutputValue } from "node:sqlite";
import { isJsonObject, type JsonObject } from "../../../utils/json.ts";
import { decompressText } from "../../../utils/sqlite/compress_text.ts";
import type {
  CasePlace,
  StoredAnswer,
  StoredAssignment,
  StoredCase,
  StoredClient,
  StoredItem,
  StoredRecord,
  StoredToken,
} from "../store.ts";

/** A row as the driver gives it. */
export type SqlRow = Record<string, SQLOutputValue>;

/** A row of `cases`. */
export function toCase(row: SqlRow): StoredCase {
  const parentId = row.parentId;
  return {
    id: text(row, "id"),
    businessId: text(row, "businessId"),
    typeId: text(row, "typeId"),
    ...(typeof parentId === "string" && { parentId }),
    status: text(row, "status"),
    urgency: number(row, "urgency"),
    stageId: text(row, "stageId"),
    createdBy: text(row, "createdBy"),
    createdAt: text(row, "createdAt"),
    updatedBy: text(row, "updatedBy"),
    updatedAt: text(row, "updatedAt"),
    tag: text(row, "tag"),
    content: object(row, "content"),
    flow: object(row, "flow"),
  };
}

/** A row of `cases` as far as it says where the case is. */
export function toPlace(row: SqlRow): Omit<CasePlace, "assignments"> {
  return { typeId: text(row, "typeId"), stageId: text(row, "stageId"), flow: object(row, "flow") };
}

/** A row of `assignments`. */
export function toAssignment(row: SqlRow): StoredAssignment {
  return {
    id: text(row, "id"),
    caseId: text(row, "caseId"),
    processId: text(row, "processId"),
    stepId: text(row, "stepId"),
    urgency: number(row, "urgency"),
    createdAt: text(row, "createdAt"),
    assignee: { kind: row.assigneeKind === "queue" ? "queue" : "operator", id: text(row, "assigneeId") },
    state: object(row, "state"),
  };
}

/** A row of `items`. */
export function toItem(row: SqlRow): StoredItem {
  return {
    kind: text(row, "kind"),
    id: text(row, "id"),
    owner: text(row, "owner"),
    at: text(row, "at"),
    content: object(row, "content"),
  };
}

/** A row of `answers`. */
export function toAnswer(row: SqlRow): StoredAnswer {
  return {
    caller: text(row, "caller"),
    key: text(row, "key"),
    request: text(row, "request"),
    at: text(row, "at"),
    status: number(row, "status"),
    headers: object(row, "headers"),
    body: unpacked(row, "body"),
  };
}

/** A row of `records`. */
export function toRecord(row: SqlRow): StoredRecord {
  return {
    classId: text(row, "classId"),
    key: text(row, "key"),
    tag: text(row, "tag"),
    content: object(row, "content"),
  };
}

/** A row of `clients`. */
export function toClient(row: SqlRow): StoredClient {
  return {
    id: text(row, "id"),
    secretHash: text(row, "secretHash"),
    operator: text(row, "operator"),
    createdAt: text(row, "createdAt"),
  };
}

/** A row of `tokens`. */
export function toToken(row: SqlRow): StoredToken {
  return { hash: text(row, "hash"), clientId: text(row, "clientId"), expiresAt: text(row, "expiresAt") };
}

/** A column that holds text. */
export function text(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new TypeError(`Column ${column} is not text.`);
  return value;
}

/** A column that holds a number. */
export function number(row: SqlRow, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw new TypeError(`Column ${column} is not a number.`);
  return value;
}

/** A column that holds a JSON object. */
function object(row: SqlRow, column: string): JsonObject {
  const value: unknown = JSON.parse(text(row, column));
  if (!isJsonObject(value)) throw new TypeError(`Column ${column} is not a JSON object.`);
  return value;
}

/** A column that holds an array of JSON objects, each with some members of one. */
export function parts(row: SqlRow, column: string): JsonObject {
  const value: unknown = JSON.parse(text(row, column));
  if (!Array.isArray(value)) throw new TypeError(`Column ${column} is not a JSON array.`);
  return Object.fromEntries(value.filter(isJsonObject).flatMap((part) => Object.entries(part)));
}

function unpacked(row: SqlRow, column: string): string {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw new TypeError(`Column ${column} is not bytes.`);
  return decompressText(value);
}
