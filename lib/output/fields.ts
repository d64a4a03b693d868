import { findRows, isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";

/** A result with selected fields. */
export interface Selection {
  /** The result with these fields only. */
  readonly value: JsonValue;
  /** Notes for the user, one line each. */
  readonly notes: readonly string[];
}

/**
 * Selects top-level fields, in the order of the names. For a list these are fields of its elements. For an object whose
 * only member is a list, they are fields of the elements too, unless the member itself is named.
 */
export function selectFields(value: JsonValue, fields: readonly string[]): Selection {
  const list = findRows(value);
  const envelope = isJsonObject(value) && list ? list.member : undefined;
  if (list && (envelope === undefined || !fields.includes(envelope))) {
    const rows = list.rows.map((row) => pick(row, fields));
    const notes = describeUnknownFields(fields, list.rows);
    return { value: envelope === undefined ? rows : { [envelope]: rows }, notes };
  }
  if (!isJsonObject(value)) return { value, notes: ["--fields was ignored: the response has no fields."] };
  return { value: pick(value, fields), notes: describeUnknownFields(fields, [value]) };
}

/** Returns an object with the named members only, in the order of the names. */
export function pick(object: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(
    fields.filter((field) => Object.hasOwn(object, field)).map((field) => [field, object[field]]),
  );
}

function describeUnknownFields(fields: readonly string[], objects: readonly JsonObject[]): string[] {
  if (objects.length === 0) return [];
  const unknown = fields.filter((field) => !objects.some((object) => Object.hasOwn(object, field)));
  if (unknown.length === 0) return [];
  const known = [...new Set(objects.flatMap(Object.keys))];
  return [`Warning: the response has no field ${unknown.join(", ")}. Its fields: ${known.join(", ") || "none"}.`];
}
