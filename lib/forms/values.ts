/** Converts, compares and formats the values of fields. */
import { ExactNumber, isExact } from "../../utils/exact_number.ts";
import {
  filterObjects,
  isJsonObject,
  isNonEmptyString,
  isNumber,
  isScalar,
  type JsonObject,
  type JsonValue,
} from "../../utils/json.ts";
import { caseFold } from "../../utils/text/case_fold.ts";
import { countCharacters, pluralize } from "../../utils/text/wording.ts";
import { formatLocalTime, parseLocalTime } from "../../utils/time/local_time.ts";
import { parseTimestamp, truncateToMilliseconds } from "../../utils/time/parse_timestamp.ts";
import { isDate } from "../../utils/time/timestamps.ts";
import { htmlToText, textToHtml } from "./html.ts";
import type { FieldKind, FormField } from "./nodes.ts";

/** The kinds of fields whose values are numbers. */
export const NUMBER_KINDS: readonly FieldKind[] = ["integer", "decimal", "percentage", "currency"];

/** A typed value: the value to enter, or the problem with the text. */
export type ParsedValue = { readonly value: JsonValue } | { readonly problem: string };

/** The members of a field on which its values depend. */
export type ValueRules = Pick<FormField, "kind" | "maxLength" | "choices" | "keyKind" | "booleanLabels">;

/** Reports whether a value is missing or empty. `false` is a value. */
export function isEmptyValue(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

/** Converts a text that a person typed. The text may be empty. */
export function parseInput(
  { kind, maxLength, booleanLabels, choices, keyKind }: ValueRules,
  typed: string,
  timeZone?: string,
): ParsedValue {
  let text = kind === "text" || kind === "lines" || kind === "richText" ? typed : typed.trim();
  if (text === "") return { value: kind === "boolean" ? false : "" };
  switch (kind) {
    case "integer":
      return /^[-+]?\d+$/.test(text) ? { value: toNumber(text) } : { problem: "Enter a whole number." };
    case "decimal":
    case "percentage":
    case "currency":
      return /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text)
        ? { value: toNumber(text) }
        : { problem: "Enter a number, e.g. 12.50." };
    case "boolean": {
      const lower = text.toLowerCase();
      if ([booleanLabels?.true.toLowerCase(), "true", "yes", "1"].includes(lower)) return { value: true };
      if ([booleanLabels?.false.toLowerCase(), "false", "no", "0"].includes(lower)) return { value: false };
      return { problem: "Enter yes or no." };
    }
    case "date":
      return isDate(text) ? { value: text } : { problem: "Enter a date, e.g. 2026-01-31." };
    case "dateTime": {
      const value = parseLocalTime(text, timeZone);
      return value === undefined ? { problem: "Enter a date and time, e.g. 2026-01-31 09:30." } : { value };
    }
    case "time": {
      const [, hour, minute, second = "00"] = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text) ?? [];
      return hour === undefined
        ? { problem: "Enter a time, e.g. 09:30." }
        : { value: `${hour.padStart(2, "0")}:${minute}:${second}` };
    }
    case "phone":
      text = toDigits(text);
      if (!/^\+?\d+$/.test(text)) return { problem: "Enter a phone number, e.g. +4722000000." };
      break;
    case "choice":
    case "user": {
      const choice = choices?.find(({ key }) => String(key) === text) ??
        choices?.find((one) => caseFold(one.text) === caseFold(text));
      return choice === undefined ? { value: toKey(keyKind, text) } : { value: choice.key };
    }
  }
  if (maxLength !== undefined && countCharacters(text) > maxLength) {
    return { problem: `Enter at most ${pluralize(maxLength, "character")}.` };
  }
  return { value: kind === "richText" ? textToHtml(text) : text };
}

/** Converts a JSON value to the value of a field. */
export function toFieldValue(rules: ValueRules, value: JsonValue, timeZone?: string): ParsedValue {
  if (value === null) return { value: rules.kind === "boolean" ? false : "" };
  if (typeof value === "string") return parseInput(rules, value, timeZone);
  if (rules.kind === "boolean") {
    if (typeof value === "boolean") return { value };
  } else if (NUMBER_KINDS.includes(rules.kind)) {
    if (isNumber(value)) return rules.kind === "integer" ? parseInput(rules, String(value)) : { value };
  } else if (rules.kind === "choice" || rules.kind === "user") {
    if (isScalar(value)) return { value };
  } else if (isScalar(value)) return parseInput(rules, String(value), timeZone);
  return { problem: `${JSON.stringify(value)} is not a value for this field.` };
}

/** Reports whether two values of a field are the same. All empty values are. For a checkbox, `false` is empty. */
export function isSameValue(kind: FieldKind, a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return a === b || normalize(kind, a) === normalize(kind, b);
}

