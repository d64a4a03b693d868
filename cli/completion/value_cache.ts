/** The values that completion offers: what commands have read at a terminal, for each profile. */
import { getProfileFile } from "../../lib/auth/profile_files.ts";
import { findCacheDirectory, readTarget, type SessionOptions, type Target } from "../../lib/auth/settings.ts";
import { getCaseHandle } from "../handles/handles.ts";
import { isJsonObject, isString, type JsonObject, type JsonValue, parseJsonObject } from "../../utils/json.ts";

/**
 * Descriptions by value, by kind. A kind such as `cases` has one list. Others have one for each owner, such as
 * `actions of ASSIGN-WORKLIST ACME-WORK C-1!REVIEW`.
 */
export type Values = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Maximum numbers of lists, and of values in a list. The oldest are dropped. */
const MAX_LISTS = 400;
const MAX_VALUES = 200;

/** Maximum number of characters of the file. */
const MAX_LENGTH = 200_000;

/** Name of the list of assignments. */
const ASSIGNMENTS = "assignments";

/** Returns the name of the list of a kind that belongs to an owner. */
export function nameList(kind: string, owner: string): string {
  return `${kind} of ${owner}`;
}

/** Returns a list by its name. */
export type FindList = (name: string) => ReadonlyMap<string, string>;

/** Reads the values of the service that the options name. Only the lists that are used are parsed. */
export function openValues(options: SessionOptions): FindList {
  const directory = findCacheDirectory(options);
  const lists = directory === undefined ? {} : readLists(readTarget(options), directory);
  return (name) => parseList(Object.hasOwn(lists, name) ? lists[name] : undefined);
}

/** Reads the lists of a service. Returns none if there is no usable file. */
function readLists({ profile, baseUrl }: Target, directory: string): JsonObject {
  const { values, ...content } = readFile(getProfileFile(directory, "completion", profile)) ?? {};
  return content.baseUrl === baseUrl && isJsonObject(values) ? values : {};
}

function readFile(path: string): JsonObject | undefined {
  // Deno would prompt for the permission.
  if (Deno.permissions.querySync({ name: "read", path }).state !== "granted") return undefined;
  try {
    return parseJsonObject(Deno.readTextFileSync(path));
  } catch {
    return undefined; // The next command writes it again.
  }
}

function parseList(list: JsonValue | undefined): ReadonlyMap<string, string> {
  const entries = Object.entries(isJsonObject(list) ? list : {});
  return new Map(entries.filter((entry): entry is [string, string] => isString(entry[1])));
}

/** New values. */
export interface FoundValues {
  /** The values. */
  readonly values: Values;
  /** The cases whose open assignments are all among the values: others are closed. */
  readonly completeCases: ReadonlySet<string>;
}

/** Adds values to those of the service that the options name, and writes the file. */
export function addValues(options: SessionOptions, { values, completeCases }: FoundValues): void {
  const directory = findCacheDirectory(options);
  if (directory === undefined) return;
  const target = readTarget(options);
  const path = getProfileFile(directory, "completion", target.profile);
  const lists = Object.entries(readLists(target, directory));
  const known = new Map(lists.map(([name, list]) => [name, parseList(list)]));
  const merged = merge(withoutAssignments(known, completeCases), values);
  let text = format(target, merged);
  while (text.length > MAX_LENGTH) {
    const half = [...merged.keys()].slice(0, Math.ceil(merged.size / 2));
    half.forEach((name) => merged.delete(name));
    text = format(target, merged);
  }
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  // Not synchronized with the disk: losing it costs nothing.
  Deno.writeTextFileSync(temporary, text, { mode: 0o600, createNew: true });
  Deno.renameSync(temporary, path);
}

function format({ baseUrl }: Target, values: Values): string {
  const lists = [...values].map(([name, list]) => [name, Object.fromEntries(list)]);
  return JSON.stringify({ baseUrl, values: Object.fromEntries(lists) }) + "\n";
}

/** Removes the assignments of some cases. */
function withoutAssignments(known: Values, cases: ReadonlySet<string>): Values {
  const assignments = known.get(ASSIGNMENTS);
  if (assignments === undefined) return known;
  const others = [...assignments].filter(([id]) => !cases.has(getCaseHandle(id)));
  return new Map([...known, [ASSIGNMENTS, new Map(others)]]);
}

/** Merges lists. Those that were found last come last, as do their values. */
function merge(known: Values, found: Values): Map<string, ReadonlyMap<string, string>> {
  const merged = new Map(known);
  for (const [name, list] of found) {
    const values = new Map(known.get(name));
    for (const [value, about] of list) {
      values.delete(value);
      values.set(value, about);
    }
    merged.delete(name);
    merged.set(name, new Map([...values].slice(-MAX_VALUES)));
  }
  return new Map([...merged].slice(-MAX_LISTS));
}
