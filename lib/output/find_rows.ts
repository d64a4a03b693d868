import { isJsonObject, isObjectList, type JsonObject, type JsonValue } from "../../utils/json.ts";

/** A list of objects in a result. */
export interface Rows {
  /** Elements of the list. */
  readonly rows: readonly JsonObject[];
  /** Name of the member that contains the list; undefined if the result is the list itself. */
  readonly member?: string;
}

/** Finds the list of objects that a result consists of: the result itself, or its only member. */
export function findRows(value: JsonValue): Rows | undefined {
  if (isObjectList(value)) return { rows: value };
  if (!isJsonObject(value)) return undefined;
  const [member, ...others] = Object.keys(value);
  if (member === undefined || others.length > 0) return undefined;
  const list = value[member];
  return isObjectList(list) ? { rows: list, member } : undefined;
}
