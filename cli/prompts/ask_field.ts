/** Prompts for the values of single fields. */
import { SvcError } from "../../lib/errors.ts";
import type { FileInput } from "../../lib/operation/operation.ts";
import { isScalar, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { pluralize } from "../../utils/text/wording.ts";
import type { Choice, FormField, Reference } from "./form.ts";
import type { FileChange, FormState, Row } from "./form_state.ts";
import { findProblem, formatRow, formatValue, isEmptyValue, toFieldValue } from "./form_values.ts";
import type { Prompts } from "./prompts.ts";

/** The sources of prompts for fields, besides the terminal. */
export interface FieldSources {
  /** Reads the choices of a reference. */
  loadChoices(reference: Reference): Promise<readonly Choice[]>;
  /** Opens a file to upload. Throws `INVALID_ARGS` if it cannot be read. */
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
      return await editRows(prompts, state, field, sources);
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
  const present = isScalar(current) ? String(current) : "";
  if (field.kind === "choice") return await askChoice(prompts, field, message, present, sources);
  return toFieldValue(field, await prompts.text(message, (typed) => findProblem(field, typed), present));
}

async function askChoice(
  prompts: Prompts,
  { choices, reference, isRequired }: FormField,
  message: string,
  present: string,
  sources: FieldSources,
): Promise<JsonValue> {
  const known = reference === undefined ? choices : await sources.loadChoices(reference);
  const isKnown = present === "" || known.some(({ value }) => value === present);
  return await prompts.search(message, [
    ...(isRequired ? [] : [{ value: "", label: "(empty)" }]),
    ...(isKnown ? [] : [{ value: present, label: present }]),
    ...known,
  ], present);
}

async function askFile(
  prompts: Prompts,
  field: FormField,
  state: FormState,
  { openFile }: FieldSources,
): Promise<FileChange | undefined> {
  const stored = state.getValue(field);
  const chosen = state.files.get(field.key);
  const isMissing = isEmptyValue(stored) && !chosen;
  if (!isMissing) {
    const name = chosen?.file.name ?? formatValue(field, stored);
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
      if (typed.trim() === "") return field.isRequired ? "It is required." : undefined;
      try {
        file = await openFile(typed.trim());
        return undefined;
      } catch (error) {
        if (error instanceof SvcError && error.code === "INVALID_ARGS") return error.message;
        throw error;
      }
    },
  );
  return file && { file, path: path.trim() };
}

/** Prompts for the rows of a list until the user is done. */
async function editRows(prompts: Prompts, state: FormState, field: FormField, sources: FieldSources): Promise<void> {
  for (;;) {
    const rows = state.getRows(field);
    const answer = await prompts.choose(`${field.label}: ${pluralize(rows.length, "row")}`, [
      { value: "done", label: "Continue" },
      { value: "add", label: "Add a row" },
      ...rows.map((row, i) => ({ value: String(i), label: `Change ${i + 1}: ${formatRow(field, getContent(row))}` })),
    ]);
    if (answer === "done") {
      if (rows.length > 0 || !field.isRequired) return;
      prompts.warn(`${field.label}: At least one row is required.`);
    } else if (answer === "add") {
      state.setRows(field, [
        ...rows,
        await editRow(prompts, field, rows.length, { content: {}, changes: {} }, sources),
      ]);
    } else await changeRow(prompts, state, field, Number(answer), sources);
  }
}

async function changeRow(
  prompts: Prompts,
  state: FormState,
  field: FormField,
  index: number,
  sources: FieldSources,
): Promise<void> {
  const rows = [...state.getRows(field)];
  const row = rows[index];
  if (row === undefined) return;
  const answer = await prompts.menu(formatRow(field, getContent(row)), [
    { value: "edit", label: "Edit the row" },
    { value: "remove", label: "Remove the row" },
    { value: "back", label: "Keep it as it is" },
  ]);
  if (answer === "back") return;
  if (answer === "remove") rows.splice(index, 1);
  else rows[index] = await editRow(prompts, field, index, row, sources);
  state.setRows(field, rows);
}

async function editRow(
  prompts: Prompts,
  { label, columns }: FormField,
  index: number,
  row: Row,
  sources: FieldSources,
): Promise<Row> {
  const changes: JsonObject = { ...row.changes };
  for (const column of columns) {
    if (column.isReadOnly || column.path.length > 1 || ["list", "attachment", "other"].includes(column.kind)) continue;
    const current = getContent(row)[column.key];
    const value = await askValue(prompts, column, `${label} ${index + 1}: ${column.label}`, current, sources);
    if (isEmptyValue(value) ? !isEmptyValue(current) : value !== current) changes[column.key] = value;
  }
  return { ...row, changes };
}

function getContent({ content, changes }: Row): JsonObject {
  return { ...content, ...changes };
}
