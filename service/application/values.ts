/** Values of fields: whether one fits, and how it is kept. */
import { isDate, isTimestamp, toUtc } from "../../utils/time/timestamps.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { countCharacters, truncate } from "../../utils/text/wording.ts";
import type { Field, FieldType } from "./model/application.ts";

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const PHONE = /^\+?[\d ()./-]{3,}$/;

/** The words for a value of each type, in the sentence `X is not a valid …`. */
const NAMES: Record<FieldType, string> = {
  Text: "text value",
  TextArea: "text value",
  Integer: "integer value",
  Decimal: "decimal value",
  Currency: "amount",
  Boolean: "true or false value",
  Date: "date (YYYY-MM-DD)",
  DateTime: "date and time (ISO 8601 with a time zone)",
  Dropdown: "choice",
  Email: "e-mail address",
  Phone: "phone number",
  Url: "URL",
  Page: "page (a JSON object)",
  List: "list (a JSON array of objects)",
};

/** Whether a value counts as none: a required field may not have it. */
export function isEmpty(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

/**
 * Why a value does not fit a field, as a sentence; nothing when it does. Null and empty text always fit: whether a value
 * is needed is the view's matter. The members of pages and rows are looked at by the caller.
 */
export function valueProblem(field: Field, value: JsonValue): string | undefined {
  if (value === null || value === "") return undefined;
  if (!hasType(field.type, value)) return `${shown(value)} is not a valid ${NAMES[field.type]}`;
  if (field.values !== undefined && typeof value === "string" && !field.values.includes(value)) {
    return `${value} is not one of ${field.values.join(", ")}`;
  }
  if (typeof value === "string" && field.maxLength !== undefined && countCharacters(value) > field.maxLength) {
    return `The text is longer than ${field.maxLength} characters`;
  }
  if (typeof value === "number") {
    if (field.min !== undefined && value < field.min) return `${value} is less than ${field.min}`;
    if (field.max !== undefined && value > field.max) return `${value} is more than ${field.max}`;
  }
  return undefined;
}

/** Whether a value is none for a field, so that content does not hold it: a query would take it for one. */
export function isNone({ type }: Field, value: JsonValue): boolean {
  return value === null || (value === "" && type !== "Text" && type !== "TextArea");
}

/** Puts a value that fits a field into content; one that is none leaves the field without. */
export function keepValue(field: Field, content: JsonObject, value: JsonValue): void {
  if (isNone(field, value)) delete content[field.name];
  else content[field.name] = keptValue(field, value);
}

/**
 * A value that fits a field, as content holds it: moments in UTC to the millisecond, those in pages and rows too. So two
 * texts are equal, and in order, as the moments are, and expressions can compare them with `now`.
 */
function keptValue(field: Field, value: JsonValue): JsonValue {
  const { type, embedded } = field;
  if (type === "DateTime" && typeof value === "string") return toUtc(value) ?? value;
  if (embedded === undefined) return value;
  if (Array.isArray(value)) return value.map((row) => keptValue(field, row));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]): [string, JsonValue | undefined][] => {
    const inner = embedded.fields.get(name);
    if (inner === undefined || member === undefined) return [[name, member]];
    return isNone(inner, member) ? [] : [[name, keptValue(inner, member)]];
  });
  return Object.fromEntries(members);
}

function hasType(type: FieldType, value: JsonValue): boolean {
  switch (type) {
    case "Integer":
      return Number.isSafeInteger(value);
    case "Decimal":
    case "Currency":
      return Number.isFinite(value); // JSON has numbers that are too large for one, e.g. 1e400.
    case "Boolean":
      return typeof value === "boolean";
    case "Page":
      return isJsonObject(value);
    case "List":
      return Array.isArray(value) && value.every(isJsonObject);
    default:
      return typeof value === "string" && isTextOf(type, value);
  }
}

function isTextOf(type: FieldType, value: string): boolean {
  switch (type) {
    case "Date":
      return isDate(value);
    case "DateTime":
      return isTimestamp(value);
    case "Email":
      return EMAIL.test(value);
    case "Phone":
      return PHONE.test(value);
    case "Url":
      return URL.canParse(value);
    default:
      return true;
  }
}

function shown(value: JsonValue): string {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return truncate(text, 60);
}
