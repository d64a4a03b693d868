/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  /** Members by name; absent members read as `undefined`. */
  [name: string]: JsonValue | undefined;
}

/** Reports whether a value is an object, not an array and not null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reports whether a value is an array of objects only. */
export function isObjectList(value: unknown): value is JsonObject[] {
  return Array.isArray(value) && value.every(isJsonObject);
}

/** Returns the objects of an array; an empty array for any other value. */
export function filterObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Reports whether a value is a string. */
export function isString(value: unknown): value is string {
  return typeof value === "string";
}

/** Returns a string as it is, and undefined for any other value. */
export function stringOrUndefined(value: unknown): string | undefined {
  return isString(value) ? value : undefined;
}

/** Reports whether a value is a non-empty string. */
export function isNonEmptyString(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Reports whether a value is a string, number or boolean. */
export function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** Reports whether objects and arrays are nested at most this many levels deep. */
export function isNestedWithin(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isNestedWithin(member, levels - 1));
}

/** Parses a JSON object. Returns undefined for any other text. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined; // The caller names what was expected.
  }
}

/** Parses JSON. Returns the text itself if it is not JSON. */
export function parseJsonOrText(text: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}

/** Reports whether an error is a stack overflow, which deeply nested JSON causes. */
export function isStackOverflow(error: unknown): error is RangeError {
  return error instanceof RangeError && /call stack/.test(error.message);
}

/** Reports whether an object has a `toJSON` method, as dates do. */
export function hasToJson(value: object): value is { toJSON: (name?: string) => unknown } {
  return "toJSON" in value && typeof value.toJSON === "function";
}

/** Formats a member for a path: `.Area`, `["Floor area"]`. */
export function formatMemberPath(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** A list of objects in a JSON value. */
export interface Rows {
  /** Elements of the list. */
  readonly rows: readonly JsonObject[];
  /** Name of the member that contains the list; undefined if the value is the list itself. */
  readonly member?: string;
}

/** Finds the list of objects that a value consists of: the value itself, or its only member. */
export function findRows(value: JsonValue): Rows | undefined {
  if (isObjectList(value)) return { rows: value };
  if (!isJsonObject(value)) return undefined;
  const [member, ...others] = Object.keys(value);
  if (member === undefined || others.length > 0) return undefined;
  const list = value[member];
  return isObjectList(list) ? { rows: list, member } : undefined;
}

// Every inexact number has many digits or a large exponent, so most texts need no closer look.
const SUSPECT = /\d{16}|\d[eE]\+?\d{3}/;

// An escape, a quotation mark or a number.
const TOKEN = /\\.|"|-?\d[\d.eE+-]*/gs;

/** Describes the first number of a valid JSON text that a double cannot represent. Returns undefined if it has only exact numbers. */
export function describeInexactNumber(text: string): string | undefined {
  if (!SUSPECT.test(text)) return undefined;
  let isText = false;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '"') isText = !isText;
    else if (!isText && isInexact(token)) return `has the number ${token}, which JSON numbers cannot represent exactly`;
  }
  return undefined;
}

/** Hint for an inexact number. */
export const INEXACT_NUMBER_HINT = "Write it as text: in quotes.";

/** Reports whether digits before the decimal point are lost. Leading zeros are accepted: people type them at prompts. */
function isInexact(number: string): boolean {
  const [, whole] = /^-?0*([1-9]\d*)(?:\.\d+)?$/.exec(number) ?? [];
  return !Number.isFinite(Number(number)) || (whole !== undefined && String(Number(whole)) !== whole);
}
