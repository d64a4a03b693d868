/** A question about many rows, as data: callers know no query language, and no text of theirs becomes part of one. */
import type { SummaryFunction } from "../application/model/data_view.ts";

/** Source of rows. */
export type RowSource =
  | { readonly kind: "records"; readonly classId: string }
  | { readonly kind: "cases"; readonly typeIds: readonly string[] }
  | { readonly kind: "assignments" }
  | { readonly kind: "events" };

/** Properties of the rows of each source besides their content. */
export interface RowProperties {
  /** Data records. */
  records: "key" | "tag";
  /** Cases. */
  cases:
    | "id"
    | "businessId"
    | "typeId"
    | "parentId"
    | "status"
    | "urgency"
    | "stageId"
    | "createdBy"
    | "createdAt"
    | "updatedBy"
    | "updatedAt"
    | "tag";
  /** Open assignments; their content is their state. */
  assignments: "id" | "caseId" | "processId" | "stepId" | "urgency" | "createdAt" | "assignee.kind" | "assignee.id";
  /** Lines of a case's history; their content is their facts. */
  events: "caseId" | "at" | "by" | "kind" | "text";
}

/** A value of a row: one of its properties, or what its content holds at a path of member names. */
export type RowField = { readonly property: string } | { readonly content: readonly string[] };

/** All that can be asked of two values. */
export const COMPARATORS = ["EQ", "GT", "GTE", "LT", "LTE", "STARTS_WITH", "ENDS_WITH", "CONTAINS"] as const;

/** Comparison of two values. */
export type Comparator = typeof COMPARATORS[number];

/** A value to compare with. */
export type Operand = { readonly value: string | number | boolean } | { readonly field: RowField };

/** Which rows. A comparison with an absent value holds for no row, its negation for every such row. */
export type Filter =
  | { readonly and: readonly Filter[] }
  | { readonly or: readonly Filter[] }
  | { readonly not: Filter }
  | { readonly isNull: RowField }
  | { readonly in: readonly (string | number | boolean)[]; readonly field: RowField; readonly ignoreCase?: boolean }
  | {
    readonly left: RowField;
    readonly comparator: Comparator;
    readonly right: Operand;
    readonly ignoreCase?: boolean;
  };

/** A column of the answer. */
export interface Column {
  /** Name of the member. */
  readonly name: string;
  /** The value. */
  readonly field: RowField;
  /** Computes one value per group; the columns without one make the groups. */
  readonly summary?: SummaryFunction;
}

/** A question about rows. */
export interface RowQuery {
  /** Source of the rows. */
  readonly source: RowSource;
  /** Columns of the result. */
  readonly columns: readonly Column[];
  /** Condition. Default: all rows. */
  readonly filter?: Filter;
  /** Order, by names of columns. What is equal stays in the order of creation. */
  readonly sort?: readonly { readonly column: string; readonly descending: boolean }[];
  /** Leaves out rows that are equal to one before. */
  readonly distinct?: boolean;
}

/** The rows have more characters than their page may have. */
export class RowsTooLong extends Error {}

/** Which rows of an answer. */
export interface Page {
  /** Rows to pass over. */
  readonly offset: number;
  /** Rows at most. */
  readonly limit: number;
  /** Maximum characters of their JSON. Default: no limit. */
  readonly size?: number;
}
