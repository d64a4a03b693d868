/** Names of members in the lists that `svc inbox` and `svc find` print. */
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import type { Members, ObjectShape } from "../../utils/shape.ts";

/** New names of members by their names in responses of the service. */
export type MemberNames = Readonly<Record<string, string>>;

/** Renames members of an object, and keeps their order. */
export function renameMembers(object: JsonObject, names: MemberNames): JsonObject {
  return rename<JsonValue | undefined>(object, names);
}

/** Renames members of the shape of an object. */
export function renameShape({ required = {}, unchecked = {} }: ObjectShape, names: MemberNames): ObjectShape {
  const members: Members = { ...required, ...unchecked };
  return { unchecked: rename(members, names) };
}

function rename<T>(members: Readonly<Record<string, T>>, names: MemberNames): Record<string, T> {
  const findName = (name: string) => Object.hasOwn(names, name) ? names[name] ?? name : name;
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [findName(name), value]));
}
