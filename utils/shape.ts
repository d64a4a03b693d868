/** Shapes: JSON values described as plain data, from which a TypeScript type and a run-time check both derive. */
import { formatMemberPath, isJsonObject, type JsonObject, type JsonValue } from "./json.ts";

/**
 * A shape. `"json"` is any JSON value, `"object"` any JSON object. `"open"` is an object whose type the user of the shape
 * chooses, and `"self"` the object whose member it is.
 */
export type Shape = keyof Scalars | "open" | "self" | ListShape | UnionShape | TextShape | ObjectShape;

/** A list. */
export interface ListShape {
  /** Shape of the elements. */
  readonly list: Shape;
  /** Checks the members of elements that are objects, too. */
  readonly deep?: true;
}

/** One of several shapes. */
export interface UnionShape {
  /** The shapes. */
  readonly oneOf: readonly Shape[];
}

/** A string with known values. */
export interface TextShape {
  /** The values. */
  readonly values: readonly string[];
  /** Excludes other values from the type. The check accepts any string. */
  readonly closed?: true;
}

/** An object. The check ignores members that the shape does not name, and the type excludes them. */
export interface ObjectShape {
  /** Members that are always present. */
  readonly required?: Members;
  /** Members that are checked if they are present. */
  readonly optional?: Members;
  /** Members that may be missing and are not checked, because senders differ in how they write them. */
  readonly unchecked?: Members;
  /** Adds the members of the open type to the type. */
  readonly open?: true;
}

/** Members by name. */
export type Members = Readonly<Record<string, Shape>>;

/** Types of the simple shapes. */
export interface Scalars {
  /** A string. */
  string: string;
  /** A number. */
  number: number;
  /** A boolean. */
  boolean: boolean;
  /** The value null. */
  null: null;
  /** Any JSON value. */
  json: JsonValue;
  /** Any JSON object. */
  object: JsonObject;
}

/** The type of the values that have a shape. */
export type ValueOf<S, Open = JsonObject, Self = S> = S extends keyof Scalars ? Scalars[S]
  : S extends "open" ? Open
  : S extends "self" ? ValueOf<Self, Open>
  : S extends { values: readonly (infer V)[] }
    ? V | (S extends { closed: true } ? never : string & Record<never, never>)
  : S extends { oneOf: readonly (infer One)[] } ? ValueOf<One, Open, Self>
  : S extends { list: infer Element } ? ValueOf<Element, Open, Element extends "self" ? Self : Element>[]
  : ObjectOf<S, Open>;

/** The type of the objects that have a shape, written as one object type: editors and errors show it member by member. */
export type ObjectOf<S, Open = JsonObject> = Flatten<
  & (S extends { required: infer M } ? { -readonly [N in keyof M]: ValueOf<M[N], Open, S> } : unknown)
  & (S extends { optional: infer M } ? { -readonly [N in keyof M]?: ValueOf<M[N], Open, S> } : unknown)
  & (S extends { unchecked: infer M } ? { -readonly [N in keyof M]?: ValueOf<M[N], Open, S> } : unknown)
  & (S extends { open: true } ? Open : unknown)
>;

/** Writes an intersection of object types as one object type. */
export type Flatten<T> = T extends infer Members ? { [N in keyof Members]: Members[N] } : never;

/** Reports whether a value has a shape. */
export function hasShape<const S extends Shape>(value: unknown, shape: S): value is ValueOf<S> {
  return findMismatch(value, shape) === undefined;
}

/** Returns the path of the first value that does not have its shape, e.g. `.data.rows`, or undefined if all have theirs. */
export function findMismatch(value: unknown, shape: Shape, path = ""): string | undefined {
  if (typeof shape === "string") return CHECKS[shape](value) ? undefined : path;
  if ("values" in shape) return typeof value === "string" ? undefined : path;
  if ("oneOf" in shape) {
    return shape.oneOf.some((one) => findMismatch(value, one) === undefined) ? undefined : path;
  }
  if ("list" in shape) return Array.isArray(value) ? findElementMismatch(value, shape, path) : path;
  return isJsonObject(value) ? findMemberMismatch(value, shape, path) : path;
}

const isAny = (value: unknown) => value !== undefined;

const CHECKS: { readonly [S in keyof Scalars | "open" | "self"]: (value: unknown) => boolean } = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  json: isAny,
  object: isJsonObject,
  open: isJsonObject,
  self: isJsonObject,
};

function findElementMismatch(list: readonly unknown[], { list: shape, deep }: ListShape, path: string) {
  const checked = deep || isSimple(shape) ? shape : "object";
  for (const [i, element] of list.entries()) {
    const mismatch = findMismatch(element, checked, `${path}[${i}]`);
    if (mismatch !== undefined) return mismatch;
  }
  return undefined;
}

function isSimple(shape: Shape): boolean {
  return typeof shape === "string" || "values" in shape || "oneOf" in shape;
}

function findMemberMismatch(object: JsonObject, { required = {}, optional = {} }: ObjectShape, path: string) {
  for (const [name, shape] of Object.entries(required)) {
    const mismatch = findMismatch(object[name], shape, path + formatMemberPath(name));
    if (mismatch !== undefined) return mismatch;
  }
  for (const [name, shape] of Object.entries(optional)) {
    if (object[name] === undefined) continue;
    const mismatch = findMismatch(object[name], shape, path + formatMemberPath(name));
    if (mismatch !== undefined) return mismatch;
  }
  return undefined;
}
