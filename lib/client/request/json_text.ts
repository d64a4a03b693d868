/** Converts values of a caller to JSON. */
import { getErrorMessage, SvcError } from "../../errors.ts";
import { formatMemberPath, hasToJson } from "../../../utils/json.ts";

/** Returns a value as JSON text. Throws `INVALID_ARGS` for a value that JSON cannot represent. */
export function jsonText(value: unknown): string {
  return orRefuse(() => JSON.stringify(value));
}

/** Throws `INVALID_ARGS` for a value that JSON would change silently. */
export function checkKept(value: unknown, name?: string): void {
  orRefuse(() => expectKept(value, name));
}

function orRefuse<T>(make: () => T): T {
  try {
    return make();
  } catch (cause) {
    const [reason = ""] = getErrorMessage(cause).split("\n");
    throw new SvcError("INVALID_ARGS", `A value is not JSON: ${reason.replace(/\.$/, "")}.`, {
      cause,
      hint: "Use texts, finite numbers, true, false, null, arrays and objects. An object must not contain itself.",
    });
  }
}

/**
 * Throws a `TypeError` for a value that `JSON.stringify` would change silently: to `null` (`NaN`, an invalid date) or to
 * `{}` (a map, an error, a promise). Objects with a `toJSON` method are accepted.
 */
export function expectKept(value: unknown, name: string = ""): void {
  const loss = lossIn(value, new Set());
  if (loss === undefined) return;
  const place = (name + loss.path).replace(/^\./, "") || "it";
  throw new TypeError(`${place} is ${loss.what}`);
}

/** A value that JSON would change. The path is built on the way back, because only an error needs it. */
interface Loss {
  readonly path: string;
  readonly what: string;
}

/** Maximum depth that is checked. Deeper data would overflow the stack. */
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

/** Reports whether JSON loses the content of an object, because it is not in its members. */
function isEmptied(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Array.prototype || prototype === null) return false;
  if (value instanceof Error || value instanceof Map || value instanceof Set) return true;
  return Object.keys(value).length === 0 && JSON.stringify(value) === "{}";
}
