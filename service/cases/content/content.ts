/** Content of cases and records: submitted forms, page instructions, and calculated fields. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import type { Action, EmbeddedClass, Field, Scope, View } from "../../application/model/application.ts";
import { checkFieldValue, isAbsent, isEmpty, setFieldValue } from "../../application/expressions/field_values.ts";
import { createIssue, type DomainError, Invalid, type Issue, MAX_ISSUES, ValidationFailed } from "../../errors.ts";
import { suggestAlternatives } from "../../../utils/text/did_you_mean.ts";

/** A submission. */
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

/** How strictly a form is checked. */
export interface FormOptions {
  /** Set if required fields must have a value. */
  readonly complete: boolean;
}

/** Applies a submission to the content of a case. Throws `Invalid` or `ValidationFailed` with all issues. */
export function fillForm(
  view: View,
  current: JsonObject,
  submission: Submission,
  { complete }: FormOptions,
): JsonObject {
  const findings = new Findings();
  const content = mergeContent(view, current, submission.content ?? {}, findings);
  if (submission.pageInstructions !== undefined) {
    applyInstructions(view, content, submission.pageInstructions, findings);
  }
  if (complete) checkRequired(view, content, findings);
  findings.check();
  return content;
}

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

/** Applies the instructions to the content in their order. A field that changes is copied first, once. */
function applyInstructions(
  view: View,
  content: JsonObject,
  instructions: readonly JsonValue[],
  findings: Findings,
): void {
  const copied = new Set<string>();
  for (const [index, value] of instructions.entries()) {
    const instruction = readInstruction(value, (reason) => {
      return new Invalid(`Page instruction ${index + 1}: ${reason}.`);
    });
    const field = editableField(view, instruction);
    if (!copied.has(field.name) && field.name in content) content[field.name] = structuredClone(content[field.name]);
    copied.add(field.name);
    const { segments, invalid } = instruction;
    const target = locate(new Map([[field.name, field]]), content, segments, invalid);
    if (target.field.type === "Page") changePage(instruction, target, findings);
    else changeList(instruction, target, findings);
  }
}

/** An instruction. */
interface Instruction {
  /** Instruction, e.g. `APPEND`. */
  readonly verb: string;
  /** The page or list, e.g. `.Documents(2)`. */
  readonly path: string;
  /** The steps of its path. */
  readonly segments: readonly Segment[];
  /** Content of the page or row. */
  readonly content: JsonObject;
  /** Row of a list, from 1. */
  readonly row?: number;
  /** Row that it is moved to, from 1. */
  readonly to?: number;
  /** Why it cannot be done. */
  readonly invalid: Refuse;
}

type Refuse = (reason: string) => DomainError;

/** One step of a target's path: a field, and a row of it where it is a list. */
interface Segment {
  readonly name: string;
  readonly row?: number;
}

/** The page or list that an instruction is about, and what holds it. */
interface Target {
  readonly holder: JsonObject;
  readonly field: Field;
  readonly embedded: EmbeddedClass;
}

function readInstruction(value: JsonValue, invalid: Refuse): Instruction {
  if (!isJsonObject(value)) throw invalid("must be an object");
  const { instruction: verb, target, content, listIndex, listMoveToIndex } = value;
  if (typeof verb !== "string") throw invalid("'instruction' is missing");
  if (typeof target !== "string") throw invalid("'target' is missing");
  if (!isJsonObject(content) && verb !== "DELETE" && verb !== "MOVE") throw invalid(`${verb} needs 'content'`);
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
    invalid,
  };
}

function editableField(view: View, { path, segments, invalid }: Instruction): Field {
  const top = view.fields.get(segments[0]?.name ?? "");
  if (top === undefined || top.readOnly) throw invalid(`the target '${path}' is not editable in this form`);
  return top.field;
}

function changePage(
  { verb, path, content, invalid }: Instruction,
  { holder, field: { name }, embedded }: Target,
  findings: Findings,
): void {
  const current = holder[name];
  const merged = (page: JsonObject) => mergePage(embedded, page, content, path, findings);
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

function changeList(instruction: Instruction, { holder, field: { name }, embedded }: Target, findings: Findings): void {
  const { verb, path, content, row, to, invalid } = instruction;
  const current = holder[name];
  const rows = Array.isArray(current) ? current : [];
  holder[name] = rows;
  const merged = (page: JsonObject, at: number) => mergePage(embedded, page, content, rowPath(path, at), findings);
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
    case "REPLACE": {
      const at = index();
      rows[at] = fresh(at);
      return;
    }
    case "DELETE":
      rows.splice(index(), 1);
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

/** Walks to the page that holds the target. */
function locate(
  fields: ReadonlyMap<string, Field>,
  holder: JsonObject,
  [segment, ...rest]: readonly Segment[],
  invalid: Refuse,
): Target {
  const field = fields.get(segment?.name ?? "");
  if (segment === undefined || field?.embedded === undefined) {
    throw invalid(`'${segment?.name}' is not an embedded page or list`);
  }
  const { embedded } = field;
  if (rest.length === 0) return { holder, field, embedded };
  return locate(embedded.fields, pageIn({ holder, field, embedded }, segment, invalid), rest, invalid);
}

function pageIn({ holder, field, embedded }: Target, { name, row }: Segment, invalid: Refuse): JsonObject {
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

/** `.Documents(2).Author` as its segments. */
function splitTarget(target: string, invalid: Refuse): Segment[] {
  return target.replace(/^\./, "").split(".").map((part) => {
    const [, name, row] = part.match(/^(\w+)(?:\((\d+)\))?$/) ?? [];
    if (name === undefined) throw invalid(`'${target}' is not a target`);
    return { name, row: row === undefined ? undefined : Number(row) };
  });
}

function rowPath(path: string, at: number): string {
  return `${path.replace(/\(\d+\)$/, "")}(${at + 1})`;
}

function readPosition(member: string, value: JsonValue | undefined, invalid: Refuse): number | undefined {
  if (value === undefined || value === null) return undefined;
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number)) return number;
  throw invalid(`'${member}' must be a whole number`);
}
