/** Compiles the parts of a filter that are the same in every database. */
import type { Filter } from "./query.ts";

/** A filter without parts. */
export type Condition = Exclude<Filter, { and: unknown } | { or: unknown } | { not: unknown }>;

/**
 * Compiles a filter to an SQL expression. A comparison with a missing value is NULL. NULL counts as false in WHERE, where an
 * index can be used. Below NOT, it must be replaced by FALSE.
 */
export function compileFilter(filter: Filter, compile: (condition: Condition) => string, isNegated = false): string {
  const join = (filters: readonly Filter[], word: string, none: string) => {
    const parts = filters.map((part) => compileFilter(part, compile, isNegated));
    return parts.length === 0 ? none : `(${parts.join(word)})`;
  };
  if ("and" in filter) return join(filter.and, " AND ", "TRUE");
  if ("or" in filter) return join(filter.or, " OR ", "FALSE");
  if ("not" in filter) return `NOT ${compileFilter(filter.not, compile, true)}`;
  return isNegated ? `COALESCE(${compile(filter)}, FALSE)` : `(${compile(filter)})`;
}
