/** Enters values, rows and files in a form. */
import { filterObjects, isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import type { Choice, FormAttachment, FormList, FormQuestion, FormRow } from "../nodes.ts";
import { formatPath, type Path } from "../path.ts";
import { listFiles, toFieldValue, toInputText } from "../values.ts";
import {
  type AttachedFile,
  createPage,
  type FileChange,
  findPage,
  type List,
  updateList,
  updatePage,
  withFiles,
  withShown,
} from "./page.ts";
import { applySetters, enterValue } from "./reactions.ts";
import { choose, setRecords } from "./records.ts";
import { drawForm, findQuestion, type FormState, invalid, requireEditable, toPath, withPage } from "./state.ts";

/** Enters a value of any part: of a field, all rows of a list, or the records of a reference. */
export function setValue(state: FormState, path: string, value: JsonValue): FormState {
  const question = requireEditable(state, path);
  if (question.cannotFill !== undefined) {
    throw invalid(`${question.label} cannot be filled in here. ${question.cannotFill}`);
  }
  switch (question.type) {
    case "field": {
      // The text of a prompt may say less than the value, e.g. about seconds or rich text.
      const isUnchanged = value === toInputText(question, question.value, state.options.timeZone);
      if (isUnchanged && value !== "") return enterValue(state, question, question.value ?? "");
      const parsed = toFieldValue(question, value, state.options.timeZone);
      if ("problem" in parsed) throw invalid(`${question.label}: ${parsed.problem}`);
      return enterValue(state, question, parsed.value);
    }
    case "list":
      return setRows(state, question, value);
    case "reference":
      return setRecords(state, question, value);
    case "attachment":
      throw invalid(`${question.label} is a file. Attach an uploaded file to it.`);
  }
}

/** Enters a choice, with the values that it also sets. */
export function setChoice(state: FormState, path: string, choice: Choice): FormState {
  const question = requireEditable(state, path);
  if (question.type === "reference") return choose(state, question, choice);
  if (question.type !== "field") throw invalid(`${question.label} is not chosen from a list.`);
  return applySetters(enterValue(state, question, choice.key), question, choice);
}

/** Inserts a row, and enters its values. */
export function insertRow(state: FormState, list: FormList, values: JsonObject, position: number): FormState {
  const { path, label, canAdd, rows } = list;
  if (!canAdd) throw invalid(`Rows cannot be added to ${label}.`);
  if (!Number.isInteger(position) || position < 0 || position > rows.length) {
    throw invalid(`A row of ${label} cannot be inserted at ${position}: the list has ${rows.length} rows.`);
  }
  const inserted = changeRows(state, list, (current) => current.toSpliced(position, 0, { page: createPage({}) }));
  return fillStrictly(inserted, values, [...toPath(path), position]);
}

/** Enters values of a row. */
export function updateRow(state: FormState, list: FormList, position: number, values: JsonObject): FormState {
  requireRow(list, position);
  return fillStrictly(state, values, [...toPath(list.path), position]);
}

/** Removes a row. */
export function removeRow(state: FormState, list: FormList, position: number): FormState {
  const { canDelete, heading } = requireRow(list, position);
  if (!canDelete) throw invalid(`${heading} of ${list.label} cannot be removed.`);
  return changeRows(state, list, (rows) => rows.toSpliced(position, 1));
}

/** Moves a row to another position. */
export function moveRow(state: FormState, list: FormList, from: number, to: number): FormState {
  requireRow(list, from);
  requireRow(list, to);
  if (!list.canReorder) throw invalid(`The rows of ${list.label} cannot be moved.`);
  return changeRows(state, list, (rows) => rows.toSpliced(from, 1).toSpliced(to, 0, ...rows.slice(from, from + 1)));
}

function changeRows(
  state: FormState,
  { path }: FormList,
  change: (rows: List["rows"]) => List["rows"],
): FormState {
  const page = updateList(state.page, toPath(path), (list) => ({ ...list, rows: change(list.rows) }));
  return withPage(state, page);
}

function requireRow({ rows, label }: FormList, position: number): FormRow {
  const row = rows[position];
  if (row === undefined) throw invalid(`${label} has no row ${position + 1}.`);
  return row;
}

/** Replaces the rows of a list by position. */
function setRows(state: FormState, list: FormList, value: JsonValue): FormState {
  if (value !== null && !Array.isArray(value)) throw invalid(`${list.label} takes a list of rows.`);
  const rows = filterObjects(value);
  let result = state;
  for (let i = list.rows.length - 1; i >= rows.length; i--) result = removeRow(result, list, i);
  rows.forEach((row, i) => {
    const current = findQuestion(result, list.path);
    if (current?.type !== "list") return;
    result = i < current.rows.length ? updateRow(result, current, i, row) : insertRow(result, current, row, i);
  });
  return result;
}

/** Enters values. Throws `INVALID_ARGS` for the first one that does not fit the form. */
function fillStrictly(state: FormState, values: JsonObject, base: Path): FormState {
  const { state: filled, rest } = fill(state, values, base);
  const [unknown] = Object.keys(rest).filter((name) => name !== "classID");
  return unknown === undefined ? filled : setValue(filled, formatPath([...base, unknown]), rest[unknown] ?? null);
}

/** Enters values below a path. Returns the values that do not fit the form. */
export function fill(state: FormState, values: JsonObject, base: Path): { state: FormState; rest: JsonObject } {
  let current = fillOnce(state, values, base);
  // A value may show the part in which another one is entered, or clear another one that was entered before it.
  for (let left = countValues(values); left > 0; left--) {
    const next = fillOnce(current.state, values, base);
    const isSame = JSON.stringify(drawForm(next.state).content) === JSON.stringify(drawForm(current.state).content);
    current = next;
    if (isSame) break;
  }
  return current;
}

function countValues(values: JsonObject): number {
  return Object.values(values).reduce<number>((sum, value) => sum + (isJsonObject(value) ? countValues(value) : 1), 0);
}

function fillOnce(state: FormState, values: JsonObject, base: Path): { state: FormState; rest: JsonObject } {
  const rest: JsonObject = {};
  let filled = state;
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    const path = [...base, name];
    const question = findQuestion(filled, formatPath(path));
    if (question === undefined && isJsonObject(value)) {
      const inner = fillOnce(filled, value, path);
      filled = inner.state;
      if (Object.keys(inner.rest).length > 0) rest[name] = inner.rest;
    } else if (question === undefined || question.type === "attachment" || !canFill(question)) {
      rest[name] = value;
    } else {
      filled = setValue(filled, question.path, value);
    }
  }
  return { state: filled, rest };
}

