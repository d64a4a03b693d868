/** Checks and converts the values of form fields. */
import { isDate, isTimestamp } from "../../utils/time/timestamps.ts";
import { ExactNumber, isExact } from "../../utils/exact_number.ts";
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import { countCharacters, pluralize } from "../../utils/text/wording.ts";
import type { FieldValue, FormField } from "./form.ts";

/** Checks text as the value of a field. Returns the problem, or undefined if the text is valid. */
export function findProblem(field: FormField, typed: string): string | undefined {
  if (typed.trim() === "") return "It is required.";
  const text = trimValue(field, typed);
  switch (field.kind) {
    case "integer":
      return /^-?\d+$/.test(text) ? findRangeProblem(field, text) : "Enter a whole number.";
    case "decimal":
      return /^-?\d+(\.\d+)?$/.test(text) ? findRangeProblem(field, text) : "Enter a number, e.g. 12.50.";
    case "date":
      return isDate(text) ? undefined : "Enter a date, e.g. 2026-01-31.";
    case "dateTime":
      return isTimestamp(text) ? undefined : "Enter a date and time with a time zone, e.g. 2026-01-31T09:30:00Z.";
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

/** Converts valid text to the value to submit. */
export function toFieldValue(field: FormField, typed: string): FieldValue {
  const text = trimValue(field, typed);
  if (field.kind !== "integer" && field.kind !== "decimal") return text;
  const digits = text.replace(/^(-?)0+(?=\d)/, "$1"); // People type leading zeros, which JSON does not allow.
  return isExact(digits) ? Number(digits) : new ExactNumber(digits);
}

/** Removes spaces around a pasted number or date. The spaces of a text belong to it. */
function trimValue({ kind }: FormField, typed: string): string {
  return kind === "text" ? typed : typed.trim();
}

/** Formats the value of a field for display. */
export function formatValue({ choices }: FormField, value: FieldValue): string {
  if (typeof value === "boolean") return value ? "Yes" : "No";
  return choices.find((choice) => choice.value === String(value))?.label ?? String(value);
}

/** Reports whether an issue is about a field. An issue names an embedded page and its member separately. */
export function isAbout(issue: JsonObject, { path }: FormField): boolean {
  const { erroneousInputOutputFieldInPage: page, erroneousInputOutputIdentifier: member } = issue;
  return `${page ?? ""}${member ?? ""}` === path.map((name) => `.${name}`).join("");
}

/** Formats an issue for display. */
export function formatIssue(issue: JsonObject, fields: readonly FormField[]): string {
  const field = fields.find((field) => isAbout(issue, field));
  return (field ? `${field.label}: ` : "") + (issue.localizedValue || issue.message);
}

/** Converts values to a request: fields become content, those of embedded pages become page instructions. */
export function toSubmission(
  values: ReadonlyMap<FormField, FieldValue>,
): { data: JsonObject; pageInstructions?: JsonValue[] } {
  const pages = new Map<string, [string, FieldValue][]>();
  for (const [{ path }, value] of values) {
    const page = path.slice(0, -1).map((name) => `.${name}`).join("");
    pages.set(page, [...pages.get(page) ?? [], [path.at(-1) ?? "", value]]);
  }
  const data = Object.fromEntries(pages.get("") ?? []);
  pages.delete("");
  const pageInstructions = [...pages].map(([target, members]) => ({
    instruction: "UPDATE",
    target,
    content: Object.fromEntries(members),
  }));
  return pageInstructions.length === 0 ? { data } : { data, pageInstructions };
}
