/** Prompts for the values of single fields. */
import { SvcError } from "../../lib/errors.ts";
import type { FileInput } from "../../lib/operation/operation.ts";
import { filterObjects, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { pluralize } from "../../utils/text/wording.ts";
import { type Choice, findValue, type FormField, type Reference } from "./form.ts";
import { changeRow, type FileChange, type FormState, getRowContent, type Row } from "./form_state.ts";
import { isEmptyValue } from "../view/format_value.ts";
import { findProblem, formatFieldValue, formatRow, toFieldValue, toInputText } from "./form_values.ts";
import type { Prompts } from "./prompts.ts";

/** Choices that were read from the service. */
export interface LoadedChoices {
  /** The first choices. */
  readonly choices: readonly Choice[];
  /** True if there are more. */
  readonly hasMore: boolean;
}

/** The sources of prompts for fields, besides the terminal. */
export interface FieldSources {
  /** Reads the choices of a reference. */
  loadChoices(reference: Reference): Promise<LoadedChoices>;
  /** Opens a file to upload. Throws an `SvcError` if it cannot be read. */
  openFile(path: string): Promise<FileInput>;
}

/** Prompts for a field, and keeps the answer in the state of the form. */
export async function askField(
  prompts: Prompts,
  state: FormState,
  field: FormField,
  sources: FieldSources,
): Promise<void> {
  switch (field.kind) {
    case "list":
      return await editRows(prompts, field, {
        read: () => state.getRows(field),
        write: (rows) => state.setRows(field, rows),
      }, sources);
    case "attachment":
      return state.setFile(field, await askFile(prompts, field, state, sources));
    default: {
      const reference = field.reference && state.fillParameters(field.reference);
      const value = await askValue(prompts, { ...field, reference }, field.label, state.getValue(field), sources);
      return state.setValue(field, value);
    }
  }
}

async function askValue(
  prompts: Prompts,
  field: FormField,
  label: string,
  current: JsonValue | undefined,
  sources: FieldSources,
): Promise<JsonValue> {
  const message = field.isRequired ? `${label} (required)` : label;
  if (field.kind === "boolean") {
    const answer = await prompts.confirm(message, current === true);
    return answer || field.isRequired || current !== undefined ? answer : null; // "No" does not set an optional field.
  }
  const present = toInputText(field, current);
  if (field.kind === "choice") return await askChoice(prompts, field, message, present, sources);
  const typed = await prompts.text(message, (text) => findProblem(field, text), present);
  return typed === present && current !== undefined ? current : toFieldValue(field, typed);
}

async function askChoice(
  prompts: Prompts,
  { key, choices: own, reference, isRequired }: FormField,
  message: string,
  present: string,
  sources: FieldSources,
): Promise<JsonValue> {
  const { choices, hasMore } = reference === undefined
    ? { choices: own, hasMore: false }
    : await sources.loadChoices(reference);
  if (hasMore) {
    prompts.warn(`Only the first ${choices.length} choices are listed. Pass another value with --set ${key}=….`);
  }
  const isKnown = present === "" || choices.some(({ value }) => value === present);
  return await prompts.search(message, [
    ...(isRequired ? [] : [{ value: "", label: "(empty)" }]),
    ...(isKnown ? [] : [{ value: present, label: present }]),
    ...choices,
  ], present);
}

async function askFile(
  prompts: Prompts,
  field: FormField,
  state: FormState,
  sources: FieldSources,
): Promise<FileChange | undefined> {
  const stored = state.getValue(field);
  const chosen = state.files.get(field.key);
  const isMissing = isEmptyValue(stored) && !chosen;
  if (!isMissing) {
    const name = chosen?.file.name ?? formatFieldValue(field, stored);
    const answer = await prompts.menu(field.label, [
      { value: "keep", label: `Keep ${name}` },
      { value: "replace", label: "Choose another file" },
      ...(field.isRequired ? [] : [{ value: "remove", label: "Remove it" }]),
    ]);
    if (answer === "keep") return chosen;
    if (answer === "remove") return isEmptyValue(stored) ? undefined : null;
  }
  let file: FileInput | undefined;
  const path = await prompts.text(
    `${field.label} (path of a file${field.isRequired ? ", required" : ""})`,
    async (typed) => {
      file = undefined;
      if (typed.trim() === "") return field.isRequired ? "This field is required." : undefined;
      try {
        file = await sources.openFile(typed.trim());
        return undefined;
      } catch (error) {
        if (error instanceof SvcError) return error.message;
        throw error;
      }
    },
  );
  return file && { file, path: path.trim() };
}

/** The rows of a list. */
interface RowList {
  read(): readonly Row[];
  write(rows: readonly Row[]): void;
}

/** Prompts for the rows of a list until the user is done. */
async function editRows(prompts: Prompts, field: FormField, list: RowList, sources: FieldSources): Promise<void> {
  for (;;) {
    const rows = list.read();
    const answer = await prompts.choose(`${field.label}: ${pluralize(rows.length, "row")}`, [
      { value: "done", label: "Continue" },
      { value: "add", label: "Add a row" },
      ...rows.map((row, i) => ({
        value: String(i),
        label: `Change ${i + 1}: ${formatRow(field, getRowContent(row))}`,
      })),
    ]);
    const row = rows[Number(answer)];
    if (answer === "done") {
      if (rows.length > 0 || !field.isRequired) return;
      prompts.warn(`${field.label}: At least one row is required.`);
    } else if (row === undefined) {
      list.write([...rows, await editRow(prompts, field, rows.length, { content: {}, changes: {} }, sources)]);
    } else {
      list.write(
        rows.toSpliced(Number(answer), 1, ...await changeOrRemove(prompts, field, Number(answer), row, sources)),
      );
    }
  }
}

/** Prompts for what to do with a row. Returns the row, or nothing if it is removed. */
async function changeOrRemove(
  prompts: Prompts,
  field: FormField,
  index: number,
  row: Row,
  sources: FieldSources,
): Promise<Row[]> {
  const answer = await prompts.menu(formatRow(field, getRowContent(row)), [
    { value: "edit", label: "Edit the row" },
    { value: "remove", label: "Remove the row" },
    { value: "back", label: "Keep it as it is" },
  ]);
  if (answer === "back") return [row];
  return answer === "remove" ? [] : [await editRow(prompts, field, index, row, sources)];
}

async function editRow(
  prompts: Prompts,
  { label, columns }: FormField,
  index: number,
  row: Row,
  sources: FieldSources,
): Promise<Row> {
  let edited = row;
  for (const column of columns) {
    if (column.isReadOnly || column.kind === "attachment" || column.kind === "other") continue;
    const current = findValue(getRowContent(edited), column.path);
    const named = { ...column, label: `${label} ${index + 1}: ${column.label}` };
    const value = column.kind === "list"
      ? await editInnerRows(prompts, named, filterObjects(current), sources)
      : await askValue(prompts, named, named.label, current, sources);
    edited = changeRow(edited, column, value);
  }
  return edited;
}

/** Prompts for the rows of a list in a row. Returns all rows, with the values that the form does not show. */
async function editInnerRows(
  prompts: Prompts,
  field: FormField,
  present: readonly JsonObject[],
  sources: FieldSources,
): Promise<JsonObject[]> {
  let rows: readonly Row[] = present.map((content) => ({ content, changes: {} }));
  await editRows(prompts, field, { read: () => rows, write: (edited) => rows = edited }, sources);
  return rows.map(getRowContent);
}
