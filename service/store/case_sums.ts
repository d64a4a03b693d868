/**
 * Sums of fields of cases that a store maintains as cases change, so that insights do not read all cases. A cell has the cases
 * of one type, status and stage with the same values in the fields that make groups.
 */
import { isPlainDecimal } from "../../utils/decimal.ts";
import { isJsonObject, isNumber, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { isCountedProperty, isCountedQuery, isGrouped, isSummarised, listFields } from "./counted_query.ts";
import type { Column, Page, RowField, RowQuery } from "./query.ts";

/** The path of a field in the content of a case. */
export type FieldPath = readonly string[];

/** Sums to maintain. */
export interface CaseSums {
  /** Names of the fields that make the groups. The type, the status and the stage of a case always do. */
  readonly groups: readonly string[];
  /** Fields whose values are counted and summed. */
  readonly fields: readonly FieldPath[];
  /** Fields among them whose least and greatest values are found. */
  readonly extremes: readonly FieldPath[];
}

/** The part of a case from which sums are computed. */
export interface SummedCase {
  readonly typeId: string;
  readonly status: string;
  readonly stageId: string;
  readonly content: JsonObject;
}

/** A value of a field in a sum. */
export interface SummedValue {
  /** The number to add, in decimal notation without an exponent. Undefined for any other value. */
  readonly number?: string;
  /** True for a value that cannot be added exactly: a text, a boolean, or a number with too many digits. */
  readonly isOther?: true;
  /** True for an object or an array. */
  readonly isNested?: true;
}

/** Lists the sums that queries need. Queries with the same groups share them. */
export function listSums(queries: readonly RowQuery[]): CaseSums[] {
  const needed = queries.map(describeSums).filter((sums) => sums !== undefined);
  return [...Map.groupBy(needed, ({ groups }) => JSON.stringify(groups)).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{
      groups: first.groups,
      fields: sortPaths([first, ...others].flatMap(({ fields }) => fields)),
      extremes: sortPaths([first, ...others].flatMap(({ extremes }) => extremes)),
    }]
  );
}

/** Returns the sums that serve a query. Returns undefined if no sums do, or if the counts of cases already serve it. */
function describeSums(query: RowQuery): CaseSums | undefined {
  if (!isSummarised(query) || isCountedQuery(query)) return undefined;
  const list = (isWanted: (summary: Column["summary"]) => boolean) =>
    sortPaths(
      query.columns.flatMap(({ field, summary }) => "content" in field && isWanted(summary) ? [field.content] : []),
    );
  const sums = {
    groups: list((summary) => summary === undefined).flatMap(([name]) => name ?? []),
    fields: list((summary) => summary !== undefined && summary !== "DISTINCT_COUNT"),
    extremes: list((summary) => summary === "MIN" || summary === "MAX"),
  };
  return canServe(sums, query) ? sums : undefined;
}

function sortPaths(paths: readonly FieldPath[]): FieldPath[] {
  const byText = new Map(paths.map((path) => [JSON.stringify(path), path]));
  return [...byText].toSorted(([a], [b]) => a < b ? -1 : 1).map(([, path]) => path);
}

/** Returns the first of several sums that contains all that a query needs. */
export function findSums<T extends CaseSums>(query: RowQuery, maintained: readonly T[]): T | undefined {
  return isGrouped(query) && !isCountedQuery(query) ? maintained.find((sums) => canServe(sums, query)) : undefined;
}

function canServe(sums: CaseSums, { source, columns, filter, cases }: RowQuery): boolean {
  const isGroup = (field: RowField) =>
    "property" in field
      ? isCountedProperty(field)
      : field.content.length === 1 && sums.groups.includes(field.content[0] ?? "");
  const isServed = ({ field, summary }: Column): boolean => {
    switch (summary) {
      case undefined:
      case "DISTINCT_COUNT":
        return isGroup(field);
      case "COUNT":
        return "property" in field ? field.property !== "parentId" : findField(sums.fields, field) >= 0;
      case "SUM":
      case "AVG":
        return findField(sums.fields, field) >= 0;
      case "MIN":
      case "MAX":
        return "property" in field ? isGroup(field) : findField(sums.extremes, field) >= 0;
    }
  };
  return source.kind === "cases" && columns.every(isServed) && listFields(filter, cases).every(isGroup);
}

/** Compiles the parts of a statement that reads sums of cases instead of the cases. */
export interface GroupCompiler {
  boundedRow(page: Page): string;
  countOthers(): string;
  body(): string;
}

/**
 * Compiles the statement for a page of groups in the order of some values. The column `doubt` is not 0 if the cases have to be
 * read instead: if values cannot be added exactly, or if groups have equal places in the order, which is then that of their
 * first cases. The column `cells` is 0 if there are no cases.
 */
export function selectGroups(
  compiler: GroupCompiler,
  page: Page,
  order: readonly { readonly value: string; readonly descending: boolean }[],
  limit: string,
): string {
  const places = order.map((_, index) => `place${index}`);
  const columns = [
    `${compiler.boundedRow(page)} AS row`,
    ...order.map(({ value }, index) => `${value} AS place${index}`),
    "COUNT(*) AS cells",
    `${compiler.countOthers()} AS others`,
  ];
  const partition = places.length > 0 ? `PARTITION BY ${places.join(", ")}` : "";
  const doubt = `SUM(others) OVER () + COUNT(*) OVER (${partition}) - 1`;
  const terms = order.map(({ descending }, index) => `place${index} ${descending ? "DESC NULLS LAST" : "NULLS FIRST"}`);
  return `SELECT row, cells, MAX(doubt) OVER () AS doubt FROM (
      SELECT *, ${doubt} AS doubt FROM (SELECT ${columns.join(", ")} FROM ${compiler.body()}) AS found
    ) AS checked ${terms.length > 0 ? `ORDER BY ${terms.join(", ")}` : ""} ${limit}`;
}

/** Reports whether the rows of `selectGroups` are right. `areMaintained` reports whether the database still has the sums. */
export async function areGroupsRight(
  [first]: readonly Readonly<Record<string, unknown>>[],
  areMaintained: () => Promise<boolean>,
): Promise<boolean> {
  const hasCells = first !== undefined && Number(first.cells) > 0;
  return hasCells ? Number(first.doubt) === 0 : await areMaintained(); // Another definition may have replaced them.
}

/** Returns the index of a field among others, or -1. */
export function findField(fields: readonly FieldPath[], field: RowField): number {
  if ("property" in field) return -1;
  const key = JSON.stringify(field.content);
  return fields.findIndex((path) => JSON.stringify(path) === key);
}

/** Returns the part of the content of a case that makes its group. */
export function pickGroup({ groups }: CaseSums, content: JsonObject): JsonObject {
  return Object.fromEntries(groups.filter((name) => Object.hasOwn(content, name)).map((name) => [name, content[name]]));
}

/** Reads the values of the summed fields of a case. */
export function readSummedValues({ fields }: CaseSums, content: JsonObject): SummedValue[] {
  return fields.map((path) => toSummedValue(readPath(content, path)));
}

function readPath(content: JsonObject, path: FieldPath): JsonValue | undefined {
  let value: JsonValue | undefined = content;
  for (const name of path) value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function toSummedValue(value: JsonValue | undefined): SummedValue {
  if (value === undefined || value === null) return {};
  if (isNumber(value) && isPlainDecimal(String(value))) return { number: String(value) };
  return { isOther: true, ...(typeof value === "object" && !isNumber(value) && { isNested: true }) };
}
