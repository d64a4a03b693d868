/** Submitted content: what a form takes, what it refuses, and what becomes of it. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import type { Action, EmbeddedClass, Field, Scope, View } from "../../application/model/application.ts";
import { checkFieldValue, isAbsent, isEmpty, setFieldValue } from "../../application/expressions/field_values.ts";
import { createIssue, Invalid, type Issue, MAX_ISSUES, ValidationFailed } from "../../errors.ts";
import { suggestAlternatives } from "../../../utils/text/did_you_mean.ts";

/** Collects issues of two kinds: members that may not be submitted, and values that violate a rule. */
export class Findings {
  /** Members that the form does not take. */
  readonly invalid: Issue[] = [];
  /** Values that do not fit. */
  readonly violations: Issue[] = [];
  readonly #places = new Set<string>();

  /** A member that the form does not take. */
  refuse(name: string, reason: string): void {
    if (this.invalid.length === MAX_ISSUES) return;
    this.invalid.push(createIssue(reason, { erroneousInputOutputIdentifier: "." + name }));
  }

  /** Adds an unknown member, with a suggestion of a similar field. */
  unknown(name: string, place: string, known: () => string[]): void {
    if (this.invalid.length === MAX_ISSUES) return; // A body can hold a million members.
    this.refuse(name, `'${name}' is not a field of ${place}${suggestAlternatives(name, known())}`);
  }

