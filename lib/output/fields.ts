import { findRows, isJsonObject, type JsonObject, type JsonValue, type Rows } from "../../utils/json.ts";
import { findField, suggestFields } from "./field_path.ts";

/** A result with selected fields. */
export interface Selection {
  /** The result with these fields only. */
  readonly value: JsonValue;
  /** Notes for the user, one line each. */
  readonly notes: readonly string[];
}

/**
 * Selects fields by name or path, in the order of the names. For a list these are fields of its elements. For an object
 * that consists of a list, they are fields of the elements too, unless one of them is a member of the object.
 */
export function selectFields(
  value: JsonValue,
  fields: readonly string[],
  list: Rows | undefined = findRows(value),
): Selection {
  const isOfRows = !isJsonObject(value) || fields.every((field) => findField(value, field) === undefined);
  if (list !== undefined && isOfRows) {
    const rows = list.rows.map((row) => pick(row, fields));
    const notes = describeUnknownFields(fields, list.rows);
    return { value: list.member === undefined ? rows : { [list.member]: rows }, notes };
  }
  if (!isJsonObject(value)) return { value, notes: ["--fields was ignored: the response has no fields."] };
  return { value: pick(value, fields), notes: describeUnknownFields(fields, [value]) };
}

/** Returns an object with the named fields only, in the order of the names. */
export function pick(object: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(
    fields.map((field) => [field, findField(object, field)] as const).filter(([, value]) => value !== undefined),
  );
}

function describeUnknownFields(fields: readonly string[], objects: readonly JsonObject[]): string[] {
  if (objects.length === 0) return [];
  const unknown = fields.filter((field) => objects.every((object) => findField(object, field) === undefined));
  const questions = unknown.map((field) => [field, suggestFields(field, objects)] as const);
  const others = questions.filter(([, question]) => question === "").map(([field]) => field);
  const known = [...new Set(objects.flatMap(Object.keys))];
  return [
    ...questions.filter(([, question]) => question !== "").map(([field, question]) =>
      `Warning: the response has no field ${field}. ${question}`
    ),
    ...(others.length === 0
      ? []
      : [`Warning: the response has no field ${others.join(", ")}. Its fields: ${known.join(", ") || "none"}.`]),
  ];
}
