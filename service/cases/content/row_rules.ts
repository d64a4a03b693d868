/** Enforces the rules of a form about the rows of its lists, while a submission changes them one after the other. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import type { EmbeddedClass, Field, FormCondition, Scope, ViewField } from "../../application/model/application.ts";
import { getInnerView } from "../../application/model/field.ts";
import { isEmpty, mapPages } from "../../application/expressions/field_values.ts";
import { Invalid } from "../../errors.ts";
import { computeScope, type ContentIssues } from "./content.ts";

/** The fields of content, and the facts that the conditions of its form use besides them. */
export interface ConditionFacts {
  readonly fields: ReadonlyMap<string, Field>;
  readonly scope: Scope;
}

/** A page or a list in content, and how the form shows it. */
export interface ShownPlace {
  readonly field: Field;
  /** Undefined in a page group, for whose pages a form has no rules. */
  readonly shown: ViewField | undefined;
  /** Path of the page or list, e.g. `.Stops(1).Guests`. */
  readonly path: string;
  /** The page around it, as it is now. */
  readonly page: JsonObject;
  /** Fields of the page around it. */
  readonly fields: ReadonlyMap<string, Field>;
  /** The row around it. */
  readonly within?: RowPlace;
}

/** A row of a list. */
interface RowPlace {
  readonly list: ShownPlace;
  readonly row: JsonObject;
}

/** Maximum number of pages that are computed for the conditions of one submission, because each row can need them all. */
const MAX_COMPUTED_PAGES = 200_000;

/** Checks each change of rows before it is made. A row that was changed stays editable until the submission is complete. */
export class RowRules {
  /** Fields of the content. */
  readonly fields: ReadonlyMap<string, Field>;
  readonly #scope: Scope;
  readonly #issues: ContentIssues;
  readonly #added = new WeakSet<JsonObject>();
  readonly #edited = new WeakSet<JsonObject>();
  #computedPages = 0;

  /** Creates the rules of one submission, which adds what they forbid to the issues. */
  constructor({ fields, scope }: ConditionFacts, issues: ContentIssues) {
    this.fields = fields;
    this.#scope = scope;
    this.#issues = issues;
  }

  /** Checks that a row can be added, with the lists that it contains. */
  checkAdded(list: ShownPlace, position: number, row: JsonObject): void {
    if (this.#isOpen(list) && !this.#holds(list.shown?.rows?.allow.add, list)) {
      this.#issues.addRefused(list.path, `rows cannot be added to '${list.field.name}' now`);
    }
    this.#added.add(row);
    this.#checkMembers(list, position, {}, row);
  }

