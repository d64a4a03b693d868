/** Page instructions: changes to embedded pages, lists and page groups. */
import { cloneJson, isJsonObject, type JsonObject, type JsonValue, stringOrUndefined } from "../../../utils/json.ts";
import type { EmbeddedClass, Field, View, ViewField } from "../../application/model/application.ts";
import { isGroupIndex } from "../../application/model/field.ts";
import { type DomainError, Invalid } from "../../errors.ts";
import { type ContentIssues, mergePage, newPage } from "./content.ts";
import { listInnerFields, type RowRules, type ShownPlace } from "./row_rules.ts";

/** Applies page instructions to the content in order, as far as `rules` allow. Copies each field before its first change. */
export function applyInstructions(
  view: View,
  content: JsonObject,
  instructions: readonly JsonValue[],
  issues: ContentIssues,
  rules?: RowRules,
): void {
  const copied = new Set<string>();
  for (const [index, value] of instructions.entries()) {
    const instruction = readInstruction(value, (reason) => {
      return new Invalid(`Page instruction ${index + 1}: ${reason}.`);
    });
    const shown = editableField(view, instruction);
    const { field } = shown;
    if (!copied.has(field.name) && field.name in content) content[field.name] = cloneJson(content[field.name]);
    copied.add(field.name);
    const { segments, invalid } = instruction;
    const fields = rules?.fields ?? new Map<string, Field>();
    const target = findTarget({ field, shown, path: `.${field.name}`, page: content, fields }, segments, invalid);
    checkClass(instruction, target);
    checkGroupIndex(instruction, target);
    const { type, name } = target.field;
    const before = target.page[name];
    if (type === "Attachment") changeAttachment(instruction, target);
    else if (type === "Page") changePage(instruction, target, issues);
    else if (type === "PageGroup") changeGroup(instruction, target, issues);
    else changeList(instruction, target, issues, rules);
    if (type !== "List") rules?.checkChanged(target, before, target.page[name]);
  }
}

/** A change to an embedded page, list or page group. */
interface Instruction {
  /** Name of the instruction, e.g. `APPEND`. */
  readonly verb: string;
  /** Path of the target, e.g. `.Documents(2)`. */
  readonly path: string;
  readonly segments: readonly Segment[];
  /** Content of the page or row. */
  readonly content: JsonObject;
  /** Row of a list, from 1. */
  readonly row?: number;
  /** Name of a page in a page group. */
  readonly group?: string;
  /** New position of the row, from 1. */
  readonly to?: number;
  /** Class that the page or the rows must have. */
  readonly targetClass?: string;
  /** Creates the error for an invalid instruction. */
  readonly invalid: CreateError;
}

type CreateError = (reason: string) => DomainError;

/** A part of a path: a field, and optionally a row of its list or the name of a page in its page group. */
interface Segment {
  readonly name: string;
  readonly index?: string;
}

