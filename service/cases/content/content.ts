/** Content of cases and records: submitted forms, page instructions, and calculated fields. */
import { cloneJson, isJsonObject, type JsonObject, type JsonValue, stringOrUndefined } from "../../../utils/json.ts";
import type { Action, EmbeddedClass, Field, Scope, View } from "../../application/model/application.ts";
import { isGroupIndex } from "../../application/model/field.ts";
import { checkFieldValue, isAbsent, isEmpty, setFieldValue } from "../../application/expressions/field_values.ts";
import { createIssue, type DomainError, Invalid, type Issue, MAX_ISSUES, ValidationFailed } from "../../errors.ts";
import { suggestAlternatives } from "../../../utils/text/did_you_mean.ts";

/** A submitted form. */
export interface Submission {
  /** Content of the fields. */
  readonly content?: JsonObject;
  /** Changes of embedded pages and lists. */
  readonly pageInstructions?: readonly JsonValue[];
  /** Attachments to add. */
  readonly attachments?: readonly JsonValue[];
}

/** Describes a submission, which may complete a draft, for the history of the case. */
export function submissionFacts({ content, pageInstructions }: Submission, draft: JsonObject = {}): JsonObject {
  return {
    content: { ...draft, ...content },
    ...(pageInstructions && { pageInstructions: [...pageInstructions] }),
  };
}

/**
 * Applies a submission to content. With `complete`, required fields must have a value. Throws `Invalid` or
 * `ValidationFailed` with all issues.
 */
export function fillForm(
  view: View,
  current: JsonObject,
  submission: Submission,
  { complete }: { readonly complete: boolean },
): JsonObject {
  const issues = new ContentIssues();
  const content = mergeContent(view, current, submission.content ?? {}, issues);
  if (submission.pageInstructions !== undefined) {
    applyInstructions(view, content, submission.pageInstructions, issues);
  }
  if (complete) checkRequired(view, content, issues);
  issues.check();
  return content;
}

/** Collects issues of two kinds: members that may not be submitted, and values that violate a rule. */
export class ContentIssues {
  /** Members that the form does not accept. */
  readonly invalid: Issue[] = [];
  /** Values that do not fit their fields. */
  readonly violations: Issue[] = [];
  readonly #places = new Set<string>();

  /** Adds a member that the form does not accept. */
  addInvalid(name: string, reason: string): void {
    if (this.invalid.length === MAX_ISSUES) return;
    this.invalid.push(createIssue(reason, { erroneousInputOutputIdentifier: "." + name }));
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
    if (this.violations.length === MAX_ISSUES) return;
    if (this.#places.has(page + "." + name)) return;
    this.#places.add(page + "." + name);
    const place = page === ""
      ? { erroneousInputOutputFieldInPage: "." + name }
      : { erroneousInputOutputFieldInPage: page, erroneousInputOutputIdentifier: "." + name };
    this.violations.push(createIssue(reason, place));
  }

  /** Throws the issues, if there are any. */
  check(): void {
    if (this.invalid.length > 0) throw new Invalid(this.invalid);
    if (this.violations.length > 0) throw new ValidationFailed(this.violations);
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
    if (name === "classID" || value === undefined) continue;
    const shown = view.fields.get(name);
    if (shown === undefined) issues.addUnknown(name, "this form", () => editable(view));
    else if (shown.readOnly) issues.addInvalid(name, `'${name}' is not editable in this form`);
    else setValue(shown.field, merged, value, "", issues);
  }
  return merged;
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
    if (name === "classID" || value === undefined || field?.calculated !== undefined) continue;
    if (field === undefined) issues.addUnknown(name, path, () => settable(embedded));
    else setValue(field, merged, value, path, issues);
  }
  return merged;
}

function editable({ fields }: View): string[] {
  return [...fields.values()].filter(({ readOnly }) => !readOnly).map(({ field }) => field.name);
}

function settable({ fields }: EmbeddedClass): string[] {
  return [...fields.values()].filter(({ calculated }) => calculated === undefined).map(({ name }) => name);
}

/** Creates a page or row with the defaults of its fields. */
export function newPage(fields: ReadonlyMap<string, Field>): JsonObject {
  const page: JsonObject = {};
  for (const field of fields.values()) {
    if (field.default !== undefined) setFieldValue(page, field, field.default);
  }
  return page;
}

