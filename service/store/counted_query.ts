/** Decides which queries can use the stored counts of cases. */
import type { Column, Filter, RowField, RowQuery } from "./query.ts";

/** Reports whether a query computes values per group. */
export function isSummarised({ columns }: RowQuery): boolean {
  return columns.some(({ summary }) => summary !== undefined);
}

/** Reports whether the rows of a query are groups. Distinct rows are groups by all columns. */
export function isGrouped(query: RowQuery): boolean {
  return isSummarised(query) || query.distinct === true;
}

/** The properties of cases by which the store counts them. */
const COUNTED_PROPERTIES: ReadonlySet<string> = new Set(["typeId", "status", "stageId"]);

/** Summaries that can be computed from the counts. */
const COUNTED_SUMMARIES: ReadonlySet<string | undefined> = new Set(["DISTINCT_COUNT", "MIN", "MAX", undefined]);

/** Reports whether the counts of cases contain all that a query needs. */
export function isCountedQuery({ source, columns, filter, cases }: RowQuery): boolean {
  const isCounted = ({ field, summary }: Column) =>
    "property" in field &&
    (summary === "COUNT"
      ? field.property !== "parentId"
      : COUNTED_SUMMARIES.has(summary) && COUNTED_PROPERTIES.has(field.property));
  return source.kind === "cases" && columns.every(isCounted) && listFields(filter, cases).every(isCountedProperty);
}

/** Reports whether a field is a property by which the store counts cases. */
export function isCountedProperty(field: RowField): boolean {
  return "property" in field && COUNTED_PROPERTIES.has(field.property);
}

/** Lists the fields that filters compare. */
export function listFields(...filters: readonly (Filter | undefined)[]): RowField[] {
  return filters.flatMap((filter): RowField[] => {
    if (filter === undefined) return [];
    if ("and" in filter) return listFields(...filter.and);
    if ("or" in filter) return listFields(...filter.or);
    if ("not" in filter) return listFields(filter.not);
    if ("isNull" in filter) return [filter.isNull];
    if ("in" in filter) return [filter.field];
    return "field" in filter.right ? [filter.left, filter.right.field] : [filter.left];
  });
}
