/** Paths of fields in a result, e.g. `data.caseInfo.status` or `stages[0].name`. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { didYouMean, formatSuggestions } from "../../utils/text/did_you_mean.ts";

/** Number of fields that suggestions come from. All rows of a long list have about the same ones. */
const MAX_PATHS = 2000;

/**
 * Finds a field by its name or its path. On the way through a list, an index selects an element; a name selects that
 * member of every element that has one.
 */
export function findField(object: JsonObject, field: string): JsonValue | undefined {
  return Object.hasOwn(object, field) ? object[field] : follow(object, splitPath(field));
}

function splitPath(path: string): string[] {
  return path.split(/[.[\]]/).filter((step) => step !== "");
}

function follow(value: JsonValue | undefined, steps: readonly string[]): JsonValue | undefined {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (isJsonObject(value)) return Object.hasOwn(value, step) ? follow(value[step], rest) : undefined;
  if (!Array.isArray(value)) return undefined;
  if (/^\d+$/.test(step)) return follow(value[Number(step)], rest);
  const found = value.map((element) => follow(element, steps)).filter((one) => one !== undefined);
  return found.length === 0 ? undefined : found;
}

/** Formats a question for an unknown field: fields of that name elsewhere in the objects, or of a similar name. */
export function suggestFields(field: string, objects: readonly JsonObject[]): string {
  const paths = listPaths(objects);
  const [last = field] = splitPath(field).slice(-1);
  const ending = `.${field}`.toLowerCase();
  const elsewhere = paths.filter((path) => `.${path}`.toLowerCase().endsWith(ending));
  const byLength = elsewhere.sort((a, b) => a.split(".").length - b.split(".").length);
  const limit = Math.max(1, last.length / 3);
  return (formatSuggestions(byLength, String) || didYouMean(field, paths, String, limit)).trimEnd();
}

/** Lists the paths of all fields, those at the top first. The elements of a list share their paths. */
function listPaths(objects: readonly JsonObject[]): string[] {
  const paths = new Set<string>();
  const queue: [JsonValue | undefined, string][] = objects.map((object) => [object, ""]);
  for (const [value, prefix] of queue) {
    if (paths.size >= MAX_PATHS) break;
    if (Array.isArray(value)) queue.push(...value.slice(0, MAX_PATHS).map((one): [JsonValue, string] => [one, prefix]));
    if (!isJsonObject(value)) continue;
    for (const [name, member] of Object.entries(value)) {
      paths.add(prefix + name);
      if (typeof member === "object" && member !== null) queue.push([member, `${prefix}${name}.`]);
    }
  }
  return [...paths];
}