/** Adds an issue for each required field without a value. */
export function checkRequired(view: View, content: JsonObject, issues: ContentIssues): void {
  for (const { field, required, readOnly, label } of view.fields.values()) {
    const value = content[field.name];
    if (required && isEmpty(value)) issues.addViolation("", field.name, `${label} is required`);
    else if (!readOnly && field.embedded !== undefined) {
      checkPages(field, field.embedded, value, "", issues);
    }
  }
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

/** Checks whether a field can hold a computed value, including members of pages and rows. */
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

/** Returns the rows of a list. */
export function readRows(value: JsonValue | undefined): JsonObject[] {
  return (Array.isArray(value) ? value : []).filter(isJsonObject);
}

/** Lists the pages of a field's value with their paths. `path` is the path of the page with the field. */
function listPages(field: Field, value: JsonValue | undefined, path: string): [path: string, page: JsonObject][] {
  const whole = `${path}.${field.name}`;
  switch (field.type) {
    case "List":
      return readRows(value).map((page, index) => [`${whole}(${index + 1})`, page]);
    case "PageGroup":
      return Object.entries(isJsonObject(value) ? value : {}).flatMap(([index, page]) => {
        return isJsonObject(page) ? [[`${whole}(${index})`, page]] : [];
      });
    default:
      return isJsonObject(value) ? [[whole, value]] : [];
  }
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

function setValue(field: Field, target: JsonObject, value: JsonValue, page: string, issues: ContentIssues): void {
  const { name, embedded } = field;
  const problem = checkFieldValue(field, value);
  if (problem !== undefined) issues.addViolation(page, name, problem);
  else if (embedded === undefined || isAbsent(field, value)) setFieldValue(target, field, value);
  else target[name] = mergeEmbedded(field, embedded, target[name], value, page, issues);
}

/** Merges a page, or replaces a list or page group. Page instructions can change its single pages. */
function mergeEmbedded(
  field: Field,
  embedded: EmbeddedClass,
  current: JsonValue | undefined,
  value: JsonValue,
  page: string,
  issues: ContentIssues,
): JsonValue {
  const isPage = field.type === "Page";
  const base = isPage && isJsonObject(current) ? current : newPage(embedded.fields);
  const pages = listPages(field, value, page).map(([path, members]) =>
    mergePage(embedded, base, members, path, issues)
  );
  if (isPage) return pages[0] ?? base;
  return field.type === "List" || !isJsonObject(value) ? pages : Object.fromEntries(
    Object.keys(value).map((index, position) => [index, pages[position]]),
  );
}

function checkPages(
  field: Field,
  embedded: EmbeddedClass,
  value: JsonValue | undefined,
  path: string,
  issues: ContentIssues,
): void {
  for (const [here, page] of listPages(field, value, path)) {
    for (const inner of embedded.fields.values()) {
      const member = page[inner.name];
      if (inner.required && isEmpty(member)) issues.addViolation(here, inner.name, `${inner.label} is required`);
      else if (inner.embedded !== undefined) checkPages(inner, inner.embedded, member, here, issues);
    }
  }
}

/** Applies page instructions to the content in order. Copies each field before its first change. */
function applyInstructions(
  view: View,
  content: JsonObject,
  instructions: readonly JsonValue[],
  issues: ContentIssues,
): void {
  const copied = new Set<string>();
  for (const [index, value] of instructions.entries()) {
    const instruction = readInstruction(value, (reason) => {
      return new Invalid(`Page instruction ${index + 1}: ${reason}.`);
    });
    const field = editableField(view, instruction);
    if (!copied.has(field.name) && field.name in content) content[field.name] = cloneJson(content[field.name]);
    copied.add(field.name);
    const { segments, invalid } = instruction;
    const target = findTarget(new Map([[field.name, field]]), content, segments, invalid);
    checkClass(instruction, target);
    checkGroupIndex(instruction, target);
    if (target.field.type === "Page") changePage(instruction, target, issues);
    else if (target.field.type === "PageGroup") changeGroup(instruction, target, issues);
    else changeList(instruction, target, issues);
  }
}

/** A change of an embedded page or list. */
interface Instruction {
  /** Name of the instruction, e.g. `APPEND`. */
  readonly verb: string;
  /** The page or list, e.g. `.Documents(2)`. */
  readonly path: string;
  readonly segments: readonly Segment[];
  /** Content of the page or row. */
  readonly content: JsonObject;
  /** Row of a list, from 1. */
  readonly row?: number;
  /** Name of a page of a page group. */
  readonly group?: string;
  /** New position of the row, from 1. */
  readonly to?: number;
  /** Class that the page or the rows must have. */
  readonly targetClass?: string;
  /** Creates the error for an invalid instruction. */
  readonly invalid: CreateError;
}

type CreateError = (reason: string) => DomainError;

/** A step of a path: a field, with the row of a list or the name of a page of a page group. */
interface Segment {
  readonly name: string;
  readonly index?: string;
}

/** The page or list that an instruction changes. */
interface Target {
  readonly holder: JsonObject;
  readonly field: Field;
  readonly embedded: EmbeddedClass;
}

function readInstruction(value: JsonValue, invalid: CreateError): Instruction {
  if (!isJsonObject(value)) throw invalid("must be an object");
  const { instruction: verb, target, content, listIndex, listMoveToIndex, groupIndex, targetClassID } = value;
  if (typeof verb !== "string") throw invalid("'instruction' is missing");
  if (typeof target !== "string") throw invalid("'target' is missing");
  if (!isJsonObject(content) && !WITHOUT_CONTENT.includes(verb)) throw invalid(`${verb} needs 'content'`);
  const segments = splitTarget(target, invalid);
  const named = segments.at(-1)?.index;
  const row = readPosition("listIndex", listIndex, invalid) ?? toRow(named);
  if (named !== undefined && row !== toRow(named)) throw invalid(`'listIndex' ${row} is not the row of '${target}'`);
  return {
    verb,
    path: target.startsWith(".") ? target : "." + target,
    segments,
    content: isJsonObject(content) ? content : {},
    row,
    group: readGroupIndex(groupIndex, invalid),
    to: readPosition("listMoveToIndex", listMoveToIndex, invalid),
    targetClass: stringOrUndefined(targetClassID),
    invalid,
  };
}

/** Instructions that need no content. */
const WITHOUT_CONTENT = ["DELETE", "DELETE ALL", "MOVE"];

function checkClass({ targetClass, path, invalid }: Instruction, { embedded: { classId } }: Target): void {
  if (targetClass === undefined || targetClass === classId) return;
  throw invalid(`'${path}' is of the class ${classId}, not of ${targetClass}`);
}

/** Checks that an instruction names one page of a page group, and none of anything else. */
function checkGroupIndex({ path, segments, group, invalid }: Instruction, { field }: Target): void {
  const named = segments.at(-1)?.index;
  if (field.type === "PageGroup") {
    if (named !== undefined && !isGroupIndex(named)) throw invalid(`'${path}' is not a target`);
    if (named === undefined || group === undefined || named === group) return;
    throw invalid(`'groupIndex' ${group} is not the page of '${path}'`);
  }
  if (group !== undefined) throw invalid(`'groupIndex' is for page groups, and '${path}' is not one`);
  if (named !== undefined && toRow(named) === undefined) throw invalid(`'${path}' is not a target`);
}

function editableField(view: View, { path, segments, invalid }: Instruction): Field {
  const top = view.fields.get(segments[0]?.name ?? "");
  if (top === undefined || top.readOnly) throw invalid(`the target '${path}' is not editable in this form`);
  return top.field;
}

function changePage(
  { verb, path, content, invalid }: Instruction,
  { holder, field: { name }, embedded }: Target,
  issues: ContentIssues,
): void {
  const current = holder[name];
  const merged = (page: JsonObject) => mergePage(embedded, page, content, path, issues);
  switch (verb) {
    case "UPDATE":
      holder[name] = merged(isJsonObject(current) ? current : newPage(embedded.fields));
      return;
    case "REPLACE":
      holder[name] = merged(newPage(embedded.fields));
      return;
    case "DELETE":
      delete holder[name];
      return;
    default:
      throw invalid(`${verb} is not an instruction for a page`);
  }
}

function changeGroup(
  { verb, path, segments, content, group = segments.at(-1)?.index, invalid }: Instruction,
  { holder, field: { name }, embedded }: Target,
  issues: ContentIssues,
): void {
  const current = holder[name];
  const pages = new Map(Object.entries(isJsonObject(current) ? current : {}));
  const merged = (page: JsonValue | undefined, index: string) => {
    const place = `${path.replace(/\([^()]*\)$/, "")}(${index})`;
    return mergePage(embedded, isJsonObject(page) ? page : newPage(embedded.fields), content, place, issues);
  };
  const find = (exists: boolean): string => {
    if (group === undefined) throw invalid(`${verb} needs 'groupIndex'`);
    if (pages.has(group) === exists) return group;
    throw invalid(exists ? `'${name}' has no page ${group}` : `'${name}' has a page ${group} already`);
  };
  switch (verb) {
    case "ADD": {
      const index = find(false);
      pages.set(index, merged(undefined, index));
      break;
    }
    case "UPDATE": {
      const index = find(true);
      pages.set(index, merged(pages.get(index), index));
      break;
    }
    case "UPDATE ALL":
      for (const [index, page] of pages) pages.set(index, merged(page, index));
      break;
    case "REPLACE": {
      const index = find(true);
      pages.set(index, merged(undefined, index));
      break;
    }
    case "DELETE":
      pages.delete(find(true));
      break;
    case "DELETE ALL":
      pages.clear();
      break;
    default:
      throw invalid(`${verb} is not an instruction for a page group`);
  }
  holder[name] = Object.fromEntries(pages);
}

function changeList(
  instruction: Instruction,
  { holder, field: { name }, embedded }: Target,
  issues: ContentIssues,
): void {
  const { verb, path, content, row, to, invalid } = instruction;
  const current = holder[name];
  const rows = Array.isArray(current) ? current : [];
  holder[name] = rows;
  const merged = (page: JsonObject, at: number) => mergePage(embedded, page, content, buildRowPath(path, at), issues);
  const fresh = (at: number) => merged(newPage(embedded.fields), at);
  const within = (position: number | undefined, member: string, limit = rows.length): number => {
    if (position === undefined) throw invalid(`${verb} needs '${member}'`);
    if (position < 1 || position > limit) throw invalid(`'${member}' ${position} is not between 1 and ${limit}`);
    return position - 1;
  };
  const index = (limit?: number) => within(row, "listIndex", limit);
  switch (verb) {
    case "APPEND":
      rows.push(fresh(rows.length));
      return;
    case "INSERT": {
      const at = index(rows.length + 1);
      rows.splice(at, 0, fresh(at));
      return;
    }
    case "UPDATE": {
      const at = index();
      const page = rows[at];
      rows[at] = merged(isJsonObject(page) ? page : {}, at);
      return;
    }
    case "UPDATE ALL":
      for (const [at, page] of rows.entries()) rows[at] = merged(isJsonObject(page) ? page : {}, at);
      return;
    case "REPLACE": {
      const at = index();
      rows[at] = fresh(at);
      return;
    }
    case "DELETE":
      rows.splice(index(), 1);
      return;
    case "DELETE ALL":
      rows.length = 0;
      return;
    case "MOVE": {
      const from = index();
      const target = within(to, "listMoveToIndex");
      rows.splice(target, 0, ...rows.splice(from, 1));
      return;
    }
    default:
      throw invalid(`${verb} is not an instruction for a list`);
  }
}

/** Finds the target of an instruction. */
function findTarget(
  fields: ReadonlyMap<string, Field>,
  holder: JsonObject,
  [segment, ...rest]: readonly Segment[],
  invalid: CreateError,
): Target {
  const field = fields.get(segment?.name ?? "");
  if (segment === undefined || field?.embedded === undefined) {
    throw invalid(`'${segment?.name}' is not an embedded page or list`);
  }
  const { embedded } = field;
  if (rest.length === 0) return { holder, field, embedded };
  return findTarget(embedded.fields, openPage({ holder, field, embedded }, segment, invalid), rest, invalid);
}

function openPage({ holder, field, embedded }: Target, { name, index }: Segment, invalid: CreateError): JsonObject {
  const current = holder[name];
  if (field.type === "Page") {
    const page = isJsonObject(current) ? current : newPage(embedded.fields);
    holder[name] = page;
    return page;
  }
  if (field.type === "PageGroup") {
    const page = isJsonObject(current) && index !== undefined && Object.hasOwn(current, index)
      ? current[index]
      : undefined;
    if (!isJsonObject(page)) throw invalid(`'${name}' has no page ${index ?? "without a name"}`);
    return page;
  }
  const row = toRow(index);
  const page = Array.isArray(current) && row !== undefined ? current[row - 1] : undefined;
  if (!isJsonObject(page)) throw invalid(`'${name}' has no row ${index ?? "without a number"}`);
  return page;
}

/** Splits a path such as `.Documents(2).Author` or `.Rooms(Kitchen)`. */
function splitTarget(target: string, invalid: CreateError): Segment[] {
  return target.replace(/^\./, "").split(".").map((part) => {
    const [, name, index] = part.match(/^(\w+)(?:\(([\w-]+)\))?$/) ?? [];
    if (name === undefined) throw invalid(`'${target}' is not a target`);
    return { name, index };
  });
}

/** Converts the index of a path to a row. Returns undefined for the name of a page. */
function toRow(index: string | undefined): number | undefined {
  return index !== undefined && /^\d+$/.test(index) ? Number(index) : undefined;
}

function readGroupIndex(value: JsonValue | undefined, invalid: CreateError): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string" && isGroupIndex(value)) return value;
  throw invalid("'groupIndex' must start with a letter and have at most 64 letters, digits, '_' and '-'");
}

function buildRowPath(path: string, at: number): string {
  return `${path.replace(/\(\d+\)$/, "")}(${at + 1})`;
}

function readPosition(member: string, value: JsonValue | undefined, invalid: CreateError): number | undefined {
  if (value === undefined || value === null) return undefined;
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number)) return number;
  throw invalid(`'${member}' must be a whole number`);
}
