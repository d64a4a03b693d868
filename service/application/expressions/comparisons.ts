/** Comparisons and summaries of the values of fields. */
import { isDate } from "../../../utils/time/timestamps.ts";
import { ExactNumber, isExact } from "../../../utils/exact_number.ts";
import { isNumber, type JsonValue } from "../../../utils/json.ts";
import { parseTimestamp, truncateToMilliseconds } from "../../../utils/time/parse_timestamp.ts";
import type { SummaryFunction } from "../model/data_view.ts";
import { type FieldType, VALUE_KINDS, type ValueKind } from "../model/field.ts";

/** A value that can be compared. */
export type Scalar = string | number | ExactNumber | boolean;

const OPERANDS: { readonly [K in ValueKind]: string } = {
  text: "text",
  number: "a number",
  boolean: "true or false",
  date: "a date (YYYY-MM-DD)",
  instant: "a date and time",
  embedded: "a field that is not embedded",
};

/** Describes the values that can be compared with a field of a type. */
export function describeOperand(type: FieldType): string {
  return OPERANDS[VALUE_KINDS[type]];
}

/** Reports whether a comparator applies to a type. Only texts have parts to compare. */
export function supportsComparator(type: FieldType, comparator: string): boolean {
  return VALUE_KINDS[type] === "text" || !/^(NOT_)?(STARTS_WITH|ENDS_WITH|CONTAINS)$/.test(comparator);
}

/** Describes what a function needs instead of values of a type. Returns undefined if it applies to the type. */
export function checkSummary(summary: SummaryFunction, type: FieldType): string | undefined {
  const kind = VALUE_KINDS[type];
  if (summary === "SUM" || summary === "AVG") return kind === "number" ? undefined : "a number";
  if (summary !== "MIN" && summary !== "MAX") return undefined;
  return kind === "boolean" || kind === "embedded" ? "a number, a text or a time" : undefined;
}

/** Converts a value to a type. Numbers and booleans may be texts. Returns undefined if it does not fit. */
export function toScalar(type: FieldType, value: JsonValue | undefined): Scalar | undefined {
  const kind: ValueKind = VALUE_KINDS[type];
  if (typeof value === "string" && kind === "number") return toScalar(type, toNumber(value));
  if (typeof value === "string" && kind === "boolean") {
    return value === "true" ? true : value === "false" ? false : undefined;
  }
  if (kind === "number") {
    return isNumber(value) && (type !== "Integer" || isInteger(value)) ? value : undefined;
  }
  if (kind === "boolean") return typeof value === "boolean" ? value : undefined;
  if (kind === "embedded" || typeof value !== "string") return undefined;
  if (kind === "date") return isDate(value) ? value : undefined;
  return kind === "instant" ? toInstant(value) : value;
}

/** Reports whether a number has no decimal places. */
export function isInteger(value: number | ExactNumber): boolean {
  return value instanceof ExactNumber ? /^-?\d+$/.test(value.digits) : Number.isInteger(value);
}

function toNumber(text: string): number | ExactNumber | undefined {
  const [, sign = "", digits] = /^([+-]?)0*(\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/i.exec(text.trim()) ?? [];
  if (digits === undefined) return undefined;
  const number = (sign === "-" ? sign : "") + digits;
  return isExact(number) ? Number(number) : new ExactNumber(number);
}

/** Converts a timestamp, or a date to the start of its day. */
function toInstant(text: string): string | undefined {
  const time = parseTimestamp(text);
  return time === undefined ? undefined : truncateToMilliseconds(time);
}
