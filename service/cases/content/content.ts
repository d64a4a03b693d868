/** Content of cases and records: merging, required values, and calculated fields. */
import { cloneJson, isJsonObject, isNumber, type JsonObject, type JsonValue, toObject } from "../../../utils/json.ts";
import type {
  Action,
  EmbeddedClass,
  Field,
  FieldType,
  FormCondition,
  Scope,
  View,
  ViewField,
} from "../../application/model/application.ts";
import { createPageView, getInnerView, VALUE_KINDS } from "../../application/model/field.ts";
import { isInteger, toScalar } from "../../application/expressions/comparisons.ts";
import {
  checkFieldValue,
  isAbsent,
  isEmpty,
  mapPages,
  setFieldValue,
} from "../../application/expressions/field_values.ts";
import { createIssue, Invalid, type Issue, MAX_ISSUES, ValidationFailed } from "../../errors.ts";
import { suggestAlternatives } from "../../../utils/text/did_you_mean.ts";

/** Collects issues of two kinds: members that may not be submitted, and values that violate a rule. */
export class ContentIssues {
  /** True to keep numbers that were sent as text as they are. */
  readonly keepsText: boolean;
  /** Members that the form does not accept. */
  readonly invalid: Issue[] = [];
  /** Values that do not fit their fields. */
  readonly violations: Issue[] = [];
  readonly #places = new Set<string>();

  /** Creates a collection without issues. */
  constructor({ keepsText = false } = {}) {
    this.keepsText = keepsText;
  }

  /** Adds a member that the form does not accept. */
  addInvalid(name: string, reason: string): void {
    if (this.invalid.length === MAX_ISSUES) return;
    this.invalid.push(createIssue(reason, { erroneousInputOutputIdentifier: "." + name }));
  }

  /** Adds a change that the rules of the form do not allow now. `place` is the path of the row, or of its field. */
  addRefused(place: string, reason: string): void {
    if (this.invalid.length === MAX_ISSUES) return;
    this.invalid.push(createIssue(reason, { erroneousInputOutputFieldInPage: place }));
  }

  /** Adds an unknown member, with a suggestion of a similar field. */
  addUnknown(name: string, place: string, known: () => string[]): void {
    if (this.invalid.length === MAX_ISSUES) return; // A body can hold a million members.
    this.addInvalid(name, `'${name}' is not a field of ${place}${suggestAlternatives(name, known())}`);
  }

