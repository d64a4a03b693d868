/** Checks, converts and formats the values of form fields. */
import { isDate, isTimestamp, toUtc } from "../../utils/time/timestamps.ts";
import { ExactNumber, isExact } from "../../utils/exact_number.ts";
import { filterObjects, isJsonObject, isScalar, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { countCharacters, pluralize } from "../../utils/text/wording.ts";
import { formatTimestamp, formatValue, isEmptyValue } from "../view/format_value.ts";
import { findValue, type FormField } from "./form.ts";

/** Checks text as the value of a field. Returns the problem, or undefined if the text is valid. */
export function findProblem(field: FormField, typed: string): string | undefined {
  if (typed.trim() === "") return field.isRequired ? "This field is required." : undefined;
  const text = trimValue(field, typed);
  switch (field.kind) {
    case "integer":
      return /^-?\d+$/.test(text) ? findRangeProblem(field, text) : "Enter a whole number.";
    case "decimal":
      return /^-?\d+(\.\d+)?$/.test(text) ? findRangeProblem(field, text) : "Enter a number, e.g. 12.50.";
    case "date":
      return isDate(text) ? undefined : "Enter a date, e.g. 2026-01-31.";
    case "dateTime":
      return toTimestamp(text) === undefined ? "Enter a date and time, e.g. 2026-01-31 09:30." : undefined;
    default:
      return field.maxLength !== undefined && countCharacters(text) > field.maxLength
        ? `Enter at most ${pluralize(field.maxLength, "character")}.`
        : undefined;
  }
}

function findRangeProblem({ min = -Infinity, max = Infinity }: FormField, text: string): string | undefined {
  if (Number(text) < min) return `Enter ${min} or more.`;
  if (Number(text) > max) return `Enter ${max} or less.`;
  return undefined;
}

/** Converts valid text to the value to submit. An empty number or date clears the field. */
export function toFieldValue(field: FormField, typed: string): JsonValue {
  const text = trimValue(field, typed);
  if (text === "" && field.kind !== "text") return null;
  if (field.kind === "dateTime") return toTimestamp(text) ?? text;
  if (field.kind !== "integer" && field.kind !== "decimal") return text;
  const digits = text.replace(/^(-?)0+(?=\d)/, "$1"); // People type leading zeros, which JSON does not allow.
  return isExact(digits) ? Number(digits) : new ExactNumber(digits);
}

/** Converts a date and time, which is in local time if it has no zone. Returns undefined for invalid text. */
function toTimestamp(text: string): string | undefined {
  if (isTimestamp(text)) return text;
  const [, day = "", time] = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)$/.exec(text) ?? [];
  return isDate(day) ? toUtc(`${day}T${time}`) : undefined;
}

/** Returns the text with which the prompt for a field begins. */
export function toInputText({ kind }: FormField, value: JsonValue | undefined): string {
  if (!isScalar(value)) return "";
  return kind === "dateTime" ? formatTimestamp(String(value)) : String(value);
}

/** Removes spaces around a pasted number or date. The spaces of a text belong to it. */
function trimValue({ kind }: FormField, typed: string): string {
  return kind === "text" ? typed : typed.trim();
}

/** Formats the value of a field for display. */
export function formatFieldValue({ choices, kind }: FormField, value: JsonValue | undefined): string {
  if (isEmptyValue(value)) return "(empty)";
  if (Array.isArray(value)) return pluralize(value.length, "row");
  if (typeof value === "boolean" || isJsonObject(value)) return formatValue(value);
  if (kind === "dateTime") return formatTimestamp(String(value));
  return choices.find((choice) => choice.value === String(value))?.label ?? String(value);
}

/** Formats a row of a list on one line. The rows of a list in it are in parentheses. */
export function formatRow({ columns }: FormField, row: JsonObject): string {
  const values = columns.flatMap((column) => {
    const value = findValue(row, column.path);
    if (isEmptyValue(value)) return [];
    if (column.kind !== "list") return [formatFieldValue(column, value)];
    return [`(${filterObjects(value).map((inner) => formatRow(column, inner)).join("; ")})`];
  });
  return values.join(", ") || "(empty)";
}

/** Reports whether two values are the same. All empty values are. */
export function isSameValue(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return (isEmptyValue(a) && isEmptyValue(b)) || JSON.stringify(a) === JSON.stringify(b);
}

/**
 * Reports whether an issue is about a field, or about a row of a list. An issue names an embedded page and its member
 * separately.
 */
export function isAbout(issue: JsonObject, { path, kind }: FormField): boolean {
  const { erroneousInputOutputFieldInPage: page, erroneousInputOutputIdentifier: member } = issue;
  const target = `${page ?? ""}${member ?? ""}`;
  const own = path.map((name) => `.${name}`).join("");
  return target === own || (kind === "list" && target.startsWith(`${own}(`));
}

/** Describes an issue of a field, with the row and the column if it is about a row. */
export function describeIssue(issue: JsonObject, field?: FormField): string {
  const text = String(issue.localizedValue || issue.message);
  const [, row, name] = /\((\d+)\)(?:\.(\w+))?$/.exec(
    `${issue.erroneousInputOutputFieldInPage ?? ""}${issue.erroneousInputOutputIdentifier ?? ""}`,
  ) ?? [];
  if (row === undefined || field === undefined) return text;
  const column = field.columns.find(({ key }) => key === name)?.label ?? name;
  return `row ${row}${column === undefined ? "" : `, ${column}`}: ${text}`;
}
