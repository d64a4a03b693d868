/** The JSON values that travel between a caller, the client and the service. */

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  /** Members by name; absent members read as `undefined`. */
  [name: string]: JsonValue | undefined;
}

/** Tells whether a value is an object with members, not an array and not null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Tells whether a value is a list of objects, and of nothing else. */
export function isObjectList(value: unknown): value is JsonObject[] {
  return Array.isArray(value) && value.every(isJsonObject);
}

/** The objects of a list; none where a value is no list. */
export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Tells whether a value is a string. */
export function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** A value where it is a string. */
export function textOrNothing(value: unknown): string | undefined {
  return isText(value) ? value : undefined;
}

/** Tells whether a value is a string that is not empty. */
export function isFilledText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Tells whether a value is a string, number or boolean. */
export function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** Whether a value nests objects and arrays no deeper than so many levels. */
export function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isWithin(member, levels - 1));
}

/** The object that a text is in JSON; undefined where it is none. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined; // The caller knows what it should have been.
  }
}

/** The value that a text is in JSON, or the text itself where it is none. */
export function jsonOrText(text: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}

/** Whether something failed because a value is nested too deep: what lays JSON out needs the stack, what only writes it does not. */
export function isStackOverflow(error: unknown): error is RangeError {
  return error instanceof RangeError && /call stack/.test(error.message);
}

/** Whether an object says itself what it is as JSON, as dates do. */
export function hasToJson(value: object): value is { toJSON: (name?: string) => unknown } {
  return "toJSON" in value && typeof value.toJSON === "function";
}

/** A member as paths name it: `.Area`, `["Floor area"]`. */
export function memberPath(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
