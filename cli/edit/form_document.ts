/** The fields of a form as a YAML document for an editor. */
import { LineCounter, parseDocument, visit } from "yaml";
import { SvcError } from "../../lib/errors.ts";
import { type FieldKind, type Form, type FormQuestion, listQuestions } from "../../lib/forms/mod.ts";
import { toYaml } from "../../lib/output/yaml.ts";
import { ExactNumber, isExact } from "../../utils/exact_number.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { escapeToOneLine } from "../../utils/text/control_characters.ts";
import { didYouMean } from "../../utils/text/did_you_mean.ts";

const KINDS: { readonly [K in FieldKind]: string } = {
  text: "text",
  lines: "text",
  richText: "text or HTML",
  integer: "whole number",
  decimal: "number",
  percentage: "number",
  currency: "number",
  boolean: "true or false",
  date: "date, e.g. 2026-01-31",
  dateTime: "date and time, e.g. 2026-01-31T09:30:00Z",
  time: "time, e.g. 09:30",
  phone: "phone number, e.g. +4722000000",
  email: "e-mail address",
  url: "address",
  choice: "one of",
  user: "operator ID",
};

/** Comments of a document besides those that describe its fields. */
export interface Remarks {
  /** Lines at the top. */
  readonly top: readonly string[];
  /** Lines above a field, by the name of its member. */
  readonly above?: ReadonlyMap<string, readonly string[]>;
}

/** Returns the values that can be edited, by name: pages with their members, and lists with the columns of their rows. */
export function readEditable(form: Form): JsonObject {
  return collect(form.questions, "");
}

function collect(questions: readonly FormQuestion[], base: string): JsonObject {
  const content: JsonObject = {};
  for (const question of questions) {
    if (question.type === "attachment" || question.isReadOnly || question.cannotFill !== undefined) continue;
    const names = question.path.slice(base.length).replace(/^\./, "").split(".");
    const last = names.pop() ?? "";
    let holder = content;
    for (const name of names) {
      const inner = holder[name];
      const next: JsonObject = isJsonObject(inner) ? inner : {};
      holder[name] = next;
      holder = next;
    }
    holder[last] = readValue(question);
  }
  return content;
}

function readValue(question: Exclude<FormQuestion, { type: "attachment" }>): JsonValue {
  switch (question.type) {
    case "field":
      return question.value ?? null;
    case "list":
      return question.rows.map(({ nodes, path }) => collect(listQuestions(nodes), path));
    case "reference": {
      const keys = question.chosen.map(({ key, row = {} }) =>
        Object.fromEntries(question.keys.map((name) => [name, row[name] ?? key]))
      );
      return question.mode === "multiple" ? keys : keys[0] ?? null;
    }
  }
}

/** Writes a document: each field with a comment about its values. */
export function writeDocument(form: Form, content: JsonObject, { top, above }: Remarks): string {
  const questions = Map.groupBy(
    form.questions.filter(({ type }) => type !== "attachment"),
    ({ path }) => path.split(".")[0] ?? "",
  );
  const parts = [...questions].map(([name, members]) => [
    ...(above?.get(name) ?? []).map((line) => `# ${escapeToOneLine(line)}\n`),
    ...members.map((question) => `# ${escapeToOneLine(describeQuestion(question))}\n`),
    toYaml({ [name]: content[name] ?? null }),
  ]);
  const head = top.map((line) => `# ${escapeToOneLine(line)}\n`).join("");
  return [head, ...parts.map((lines) => lines.join(""))].join("\n");
}

function describeQuestion(question: FormQuestion): string {
  const rules = [
    describeKind(question),
    question.isRequired && "required",
    question.type === "field" && question.maxLength !== undefined && `up to ${question.maxLength} characters`,
  ].filter((rule) => typeof rule === "string");
  return `${question.label} (${rules.join("; ")})`;
}

function describeKind(question: FormQuestion): string {
  switch (question.type) {
    case "field":
      if (question.choices === undefined) {
        return question.query === undefined ? KINDS[question.kind] : `a value of ${question.query.dataView}`;
      }
      return `${KINDS.choice} ${question.choices.map(({ key }) => key).join(", ")}`;
    case "list":
      return `rows with ${question.newRow.flatMap((node) => listQuestions([node])).map(nameColumn).join(", ")}`;
    case "reference":
      return `${question.mode === "multiple" ? "records" : "a record"} of ${question.query?.dataView ?? "the form"}`;
    case "attachment":
      return "file";
  }
}

function nameColumn({ path }: FormQuestion): string {
  return path.replace(/^.*\]\./, "");
}

/** Reads a document. A missing member is not changed. Throws `INVALID_ARGS` for one that is not a field of the form. */
export function readDocument(text: string, form: Form): JsonObject {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) {
    throw new SvcError("INVALID_ARGS", `Line ${lines.linePos(error.pos[0]).line}: ${error.message}`, { cause: error });
  }
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === "number" && node.source !== undefined && !isExact(node.source)) {
        node.value = new ExactNumber(node.source);
      }
    },
  });
  const content: unknown = document.toJS({ maxAliasCount: 0 }) ?? {};
  if (!isJsonObject(content)) throw new SvcError("INVALID_ARGS", "The text is not a list of fields such as 'Fee: 3'.");
  const known = new Set(form.questions.map(({ path }) => path.split(".")[0] ?? ""));
  const unknown = Object.keys(content).find((name) => !known.has(name));
  if (unknown === undefined) return content;
  throw new SvcError(
    "INVALID_ARGS",
    `'${unknown}' is not a field of this form. ${didYouMean(unknown, [...known], (name) => `'${name}'`)}`
      .trim(),
  );
}

/** A changed field. */
export interface DocumentChange {
  /** Name of the member of the content. */
  readonly name: string;
  readonly before: JsonValue;
  readonly after: JsonValue;
}

/** Compares two readings of documents of the same form. */
export function compare(before: JsonObject, after: JsonObject): DocumentChange[] {
  return Object.entries(after).flatMap(([name, value = null]) => {
    const earlier = before[name] ?? null;
    return JSON.stringify(earlier) === JSON.stringify(value) ? [] : [{ name, before: earlier, after: value }];
  });
}

/** Formats a change for display, e.g. `Applicant: Ada → Bob`. */
export function formatChange({ name, before, after }: DocumentChange): string {
  return `${name}: ${formatValue(before)} → ${formatValue(after)}`;
}

function formatValue(value: JsonValue): string {
  if (value === null || value === "") return "(empty)";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
