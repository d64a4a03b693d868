/** What values of fields can be compared with and summed up to. */
import { isDate } from "../../../utils/time/timestamps.ts";
import type { JsonValue } from "../../../utils/json.ts";
import { parseTimestamp, truncateToMilliseconds } from "../../../utils/time/parse_timestamp.ts";
import type { SummaryFunction } from "../../store/query.ts";
import type { FieldType } from "../model/application.ts";
import { type Kind, kindOf } from "../model/kinds.ts";

/** A value that can be compared. */
export type Scalar = string | number | boolean;

const NEEDS: { readonly [K in Kind]: string } = {
  text: "text",
  number: "a number",
  boolean: "true or false",
  date: "a date (YYYY-MM-DD)",
  instant: "a date and time",
  embedded: "a field that is not embedded",
};

/** What a value must be to be compared with those of a type, in words. */
export function neededFor(type: FieldType): string {
  return NEEDS[kindOf(type)];
}

/** Whether values of a type compare so: parts are of texts alone. */
export function comparesBy(type: FieldType, comparator: string): boolean {
  return kindOf(type) === "text" || !/^(NOT_)?(STARTS_WITH|ENDS_WITH|CONTAINS)$/.test(comparator);
}

/** What a summary needs instead of values of a type; nothing where it takes them. */
export function summaryNeeds(summary: SummaryFunction, type: FieldType): string | undefined {
  const kind = kindOf(type);
  if (summary === "SUM" || summary === "AVG") return kind === "number" ? undefined : "a number";
  if (summary !== "MIN" && summary !== "MAX") return undefined;
  return kind === "boolean" || kind === "embedded" ? "a number, a text or a time" : undefined;
}

/** A value as one of a type: numbers and switches may come as text. Nothing where it is none. */
export function toScalar(type: FieldType, value: JsonValue | undefined): Scalar | undefined {
  const kind = kindOf(type);
  if (typeof value === "string" && kind === "number") return toScalar(type, toNumber(value));
  if (typeof value === "string" && kind === "boolean") {
    return value === "true" ? true : value === "false" ? false : undefined;
  }
  if (kind === "number") {
    return typeof value === "number" && (type !== "Integer" || Number.isInteger(value)) ? value : undefined;
  }
  if (kind === "boolean") return typeof value === "boolean" ? value : undefined;
  if (kind === "embedded" || typeof value !== "string") return undefined;
  if (kind === "date") return isDate(value) ? value : undefined;
  return kind === "instant" ? toInstant(value) : value;
}

function toNumber(text: string): number | undefined {
  return /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : undefined;
}

/** A day is its first moment. */
function toInstant(text: string): string | undefined {
  const time = parseTimestamp(text);
  return time === undefined ? undefined : truncateToMilliseconds(time);
}
