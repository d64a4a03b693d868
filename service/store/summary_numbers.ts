/** Numbers that summaries of rows return. All stores return the same digits. */
import { ExactNumber } from "../../utils/exact_number.ts";
import type { JsonObject } from "../../utils/json.ts";
import type { SummaryFunction } from "../application/model/data_view.ts";
import type { Column } from "./query.ts";

/** Returns an integer of at most 64 bits; undefined for any other number. */
export function toLong({ digits }: ExactNumber): bigint | undefined {
  const integer = /^-?\d{1,19}$/.test(digits) ? BigInt(digits) : undefined;
  return integer !== undefined && BigInt.asIntN(64, integer) === integer ? integer : undefined;
}

/** Rounds the computed numbers of a row. */
export function roundSummaries(columns: readonly Column[], row: JsonObject): JsonObject {
  for (const { name, summary } of columns) {
    const value = row[name];
    if (summary !== undefined && value instanceof ExactNumber) row[name] = roundSummary(summary, value);
  }
  return row;
}

/** Rounds a computed number to the nearest `number`, unless it is the least or greatest of integers of at most 64 bits. */
export function roundSummary(summary: SummaryFunction, value: ExactNumber): number | ExactNumber {
  if ((summary === "MIN" || summary === "MAX") && toLong(value) !== undefined) return value;
  const number = Number(value);
  return Number.isFinite(number) ? number : new ExactNumber(number > 0 ? "9e999" : "-9e999");
}
