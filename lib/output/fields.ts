import { findRows, isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
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
 * whose only member is a list, they are fields of the elements too, unless the member itself is named.
 */
export function selectFields(value: JsonValue, fields: readonly string[]): Selection {
  const list = findRows(value);
  const envelope = isJsonObject(value) && list ? list.member : undefined;
  if (list && (envelope === undefined || !fields.some((field) => isWithin(field, envelope)))) {
    const rows = list.rows.map((row) => pick(row, fields));
    const notes = describeUnknownFields(fields, list.rows);
    return { value: envelope === undefined ? rows : { [envelope]: rows }, notes };
  }
  if (!isJsonObject(value)) return { value, notes: ["--fields was ignored: the response has no fields."] };
  return { value: pick(value, fields), notes: describeUnknownFields(fields, [value]) };
}

function isWithin(field: string, member: string): boolean {
  return field === member || field.startsWith(`${member}.`) || field.startsWith(`${member}[`);
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
