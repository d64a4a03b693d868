/** `--fields`: the top-level members that are wanted. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { rowsOf } from "./rows.ts";

/** What is left of a result, and the names that it does not have. */
export interface Kept {
  /** The result with those members alone. */
  readonly value: JsonValue;
  /** Remarks, a line each. */
  readonly notes: readonly string[];
}

/**
 * Keeps the named top-level members, in the order of the names. Of an array they are its elements' members; so they
 * are of an answer that is one list in an envelope, unless a name is the envelope's.
 */
export function keepFields(value: JsonValue, fields: readonly string[]): Kept {
  const list = rowsOf(value);
  const envelope = isJsonObject(value) && list ? list.member : undefined;
  if (list && (envelope === undefined || !fields.includes(envelope))) {
    const rows = list.rows.map((row) => pick(row, fields));
    const notes = unknownFields(fields, list.rows);
    return { value: envelope === undefined ? rows : { [envelope]: rows }, notes };
  }
  if (!isJsonObject(value)) return { value, notes: ["--fields is left out: the answer has no fields."] };
  return { value: pick(value, fields), notes: unknownFields(fields, [value]) };
}

/** An object with the named members alone, in the order of the names. */
export function pick(object: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(
    fields.filter((field) => Object.hasOwn(object, field)).map((field) => [field, object[field]]),
  );
}

function unknownFields(fields: readonly string[], objects: readonly JsonObject[]): string[] {
  if (objects.length === 0) return [];
  const unknown = fields.filter((field) => !objects.some((object) => Object.hasOwn(object, field)));
  if (unknown.length === 0) return [];
  const known = new Set(objects.flatMap(Object.keys));
  return [`Warning: the answer has no field ${unknown.join(", ")}. It has ${[...known].join(", ") || "none"}.`];
}
