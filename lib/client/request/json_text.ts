/** Values of a caller as JSON. */
import { getErrorMessage, SvcError } from "../../errors.ts";
import { formatMemberPath, hasToJson } from "../../../utils/json.ts";

/** A value as text of JSON; types do not keep everything out that has none. */
export function jsonText(value: unknown): string {
  return orRefuse(() => JSON.stringify(value));
}

/** Refuses, with `INVALID_ARGS`, a value of which JSON would not keep all; it is called by this name. */
export function checkKept(value: unknown, name?: string): void {
  orRefuse(() => expectKept(value, name));
}

function orRefuse<T>(make: () => T): T {
  try {
    return make();
  } catch (cause) {
    const [reason = ""] = getErrorMessage(cause).split("\n");
    throw new SvcError("INVALID_ARGS", `A value is no JSON: ${reason.replace(/\.$/, "")}.`, {
      cause,
      hint: "JSON has texts, finite numbers, true, false, null, arrays and objects, none of which holds itself.",
    });
  }
}

/**
 * Throws a `TypeError`, as `JSON.stringify` does for a bigint, where that would silently make `null` of a number or a
 * date, or nothing but `{}` of a map, an error or a promise. Objects that have a `toJSON` know what is theirs.
 */
export function expectKept(value: unknown, name: string = ""): void {
  const loss = lossIn(value, new Set());
  if (loss === undefined) return;
  const place = (name + loss.path).replace(/^\./, "") || "it";
  throw new TypeError(`${place} is ${loss.what}`);
}

/** What JSON would not keep: a message needs the path, which is put together on the way back alone. */
interface Loss {
  readonly path: string;
  readonly what: string;
}

/** No data has more levels: what is deeper is not looked at, for it would take the stack. */
const MAX_LEVELS = 1000;

function lossIn(value: unknown, above: Set<object>): Loss | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : { path: "", what: String(value) };
  if (typeof value !== "object" || value === null || above.size > MAX_LEVELS) return undefined;
  if (above.has(value)) return { path: "", what: "an object that holds it" };
  if (hasToJson(value)) return isInvalidDate(value) ? { path: "", what: "an invalid date" } : undefined;
  if (isEmptied(value)) return { path: "", what: `of the class ${value.constructor?.name}` };
  above.add(value);
  const loss = Array.isArray(value) ? lossInArray(value, above) : lossInMembers(value, above);
  above.delete(value);
  return loss;
}

function lossInArray(array: readonly unknown[], above: Set<object>): Loss | undefined {
  for (let i = 0; i < array.length; i++) {
    const loss = lossIn(array[i], above);
    if (loss !== undefined) return { ...loss, path: `[${i}]${loss.path}` };
  }
  return undefined;
}

function lossInMembers(object: object, above: Set<object>): Loss | undefined {
  for (const name of Object.keys(object)) {
    const loss = lossIn(Reflect.get(object, name), above);
    if (loss !== undefined) return { ...loss, path: formatMemberPath(name) + loss.path };
  }
  return undefined;
}

function isInvalidDate(value: object): boolean {
  return value instanceof Date && Number.isNaN(value.getTime());
}

/** Whether what an object holds is not in its members. Those of a class of the caller's own usually are. */
function isEmptied(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Array.prototype || prototype === null) return false;
  if (value instanceof Error || value instanceof Map || value instanceof Set) return true;
  return Object.keys(value).length === 0 && JSON.stringify(value) === "{}";
}