/** The page, list or page group that an instruction changes. */
interface Target extends ShownPlace {
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
  if (named !== undefined && row !== toRow(named)) {
    throw invalid(`'listIndex' ${row} does not match the row in '${target}'`);
  }
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

/** Checks that `groupIndex` is used only for a page group, and names the same page as the path. */
function checkGroupIndex({ path, segments, group, invalid }: Instruction, { field }: Target): void {
  const named = segments.at(-1)?.index;
  if (field.type === "PageGroup") {
    if (named !== undefined && !isGroupIndex(named)) throw invalid(`'${path}' is not a valid target`);
    if (named === undefined || group === undefined || named === group) return;
    throw invalid(`'groupIndex' ${group} does not match the page in '${path}'`);
  }
  if (group !== undefined) throw invalid(`'groupIndex' is for page groups, and '${path}' is not one`);
  if (named !== undefined && toRow(named) === undefined) throw invalid(`'${path}' is not a valid target`);
}

function editableField(view: View, { path, segments, invalid }: Instruction): ViewField {
  const top = view.fields.get(segments[0]?.name ?? "");
  if (top === undefined || top.readOnly) throw invalid(`the target '${path}' is not editable in this form`);
  return top;
}

/** Changes an attachment field. Its value contains the ID of the upload until the file is attached to the case. */
function changeAttachment({ verb, content, invalid }: Instruction, { page: holder, field: { name } }: Target): void {
  const { classID: _, ID, ...others } = content;
  switch (verb) {
    case "REPLACE":
      if (typeof ID !== "string" || Object.keys(others).length > 0) {
        throw invalid(
          "the 'content' of an attachment field must contain only 'ID', the ID that the upload returned",
        );
      }
      holder[name] = { ID };
      return;
    case "DELETE":
      delete holder[name];
      return;
    default:
      throw invalid(`${verb} is not an instruction for an attachment field`);
  }
}

function changePage(
  { verb, path, content, invalid }: Instruction,
  { page: holder, field: { name }, embedded }: Target,
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
  { page: holder, field: { name }, embedded }: Target,
  issues: ContentIssues,
): void {
  const current = holder[name];
  const pages = new Map(Object.entries(isJsonObject(current) ? current : {}));
  const merged = (page: JsonValue | undefined, index: string) => {
    const base = isJsonObject(page) ? page : newPage(embedded.fields);
    return mergePage(embedded, base, content, buildPagePath(path, index), issues);
  };
  const find = (exists: boolean): string => {
    if (group === undefined) throw invalid(`${verb} needs 'groupIndex'`);
    if (pages.has(group) === exists) return group;
    throw invalid(exists ? `'${name}' has no page ${group}` : `'${name}' already has a page ${group}`);
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
  { verb, path, content, row, to, invalid }: Instruction,
  list: Target,
  issues: ContentIssues,
  rules?: RowRules,
): void {
  const { page: holder, field: { name }, embedded } = list;
  const current = holder[name];
  const rows = Array.isArray(current) ? current : [];
  holder[name] = rows;
  const merged = (page: JsonObject, at: number) =>
    mergePage(embedded, page, content, buildPagePath(path, at + 1), issues);
  const fresh = (at: number) => merged(newPage(embedded.fields), at);
  const insert = (at: number) => {
    const page = fresh(at);
    rules?.checkAdded(list, at, page);
    rows.splice(at, 0, page);
  };
  const replace = (at: number, page: JsonObject) => {
    rules?.checkEdited(list, at, readRow(rows[at]), page);
    rows[at] = page;
  };
  const within = (position: number | undefined, member: string, limit = rows.length): number => {
    if (position === undefined) throw invalid(`${verb} needs '${member}'`);
    if (position < 1 || position > limit) throw invalid(`'${member}' ${position} is not between 1 and ${limit}`);
    return position - 1;
  };
  const index = (limit?: number) => within(row, "listIndex", limit);
  switch (verb) {
    case "APPEND":
      return insert(rows.length);
    case "INSERT":
      return insert(index(rows.length + 1));
    case "UPDATE": {
      const at = index();
      return replace(at, merged(readRow(rows[at]), at));
    }
    case "UPDATE ALL":
      for (const [at, page] of rows.entries()) replace(at, merged(readRow(page), at));
      return;
    case "REPLACE": {
      const at = index();
      return replace(at, fresh(at));
    }
    case "DELETE": {
      const at = index();
      rules?.checkDeleted(list, at, readRow(rows[at]));
      rows.splice(at, 1);
      return;
    }
    case "DELETE ALL":
      for (const [at, page] of rows.entries()) rules?.checkDeleted(list, at, readRow(page));
      rows.length = 0;
      return;
    case "MOVE": {
      const from = index();
      const target = within(to, "listMoveToIndex");
      if (from !== target) rules?.checkMoved(list, from);
      rows.splice(target, 0, ...rows.splice(from, 1));
      return;
    }
    default:
      throw invalid(`${verb} is not an instruction for a list`);
  }
}

/** Finds the target of an instruction, whose first segment is at a place. */
function findTarget(place: ShownPlace, [segment, next, ...rest]: readonly Segment[], invalid: CreateError): Target {
  const { embedded } = place.field;
  if (segment === undefined || embedded === undefined) {
    throw invalid(`'${segment?.name}' is not an embedded page, list or page group`);
  }
  const target = { ...place, embedded };
  if (next === undefined) return target;
  const page = openPage(target, segment, invalid);
  const field = embedded.fields.get(next.name);
  if (field === undefined) throw invalid(`'${next.name}' is not an embedded page, list or page group`);
  const inner: ShownPlace = {
    field,
    shown: place.shown && listInnerFields(place.shown).find((member) => member.field.name === next.name),
    path: `${place.path}${segment.index === undefined ? "" : `(${segment.index})`}.${next.name}`,
    page,
    fields: embedded.fields,
    within: place.field.type === "List" ? { list: place, row: page } : place.within,
  };
  return findTarget(inner, [next, ...rest], invalid);
}

function openPage(
  { page: holder, field, embedded }: Target,
  { name, index }: Segment,
  invalid: CreateError,
): JsonObject {
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
    if (index === undefined) throw invalid(`the target does not name a page of '${name}'`);
    if (!isJsonObject(page)) throw invalid(`'${name}' has no page ${index}`);
    return page;
  }
  const row = toRow(index);
  const page = Array.isArray(current) && row !== undefined ? current[row - 1] : undefined;
  if (index === undefined) throw invalid(`the target does not name a row of '${name}'`);
  if (!isJsonObject(page)) throw invalid(`'${name}' has no row ${index}`);
  return page;
}

function readRow(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Splits a path such as `.Documents(2).Author` or `.Rooms(Kitchen)`. */
function splitTarget(target: string, invalid: CreateError): Segment[] {
  return target.replace(/^\./, "").split(".").map((part) => {
    const [, name, index] = part.match(/^(\w+)(?:\(([\w-]+)\))?$/) ?? [];
    if (name === undefined) throw invalid(`'${target}' is not a valid target`);
    return { name, index };
  });
}

/** Converts an index in a path to a row number. Returns undefined for the name of a page. */
function toRow(index: string | undefined): number | undefined {
  return index !== undefined && /^\d+$/.test(index) ? Number(index) : undefined;
}

function readGroupIndex(value: JsonValue | undefined, invalid: CreateError): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string" && isGroupIndex(value)) return value;
  throw invalid("'groupIndex' must start with a letter and have at most 64 letters, digits, '_' and '-'");
}

/** Builds the path of a row or page. `path` is that of its list or page group, or of another row or page in it. */
function buildPagePath(path: string, index: number | string): string {
  return `${path.replace(/\([\w-]+\)$/, "")}(${index})`;
}

function readPosition(member: string, value: JsonValue | undefined, invalid: CreateError): number | undefined {
  if (value === undefined || value === null) return undefined;
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number)) return number;
  throw invalid(`'${member}' must be a whole number`);
}
