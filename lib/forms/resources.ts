/** The views, fields, texts and data pages that a response declares for its form. */
import { filterObjects, isJsonObject, isNonEmptyString, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { htmlToText } from "./html.ts";
import { getObject } from "./path.ts";

/** The sections of `uiResources.resources` whose entries are lists with an entry for each class. */
const BY_CLASS = ["views", "fields", "paragraphs"] as const;

/** The classes by which an entry is chosen, the best first. */
export type Classes = readonly (string | undefined)[];

/** The resources of a form. */
export class Resources {
  readonly #resources: JsonObject;

  /** Reads `uiResources.resources`. */
  constructor(resources: JsonObject) {
    this.#resources = resources;
  }

  /** Returns the view with a name that fits the classes best. Views that are being drawn are left out. */
  findView(name: string, classes: Classes, drawn: ReadonlySet<JsonObject>): JsonObject | undefined {
    return pick(this.#list("views", name).filter((view) => !drawn.has(view)), classes);
  }

  /** Returns the declaration of a property that fits the classes best. */
  findField(name: string, ...classes: Classes): JsonObject | undefined {
    return pick(this.#list("fields", name), classes);
  }

  /** Returns the text of a paragraph, or an empty text. */
  findParagraph(name: string): string {
    const [paragraph] = this.#list("paragraphs", name);
    const content = paragraph?.content ?? paragraph?.htmlContent;
    const html = isJsonObject(content) ? content.htmlContent : content;
    return isNonEmptyString(html) ? htmlToText(html) : "";
  }

  /** Returns the declaration of a data page. */
  findDataPage(name: string): JsonObject {
    return getObject(this.#resources.datapages, [name]);
  }

  /** Returns the names of the properties that identify a record of a class. */
  findKeys(classId: string | undefined): string[] {
    const type = getObject(this.#resources.dataTypes, [classId ?? ""]);
    const keys = readNames(type.classKeys);
    const lookup = getObject(type.lookupDataPageInfo);
    if (keys.length > 0 && lookup.isAlternateKeyStorage !== true) return keys;
    const parameters = Object.entries(getObject(lookup.parameters)).map(([name, value]) =>
      isNonEmptyString(value) && /^(?:@P\s+)?\./.test(value) ? value.replace(/^(?:@P\s+)?\./, "") : name
    );
    return parameters.length > 0 ? parameters : keys;
  }

  /** True if there are no views. */
  get isEmpty(): boolean {
    return Object.keys(getObject(this.#resources.views)).length === 0;
  }

  /** Adds the resources of another response. Its entries replace those of the same name and class. */
  merge(other: JsonObject): Resources {
    const merged: JsonObject = { ...this.#resources };
    for (const section of ["datapages", "dataTypes"]) {
      merged[section] = { ...getObject(merged[section]), ...getObject(other[section]) };
    }
    for (const section of BY_CLASS) {
      const entries = { ...getObject(merged[section]) };
      for (const [name, added] of Object.entries(getObject(other[section]))) {
        const newer = filterObjects(added);
        const kept = filterObjects(entries[name]).filter((old) =>
          !newer.some((entry) => entry.classID === old.classID)
        );
        entries[name] = [...newer, ...kept];
      }
      merged[section] = entries;
    }
    return new Resources(merged);
  }

  #list(section: typeof BY_CLASS[number], name: string): JsonObject[] {
    const entries = getObject(this.#resources[section]);
    return Object.hasOwn(entries, name) ? toList(entries[name]) : [];
  }
}

/** Returns the names in a list of names or of objects with a name. A leading dot is removed. */
export function readNames(value: JsonValue | undefined): string[] {
  if (!Array.isArray(value)) return [];
  return value.map((entry) => isJsonObject(entry) ? entry.name : entry).filter(isNonEmptyString)
    .map((name) => name.replace(/^\./, ""));
}

function toList(value: JsonValue | undefined): JsonObject[] {
  return isJsonObject(value) ? [value] : filterObjects(value);
}

function pick(entries: readonly JsonObject[], classes: Classes): JsonObject | undefined {
  const wanted = classes.filter(isNonEmptyString);
  for (const classId of wanted) {
    const found = entries.find((entry) => entry.classID === classId);
    if (found !== undefined) return found;
  }
  const hinted = entries.find(({ config, definedOnClassID }) =>
    wanted.some((classId) => getObject(config).ruleClass === classId || definedOnClassID === classId)
  );
  return hinted ?? findRelative(entries, wanted) ?? entries[0];
}

/** Finds the entry of the nearest ancestor or descendant of a class. A class name begins with the name of its parent. */
function findRelative(entries: readonly JsonObject[], classes: readonly string[]): JsonObject | undefined {
  const named = entries.filter(({ classID }) => isNonEmptyString(classID))
    .toSorted((a, b) => String(b.classID).length - String(a.classID).length);
  for (const classId of classes) {
    const ancestor = named.find((entry) => `${classId}-`.startsWith(`${entry.classID}-`));
    const found = ancestor ?? named.findLast((entry) => `${entry.classID}-`.startsWith(`${classId}-`));
    if (found !== undefined) return found;
  }
  return named.find(({ classID }) => isPlatformAncestor(String(classID), classes)) ??
    named.find(({ classID }) => classID === "@baseclass");
}

/** Reports whether a class is `Work-` or `Data-Party` for a class such as `ACME-Demo-Work-Trip` or `ACME-Data-Stop`. */
function isPlatformAncestor(ancestor: string, classes: readonly string[]): boolean {
  const [family] = /^(?:Work|Data|Embed|Assign|History|Index|Link)-/.exec(ancestor) ?? [];
  return family !== undefined && classes.some((classId) => classId.includes(`-${family}`));
}
