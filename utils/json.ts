import { ExactNumber, isExact } from "./exact_number.ts";
import { isNestedDeeper, MAX_LEVELS } from "./json_depth.ts";
import { mapValues } from "./map_values.ts";

/** Any JSON value. An `ExactNumber` is a number that a `number` cannot represent. */
export type JsonValue = string | number | ExactNumber | boolean | null | JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  /** Members by name; absent members read as `undefined`. */
  [name: string]: JsonValue | undefined;
}

/** Reports whether a value is an object, not an array and not null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** Returns an object as it is, and an empty object for any other value. */
export function toObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
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
export function isScalar(value: unknown): value is string | number | ExactNumber | boolean {
  return isString(value) || isNumber(value) || typeof value === "boolean";
}

/** Reports whether a value is a number of either type. */
export function isNumber(value: unknown): value is number | ExactNumber {
  return typeof value === "number" || value instanceof ExactNumber;
}

/** Reports whether objects and arrays are nested at most this many levels deep. */
export function isNestedWithin(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isNestedWithin(member, levels - 1));
}

/** Copies a JSON value. */
export function cloneJson<T extends JsonValue | undefined>(value: T): T;
export function cloneJson(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((element) => cloneJson(element));
  return isJsonObject(value) ? mapValues(value, (member: JsonValue | undefined) => cloneJson(member)) : value;
}

// Numbers of up to 15 digits are exact, unless their exponent is large. Most texts need no closer look.
const SUSPECT = /[\d.]{16}|\d[eE][+-]?\d{3}/;

// A number with an exponent, final zeros, or many leading zeros after the decimal point, or a negative zero.
const UNUSUAL = /(?:^|[:,[\s])(?:-?\d+(?:\.\d+)?[eE]|-?\d+\.\d*0(?!\d)|-?0\.0{6}|-0(?![\d.]))/;

/** Options of `parseJson`. */
export interface ParseOptions {
  /** Also keeps the digits of numbers that a `number` would print differently, such as `1.10`. */
  readonly keepText?: boolean;
  /** Maximum nesting of objects and arrays. Default: `MAX_LEVELS`. */
  readonly maxLevels?: number;
}

/** Thrown for JSON that is nested too deeply. */
export class JsonTooDeep extends SyntaxError {
  /** Name of the class. */
  override readonly name = "JsonTooDeep";

  /** Creates the error. */
  constructor(levels: number) {
    super(`Objects and arrays are nested more than ${levels} levels deep`);
  }
}

/**
 * Parses JSON. Numbers that a `number` cannot represent become `ExactNumber`. Throws `SyntaxError`, which is `JsonTooDeep`
 * for JSON that is nested more deeply than the limit.
 */
export function parseJson(text: string, { maxLevels = MAX_LEVELS, ...options }: ParseOptions = {}): JsonValue {
  if (isNestedDeeper(text, maxLevels)) throw new JsonTooDeep(maxLevels); // Parsing a few megabytes would take seconds.
  return JSON.parse(text, findReviver(text, options));
}

/** Converts the values that `JSON.parse` reads. */
export type Reviver = (name: string, value: unknown, ...context: readonly unknown[]) => unknown;

/** Returns the reviver with which `JSON.parse` reads exact numbers; undefined if the text needs none. */
export function findReviver(text: string, { keepText = false }: ParseOptions = {}): Reviver | undefined {
  if (!SUSPECT.test(text) && !(keepText && UNUSUAL.test(text))) return undefined;
  const isKept = keepText
    ? (digits: string) => String(Number(digits)) !== digits
    : (digits: string) => !isExact(digits);
  return (_name, value, context) => {
    if (typeof value !== "number" || !isJsonObject(context) || !isString(context.source)) return value;
    return isKept(context.source) ? new ExactNumber(context.source) : value;
  };
}

/** Parses a JSON object. Returns undefined for any other text. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined; // The caller names what was expected.
  }
}

/** Parses JSON. Returns the text itself if it is not JSON. */
export function parseJsonOrText(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
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
