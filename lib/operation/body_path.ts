/**
 * Paths of values in a body: `paging.pageNumber`, `cases[].ID` (one element per value), `cases[0].ID` (the only
 * element). The client writes and the service reads by the same path.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";

/** Sets the value at a path and creates missing objects and lists on the way. JSON omits the value undefined. */
export function writeBody(body: JsonObject, path: string, value: JsonValue | undefined): void {
  const { head, index, rest } = split(path);
  if (rest === undefined) {
    body[head] = value;
  } else if (index === undefined) {
    writeBody(memberObject(body, head), rest, value);
  } else {
    const list = memberList(body, head);
    const values = index === "each" && Array.isArray(value) ? value : [value];
    values.forEach((one, i) => {
      const element = list[i];
      const target: JsonObject = isJsonObject(element) ? element : {};
      list[i] = target;
      writeBody(target, rest, one);
    });
  }
}

/** Returns the value at a path, or undefined if it is missing. Throws a `RangeError` if the path leads through another type. */
export function readBody(body: JsonObject, path: string): JsonValue | undefined {
  const { head, index, rest } = split(path);
  const member = Object.hasOwn(body, head) ? body[head] : undefined;
  if (member === undefined || member === null || rest === undefined) return member ?? undefined;
  if (index === undefined) return readBody(expectObject(member, head), rest);
  if (!Array.isArray(member)) throw new RangeError(`${head} must be an array`);
  if (index === "first") return member[0] === undefined ? undefined : readBody(expectObject(member[0], head), rest);
  return member.map((element) => readBody(expectObject(element, head), rest) ?? null);
}

function split(path: string): { head: string; index?: "each" | "first"; rest: string | undefined } {
  const dot = path.indexOf(".");
  const head = dot < 0 ? path : path.slice(0, dot);
  const rest = dot < 0 ? undefined : path.slice(dot + 1);
  if (head.endsWith("[]")) return { head: head.slice(0, -2), index: "each", rest };
  if (head.endsWith("[0]")) return { head: head.slice(0, -3), index: "first", rest };
  return { head, rest };
}

function memberObject(body: JsonObject, name: string): JsonObject {
  const member = body[name];
  if (isJsonObject(member)) return member;
  const made: JsonObject = {};
  body[name] = made;
  return made;
}

function memberList(body: JsonObject, name: string): JsonValue[] {
  const member = body[name];
  if (Array.isArray(member)) return member;
  const made: JsonValue[] = [];
  body[name] = made;
  return made;
}

function expectObject(value: JsonValue, name: string): JsonObject {
  if (!isJsonObject(value)) throw new RangeError(`${name} must hold objects`);
  return value;
}