/** Formats a value for people; empty for a missing one. */
export function formatFieldValue(
  { kind, choices, booleanLabels, currency }: ValueRules & Pick<FormField, "currency">,
  value: JsonValue | undefined,
  timeZone?: string,
): string {
  if (kind === "boolean") {
    if (value === undefined || value === null) return "";
    return isTrueText(value) ? booleanLabels?.true || "Yes" : booleanLabels?.false || "No";
  }
  if (isEmptyValue(value) || value === undefined || value === null) return "";
  if (isJsonObject(value)) return nameObject(value);
  switch (kind) {
    case "choice":
    case "user":
      return choices?.find(({ key }) => String(key) === String(value))?.text ?? String(value);
    case "dateTime":
      return formatLocalTime(toIsoTime(String(value)), timeZone);
    case "time":
      return String(value).replace(/^(\d\d:\d\d):00(?:\.0+)?$/, "$1");
    case "percentage":
      return `${value} %`;
    case "currency":
      return [currency, formatAmount(String(value))].filter(isNonEmptyString).join(" ");
    case "richText":
      return htmlToText(String(value));
    default:
      return Array.isArray(value) ? value.filter(isScalar).map(String).join(", ") : String(value);
  }
}

/** Lists the files in the value of an attachment field, with the position of each, which starts at 0. */
export function listFiles(value: JsonValue | undefined): { readonly file: JsonObject; readonly position: number }[] {
  if (isJsonObject(value)) {
    const held = filterObjects(value.pxResults);
    return listFiles(held.length > 0 ? held : [value]);
  }
  return filterObjects(value).flatMap((page, position) => {
    const [held] = filterObjects(page.pxResults);
    const names = [page.ID, page.fileName, page.pyFileName, page.pyAttachName];
    const isFile = names.some(isNonEmptyString) || Number(page.pyCount ?? 0) > 0;
    return held !== undefined ? [{ file: held, position }] : isFile ? [{ file: page, position }] : [];
  });
}

/** Returns the name of a file for people. */
export function nameFile(file: JsonObject): string {
  const names = [file.fileName, file.pyFileName, file.pyAttachName, file.pyMemo, file.pyLabel, file.name, file.ID];
  return names.find(isNonEmptyString) ?? "File";
}

/** Returns the text with which a prompt for a value begins. */
export function toInputText({ kind }: ValueRules, value: JsonValue | undefined, timeZone?: string): string {
  if (!isScalar(value)) return "";
  if (kind === "dateTime") return formatLocalTime(toIsoTime(String(value)), timeZone);
  if (kind === "time") return formatFieldValue({ kind }, value);
  return kind === "richText" ? htmlToText(String(value)) : String(value);
}

/** Formats an amount with at least two decimals and groups of thousands. */
function formatAmount(digits: string): string {
  const [, sign, whole, fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(digits) ?? [];
  if (whole === undefined) return digits;
  return `${sign}${whole.replace(/\B(?=(?:\d{3})+$)/g, ",")}.${fraction.padEnd(2, "0")}`;
}

/** Returns the name of an object: of a user, a file or a record. */
function nameObject(value: { readonly [name: string]: JsonValue | undefined }): string {
  const names = ["userName", "pyUserName", "pyLabel", "pyAttachName", "fileName", "name", "pyFullName", "userId", "ID"];
  return names.map((name) => value[name]).find(isNonEmptyString) ?? "";
}

/** Converts a typed key to the type of the keys. */
export function toKey(kind: FieldKind | undefined, text: string): JsonValue {
  const parsed = kind === undefined ? undefined : parseInput({ kind }, text);
  return parsed !== undefined && "value" in parsed ? parsed.value : text;
}

function toNumber(text: string): JsonValue {
  // People type leading zeros and a plus sign, which JSON does not allow.
  const [, sign = "", whole = "", fraction = ""] = /^([-+]?)0*(\d*)(?:\.(\d*))?$/.exec(text) ?? [];
  const digits = `${sign === "-" ? "-" : ""}${whole || "0"}${fraction === "" ? "" : `.${fraction}`}`;
  return isExact(digits) ? Number(digits) : new ExactNumber(digits);
}

function normalize(kind: FieldKind, value: JsonValue | undefined): string {
  if (kind === "boolean") return String(value !== undefined && value !== null && isTrueText(value));
  if (isEmptyValue(value) || value === undefined || value === null) return "";
  if (kind === "user" && isJsonObject(value) && isNonEmptyString(value.userId)) return value.userId;
  if (typeof value === "object" && !isNumber(value)) return JSON.stringify(value);
  const text = String(value);
  if (kind === "dateTime") return toIsoTime(text);
  if (kind === "phone") return toDigits(text);
  if (kind === "time") return /^\d\d:\d\d$/.test(text) ? `${text}:00` : text;
  if (!NUMBER_KINDS.includes(kind) || !/^[-+]?\d*\.?\d*$/.test(text)) return text;
  const number = String(toNumber(text));
  return number.includes(".") ? number.replace(/\.?0+$/, "") : number;
}

function toDigits(phone: string): string {
  return phone.replaceAll(/[\s()./-]/g, "").replace(/^00/, "+");
}

function isTrueText(value: JsonValue): boolean {
  return value === true || String(value).toLowerCase() === "true";
}

function toIsoTime(text: string): string {
  const time = parseTimestamp(text);
  return time === undefined ? text : truncateToMilliseconds(time);
}
