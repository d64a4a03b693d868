/** Names of members in the lists that `svc` prints for people and for programs. */
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import type { Members, ObjectShape } from "../../utils/shape.ts";

/** New names of members by their names in the responses of the service. */
export type MemberNames = Readonly<Record<string, string>>;

/** Returns an object with the new names of its members, in their order. */
export function renameMembers(object: JsonObject, names: MemberNames): JsonObject {
  return rename<JsonValue | undefined>(object, names);
}

/** Returns the shape of an object whose members are renamed. */
export function renameShape({ required = {}, unchecked = {} }: ObjectShape, names: MemberNames): ObjectShape {
  const members: Members = { ...required, ...unchecked };
  return { unchecked: rename(members, names) };
}

function rename<T>(members: Readonly<Record<string, T>>, names: MemberNames): Record<string, T> {
  const findName = (name: string) => Object.hasOwn(names, name) ? names[name] ?? name : name;
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [findName(name), value]));
}
