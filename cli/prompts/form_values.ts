/** What a person types as the value of a field, and what is wrong with it. */
import { isDate, isTimestamp } from "../../utils/time/timestamps.ts";
import { describeInexactNumber } from "../../utils/inexact_numbers.ts";
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import { countCharacters, pluralize } from "../../utils/text/wording.ts";
import type { FieldValue, FormField } from "./form.ts";

/** What is wrong with a text as the value of a field; undefined where nothing is. */
export function findFault(field: FormField, typed: string): string | undefined {
  if (typed.trim() === "") return "It is required.";
  const text = valueIn(field, typed);
  switch (field.kind) {
    case "integer":
      return /^-?\d+$/.test(text) ? unfit(field, text) : "Give a whole number.";
    case "decimal":
      return /^-?\d+(\.\d+)?$/.test(text) ? unfit(field, text) : "Give a number, e.g. 12.50.";
    case "date":
      return isDate(text) ? undefined : "Give a date, e.g. 2026-01-31.";
    case "dateTime":
      return isTimestamp(text) ? undefined : "Give a date and time with its zone, e.g. 2026-01-31T09:30:00Z.";
    default:
      return field.maxLength !== undefined && countCharacters(text) > field.maxLength
        ? `Give at most ${pluralize(field.maxLength, "character")}.`
        : undefined;
  }
}

function unfit({ min = -Infinity, max = Infinity }: FormField, text: string): string | undefined {
  if (Number(text) < min) return `Give ${min} or more.`;
  if (Number(text) > max) return `Give ${max} or less.`;
  return describeInexactNumber(text) === undefined
    ? undefined
    : "JSON numbers do not hold it exactly: give a shorter one.";
}

/** A text without faults as the value to submit. */
export function toFieldValue(field: FormField, typed: string): FieldValue {
  const text = valueIn(field, typed);
  return field.kind === "integer" || field.kind === "decimal" ? Number(text) : text;
}

/** A number or date that was pasted may have blanks around it, which nobody sees; those of a text are its own. */
function valueIn({ kind }: FormField, typed: string): string {
  return kind === "text" ? typed : typed.trim();
}

/** The value of a field as a person reads it. */
export function shownValue({ choices }: FormField, value: FieldValue): string {
  if (typeof value === "boolean") return value ? "Yes" : "No";
  return choices.find((choice) => choice.value === value)?.label ?? String(value);
}

/** Whether a finding of the service is about a field. Of a page's member it names the page and the member apart. */
export function isAbout(finding: JsonObject, { path }: FormField): boolean {
  const { erroneousInputOutputFieldInPage: page, erroneousInputOutputIdentifier: member } = finding;
  return `${page ?? ""}${member ?? ""}` === path.map((name) => `.${name}`).join("");
}

/** A finding of the service as a person reads it. */
export function shownFinding(finding: JsonObject, fields: readonly FormField[]): string {
  const field = fields.find((field) => isAbout(finding, field));
  return (field ? `${field.label}: ` : "") + (finding.localizedValue || finding.message);
}

/** The values of fields as an action takes them: its own as content, those of embedded pages as page instructions. */
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
