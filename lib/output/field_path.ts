/** Paths of fields in a result, e.g. `data.caseInfo.status` or `stages[0].name`. */
import { isJsonObject, isObjectList, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { didYouMean, formatSuggestions } from "../../utils/text/did_you_mean.ts";

/** Number of fields that suggestions come from. All rows of a long list have about the same ones. */
const MAX_PATHS = 2000;

/** A field of an object: its value, or a column of a list on its path. */
export type FoundField =
  | { readonly value: JsonValue }
  | { readonly list: string; readonly rows: readonly JsonObject[]; readonly column: string };

/**
 * Finds a field by its name or its path. On the way through a list, an index selects an element. A name is a column of
 * the list.
 */
export function findField(object: JsonObject, field: string): FoundField | undefined {
  let value: JsonValue | undefined = object;
  if (Object.hasOwn(object, field)) value = object[field];
  else {
    for (const { 0: step, index } of field.matchAll(/[^.[\]]+/g)) {
      if (isJsonObject(value) && Object.hasOwn(value, step)) value = value[step];
      else if (Array.isArray(value) && /^\d+$/.test(step)) value = value[Number(step)];
      else if (isObjectList(value)) {
        return { list: field.slice(0, index).replace(/[.[]$/, ""), rows: value, column: field.slice(index) };
      } else return undefined;
    }
  }
  return value === undefined ? undefined : { value };
}

/** Splits a path into its names and indexes. */
export function splitPath(path: string): string[] {
  return path.split(/[.[\]]/).filter((step) => step !== "");
}

/** Reports whether an object has a field. A column of a list is missing if no row of the list has it. */
export function hasField(object: JsonObject, field: string): boolean {
  const found = findField(object, field);
  if (found === undefined || "value" in found) return found !== undefined;
  return found.rows.length === 0 || found.rows.some((row) => hasField(row, found.column));
}

/** Formats a question for an unknown field: fields of that name elsewhere in the objects, or of a similar name. */
export function suggestFields(field: string, objects: readonly JsonObject[]): string {
  const paths = listFieldPaths(objects);
  const last = splitPath(field).at(-1) ?? field;
  const ending = `.${field}`.toLowerCase();
  const elsewhere = paths.filter((path) => `.${path}`.toLowerCase().endsWith(ending));
  const byLength = elsewhere.sort((a, b) => a.split(".").length - b.split(".").length);
  const limit = Math.max(1, last.length / 3);
  return (formatSuggestions(byLength, String) || didYouMean(field, paths, String, limit)).trimEnd();
}

/** Lists the paths of all fields, those at the top first. The elements of a list share their paths. */
export function listFieldPaths(objects: readonly JsonObject[]): string[] {
  const paths = new Set<string>();
  const queue: [JsonValue | undefined, string][] = objects.map((object) => [object, ""]);
  for (const [value, prefix] of queue) {
    if (paths.size >= MAX_PATHS) break;
    if (Array.isArray(value)) queue.push(...value.slice(0, MAX_PATHS).map((one): [JsonValue, string] => [one, prefix]));
    if (!isJsonObject(value)) continue;
    for (const [name, member] of Object.entries(value)) {
      paths.add(prefix + name);
      if (typeof member === "object" && member !== null) queue.push([member, `${prefix}${name}.`]);
    }
  }
  return [...paths];
}