  /**
   * Adds a value that does not fit a field. `page` is the path of its embedded page. Only the first issue of a field counts:
   * a value that does not fit is not reported as missing, too.
   */
  addViolation(page: string, name: string, reason: string): void {
    const place = `${page}.${name}`;
    if (this.violations.length === MAX_ISSUES || this.#places.has(place)) return;
    this.#places.add(place);
    this.violations.push(createIssue(reason, { erroneousInputOutputFieldInPage: place }));
  }

  /** Throws the issues, if there are any. With `lenient`, it accepts values that do not fit their fields. */
  check({ lenient = false } = {}): void {
    if (this.invalid.length > 0) throw new Invalid(this.invalid);
    if (this.violations.length > 0 && !lenient) throw new ValidationFailed(this.violations);
  }
}

/** Merges submitted members into a copy of the content. */
export function mergeContent(
  view: View,
  current: JsonObject,
  submitted: JsonObject,
  issues: ContentIssues,
): JsonObject {
  const merged = { ...current };
  for (const [name, value] of Object.entries(submitted)) {
    const shown = view.fields.get(name);
    if (value === undefined || (shown === undefined && isBookkeeping(name))) continue;
    if (shown === undefined) issues.addUnknown(name, "this form", () => editable(view));
    else if (shown.readOnly) issues.addInvalid(name, `'${name}' is not editable in this form`);
    else setValue(shown.field, merged, value, "", issues);
  }
  return merged;
}

/**
 * Reports whether forms ignore a member. Clients send back the class of a page, members of the platform (`px…`, `pz…`) and
 * members for user interfaces (`…__`).
 */
function isBookkeeping(name: string): boolean {
  return name === "classID" || /^p[xz][A-Z]|__$/.test(name);
}

/** Merges members into a copy of an embedded page. Calculated members are ignored. */
export function mergePage(
  embedded: EmbeddedClass,
  page: JsonObject,
  submitted: JsonObject,
  path: string,
  issues: ContentIssues,
): JsonObject {
  const merged = { ...page };
  for (const [name, value] of Object.entries(submitted)) {
    const field = embedded.fields.get(name);
    if (value === undefined || field?.calculated !== undefined || (field === undefined && isBookkeeping(name))) {
      continue;
    }
    if (field?.access === "ignored" || (field?.access === "refused" && isSame(value, page[name]))) continue;
    if (field === undefined) issues.addUnknown(name, path, () => settable(embedded));
    else if (field.access === "refused") issues.addInvalid(name, `'${name}' of ${path} is not editable in this form`);
    else setValue(field, merged, value, path, issues);
  }
  return merged;
}

function editable({ fields }: View): string[] {
  return [...fields.values()].filter(({ readOnly }) => !readOnly).map(({ field }) => field.name);
}

function settable({ fields }: EmbeddedClass): string[] {
  return [...fields.values()].filter((field) => field.calculated === undefined && field.access === undefined).map((
    { name },
  ) => name);
}

/** Creates a page or row with the defaults of its fields. */
export function newPage(fields: ReadonlyMap<string, Field>): JsonObject {
  const page: JsonObject = {};
  for (const field of fields.values()) {
    if (field.default !== undefined) setFieldValue(page, field, field.default);
  }
  return page;
}

/** The content of a page before and after a submission. A row has no content before, because rows move. */
export interface SubmittedPage {
  readonly before?: JsonObject;
  readonly after: JsonObject;
  /** Stored content, without the draft of the caller. */
  readonly stored?: JsonObject;
  /** Path of the page. */
  readonly path: string;
  /** Returns the scope of the conditions. */
  readonly scope: () => Scope;
}

/**
 * Adds an issue for each required field without a value, and for each change that the conditions of a form do not allow.
 * Resets fields that the form does not show now and that only a draft has changed.
 */
export function checkRules(view: View, page: SubmittedPage, issues: ContentIssues): void {
  for (const shown of view.fields.values()) checkRule(shown, page, issues);
  const { before, after, stored, path, scope } = page;
  for (const { shown, page: name, isElsewhere } of view.members ?? []) {
    const member = {
      before: before && !isElsewhere ? toObject(before[name]) : undefined,
      after: toObject(after[name]),
      stored: stored && !isElsewhere ? toObject(stored[name]) : undefined,
      path: `${path}.${name}`,
      scope,
    };
    checkRule(shown, member, issues);
  }
}

function checkRule(shown: ViewField, page: SubmittedPage, issues: ContentIssues): void {
  const { before, after, stored, path, scope } = page;
  const { field: { name }, visible, readOnlyWhen, requiredWhen, within = [], label } = shown;
  const holds = (condition: FormCondition) => condition.holds(scope());
  const isShown = [...within, ...(visible ? [visible] : [])].every(holds);
  if (!isShown || (readOnlyWhen && holds(readOnlyWhen))) {
    if (before !== undefined && !isSame(after[name], before[name])) {
      issues.addInvalid(name, `'${name}' is not ${isShown ? "editable" : "shown"} in this form now`);
    } else if (!isShown && stored !== undefined) restore(name, after, stored);
  } else if ((shown.required || (requiredWhen && holds(requiredWhen))) && isMissing(shown.field, after[name])) {
    issues.addViolation(path, name, `${label} is required`);
  } else if (!shown.readOnly) {
    checkPages(shown, page, issues);
  }
}

function restore(name: string, after: JsonObject, stored: JsonObject): void {
  if (stored[name] === undefined) delete after[name];
  else after[name] = stored[name];
}

function isMissing({ reference, copy, type }: Field, value: JsonValue | undefined): boolean {
  const key = copy === undefined ? reference?.key : ["pyLabel"];
  if (key === undefined || type !== "Page" || !isJsonObject(value)) return isEmpty(value);
  return key.every((name) => isEmpty(value[name]));
}

/** Reports whether two values are equal. All values that a form shows as empty are equal. */
function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  const normalize = (value: JsonValue | undefined) => isEmpty(value) || value === false ? undefined : value;
  return JSON.stringify(normalize(one)) === JSON.stringify(normalize(other));
}

