/** Places in the content of a case: the content itself, and the pages and rows in it. */
import { isJsonObject, type JsonObject, type JsonValue, toObject } from "../../../utils/json.ts";
import {
  createPageView,
  type EmbeddedClass,
  type Field,
  getInnerView,
  type View,
} from "../../application/model/field.ts";

/** The content of a case, or a page or row in it. */
export interface Place {
  /** Path in responses, e.g. `.Stops[1].Guests[0]`: rows start at 0. Empty for the content itself. */
  readonly path: string;
  /** True for a row of a list. */
  readonly isRow: boolean;
  readonly classId: string;
  readonly fields: ReadonlyMap<string, Field>;
  /** Views of the class. */
  readonly views: readonly View[];
  /** The view in which the form shows it. */
  readonly view: View;
  readonly content: JsonObject;
  /** Returns the object at the same place of another content. Creates the pages, and the rows as empty objects. */
  findIn(other: JsonObject): JsonObject;
}

/** Creates the place of the content itself. */
export function createRoot(
  facts: Pick<Place, "classId" | "fields" | "views" | "view">,
  content: JsonObject,
): Place {
  return { ...facts, path: "", isRow: false, content, findIn: (other) => other };
}

/**
 * Finds the place at a path below a place, e.g. `.Home`, `Stops(2).Guests(1)` or `.Stops[1]`. Round brackets count rows from
 * 1, square brackets from 0. Returns undefined if it does not exist.
 */
export function findPlace(path: string, root: Place): Place | undefined {
  let place: Place | undefined = root;
  for (const step of splitPath(path)) place = place && enter(step, place);
  return place;
}

/** Finds the class of the page or row at a path, even if the page or row does not exist. */
export function findClass(path: string, fields: ReadonlyMap<string, Field>): EmbeddedClass | undefined {
  let found: EmbeddedClass | undefined;
  let members: ReadonlyMap<string, Field> | undefined = fields;
  for (const step of splitPath(path)) {
    found = members?.get(step.replace(/[([].*$/, ""))?.embedded;
    members = found?.fields;
  }
  return found;
}

/** Lists the views of a page or a row, with the default one. */
export function listPageViews(embedded: EmbeddedClass): View[] {
  return [...embedded.views?.values() ?? [], createPageView(embedded)];
}

function splitPath(path: string): string[] {
  const steps = path.replace(/^\./, "");
  return steps === "" ? [] : steps.split(".");
}

/** Enters a page or a row, e.g. `Home`, `Stops(1)`, `Stops[0]` or `Rooms(Kitchen)`. */
function enter(step: string, { path, fields, view, content, findIn }: Place): Place | undefined {
  const [, name = "", index, position] = step.match(/^(\w+)(?:\(([\w-]+)\)|\[(\d+)\])?$/) ?? [];
  const { embedded, type } = fields.get(name) ?? {};
  if (embedded === undefined) return undefined;
  const shown = view.fields.get(name);
  const common = {
    classId: embedded.classId,
    fields: embedded.fields,
    views: listPageViews(embedded),
    view: (shown && getInnerView(shown)) ?? createPageView(embedded),
  };
  const value = content[name];
  if (type === "List") {
    const row = position === undefined ? toRow(index) : Number(position);
    const inner = Array.isArray(value) && row !== undefined ? value[row] : undefined;
    if (!Array.isArray(value) || row === undefined || !isJsonObject(inner)) return undefined;
    return {
      ...common,
      path: `${path}.${name}[${row}]`,
      isRow: true,
      content: inner,
      findIn(other) {
        const outer = findIn(other);
        outer[name] ??= value.map(() => ({}));
        return Array.isArray(outer[name]) ? toObject(outer[name][row]) : {};
      },
    };
  }
  const isGroup = type === "PageGroup";
  if (isGroup !== (index !== undefined) || position !== undefined) return undefined;
  const keys = index === undefined ? [name] : [name, index];
  const inner = keys.reduce<JsonValue | undefined>((outer, key) => getOwn(toObject(outer), key), content);
  if (!isJsonObject(inner) && (isGroup || inner !== undefined)) return undefined;
  return {
    ...common,
    path: [path, ...keys].join("."),
    isRow: false,
    content: toObject(inner),
    findIn: (other) => keys.reduce((outer, key) => toObject(outer[key] ??= {}), findIn(other)),
  };
}

/** Converts the number of a row, from 1, to its position in the list. */
function toRow(index: string | undefined): number | undefined {
  return index !== undefined && /^\d+$/.test(index) ? Number(index) - 1 : undefined;
}

function getOwn(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
