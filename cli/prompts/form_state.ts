/** The state of a form that is being filled in: what the service shows, and what the user has changed. */
import type { FileInput } from "../../lib/operation/operation.ts";
import { cloneJson, filterObjects, isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { findValue, type FormField, parsePath, readFields, type Reference } from "./form.ts";
import { formatFieldValue, formatRow, isSameValue } from "./form_values.ts";

/** A form as the service returns it. */
export interface FormView {
  /** Components and fields. */
  readonly uiResources: JsonObject;
  /** Values by name. */
  readonly content: JsonObject;
}

/** A row of a list. */
export interface Row {
  /** Index of the row in the stored list. New rows have none. */
  readonly origin?: number;
  /** Values as the service shows them. */
  readonly content: JsonObject;
  /** Values that the user has changed. */
  readonly changes: JsonObject;
}

/** A file for an attachment field, or null to clear the field. */
export type FileChange = { readonly file: FileInput; readonly path: string } | null;

/** The submitted values of a form. */
export interface Submission {
  /** Fields by name. */
  readonly data: JsonObject;
  /** Changes of pages and lists. */
  readonly pageInstructions?: JsonValue[];
}

/** The state of a form. */
export class FormState {
  #base: FormView;
  #shown: FormView;
  #fields: readonly FormField[];
  readonly #values = new Map<string, JsonValue>();
  readonly #lists = new Map<string, readonly Row[]>();
  readonly #files = new Map<string, FileChange>();
  /** Content of fields that the form does not have. */
  #further: JsonObject = {};

  /** Starts with the stored values. */
  constructor(view: FormView) {
    this.#base = view;
    this.#shown = view;
    this.#fields = readFields(view.uiResources);
  }

  /** The fields, in the order of the form. */
  get fields(): readonly FormField[] {
    return this.#fields;
  }

  /** True if something would be submitted that is not stored yet. */
  get isChanged(): boolean {
    return this.describeChanges().length > 0 || Object.keys(this.#further).length > 0;
  }

  /** The chosen files by the key of their field. */
  get files(): ReadonlyMap<string, FileChange> {
    return this.#files;
  }

  /** Returns the current value of a field. */
  getValue(field: FormField): JsonValue | undefined {
    const { key, path, kind } = field;
    if (kind === "list") return this.getRows(field).map(getRowContent);
    return this.#values.has(key) ? this.#values.get(key) : findValue(this.#shown.content, path);
  }

  /** Sets the value of a field that is neither a list nor an attachment. */
  setValue({ key, path }: FormField, value: JsonValue): void {
    if (isSameValue(value, findValue(this.#base.content, path))) this.#values.delete(key);
    else this.#values.set(key, value);
  }

  /** Returns a reference whose parameters have the current values of the fields that they name. */
  fillParameters(reference: Reference): Reference {
    const parameters = Object.entries(reference.parameters).map(([name, value]) => {
      const path = parsePath(value);
      if (path === undefined) return [name, value];
      const field = this.#fields.find(({ key }) => key === path.join("."));
      const current = field === undefined ? findValue(this.#shown.content, path) : this.getValue(field);
      return [name, String(current ?? "")];
    });
    return { ...reference, parameters: Object.fromEntries(parameters) };
  }

  /** Returns the rows of a list. */
  getRows({ key, path }: FormField): readonly Row[] {
    return this.#lists.get(key) ?? filterObjects(findValue(this.#shown.content, path))
      .map((content, origin) => ({ origin, content, changes: {} }));
  }

  /** Sets the rows of a list. */
  setRows({ key }: FormField, rows: readonly Row[]): void {
    this.#lists.set(key, rows);
  }

  /** Sets the file of an attachment field. Undefined keeps the stored one. */
  setFile({ key }: FormField, change: FileChange | undefined): void {
    if (change === undefined) this.#files.delete(key);
    else this.#files.set(key, change);
  }

  /** Takes content over as changes, e.g. that of `--data`. */
  adopt(content: JsonObject): void {
    for (const field of this.#fields.filter(({ isReadOnly }) => !isReadOnly)) {
      const value = findValue(content, field.path);
      if (value === undefined || field.kind === "attachment") continue;
      if (field.kind !== "list") this.setValue(field, value);
      else this.setRows(field, adoptRows(field, this.getRows(field), filterObjects(value)));
    }
  }

  /** Submits further fields, which the form does not show. */
  addFurther(content: JsonObject): void {
    const shown = new Set(this.#fields.map(({ path: [name] }) => name));
    const further = Object.entries(content).filter(([name]) => !shown.has(name));
    this.#further = { ...this.#further, ...Object.fromEntries(further) };
  }

  /** Shows the form as the service has computed it from the changes. Returns the read-only fields that have changed. */
  refresh(view: FormView): { readonly field: FormField; readonly before: string; readonly after: string }[] {
    const before = new Map(this.#fields.map((field) => [field.key, formatFieldValue(field, this.getValue(field))]));
    this.#shown = view;
    this.#fields = readFields(view.uiResources);
    for (const { key, path } of this.#fields) {
      // The service returns the rows in the order in which they were submitted.
      const computed = filterObjects(findValue(view.content, path));
      const rows = this.#lists.get(key)?.map((row, i) => ({ ...row, content: computed[i] ?? row.content }));
      if (rows !== undefined) this.#lists.set(key, rows);
    }
    return this.#fields.filter(({ isReadOnly }) => isReadOnly).flatMap((field) => {
      const [old = "(empty)", after] = [before.get(field.key), formatFieldValue(field, this.getValue(field))];
      return old === after ? [] : [{ field, before: old, after }];
    });
  }

  /** Continues with a newer version of the form. Returns the lists whose changes are lost, because others changed them. */
  rebase(view: FormView): FormField[] {
    const old = this.#base.content;
    this.#base = view;
    this.#shown = view;
    this.#fields = readFields(view.uiResources);
    const lost = this.#fields.filter(({ key, path }) =>
      this.#lists.has(key) && !isSameValue(findValue(old, path), findValue(view.content, path))
    );
    for (const { key } of lost) this.#lists.delete(key);
    return lost;
  }

  /** Describes the changes, a line for each. */
  describeChanges(): string[] {
    return this.#fields.flatMap((field) => {
      const { key, path, label, kind } = field;
      if (kind === "list") return this.#describeRows(field);
      const stored = findValue(this.#base.content, path);
      const file = this.#files.get(key);
      if (file !== undefined) return [`${label}: ${formatFieldValue(field, stored)} → ${file?.file.name ?? "(empty)"}`];
      const value = this.#values.get(key);
      return !this.#values.has(key) || isSameValue(value, stored)
        ? []
        : [`${label}: ${formatFieldValue(field, stored)} → ${formatFieldValue(field, value)}`];
    });
  }

  /** Returns the changes, with page instructions for pages and lists. */
  toSubmission(): Submission {
    const data: JsonObject = { ...this.#further };
    const pageInstructions: JsonValue[] = [];
    const changed = this.#fields.filter(({ key }) => this.#values.has(key));
    for (const [target, members] of groupByPage(changed, ({ key }) => this.#values.get(key) ?? null)) {
      if (target === "") Object.assign(data, members);
      else pageInstructions.push({ instruction: "UPDATE", target, content: members });
    }
    for (const field of this.#fields) {
      if (this.#lists.has(field.key)) pageInstructions.push(...this.#toRowInstructions(field));
    }
    return pageInstructions.length === 0 ? { data } : { data, pageInstructions };
  }

  /** Returns the changes as content, in which a changed list is complete. */
  toContent(): JsonObject {
    const content: JsonObject = { ...this.#further };
    for (const field of this.#fields) {
      const { key, path } = field;
      if (this.#values.has(key)) setValue(content, path, this.#values.get(key) ?? null);
      if (!this.#lists.has(key)) continue;
      setValue(content, path, this.getRows(field).map(getRowContent));
    }
    return content;
  }

  #toRowInstructions(field: FormField): JsonValue[] {
    const target = toTarget(field.path);
    const rows = this.getRows(field);
    const removed = this.#listRemoved(field).reverse();
    const instructions: JsonValue[] = removed.map((index) => ({ instruction: "DELETE", target, listIndex: index + 1 }));
    rows.forEach(({ origin, changes }, i) => {
      if (origin === undefined) {
        instructions.push({ instruction: "APPEND", target, content: changes });
        return;
      }
      const changed = field.columns.filter(({ path }) => findValue(changes, path) !== undefined);
      for (const [page, content] of groupByPage(changed, ({ path }) => findValue(changes, path) ?? null)) {
        instructions.push(
          page === ""
            ? { instruction: "UPDATE", target, listIndex: i + 1, content }
            : { instruction: "UPDATE", target: `${target}(${i + 1})${page}`, content },
        );
      }
    });
    return instructions;
  }

  #describeRows(field: FormField): string[] {
    if (!this.#lists.has(field.key)) return [];
    const stored = filterObjects(findValue(this.#base.content, field.path));
    const removed = this.#listRemoved(field).map((i) => `${field.label}: removed ${formatRow(field, stored[i] ?? {})}`);
    const rows = this.getRows(field).flatMap((row) => {
      const { origin, changes } = row;
      if (origin === undefined) return [`${field.label}: added ${formatRow(field, getRowContent(row))}`];
      if (Object.keys(changes).length === 0) return [];
      const [before, after] = [stored[origin] ?? {}, getRowContent(row)].map((content) => formatRow(field, content));
      return [`${field.label}: ${before} → ${after}`];
    });
    return [...removed, ...rows];
  }

  /** Lists the indexes of the stored rows that were removed. */
  #listRemoved(field: FormField): number[] {
    const kept = new Set(this.getRows(field).map(({ origin }) => origin));
    return filterObjects(findValue(this.#base.content, field.path)).map((_, i) => i).filter((i) => !kept.has(i));
  }
}

/** Returns the content of a row with its changes. */
export function getRowContent({ content, changes }: Row): JsonObject {
  return mergePages(content, changes);
}

/** Returns a row in which the value of a column is changed. */
export function changeRow(row: Row, { path }: FormField, value: JsonValue): Row {
  if (isSameValue(value, findValue(getRowContent(row), path))) return row;
  const changes = cloneJson(row.changes);
  setValue(changes, path, value);
  return { ...row, changes };
}

/** Returns the rows of a list as changes of the present rows, by their position. */
function adoptRows({ columns }: FormField, present: readonly Row[], rows: readonly JsonObject[]): Row[] {
  return rows.map((row, i) => {
    const { origin, content = {} } = present[i] ?? {};
    const changed: Row = columns.filter(({ isReadOnly }) => !isReadOnly).reduce(
      (changed: Row, column) => changeRow(changed, column, findValue(row, column.path) ?? null),
      { origin, content, changes: {} },
    );
    return { ...changed, content: row };
  });
}

function mergePages(content: JsonObject, changes: JsonObject): JsonObject {
  const merged = { ...content };
  for (const [name, value] of Object.entries(changes)) {
    const page = content[name];
    merged[name] = isJsonObject(page) && isJsonObject(value) ? mergePages(page, value) : value ?? null;
  }
  return merged;
}

/** Groups the values of fields by the target of their page, which is empty for fields that are not on a page. */
function groupByPage(
  fields: readonly FormField[],
  getValue: (field: FormField) => JsonValue,
): Map<string, JsonObject> {
  const pages = new Map<string, JsonObject>();
  for (const field of fields) {
    const page = toTarget(field.path.slice(0, -1));
    pages.set(page, { ...pages.get(page), [field.path.at(-1) ?? ""]: getValue(field) });
  }
  return pages;
}

function setValue(content: JsonObject, path: readonly string[], value: JsonValue): void {
  const [name = "", ...inner] = path;
  if (inner.length === 0) content[name] = value;
  else {
    const page = content[name];
    const target: JsonObject = isJsonObject(page) ? page : {};
    content[name] = target;
    setValue(target, inner, value);
  }
}

function toTarget(path: readonly string[]): string {
  return path.map((name) => `.${name}`).join("");
}
