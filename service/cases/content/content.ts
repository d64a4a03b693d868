/** Content of cases and records: submitted forms, page instructions, and calculated fields. */
import { cloneJson, isJsonObject, type JsonObject, type JsonValue, stringOrUndefined } from "../../../utils/json.ts";
import type { Action, EmbeddedClass, Field, Scope, View } from "../../application/model/application.ts";
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

/** Returns the pages of a value: the rows of a list, or the page itself. */
export function readPages(value: JsonValue | undefined): JsonObject[] {
  return (Array.isArray(value) ? value : [value]).filter(isJsonObject);
}

/** Lists the pages of a field's value with their paths. `path` is the path of the page with the field. */
function listPages(field: Field, value: JsonValue | undefined, path: string): [path: string, page: JsonObject][] {
  const whole = `${path}.${field.name}`;
  return readPages(value).map((page, index) => [field.type === "List" ? `${whole}(${index + 1})` : whole, page]);
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

/** Merges a page, or replaces a list. Page instructions can change single rows. */
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
  return isPage ? pages[0] ?? base : pages;
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
    if (target.field.type === "Page") changePage(instruction, target, issues);
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
  /** New position of the row, from 1. */
  readonly to?: number;
  /** Class that the page or the rows must have. */
  readonly targetClass?: string;
  /** Creates the error for an invalid instruction. */
  readonly invalid: CreateError;
}

type CreateError = (reason: string) => DomainError;

/** A step of a path: a field, and a row if the field is a list. */
interface Segment {
  readonly name: string;
  readonly row?: number;
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
  if (groupIndex !== undefined && groupIndex !== null) {
    throw invalid(`'groupIndex' is for page groups, and '${target}' is not one`);
  }
  const segments = splitTarget(target, invalid);
  const named = segments.at(-1)?.row;
  const row = readPosition("listIndex", listIndex, invalid) ?? named;
  if (named !== undefined && row !== named) throw invalid(`'listIndex' ${row} is not the row of '${target}'`);
  return {
    verb,
    path: target.startsWith(".") ? target : "." + target,
    segments,
    content: isJsonObject(content) ? content : {},
    row,
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

function openPage({ holder, field, embedded }: Target, { name, row }: Segment, invalid: CreateError): JsonObject {
  const current = holder[name];
  if (field.type === "Page") {
    const page = isJsonObject(current) ? current : newPage(embedded.fields);
    holder[name] = page;
    return page;
  }
  const page = Array.isArray(current) && row !== undefined ? current[row - 1] : undefined;
  if (!isJsonObject(page)) throw invalid(`'${name}' has no row ${row ?? "without a number"}`);
  return page;
}

/** Splits a path such as `.Documents(2).Author`. */
function splitTarget(target: string, invalid: CreateError): Segment[] {
  return target.replace(/^\./, "").split(".").map((part) => {
    const [, name, row] = part.match(/^(\w+)(?:\((\d+)\))?$/) ?? [];
    if (name === undefined) throw invalid(`'${target}' is not a target`);
    return { name, row: row === undefined ? undefined : Number(row) };
  });
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
