/** Queries as data. Callers need no query language, and their texts never become part of one. */
import type { ExactNumber } from "../../utils/exact_number.ts";
import type { JsonObject } from "../../utils/json.ts";
import type { SummaryFunction } from "../application/model/data_view.ts";

/** Source of rows. */
export type RowSource =
  | { readonly kind: "records"; readonly classId: string }
  | { readonly kind: "cases"; readonly typeIds: readonly string[] }
  | { readonly kind: "assignments" }
  | { readonly kind: "events" }
  /** Rows that the query itself contains. Their members are their content. */
  | { readonly kind: "given"; readonly rows: readonly JsonObject[] };

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
  /** Open assignments; their content is their state. The last two are properties of their case. */
  assignments:
    | "id"
    | "caseId"
    | "processId"
    | "stepId"
    | "urgency"
    | "createdAt"
    | "assignee.kind"
    | "assignee.id"
    | "case.businessId"
    | "case.typeId";
  /** Lines of a case's history; their content is their facts. */
  events: "caseId" | "at" | "by" | "kind" | "text";
  /** Given rows. */
  given: never;
}

/** A value of a row: a property, the value at a path in its content, or its whole content as JSON text (an empty path). */
export type RowField = { readonly property: string } | { readonly content: readonly string[] };

/** The comparisons of two values. */
export const COMPARATORS = ["EQ", "GT", "GTE", "LT", "LTE", "STARTS_WITH", "ENDS_WITH", "CONTAINS"] as const;

/** Comparison of two values. */
export type Comparator = typeof COMPARATORS[number];

/** A value. The store compares the leading 15 digits of a number, and all digits of an integer below 2^63. */
export type Value = string | number | ExactNumber | boolean;

/** A value to compare with. */
export type Operand = { readonly value: Value } | { readonly field: RowField };

/** A condition on rows. A comparison with a missing value is false, and its negation is true. */
export type Filter =
  | { readonly and: readonly Filter[] }
  | { readonly or: readonly Filter[] }
  | { readonly not: Filter }
  | { readonly isNull: RowField }
  | { readonly in: readonly Value[]; readonly field: RowField; readonly ignoreCase?: boolean }
  | {
    readonly left: RowField;
    readonly comparator: Comparator;
    readonly right: Operand;
    readonly ignoreCase?: boolean;
  };

/** A column of the result. */
export interface Column {
  /** Name of the member. */
  readonly name: string;
  readonly field: RowField;
  /** Computes one value per group. The columns without a summary make the groups. */
  readonly summary?: SummaryFunction;
}

/** A query on rows. */
export interface RowQuery {
  readonly source: RowSource;
  readonly columns: readonly Column[];
  /** Condition. Default: all rows. */
  readonly filter?: Filter;
  /** Condition on the case of each row. Rows without a case do not meet it. Default: all cases. */
  readonly cases?: Filter;
  /** Order by names of columns. Equal rows have the order of their creation. */
  readonly sort?: readonly {
    readonly column: string;
    readonly descending: boolean;
    /** Sorts texts without regard to upper and lower case. */
    readonly ignoreCase?: boolean;
  }[];
  /** True to leave out equal rows. */
  readonly distinct?: boolean;
}

/** Thrown if the rows exceed the size of the page. */
export class RowsTooLong extends Error {}

/** Thrown if a query takes longer than its time limit. */
export class QueryTooSlow extends Error {}

/** A page of the rows. */
export interface Page {
  /** Number of rows to skip. */
  readonly offset: number;
  /** Maximum number of rows. A negative number sets no limit. */
  readonly limit: number;
  /** Maximum characters of their JSON. Default: no limit. */
  readonly size?: number;
}