  /**
   * A value that does not fit a field; `page` is the path of the embedded page that holds it. The first finding of a
   * field stands: a value that does not fit is not missing, though the field has none.
   */
  addViolation(page: string, name: string, reason: string): void {
    if (this.violations.length === MAX_ISSUES) return;
    if (this.#places.has(page + "." + name)) return;
    this.#places.add(page + "." + name);
    const place = page === ""
      ? { erroneousInputOutputFieldInPage: "." + name }
      : { erroneousInputOutputFieldInPage: page, erroneousInputOutputIdentifier: "." + name };
    this.violations.push(createIssue(reason, place));
  }

  /** Throws what was found, if anything was. */
  check(): void {
    if (this.invalid.length > 0) throw new Invalid(this.invalid);
    if (this.violations.length > 0) throw new ValidationFailed(this.violations);
  }
}

/** The content after what was submitted; what was there is left as it is. */
export function mergeContent(view: View, current: JsonObject, submitted: JsonObject, findings: Findings): JsonObject {
  const merged = { ...current };
  for (const [name, value] of Object.entries(submitted)) {
    if (name === "classID" || value === undefined) continue;
    const shown = view.fields.get(name);
    if (shown === undefined) findings.unknown(name, "this form", () => editable(view));
    else if (shown.readOnly) findings.refuse(name, `'${name}' is not editable in this form`);
    else setValue(shown.field, merged, value, "", findings);
  }
  return merged;
}

/** Merges members into an embedded page; its calculated members are the service's. */
export function mergePage(
  embedded: EmbeddedClass,
  page: JsonObject,
  submitted: JsonObject,
  path: string,
  findings: Findings,
): JsonObject {
  const merged = { ...page };
  for (const [name, value] of Object.entries(submitted)) {
    const field = embedded.fields.get(name);
    if (name === "classID" || value === undefined || field?.calculated !== undefined) continue;
    if (field === undefined) findings.unknown(name, path, () => settable(embedded));
    else setValue(field, merged, value, path, findings);
  }
  return merged;
}

function editable({ fields }: View): string[] {
  return [...fields.values()].filter(({ readOnly }) => !readOnly).map(({ field }) => field.name);
}

function settable({ fields }: EmbeddedClass): string[] {
  return [...fields.values()].filter(({ calculated }) => calculated === undefined).map(({ name }) => name);
}

/** A page or row with nothing but its defaults. */
export function newPage(fields: ReadonlyMap<string, Field>): JsonObject {
  const page: JsonObject = {};
  for (const field of fields.values()) {
    if (field.default !== undefined) setFieldValue(page, field, field.default);
  }
  return page;
}

/** Finds the required fields that have no value. */
export function checkRequired(view: View, content: JsonObject, findings: Findings): void {
  for (const { field, required, readOnly, label } of view.fields.values()) {
    const value = content[field.name];
    if (required && isEmpty(value)) findings.addViolation("", field.name, `${label} is required`);
    else if (!readOnly && field.embedded !== undefined) {
      checkPages(field, field.embedded, value, "", findings);
    }
  }
}

/** Sets fields as a definition says, in order: what it computes must fit the field, as what a person submits must. */
export function setComputed(
  fields: ReadonlyMap<string, Field>,
  target: JsonObject,
  set: Action["set"],
  scope: Scope,
): void {
  const findings = new Findings();
  for (const [name, expression] of set) {
    const field = fields.get(name);
    if (field !== undefined) takeComputed(field, target, expression(scope), "", findings);
  }
  findings.check();
}

/** Computes the calculated fields: those of pages and rows first, since others sum them up. */
export function calculate(fields: ReadonlyMap<string, Field>, content: JsonObject, scope: Scope): void {
  const findings = new Findings();
  calculatePage(fields, content, scope, "", findings);
  findings.check();
}

function calculatePage(
  fields: ReadonlyMap<string, Field>,
  page: JsonObject,
  scope: Scope,
  path: string,
  findings: Findings,
): void {
  for (const field of fields.values()) {
    if (field.embedded === undefined) continue;
    for (const [here, inner] of placedPages(field, page[field.name], path)) {
      calculatePage(field.embedded.fields, inner, { ...scope, fields: inner }, here, findings);
    }
  }
  for (const field of fields.values()) {
    if (field.calculated !== undefined) takeComputed(field, page, field.calculated(scope), path, findings);
  }
}

function takeComputed(field: Field, target: JsonObject, value: JsonValue, page: string, findings: Findings): void {
  if (checkComputed(field, value, page, findings)) setFieldValue(target, field, value);
}

/** Checks whether a field can hold a computed value, including members of pages and rows. */
function checkComputed(field: Field, value: JsonValue, page: string, findings: Findings): boolean {
  const { name, embedded } = field;
  const fits = isFit(checkFieldValue(field, value), name, page, findings);
  if (!fits || embedded === undefined) return fits;
  const members = placedPages(field, value, page).flatMap(([path, inner]) => {
    return Object.entries(inner).map(([name, member = null]) => ({ path, name, member }));
  });
  const checked = members.filter(({ name }) => name !== "classID").map(({ path, name, member }) => {
    const inner = embedded.fields.get(name);
    if (inner === undefined) return isFit(`'${name}' is not a field of ${path}`, name, path, findings);
    return checkComputed(inner, member, path, findings);
  });
  return !checked.includes(false);
}

function isFit(problem: string | undefined, name: string, page: string, findings: Findings): boolean {
  if (problem !== undefined) findings.addViolation(page, name, `${problem} (computed by the application definition)`);
  return problem === undefined;
}

/** The pages of a value: the rows of a list, the one page of a page, none of nothing. */
export function readPages(value: JsonValue | undefined): JsonObject[] {
  return (Array.isArray(value) ? value : [value]).filter(isJsonObject);
}

/** The pages of a field's value, each with its path: `path` is that of the page which holds the field. */
function placedPages(field: Field, value: JsonValue | undefined, path: string): [path: string, page: JsonObject][] {
  const whole = `${path}.${field.name}`;
  return readPages(value).map((page, index) => [field.type === "List" ? `${whole}(${index + 1})` : whole, page]);
}

/** Returns the changes of a form for its draft. Removed values are null. */
export function changedPart(view: View, before: JsonObject, after: JsonObject): JsonObject {
  const part: JsonObject = {};
  for (const { field: { name }, readOnly } of view.fields.values()) {
    const value = after[name] ?? null;
    if (!readOnly && JSON.stringify(value) !== JSON.stringify(before[name] ?? null)) part[name] = value;
  }
  return part;
}

function setValue(field: Field, target: JsonObject, value: JsonValue, page: string, findings: Findings): void {
  const { name, embedded } = field;
  const problem = checkFieldValue(field, value);
  if (problem !== undefined) findings.addViolation(page, name, problem);
  else if (embedded === undefined || isAbsent(field, value)) setFieldValue(target, field, value);
  else target[name] = embeddedValue(field, embedded, target[name], value, page, findings);
}

/** A page is merged, a list is replaced row by row: what changes single rows are page instructions. */
function embeddedValue(
  field: Field,
  embedded: EmbeddedClass,
  current: JsonValue | undefined,
  value: JsonValue,
  page: string,
  findings: Findings,
): JsonValue {
  const isPage = field.type === "Page";
  const base = isPage && isJsonObject(current) ? current : newPage(embedded.fields);
  const pages = placedPages(field, value, page).map(([path, members]) =>
    mergePage(embedded, base, members, path, findings)
  );
  return isPage ? pages[0] ?? base : pages;
}

function checkPages(
  field: Field,
  embedded: EmbeddedClass,
  value: JsonValue | undefined,
  path: string,
  findings: Findings,
): void {
  for (const [here, page] of placedPages(field, value, path)) {
    for (const inner of embedded.fields.values()) {
      const member = page[inner.name];
      if (inner.required && isEmpty(member)) findings.addViolation(here, inner.name, `${inner.label} is required`);
      else if (inner.embedded !== undefined) checkPages(inner, inner.embedded, member, here, findings);
    }
  }
}
