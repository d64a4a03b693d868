/** Results that are a list: an array of objects, alone or as the only member of an object. */
import { isJsonObject, isObjectList, type JsonObject, type JsonValue } from "../../utils/json.ts";

/** A list. */
export interface Rows {
  /** Its elements. */
  readonly rows: readonly JsonObject[];
  /** The member that holds it; undefined where the result is the array itself. */
  readonly member?: string;
}

/** The list that a result is; undefined where it is none. */
export function rowsOf(value: JsonValue): Rows | undefined {
  if (isObjectList(value)) return { rows: value };
  if (!isJsonObject(value)) return undefined;
  const [member, ...others] = Object.keys(value);
  if (member === undefined || others.length > 0) return undefined;
  const list = value[member];
  return isObjectList(list) ? { rows: list, member } : undefined;
}