function checkPages(shown: ViewField, { before, after, path, scope }: SubmittedPage, issues: ContentIssues): void {
  const { field } = shown;
  const { name, type, embedded } = field;
  const isGroup = type === "PageGroup" && embedded !== undefined;
  const view = isGroup ? createPageView(embedded) : getInnerView(shown);
  if (view === undefined) return;
  for (const [here, page] of listPages(field, after[name], path)) {
    const earlier = type === "Page" && before !== undefined ? toObject(before[name]) : undefined;
    const inner = { before: earlier, after: page, path: here, scope: () => ({ ...scope(), fields: page }) };
    checkRules(view, inner, issues);
  }
}

/** Returns a scope with the calculated fields of submitted content. */
export function computeScope(fields: ReadonlyMap<string, Field>, content: JsonObject, scope: Scope): Scope {
  const computed = cloneJson(content);
  try {
    calculate(fields, computed, { ...scope, fields: computed });
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error; // The change itself fails for the same reason.
  }
  return { ...scope, fields: computed };
}

/** Sets fields to computed values, in order. Throws `ValidationFailed` if a value does not fit its field. */
export function setComputed(
  fields: ReadonlyMap<string, Field>,
  target: JsonObject,
  set: Action["set"],
  scope: Scope,
): void {
  const issues = new ContentIssues();
  for (const [name, expression] of set) {
    const field = fields.get(name);
    if (field !== undefined) setComputedValue(field, target, expression(scope), "", issues);
  }
  issues.check();
}

/** Computes the calculated fields. Those of pages and rows come first, because other fields sum them up. */
export function calculate(fields: ReadonlyMap<string, Field>, content: JsonObject, scope: Scope): void {
  const issues = new ContentIssues();
  calculatePage(fields, content, scope, "", issues);
  issues.check();
}

/**
 * Computes the calculated fields of a form that may be incomplete. A value that does not fit its field counts as missing.
 * A field that cannot be computed has no value.
 */
export function calculateIncomplete(fields: ReadonlyMap<string, Field>, content: JsonObject, scope: Scope): void {
  for (const field of fields.values()) {
    if (field.embedded === undefined) continue;
    for (const [, page] of listPages(field, content[field.name], "")) {
      calculateIncomplete(field.embedded.fields, page, scope);
    }
  }
  const known = pickFitting(fields, content);
  const own = { ...scope, fields: known };
  for (const field of fields.values()) {
    const { calculated } = field;
    if (calculated === undefined) continue;
    const value = tryCompute(() => calculated(own)) ?? null;
    setFieldValue(content, field, value);
    setFieldValue(known, field, value);
  }
}

/** Returns the values that expressions can use: those that fit their fields. A number may be a text. */
export function pickFitting(fields: ReadonlyMap<string, Field>, content: JsonObject): JsonObject {
  const known: JsonObject = {};
  for (const { name, embedded, type } of fields.values()) {
    const value = content[name];
    if (value === undefined) continue;
    known[name] = embedded === undefined
      ? toScalar(type, value)
      : mapPages({ type }, value, (page) => pickFitting(embedded.fields, page));
  }
  return known;
}

/** Computes a value. Returns undefined if an expression cannot be computed. */
export function tryCompute<T>(compute: () => T): T | undefined {
  try {
    return compute();
  } catch (error) {
    if (error instanceof ValidationFailed) return undefined;
    throw error;
  }
}

function calculatePage(
  fields: ReadonlyMap<string, Field>,
  page: JsonObject,
  scope: Scope,
  path: string,
  issues: ContentIssues,
): void {
  for (const field of fields.values()) {
    if (field.embedded === undefined) continue;
    for (const [here, inner] of listPages(field, page[field.name], path)) {
      calculatePage(field.embedded.fields, inner, { ...scope, fields: inner }, here, issues);
    }
  }
  for (const field of fields.values()) {
    if (field.calculated !== undefined) setComputedValue(field, page, field.calculated(scope), path, issues);
  }
}

function setComputedValue(
  field: Field,
  target: JsonObject,
  value: JsonValue,
  page: string,
  issues: ContentIssues,
): void {
  if (checkComputed(field, value, page, issues)) setFieldValue(target, field, value);
}

