/** Prompts for the parts of a form: fields, rows, references and files. */
import { SvcError } from "../../lib/errors.ts";
import {
  type Choice,
  describeRow,
  type Form,
  type FormAttachment,
  type FormField,
  type FormList,
  type FormQuestion,
  type FormReference,
  type JsonObject,
  type JsonValue,
  listQuestions,
  type LoadedChoices,
  parseInput,
  toInputText,
} from "../../lib/forms/mod.ts";
import type { FileInput } from "../../lib/operation/operation.ts";
import { toTable } from "../../lib/output/table.ts";
import { truncateToWidth } from "../../utils/text/display_width.ts";
import { pluralize } from "../../utils/text/wording.ts";
import type { Prompts } from "./prompts.ts";

/** The sources of prompts, besides the terminal. */
export interface QuestionSources {
  /** Loads choices. Never throws. */
  loadChoices(question: FormField | FormReference): Promise<LoadedChoices>;
  /** Opens a file to upload. Throws an `SvcError` if it cannot be read. */
  openFile(path: string): Promise<FileInput>;
  /** Keeps a file until the form is submitted. Returns the ID that stands for it. */
  keepFile(file: FileInput): string;
  /** Computes a row while it is filled in. Returns the form as it is if that is not needed or fails. */
  computeRow(form: Form, row: string): Promise<Form>;
  /** Confirms a row with its action. Returns the form as it is if that fails. */
  confirmRow(form: Form, row: string): Promise<Form>;
  /** False if files cannot be attached yet. */
  readonly acceptsFiles: boolean;
  /** Keeps the form of a question that is not answered completely, in case the user cancels. */
  keepForm(form: Form): void;
  /** Texts by path that were typed before the user cancelled, and that are not valid. They are edited again. */
  readonly invalidTexts: Map<string, string>;
}

/** Prompts for a question. Returns the form with the answer. */
export async function askQuestion(
  prompts: Prompts,
  form: Form,
  question: FormQuestion,
  sources: QuestionSources,
  label: string = question.label,
): Promise<Form> {
  switch (question.type) {
    case "field":
      return await askField(prompts, form, question, sources, label);
    case "list":
      return await editRows(prompts, form, question, sources, label);
    case "reference":
      return question.mode === "multiple"
        ? await askRecords(prompts, form, question, sources, label)
        : await askRecord(prompts, form, question, sources, label);
    case "attachment":
      return await askFile(prompts, form, question, sources, label);
  }
}

function markRequired(label: string, { isRequired }: FormQuestion): string {
  return isRequired ? `${label} (required)` : label;
}

async function askField(
  prompts: Prompts,
  form: Form,
  field: FormField,
  sources: QuestionSources,
  label: string,
): Promise<Form> {
  const { path, kind, value, booleanLabels } = field;
  const message = markRequired(label, field);
  if (kind === "boolean") {
    return form.set(path, await prompts.confirm(message, value === true || value === "true", booleanLabels));
  }
  if (kind === "choice" || kind === "user") {
    const choice = await askChoice(prompts, field, sources, message, String(value ?? ""), field.text);
    return choice === undefined
      ? form.set(path, "")
      : "key" in choice
      ? form.choose(path, choice)
      : form.set(path, choice.typed);
  }
  return await askText(prompts, form, field, sources, message);
}

async function askText(
  prompts: Prompts,
  form: Form,
  field: FormField,
  { invalidTexts, keepForm }: QuestionSources,
  message: string,
): Promise<Form> {
  const { path } = field;
  const present = toInputText(field, field.value);
  const enter = (typed: string) => typed === present ? form : form.set(path, typed);
  const initial = invalidTexts.get(path) ?? present;
  invalidTexts.delete(path);
  const typed = await prompts.text(message, (text) => findProblem(field, text), initial, (typed) => {
    if (typed === present) return;
    if (findProblem(field, typed) === undefined) keepForm(enter(typed));
    else invalidTexts.set(path, typed);
  });
  return enter(typed);
}

function findProblem(field: FormField, text: string): string | undefined {
  if (text.trim() === "") return field.isRequired ? "This field is required." : undefined;
  const parsed = parseInput(field, text);
  return "problem" in parsed ? parsed.problem : undefined;
}

