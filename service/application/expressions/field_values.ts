/** Values of fields: which values fit, and how content stores them. */
import { isDate, isTimestamp, toUtc } from "../../../utils/time/timestamps.ts";
import { isJsonObject, isNumber, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { mapValues } from "../../../utils/map_values.ts";
import { countCharacters, truncate } from "../../../utils/text/wording.ts";
import { type Field, type FieldType, isGroupIndex } from "../model/field.ts";
import { isInteger } from "./comparisons.ts";

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/;
const PHONE = /^\+?[\d ()./-]{3,}$/;

/** Describes a value of each type in the sentence `X is not a valid …`. */
const NAMES: Record<FieldType, string> = {
  Text: "text value",
  TextArea: "text value",
  RichText: "text value",
  Integer: "integer value",
  Decimal: "decimal value",
  Currency: "amount",
  Percentage: "percentage",
  Boolean: "true or false value",
  Date: "date (YYYY-MM-DD)",
  DateTime: "date and time (ISO 8601 with a time zone)",
  Time: "time of day (HH:MM:SS)",
  Dropdown: "choice",
  Email: "e-mail address",
  Phone: "phone number",
  Url: "URL",
  UserReference: "operator ID",
  Page: "page (a JSON object)",
  List: "list (a JSON array of objects)",
  PageGroup: "page group (a JSON object whose members are objects)",
  Attachment: "attachment (a JSON object)",
};

/** Reports whether a value is empty. A required field needs a value that is not. */
export function isEmpty(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

/** The type of a field, and what limits its values. */
export type FieldLimits = Pick<Field, "type" | "values" | "maxLength" | "min" | "max">;

/**
 * Describes why a value does not fit a field. Returns undefined if it fits. Null and empty text always fit, because the
 * view decides whether a value is required. The caller checks the members of pages and rows.
 */
export function checkFieldValue(field: FieldLimits, value: JsonValue): string | undefined {
  if (value === null || value === "") return undefined;
  if (!hasType(field.type, value)) return `${format(value)} is not a valid ${NAMES[field.type]}`;
  if (field.values !== undefined && typeof value === "string" && !field.values.includes(value)) {
    return `${value} is not one of ${field.values.join(", ")}`;
  }
  if (typeof value === "string" && field.maxLength !== undefined && countCharacters(value) > field.maxLength) {
    return `The text is longer than ${field.maxLength} characters`;
  }
  if (isNumber(value)) {
    if (field.min !== undefined && Number(value) < field.min) return `${value} is less than ${field.min}`;
    if (field.max !== undefined && Number(value) > field.max) return `${value} is more than ${field.max}`;
  }
  return undefined;
}

/** Reports whether content leaves a field out when it has this value. Stored, a query would take it for a value. */
export function isAbsent({ type }: Field, value: JsonValue): boolean {
  return value === null || (value === "" && type !== "Text" && type !== "TextArea" && type !== "RichText");
}

/** Stores a value that fits a field in content, or removes the field if the value is absent. */
export function setFieldValue(content: JsonObject, field: Field, value: JsonValue): void {
  if (isAbsent(field, value)) delete content[field.name];
  else content[field.name] = normalize(field, value);
}

/**
 * Converts timestamps to UTC with milliseconds, in pages and rows too. Then equal times are equal texts, texts sort by
 * time, and expressions can compare them with `now`. Adds the seconds to a time of day.
 */
function normalize(field: Field, value: JsonValue): JsonValue {
  const { type, embedded } = field;
  if (type === "DateTime" && typeof value === "string") return toUtc(value) ?? value;
  if (type === "Time" && typeof value === "string" && value.length === 5) return `${value}:00`;
  if (embedded === undefined) return value;
  return mapPages(field, value, (page) => normalizePage(page, embedded.fields));
}

/**
 * Maps the pages of a field's value: a single page, the rows of a list, or the pages of a page group. The place of a page
 * in the value is e.g. `(1)` in a list, `(Kitchen)` in a page group, and empty for a single page.
 */
export function mapPages(
  { type }: { readonly type: FieldType },
  value: JsonValue,
  map: (page: JsonObject, place: string) => JsonValue,
): JsonValue {
  const mapPage = (page: JsonValue = null, place = "") => isJsonObject(page) ? map(page, place) : page;
  if (Array.isArray(value)) return value.map((row, index) => mapPage(row, `(${index + 1})`));
  if (type !== "PageGroup" || !isJsonObject(value)) return mapPage(value);
  return mapValues(value, (page, index) => mapPage(page, `(${index})`));
}

function normalizePage(page: JsonObject, fields: ReadonlyMap<string, Field>): JsonObject {
  const members = Object.entries(page).flatMap(([name, member]): [string, JsonValue | undefined][] => {
    const inner = fields.get(name);
    if (inner === undefined || member === undefined) return [[name, member]];
    return isAbsent(inner, member) ? [] : [[name, normalize(inner, member)]];
  });
  return Object.fromEntries(members);
}

function hasType(type: FieldType, value: JsonValue): boolean {
  switch (type) {
    case "Integer":
      return isNumber(value) && isInteger(value);
    case "Decimal":
    case "Currency":
    case "Percentage":
      return isNumber(value) && Number.isFinite(Number(value)); // Bounds cannot be checked for 1e400.
    case "Boolean":
      return typeof value === "boolean";
    case "Page":
    case "Attachment":
      return isJsonObject(value);
    case "List":
      return Array.isArray(value) && value.every(isJsonObject);
    case "PageGroup":
      return isJsonObject(value) && Object.keys(value).every(isGroupIndex) && Object.values(value).every(isJsonObject);
    default:
      return typeof value === "string" && hasFormat(type, value);
  }
}

function hasFormat(type: FieldType, value: string): boolean {
  switch (type) {
    case "Date":
      return isDate(value);
    case "DateTime":
      return isTimestamp(value);
    case "Time":
      return TIME.test(value);
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

function format(value: JsonValue): string {
  return truncate(typeof value === "object" ? JSON.stringify(value) : String(value), 60);
}
