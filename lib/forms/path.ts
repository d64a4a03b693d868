/** Paths to the properties of a form: names of pages and properties, and the positions of rows from 0. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";

/** The name of a page or a property, or the position of a row. */
export type Segment = string | number;

/** The way from the content to a page, a row or a property. It is empty for the content itself. */
export type Path = readonly Segment[];

const SEGMENT = /^\.?([^.[\]()]+)((?:\[\d+\]|\(\d+\))*)/;

/**
 * Parses a path such as `Home.City`, `Stops[0].City` or `.Stops(1).City`. Positions in brackets start at 0, in parentheses
 * at 1. Returns undefined for other text, and for a path through `__proto__`.
 */
export function parsePath(text: string): Path | undefined {
  const path: Segment[] = [];
  let rest = text.trim();
  while (rest !== "") {
    const match = SEGMENT.exec(rest);
    if (match === null) return undefined;
    const [all, name = "", rows = ""] = match;
    if (name.trim() === "__proto__") return undefined;
    path.push(name.trim());
    for (const [, zeroBased, oneBased] of rows.matchAll(/\[(\d+)\]|\((\d+)\)/g)) {
      path.push(zeroBased === undefined ? Number(oneBased) - 1 : Number(zeroBased));
    }
    rest = rest.slice(all.length);
  }
  return path;
}

/** Formats a path as `Stops[0].City`. */
export function formatPath(path: Path): string {
  return path.map((segment, i) => typeof segment === "number" ? `[${segment}]` : i === 0 ? segment : `.${segment}`)
    .join("");
}

/** Formats a path as requests write it: `.Stops(1).City`. */
export function formatTarget(path: Path): string {
  return path.map((segment) => typeof segment === "number" ? `(${segment + 1})` : `.${segment}`).join("");
}

/** Reports whether two paths are the same. */
export function isSamePath(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((segment, i) => segment === b[i]);
}

/** Reports whether a path leads to a place, or to a part of it. */
export function isWithin(path: Path, place: Path): boolean {
  return path.length >= place.length && place.every((segment, i) => segment === path[i]);
}

/** Returns the value at a path, or undefined. */
export function getAt(content: JsonValue | undefined, path: Path): JsonValue | undefined {
  let value = content;
  for (const segment of path) {
    if (typeof segment === "number") value = Array.isArray(value) ? value[segment] : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
  }
  return value;
}

/** Returns the object at a path, or an empty one. */
export function getObject(content: JsonValue | undefined, path: Path = []): JsonObject {
  const value = getAt(content, path);
  return isJsonObject(value) ? value : {};
}

/** Sets the member at a path of names. Creates the objects that lead to it. */
export function setAt(content: JsonObject, path: readonly string[], value: JsonValue): void {
  const [name = "", ...rest] = path;
  if (rest.length === 0) {
    content[name] = value;
    return;
  }
  const current = content[name];
  const inner: JsonObject = isJsonObject(current) ? current : {};
  content[name] = inner;
  setAt(inner, rest, value);
}