/** Prompts for a choice. Returns undefined for an empty one, and a typed key if the choices could not be loaded. */
async function askChoice(
  prompts: Prompts,
  question: FormField | FormReference,
  sources: QuestionSources,
  message: string,
  present: string,
  presentText: string,
): Promise<Choice | { readonly typed: string } | undefined> {
  const { choices, hasMore, error } = await sources.loadChoices(question);
  const isUnknown = question.choices === undefined && question.query === undefined;
  if (error !== undefined || isUnknown || (choices.length === 0 && present === "")) {
    const reason = isUnknown
      ? `The form does not list the choices of ${question.label}.`
      : error === undefined
      ? `${question.label} has no choices.`
      : `The choices of ${question.label} could not be read: ${describeError(error)}`;
    if (!isUnknown && error === undefined && !question.isRequired) {
      prompts.inform(reason);
      return undefined;
    }
    prompts.warn(`${reason} Type a value instead.`);
    const typed = await prompts.text(
      message,
      (text) => text.trim() === "" && question.isRequired ? "This field is required." : undefined,
      present,
    );
    return typed.trim() === "" ? undefined : { typed: typed.trim() };
  }
  if (hasMore) {
    const setting = `--set ${question.path}=…`;
    prompts.warn(`Only the first ${choices.length} choices are listed. Pass another value with ${setting}.`);
  }
  const isKnown = present === "" || choices.some(({ key }) => String(key) === present);
  const all: Choice[] = isKnown ? [...choices] : [{ key: present, text: presentText || present }, ...choices];
  const columns = question.type === "reference" ? question.columns.length : 0;
  const picked = await prompts.search(message, [
    ...(question.isRequired ? [] : [{ value: "", label: "(empty)" }]),
    ...all.map((choice, i) => ({ value: String(i), label: describeChoice(choice, question, columns) })),
  ], present === "" ? "" : String(all.findIndex(({ key }) => String(key) === present)));
  return picked === "" ? undefined : all[Number(picked)];
}