function canFill({ isReadOnly, isVisible, cannotFill }: FormQuestion): boolean {
  return isVisible && !isReadOnly && cannotFill === undefined;
}

/** Attaches files, or removes all files with `null`. Without files, the stored ones are restored. */
export function attachFiles(
  state: FormState,
  path: string,
  file: AttachedFile | readonly AttachedFile[] | null,
): FormState {
  const field = requireEditable(state, path);
  if (field.type !== "attachment") throw invalid(`${field.label} is not an attachment field.`);
  const place = toPath(field.path);
  const name = String(place.at(-1));
  const { isMultiple } = field;
  const holder = findPage(state.page, place.slice(0, -1));
  const before = holder?.files.get(name);
  const stored = listFiles(holder?.stored[name]).map(({ position }) => position);
  const files = file === null ? [] : isList(file) ? file : [file];
  if (!isMultiple && files.length > 1) throw invalid(`${field.label} holds one file.`);
  for (const one of files) checkExtension(field, one);
  const added = isMultiple && files.length > 0 ? [...before?.added ?? [], ...files] : files;
  const removed = file === null ? stored : files.length > 0 && isMultiple ? before?.removed ?? [] : [];
  return withFileChange(state, place, { isMultiple, removed, added });
}

/** Removes the file at a position. */
export function detachFile(state: FormState, path: string, position: number): FormState {
  const field = requireEditable(state, path);
  if (field.type !== "attachment") throw invalid(`${field.label} is not an attachment field.`);
  if (field.files[position] === undefined) throw invalid(`${field.label} has no file ${position + 1}.`);
  const { isMultiple } = field;
  if (!isMultiple) return attachFiles(state, path, null);
  const place = toPath(field.path);
  const name = String(place.at(-1));
  const holder = findPage(state.page, place.slice(0, -1));
  const { removed = [], added = [] } = holder?.files.get(name) ?? {};
  const kept = listFiles(holder?.stored[name]).map((one) => one.position).filter((one) => !removed.includes(one));
  const stored = kept[position];
  return withFileChange(state, place, {
    isMultiple,
    removed: stored === undefined ? removed : [...removed, stored],
    added: stored === undefined ? added.toSpliced(position - kept.length, 1) : added,
  });
}

/** Changes the files of a field. Without a change, the stored files are shown. */
function withFileChange(state: FormState, place: Path, change: FileChange): FormState {
  const name = String(place.at(-1));
  const isChanged = change.added.length + change.removed.length > 0;
  const page = updatePage(state.page, place.slice(0, -1), (inner) => {
    return withFiles(withShown(inner, name, inner.stored[name] ?? ""), name, isChanged ? change : undefined);
  });
  return withPage(state, page);
}

function checkExtension({ label, extensions }: FormAttachment, { name }: AttachedFile): void {
  const extension = name?.split(".").at(-1)?.toLowerCase();
  if (name === undefined || extensions.length === 0 || extensions.includes(extension ?? "")) return;
  throw invalid(`${label} takes files of the types ${extensions.join(", ")}, not '${name}'.`);
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