  /** Checks that a row can be changed, unless it stays as it is. */
  checkEdited(list: ShownPlace, position: number, before: JsonObject, after: JsonObject): void {
    const changed = listChanged(list.field, before, after);
    if (changed.length > 0 && this.#isOpen(list) && !this.#isEditable({ list, row: before })) {
      const row = `${list.path}(${position + 1})`;
      for (const name of changed) {
        this.#issues.addRefused(`${row}.${name}`, `'${name}' of ${row} is not editable in this form now`);
      }
    }
    if (this.#added.has(before)) this.#added.add(after);
    if (changed.length > 0 || this.#edited.has(before)) this.#edited.add(after);
    this.#checkMembers(list, position, before, after);
  }

  /** Checks that a row can be deleted. */
  checkDeleted(list: ShownPlace, position: number, row: JsonObject): void {
    const { field: { name, embedded }, shown, path } = list;
    if (!this.#isOpen(list) || this.#added.has(row) || shown?.rows === undefined) return;
    const { allow, allowRow } = shown.rows;
    const place = `${path}(${position + 1})`;
    if (!this.#holds(allow.delete, list)) {
      this.#issues.addRefused(place, `rows of '${name}' cannot be deleted now`);
    } else if (!this.#holds(allowRow.delete, { fields: embedded?.fields ?? new Map(), page: row })) {
      this.#issues.addRefused(place, `row ${position + 1} of '${name}' cannot be deleted now`);
    }
  }

  /** Checks that rows can be moved. */
  checkMoved(list: ShownPlace, position: number): void {
    if (!this.#isOpen(list) || this.#holds(list.shown?.rows?.allow.move, list)) return;
    this.#issues.addRefused(`${list.path}(${position + 1})`, `rows of '${list.field.name}' cannot be moved now`);
  }

  /** Checks a page or a page group that was changed: the row around it, and the lists in it. */
  checkChanged(place: ShownPlace, before: JsonValue | undefined, after: JsonValue | undefined): void {
    const { field, shown, path, within } = place;
    const { type, embedded } = field;
    if (within !== undefined && toText(field, before) !== toText(field, after)) this.#isOpen(place);
    if (shown === undefined || embedded === undefined || type !== "Page") return;
    const [one, other] = [before, after].map((page) => isJsonObject(page) ? page : {});
    this.checkLists(listInnerFields(shown), { path, fields: embedded.fields, within }, one ?? {}, other ?? {});
  }

  /** Checks the lists of a page whose content was replaced. */
  checkLists(
    members: Iterable<ViewField>,
    { path, fields, within }: Pick<ShownPlace, "path" | "fields" | "within">,
    before: JsonObject,
    after: JsonObject,
  ): void {
    for (const shown of members) {
      const { field } = shown;
      const { name, type, reference } = field;
      if (before[name] === after[name] || reference !== undefined || !hasRules(shown)) continue;
      const place = { field, shown, path: `${path}.${name}`, page: after, fields, within };
      if (type === "Page") this.checkChanged(place, before[name], after[name]);
      else if (type === "List") this.#checkReplaced(place, toRows(before[name]), toRows(after[name]));
    }
  }

  /** Checks a list that was replaced. Rows between those that stay are edited, and the remaining ones added or deleted. */
  #checkReplaced(place: ShownPlace, before: readonly JsonObject[], after: readonly JsonObject[]): void {
    const { field: { name, embedded }, page } = place;
    if (embedded === undefined) return;
    const [old, given] = [before, after].map((rows) => rows.map((row) => toKey(embedded, row)));
    if (old === undefined || given === undefined) return;
    const length = Math.min(old.length, given.length);
    let start = 0;
    while (start < length && old[start] === given[start]) start++;
    let end = 0;
    while (end < length - start && old.at(-1 - end) === given.at(-1 - end)) end++;
    const rows = [...before];
    const list = { ...place, page: { ...page, [name]: rows } };
    if (start < length && isPermutation(old, given)) return this.checkMoved(list, start);
    for (let i = start; i < length - end; i++) {
      this.checkEdited(list, i, before[i] ?? {}, after[i] ?? {});
      rows[i] = after[i] ?? {};
    }
    for (let i = length - end; i < after.length - end; i++) {
      this.checkAdded(list, i, after[i] ?? {});
      rows.splice(i, 0, after[i] ?? {});
    }
    for (let i = before.length - end - 1; i >= length - end; i--) {
      this.checkDeleted(list, i, before[i] ?? {});
      rows.splice(i, 1);
    }
  }

  #checkMembers(list: ShownPlace, position: number, before: JsonObject, after: JsonObject): void {
    const { field: { embedded }, shown, path } = list;
    if (shown === undefined || embedded === undefined) return;
    const page = { path: `${path}(${position + 1})`, fields: embedded.fields, within: { list, row: after } };
    this.checkLists(listInnerFields(shown), page, before, after);
  }

  /** Checks that the row around a place can be changed. */
  #isOpen({ within, path }: ShownPlace): boolean {
    if (within === undefined || (this.#isOpen(within.list) && this.#isEditable(within))) return true;
    this.#issues.addRefused(path, `${path} is not editable in this form now`);
    return false;
  }

  #isEditable({ list, row }: RowPlace): boolean {
    const { rows } = list.shown ?? {};
    if (rows === undefined || this.#added.has(row) || this.#edited.has(row)) return true;
    return this.#holds(rows.allow.edit, list) &&
      this.#holds(rows.allowRow.edit, { fields: list.field.embedded?.fields ?? new Map(), page: row });
  }

  #holds(condition: FormCondition | undefined, place: Pick<ShownPlace, "fields" | "page">): boolean {
    if (condition === undefined) return true;
    const holds = condition.holds({ ...this.#scope, fields: this.#readFields(place) });
    if (this.#computedPages <= MAX_COMPUTED_PAGES) return holds;
    throw new Invalid("The form has too many changes of rows for its conditions. Submit them in several steps.");
  }

  /** Returns the fields of a page. Calculated ones, and those with pages, are computed only if a condition uses them. */
  #readFields({ fields, page }: Pick<ShownPlace, "fields" | "page">): JsonObject {
    const values = { ...page };
    let computed: JsonObject | undefined;
    for (const { name, calculated, embedded } of fields.values()) {
      if (calculated === undefined && embedded === undefined) continue;
      Object.defineProperty(values, name, {
        get: () => (computed ??= this.#compute(fields, page))[name],
        enumerable: true,
      });
    }
    return values;
  }

  #compute(fields: ReadonlyMap<string, Field>, page: JsonObject): JsonObject {
    for (const value of Object.values(page)) this.#computedPages += Array.isArray(value) ? value.length : 1;
    return this.#computedPages <= MAX_COMPUTED_PAGES ? computeScope(fields, page, this.#scope).fields : page;
  }
}

/** Lists the fields of a page or of the rows of a list that a form lets a person edit, or else shows. */
export function listInnerFields(shown: ViewField): ViewField[] {
  const members = new Map<string, ViewField>();
  for (const view of [shown.rows?.editView, getInnerView(shown)]) {
    for (const [name, member] of view?.fields ?? []) {
      if (members.get(name)?.readOnly ?? true) members.set(name, member);
    }
  }
  return [...members.values()];
}

function hasRules(shown: ViewField): boolean {
  const { allow = {}, allowRow = {} } = shown.rows ?? {};
  const conditions = [...Object.values(allow), ...Object.values(allowRow)];
  return conditions.some((condition) => condition !== undefined) || listInnerFields(shown).some(hasRules);
}

/** Lists the fields that differ between two rows. */
function listChanged({ embedded }: Field, before: JsonObject, after: JsonObject): string[] {
  return [...embedded?.fields.values() ?? []].filter((field) =>
    field.calculated === undefined && toText(field, before[field.name]) !== toText(field, after[field.name])
  ).map(({ name }) => name);
}

/** Returns a text that two rows share if a form shows the same values for them. */
function toKey({ fields }: EmbeddedClass, page: JsonObject): string {
  const shown = [...fields.values()].filter(({ calculated }) => calculated === undefined);
  const texts = shown.map((field) => toText(field, page[field.name]));
  return texts.every((text) => text === "") ? "" : JSON.stringify(texts);
}

/** Returns a text of a value. Values that forms show as empty have none, and a record is known by its keys. */
function toText({ type, embedded, reference }: Field, value: JsonValue | undefined): string {
  if (value === undefined || isEmpty(value) || value === false) return "";
  if (embedded === undefined) return JSON.stringify(value);
  const describe = (page: JsonObject) => {
    if (reference === undefined) return toKey(embedded, page);
    const keys = reference.key.map((name) => String(page[name] ?? ""));
    return keys.every((key) => key === "") ? "" : JSON.stringify(keys);
  };
  const described = mapPages({ type }, value, describe);
  return typeof described === "string" ? described : JSON.stringify(described);
}

function isPermutation(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && JSON.stringify(one.toSorted()) === JSON.stringify(other.toSorted());
}

function toRows(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
