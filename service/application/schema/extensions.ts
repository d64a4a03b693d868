/** Extensions: members of a definition whose names begin with `x-`. The service ignores them. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { mapValues } from "../../../utils/map_values.ts";

const EXTENSION = "^x-";
const EXTENSION_NAME = new RegExp(EXTENSION);

/** Objects with members of any name, so that `x-` is part of a name: the operators, and the texts of each locale. */
const FREE_NAMES = ["operators", "locales/*"];

/** Returns a value of the definition without its extensions. */
export function removeExtensions(value: unknown, path: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((item) => removeExtensions(item, [...path, "*"]));
  if (!(value instanceof Object)) return value;
  const members = Object.entries(value);
  const kept = hasFreeNames(path) ? members : members.filter(([name]) => !EXTENSION_NAME.test(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, removeExtensions(member, [...path, name])]));
}

/** Returns a JSON Schema of the definition that allows extensions. */
export function allowExtensions(schema: JsonObject, path: readonly string[] = []): JsonObject {
  const convert = (member: JsonValue | undefined, inner: readonly string[]): JsonValue | undefined => {
    if (Array.isArray(member)) return member.map((one) => convert(one, inner) ?? null);
    return isJsonObject(member) ? allowExtensions(member, inner) : member;
  };
  const { properties, additionalProperties, propertyNames, ...others } = schema;
  const allowed = {
    ...mapValues(others, (member, keyword) => convert(member, [...path, keyword])),
    ...(isJsonObject(properties) &&
      { properties: mapValues(properties, (one, name) => convert(one, [...path, name])) }),
    ...(propertyNames !== undefined && { propertyNames }),
    ...(additionalProperties !== undefined && {
      additionalProperties: convert(additionalProperties, [...path, "*"]),
    }),
  };
  if (schema.type !== "object" || hasFreeNames(path)) return allowed;
  return {
    ...allowed,
    patternProperties: { [EXTENSION]: {} },
    ...(propertyNames !== undefined && { propertyNames: { anyOf: [{ pattern: EXTENSION }, propertyNames] } }),
  };
}

function hasFreeNames([first, second, ...rest]: readonly string[]): boolean {
  if (rest.length > 0 || first === undefined) return false;
  return FREE_NAMES.includes(second === undefined ? first : `${first}/*`);
}
