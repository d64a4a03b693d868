import {
  filterObjects,
  isJsonObject,
  isObjectList,
  type JsonObject,
  type JsonValue,
  type Rows,
} from "../../utils/json.ts";
import { SvcError } from "../errors.ts";
import { findField, hasField, suggestFields } from "./field_path.ts";

/** Which fields of a result to print. */
export interface FieldChoice {
  /** Names or paths of fields, in this order. */
  readonly names: readonly string[];
  /** Names that the result may lack, because its description has them. Default: none. */
  readonly described?: readonly string[];
  /** Warns about unknown fields instead of rejecting them, e.g. because a change has been applied. */
  readonly acceptsUnknown?: boolean;
}

/** A result with selected fields. */
export interface Selection {
  /** The result with these fields only. */
  readonly value: JsonValue;
  /** The list whose columns were selected, if it is the only one. */
  readonly list?: SelectedList;
  /** Notes for the user, one line each. */
  readonly notes: readonly string[];
}

/** A list with selected columns. */
export interface SelectedList extends Rows {
  /** The columns in their order. */
  readonly columns: readonly string[];
}

/**
 * Selects fields by name or path, in the order of the names. A member of the result comes before a column of its only
 * list. Columns of one list stay together: `list.a,list.b` selects `{"list":[{"a":…,"b":…}]}`. Throws `INVALID_ARGS` for
 * an unknown field.
 */
export function selectFields(value: JsonValue, choice: FieldChoice): Selection {
  const { names: fields } = choice;
  if (isObjectList(value)) {
    const unknown = value.length === 0 ? [] : fields.filter((field) => !value.some((row) => hasField(row, field)));
    const rows = value.map((row) => pick(row, fields));
    return { value: rows, list: { rows, columns: fields }, notes: report(unknown, value, choice) };
  }
  if (!isJsonObject(value)) return { value, notes: report(fields, [], choice) };
  const only = findOnlyList(value);
  const isColumn = (field: string) => only !== undefined && hasField(value, `${only}.${field}`);
  const paths = fields.map((field) => !hasField(value, field) && isColumn(field) ? `${only}.${field}` : field);
  const picked = pick(value, paths);
  return {
    value: picked,
    list: findSelectedList(value, picked, paths),
    notes: report(
      paths.filter((path) => !hasField(value, path)),
      [value, ...filterObjects(only && value[only])],
      choice,
    ),
  };
}

function findSelectedList(value: JsonObject, picked: JsonObject, paths: readonly string[]): SelectedList | undefined {
  const found = paths.map((path) => findField(value, path)).filter((one) => one !== undefined && "list" in one);
  const [member, ...others] = new Set(found.map(({ list }) => list));
  const rows = member === undefined ? undefined : picked[member];
  if (others.length > 0 || !isObjectList(rows) || paths.includes(String(member))) return undefined;
  return { rows, member, columns: found.map(({ column }) => column) };
}

/** Finds the only list of an object. An empty list counts if the object has no other. */
function findOnlyList(object: JsonObject): string | undefined {
  const lists = Object.entries(object).flatMap(([name, member]) =>
    isObjectList(member) ? [{ name, isEmpty: member.length === 0 }] : []
  );
  const filled = lists.filter(({ isEmpty }) => !isEmpty);
  const [only, ...others] = filled.length > 0 ? filled : lists;
  return others.length === 0 ? only?.name : undefined;
}

/** Returns an object with the named fields only, in the order of the names. */
export function pick(object: JsonObject, fields: readonly string[]): JsonObject {
  const picked: Record<string, JsonValue> = {};
  const lists = new Map<string, { rows: readonly JsonObject[]; columns: string[] }>();
  for (const field of fields) {
    const found = findField(object, field);
    if (found === undefined) continue;
    if ("value" in found) picked[field] = found.value;
    else {
      const { columns } = lists.getOrInsertComputed(found.list, () => ({ rows: found.rows, columns: [] }));
      columns.push(found.column);
      picked[found.list] ??= []; // Its place among the other fields.
    }
  }
  for (const [list, { rows, columns }] of lists) {
    if (!fields.includes(list)) picked[list] = rows.map((row) => pick(row, columns));
  }
  return picked;
}

/** Throws for unknown fields, or returns a warning about them. */
function report(
  unknown: readonly string[],
  objects: readonly JsonObject[],
  { described = [], acceptsUnknown = false }: FieldChoice,
): string[] {
  const missing = unknown.filter((field) => !described.includes(field));
  if (missing.length === 0) return [];
  const error = createUnknownFieldError(missing, objects);
  if (!acceptsUnknown) throw error;
  return [`Warning: ${error.message} ${error.hint}`];
}

/** Creates the error for fields that a response lacks. The hint names similar fields, or else all. */
export function createUnknownFieldError(fields: readonly string[], objects: readonly JsonObject[]): SvcError {
  const known = [...new Set(objects.flatMap(Object.keys))];
  const questions = fields.map((field) => suggestFields(field, objects)).filter((question) => question !== "");
  const isEachSimilar = questions.length === fields.length;
  const hints = [...questions, ...(isEachSimilar ? [] : [`Its fields: ${known.join(", ") || "none"}.`])];
  return new SvcError("INVALID_ARGS", `The response has no field ${fields.join(", ")}.`, { hint: hints.join(" ") });
}