/** Describes a choice by its text and further columns, and by its key if the text is not the key. */
function describeChoice({ key, text, row }: Choice, { query }: FormField | FormReference, columns: number): string {
  if (query === undefined) return text;
  const others = columns < 2
    ? []
    : query.columns.map(({ path }) => row?.[path]).filter((value) =>
      value !== undefined && value !== null && value !== "" && typeof value !== "object" && String(value) !== text
    ).map(String);
  const known = [...new Set(others.filter((other) => other !== String(key)))].slice(0, 3);
  return text === String(key) ? [text, ...known].join(", ") : `${[text, ...known].join(", ")} (${key})`;
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function askRecord(
  prompts: Prompts,
  form: Form,
  reference: FormReference,
  sources: QuestionSources,
  label: string,
): Promise<Form> {
  const { path, chosen: [current] } = reference;
  const present = String(current?.key ?? "");
  const choice = await askChoice(
    prompts,
    reference,
    sources,
    markRequired(label, reference),
    present,
    current?.text ?? "",
  );
  if (choice === undefined) return current === undefined ? form : form.reference(path).clear();
  if (!("key" in choice)) return form.reference(path).choose(await typeKeys(prompts, reference, label, choice.typed));
  return String(choice.key) === present ? form : form.reference(path).choose(choice);
}

/** Prompts for the other keys of a record whose first key was typed. */
async function typeKeys(
  prompts: Prompts,
  { keys: [first = "", ...others], keyKind }: FormReference,
  label: string,
  typed: string,
): Promise<JsonValue> {
  if (others.length === 0) return typed;
  const parsed = keyKind === undefined ? { value: typed } : parseInput({ kind: keyKind }, typed);
  const record: JsonObject = { [first]: "value" in parsed ? parsed.value : typed };
  for (const name of others) {
    const text = await prompts.text(
      `${label}: ${name}`,
      (text) => text.trim() === "" ? "This key is required." : undefined,
    );
    record[name] = text.trim();
  }
  return record;
}

async function askRecords(
  prompts: Prompts,
  form: Form,
  reference: FormReference,
  sources: QuestionSources,
  label: string,
): Promise<Form> {
  const { path, chosen, isRequired } = reference;
  const { choices, hasMore, error } = await sources.loadChoices(reference);
  if (error !== undefined) {
    const reason = `The choices of ${reference.label} could not be read: ${describeError(error)}`;
    if (reference.keys.length > 1) {
      prompts.warn(`${reason} Its records stay as they are.`);
      return form;
    }
    prompts.warn(`${reason} Type keys instead.`);
    const typed = await prompts.text(
      `${markRequired(label, reference)}: keys, separated by commas`,
      (text) => isRequired && text.trim() === "" ? "At least one is required." : undefined,
      chosen.map(({ key }) => String(key)).join(", "),
    );
    const keys = typed.split(",").map((key) => key.trim()).filter((key) => key !== "");
    return changeRecords(form, reference, keys.map((key) => ({ key, text: key })));
  }
  if (hasMore) prompts.warn(`Only the first ${choices.length} choices are listed.`);
  const others = chosen.filter((record) => !choices.some(({ key }) => String(key) === String(record.key)));
  const all = [...others, ...choices];
  if (all.length === 0 && !isRequired) {
    prompts.inform(`${reference.label} has no choices.`);
    return form;
  }
  const picked = await prompts.searchSeveral(
    markRequired(label, reference),
    all.map((choice, i) => ({ value: String(i), label: describeChoice(choice, reference, 2) })),
    all.flatMap(({ key }, i) => chosen.some((record) => String(record.key) === String(key)) ? [String(i)] : []),
    isRequired,
  );
  return changeRecords(form, { ...reference, path }, picked.flatMap((i) => all[Number(i)] ?? []));
}

function changeRecords(form: Form, { path, chosen }: FormReference, wanted: readonly Choice[]): Form {
  const isAmong = (list: readonly Choice[], { key }: Choice) => list.some((one) => String(one.key) === String(key));
  let changed = form;
  for (let i = chosen.length - 1; i >= 0; i--) {
    const record = chosen[i];
    if (record !== undefined && !isAmong(wanted, record)) changed = changed.reference(path).remove(i);
  }
  for (const choice of wanted) if (!isAmong(chosen, choice)) changed = changed.reference(path).add(choice);
  return changed;
}

async function askFile(
  prompts: Prompts,
  form: Form,
  field: FormAttachment,
  sources: QuestionSources,
  label: string,
): Promise<Form> {
  const { path, files, isRequired } = field;
  if (field.isMultiple) return await editFiles(prompts, form, field, sources, label);
  if (files.length > 0) {
    const answer = await prompts.menu(label, [
      { value: "keep", label: `Keep ${files.join(", ")}` },
      { value: "replace", label: "Choose another file" },
      ...(isRequired ? [] : [{ value: "remove", label: "Remove it" }]),
    ]);
    if (answer === "keep") return form;
    if (answer === "remove") return form.attach(path, null);
  }
  return await attachFile(prompts, form, field, sources, label) ?? form;
}

/** Prompts for files until the person is done. */
async function editFiles(
  prompts: Prompts,
  form: Form,
  field: FormAttachment,
  sources: QuestionSources,
  label: string,
): Promise<Form> {
  const { path } = field;
  let edited = form;
  for (let current: FormQuestion | undefined = field; current?.type === "attachment"; current = edited.find(path)) {
    sources.keepForm(edited);
    const { files, isRequired } = current;
    const canRemove = !isRequired || files.length > 1;
    const answer = files.length === 0 ? "add" : await prompts.choose(`${label}: ${pluralize(files.length, "file")}`, [
      { value: "done", label: `Keep ${files.join(", ")}` },
      { value: "add", label: "Add a file" },
      ...(canRemove ? files.map((name, i) => ({ value: String(i), label: `Remove ${name}` })) : []),
    ]);
    if (answer === "done") return edited;
    if (answer === "add") {
      const filled = await attachFile(prompts, edited, current, sources, label);
      if (filled === undefined && files.length === 0) return edited;
      edited = filled ?? edited;
    } else {
      edited = edited.detach(path, Number(answer));
    }
  }
  return edited;
}

/** Prompts for the path of a file. Returns undefined without one. */
async function attachFile(
  prompts: Prompts,
  form: Form,
  { path, files, isRequired }: FormAttachment,
  sources: QuestionSources,
  label: string,
): Promise<Form | undefined> {
  const isNeeded = isRequired && files.length === 0;
  let filled: Form | undefined;
  await prompts.text(`${label} (path of a file${isNeeded ? ", required" : ""})`, async (typed) => {
    filled = undefined;
    if (typed.trim() === "") return isNeeded ? "This field is required." : undefined;
    try {
      const file = await sources.openFile(typed.trim());
      filled = form.attach(path, { ID: sources.keepFile(file), name: file.name });
      return undefined;
    } catch (error) {
      if (error instanceof SvcError) return error.message;
      throw error;
    }
  });
  return filled;
}

/** Prompts for the rows of a list until the person is done. */
async function editRows(
  prompts: Prompts,
  form: Form,
  list: FormList,
  sources: QuestionSources,
  label: string,
): Promise<Form> {
  const { path } = list;
  let edited = form;
  for (;;) {
    sources.keepForm(edited);
    const current = edited.find(path);
    if (current?.type !== "list") return edited;
    const { rows, canAdd, noun, isRequired } = current;
    if (rows.length > 0) prompts.report(label, ...listRows(current, prompts.columns));
    const answer = await prompts.choose(`${label}: ${pluralize(rows.length, "row")}`, [
      { value: "done", label: "Continue" },
      ...(canAdd
        ? [{ value: "add", label: noun === "" || isSameText(noun, current.label) ? "Add a row" : `Add ${noun}` }]
        : []),
      ...rows.map((row, i) => ({ value: String(i), label: `Change ${i + 1}: ${describeRow(row)}` })),
    ]);
    if (answer === "done") {
      if (rows.length > 0 || !isRequired) return edited;
      prompts.warn(`${label}: At least one row is required.`);
    } else if (answer === "add") {
      edited = await editRow(prompts, edited.list(path).insert(), current, rows.length, sources, label);
    } else {
      edited = await changeRow(prompts, edited, current, Number(answer), sources, label);
    }
  }
}

function isSameText(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** Lists rows as a numbered table. */
function listRows({ rows, columns }: FormList, width: number): string[] {
  const cells = rows.map((row, i) => ({
    "#": i + 1,
    ...Object.fromEntries(columns.map(({ label, path }, column) => [label || path, row.cells[column] ?? ""])),
  }));
  const numeric = columns.filter(({ isNumeric }) => isNumeric).map(({ label, path }) => label || path);
  const table = toTable(cells, { color: false }, { numeric });
  if (!("text" in table)) return rows.map((row, i) => `${i + 1}  ${describeRow(row)}`);
  return table.text.trimEnd().split("\n").map((line) => truncateToWidth(line, width));
}

/** Prompts for what to do with a row. */
async function changeRow(
  prompts: Prompts,
  form: Form,
  list: FormList,
  index: number,
  sources: QuestionSources,
  label: string,
): Promise<Form> {
  const row = list.rows[index];
  if (row === undefined) return form;
  const answer = await prompts.menu(describeRow(row), [
    ...(row.canEdit ? [{ value: "edit", label: "Edit the row" }] : []),
    ...(row.canDelete ? [{ value: "remove", label: "Remove the row" }] : []),
    ...(list.canReorder && index > 0 ? [{ value: "up", label: "Move it up" }] : []),
    ...(list.canReorder && index < list.rows.length - 1 ? [{ value: "down", label: "Move it down" }] : []),
    { value: "back", label: "Keep it as it is" },
  ]);
  const changes = form.list(list.path);
  switch (answer) {
    case "edit":
      return await editRow(prompts, form, list, index, sources, label);
    case "remove":
      return changes.remove(index);
    case "up":
      return changes.move(index, index - 1);
    case "down":
      return changes.move(index, index + 1);
    default:
      return form;
  }
}

async function editRow(
  prompts: Prompts,
  form: Form,
  { path, rowAction }: FormList,
  index: number,
  sources: QuestionSources,
  label: string,
): Promise<Form> {
  const row = `${path}[${index}]`;
  const asked = new Set<string>();
  let edited = await sources.computeRow(form, row);
  for (;;) {
    const question = listRowQuestions(edited, path, index).find((one) =>
      !asked.has(one.path) && (one.type !== "attachment" || sources.acceptsFiles)
    );
    if (question === undefined) return rowAction === undefined ? edited : await sources.confirmRow(edited, row);
    asked.add(question.path);
    const answered = await askQuestion(prompts, edited, question, sources, `${label} ${index + 1}: ${question.label}`);
    const isChanged = JSON.stringify(answered.toSubmission()) !== JSON.stringify(edited.toSubmission());
    if (isChanged) sources.keepForm(answered);
    edited = isChanged ? await sources.computeRow(answered, row) : answered;
  }
}

function listRowQuestions(form: Form, path: string, index: number): FormQuestion[] {
  const list = form.find(path);
  const row = list?.type === "list" ? list.rows[index] : undefined;
  return listQuestions(row?.nodes ?? []).filter(({ isReadOnly, cannotFill }) =>
    !isReadOnly && cannotFill === undefined
  );
}