/** Checks that a field can hold a computed value, including members of pages and rows. Returns false after an issue. */
function checkComputed(field: Field, value: JsonValue, page: string, issues: ContentIssues): boolean {
  const { name, embedded } = field;
  const fits = isFit(checkFieldValue(field, value), name, page, issues);
  if (!fits || embedded === undefined) return fits;
  const members = listPages(field, value, page).flatMap(([path, inner]) => {
    return Object.entries(inner).map(([name, member = null]) => ({ path, name, member }));
  });
  const checked = members.filter(({ name }) => name !== "classID").map(({ path, name, member }) => {
    const inner = embedded.fields.get(name);
    if (inner === undefined) return isFit(`'${name}' is not a field of ${path}`, name, path, issues);
    return checkComputed(inner, member, path, issues);
  });
  return !checked.includes(false);
}

function isFit(problem: string | undefined, name: string, page: string, issues: ContentIssues): boolean {
  if (problem !== undefined) issues.addViolation(page, name, `${problem} (computed by the application definition)`);
  return problem === undefined;
}

/** Lists the pages of a field's value with their paths. `path` is the path of the page with the field. */
function listPages(field: Field, value: JsonValue | undefined, path: string): [path: string, page: JsonObject][] {
  const pages: [string, JsonObject][] = [];
  mapPages(field, value ?? null, (page, place) => {
    pages.push([`${path}.${field.name}${place}`, page]);
    return page;
  });
  return pages;
}

/** Returns the changed fields of a form. Removed values are null. */
export function pickChanges(view: View, before: JsonObject, after: JsonObject): JsonObject {
  const part: JsonObject = {};
  for (const { field: { name }, readOnly } of view.fields.values()) {
    const value = after[name] ?? null;
    if (!readOnly && JSON.stringify(value) !== JSON.stringify(before[name] ?? null)) part[name] = value;
  }
  return part;
}

function setValue(field: Field, target: JsonObject, given: JsonValue, page: string, issues: ContentIssues): void {
  const { name, embedded } = field;
  const value = issues.keepsText ? given : convert(field.type, given);
  const problem = checkFieldValue(field, value);
  if (problem !== undefined) {
    issues.addViolation(page, name, problem);
    if (embedded === undefined) target[name] = value; // A form that is not submitted yet shows what was entered.
  } else if (field.type === "Attachment" && !isAbsent(field, value)) checkUnchanged(name, target[name], value, issues);
  else if (embedded === undefined || isAbsent(field, value)) setFieldValue(target, field, value);
  else target[name] = mergeEmbedded(field, embedded, target[name], value, page, issues);
}

/**
 * Converts a number, `true` or `false` that a client sends as text, and the other way round if nothing is lost: a client
 * that reads texts cannot tell them apart. An empty text means `false`.
 */
function convert(type: FieldType, value: JsonValue): JsonValue {
  const kind = VALUE_KINDS[type];
  if (kind === "text") return isWritten(value) ? String(value) : value;
  if (typeof value !== "string" || (kind !== "number" && kind !== "boolean")) return value;
  if (value === "" && kind === "boolean") return false;
  return toScalar(type, value) ?? value;
}

/** Reports whether a value has only one text. A decimal number can have been written with other digits: 12.50. */
function isWritten(value: JsonValue): boolean {
  return typeof value === "boolean" || (isNumber(value) && isInteger(value) && !Object.is(value, -0));
}

/** Checks that content does not change an attachment field. A client that submits a form as it was read sends the field. */
function checkUnchanged(name: string, current: JsonValue | undefined, value: JsonValue, issues: ContentIssues): void {
  const ID = isJsonObject(current) ? current.ID : undefined;
  if (isJsonObject(value) && (value.ID ?? "") === (ID ?? "")) return;
  issues.addInvalid(name, `'${name}' is an attachment field: change it with 'attachments' or a page instruction`);
}

/** Merges a page, or replaces a list or page group. Page instructions can change individual rows and pages. */
function mergeEmbedded(
  field: Field,
  embedded: EmbeddedClass,
  current: JsonValue | undefined,
  value: JsonValue,
  page: string,
  issues: ContentIssues,
): JsonValue {
  const base = field.type === "Page" && isJsonObject(current) ? current : newPage(embedded.fields);
  return mapPages(field, value, (members, place) => {
    return mergePage(embedded, base, members, `${page}.${field.name}${place}`, issues);
  });
}
