/** The columns of a data view: what they hold, how they compare, and where the store has them. */
import type { Column, DataView, Field, FieldType } from "../definition/application.ts";
import { type Kind, kindOf } from "../definition/kinds.ts";
import { isDay } from "../../lib/calendar.ts";
import type { JsonValue } from "../../lib/json.ts";
import { ServiceError } from "../errors.ts";
import { millisecondOf, readTime } from "../moments.ts";
import type { RowField, SummaryFunction } from "../store/query.ts";

/** A value that can be compared. */
export type Scalar = string | number | boolean;

/** A column that a request has named. */
export interface NamedColumn {
  /** The name without a leading dot: the member of the answer's rows. */
  readonly name: string;
  /** The field. */
  readonly field: Field;
  /** Where the store has it. */
  readonly place: RowField;
}

/** A column by its name, which may be a path into embedded pages; 400 where there is none. */
export function columnOf(view: DataView, name: string): NamedColumn {
  const [head = "", ...rest] = name.replace(/^\./, "").split(".");
  const column = view.columns.get(head);
  if (!column) throw new ServiceError(400, `${view.id} has no field ${name}.`);
  let field = column.field;
  for (const member of rest) {
    const inner = field.type === "Page" ? field.embedded?.fields.get(member) : undefined;
    if (!inner) throw new ServiceError(400, `${view.id} has no field ${name}.`);
    field = inner;
  }
  return { name: [head, ...rest].join("."), field, place: placeOf(column, rest) };
}

/** All columns of a data view. */
export function columnsOf(view: DataView): NamedColumn[] {
  return [...view.columns.keys()].map((name) => columnOf(view, name));
}

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
  if (kind === "date") return isDay(value) ? value : undefined;
  return kind === "instant" ? toInstant(value) : value;
}

function toNumber(text: string): number | undefined {
  return /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : undefined;
}

/** A day is its first moment. */
function toInstant(text: string): string | undefined {
  const time = readTime(text);
  return time === undefined ? undefined : millisecondOf(time);
}

function placeOf(column: Column, rest: readonly string[]): RowField {
  if ("member" in column.place) return { property: column.place.member };
  return { content: [column.place.json, ...rest] };
}
