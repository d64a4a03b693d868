/** The fields of a form as a YAML document for an editor. */
import { LineCounter, parseDocument, visit } from "yaml";
import { toYaml } from "../../lib/output/yaml.ts";
import { SvcError } from "../../lib/errors.ts";
import { ExactNumber, isExact } from "../../utils/exact_number.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { mapValues } from "../../utils/map_values.ts";
import { escapeToOneLine } from "../../utils/text/control_characters.ts";
import { didYouMean } from "../../utils/text/did_you_mean.ts";
import type { FieldKind, FormField } from "../prompts/form.ts";

const KINDS: { readonly [K in FieldKind]: string } = {
  text: "text",
  integer: "whole number",
  decimal: "number",
  boolean: "true or false",
  date: "date, e.g. 2026-01-31",
  dateTime: "date and time, e.g. 2026-01-31T09:30:00Z",
  choice: "one of",
  list: "rows",
  attachment: "file",
  other: "JSON",
};

/** The fields that a document contains, by the name of their member in the content. */
export type EditableFields = ReadonlyMap<string, readonly FormField[]>;

/** Groups the fields that can be edited: those of an embedded page stand together. */
export function groupFields(fields: readonly FormField[]): EditableFields {
  const editable = fields.filter(({ isReadOnly, kind }) => !isReadOnly && kind !== "attachment");
  return Map.groupBy(editable, ({ path: [name = ""] }) => name);
}

/** Comments of a document besides those that describe its fields. */
export interface Remarks {
  /** Lines at the top. */
  readonly top: readonly string[];
  /** Lines above a field, by the name of its member. */
  readonly above?: ReadonlyMap<string, readonly string[]>;
}

/** Writes a document: each field with a comment about its values. */
export function writeDocument(fields: EditableFields, content: JsonObject, { top, above }: Remarks): string {
  const parts = [...fields].map(([name, members]) => [
    ...(above?.get(name) ?? []).map((line) => `# ${escapeToOneLine(line)}\n`),
    ...members.map((field) => `# ${escapeToOneLine(describeField(field))}\n`),
    toYaml({ [name]: withoutClasses(content[name] ?? null) }),
  ]);
  const head = top.map((line) => `# ${escapeToOneLine(line)}\n`).join("");
  return [head, ...parts.map((lines) => lines.join(""))].join("\n");
}

function describeField({ label, kind, choices, isRequired, min, max, maxLength, columns }: FormField): string {
  const rules = [
    kind === "choice"
      ? `${KINDS.choice} ${choices.map(({ value }) => value).join(", ") || "the values of the service"}`
      : KINDS[kind],
    columns.length > 0 && `with ${columns.map((column) => column.path.at(-1)).join(", ")}`,
    isRequired && "required",
    min !== undefined && `at least ${min}`,
    max !== undefined && `at most ${max}`,
    maxLength !== undefined && `up to ${maxLength} characters`,
  ].filter((rule) => typeof rule === "string");
  return `${label} (${rules.join("; ")})`;
}

/** Removes the classes of pages and rows, which cannot be edited. */
function withoutClasses(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutClasses);
  if (!isJsonObject(value)) return value;
  const { classID: _, ...members } = value;
  return mapValues(members, (member) => member === undefined ? undefined : withoutClasses(member));
}

/** Reads a document. A missing member is not changed. Throws `INVALID_ARGS` for one that is not a field of the form. */
export function readDocument(text: string, fields: EditableFields): JsonObject {
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
  const unknown = Object.keys(content).find((name) => !fields.has(name));
  if (unknown === undefined) return content;
  throw new SvcError(
    "INVALID_ARGS",
    `'${unknown}' is not a field of this form. ${didYouMean(unknown, [...fields.keys()], (name) => `'${name}'`)}`
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
