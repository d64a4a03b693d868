/** Types of bodies whose members the compiler checks. Services accept more spellings, and check them themselves. */
import type { JsonObject, JsonValue } from "../../utils/json.ts";

/** Name of a field of a row. If the type of the rows is known: its members, members of these, and fields of the platform. */
export type FieldName<Row = JsonObject> =
  | (keyof Row & string)
  | `${keyof Row & string}.${string}`
  | `p${"x" | "y" | "z"}${string}`;

/** Comparator of a condition. */
export type QueryComparator =
  | "EQ"
  | "NEQ"
  | "GT"
  | "GTE"
  | "LT"
  | "LTE"
  | "IN"
  | "NOT_IN"
  | "STARTS_WITH"
  | "NOT_STARTS_WITH"
  | "ENDS_WITH"
  | "NOT_ENDS_WITH"
  | "CONTAINS"
  | "NOT_CONTAINS"
  | "IS_NULL"
  | "IS_NOT_NULL"
  | "IS_TRUE"
  | "IS_FALSE";

/** Function that computes one value of many rows. */
export type SummaryFunction = "COUNT" | "DISTINCT_COUNT" | "MIN" | "MAX" | "SUM" | "AVG";

/** A condition of a filter. */
export interface QueryCondition<Row = JsonObject> {
  /** Field to compare. */
  lhs: { field: FieldName<Row> };
  /** Comparator. */
  comparator: QueryComparator;
  /** Value, values or field to compare with. `IS_…` takes none. */
  rhs?: { value: JsonValue } | { values: JsonValue[] } | { field: FieldName<Row> };
  /** True to ignore upper and lower case. */
  ignoreCase?: boolean;
}

/** Which rows of a data view to return, and what of them. */
export interface DataQuery<Row = JsonObject> {
  /** Fields and aggregations to return (default: all fields). */
  select?: (FieldName<Row> | { field: FieldName<Row> } | { aggregation: string } | { calculation: string })[];
  /** Conditions by name, and how they are combined, e.g. `F1 AND (F2 OR NOT F3)` (default: all must hold). */
  filter?: { filterConditions: Record<string, QueryCondition<Row>>; logic?: string };
  /** Order of the rows. The default type is `ASC`. */
  sortBy?: { field: FieldName<Row>; type?: "ASC" | "DESC" }[];
  /** Summaries by the name of their column. */
  aggregations?: Record<string, { field: FieldName<Row>; summaryFunction: SummaryFunction }>;
  /** Expressions by the name of their column, for services that compute them. */
  calculations?: JsonObject;
  /** True to return equal rows once. */
  distinctResultsOnly?: boolean;
}

/** The whole body of a request to a data view. */
export interface DataRequestBody<Row = JsonObject> {
  /** Parameters of the data view. */
  dataViewParameters?: JsonObject | [JsonObject];
  /** Which rows to return, and what of them. */
  query?: DataQuery<Row>;
  /** Page of the rows: `pageNumber` and `pageSize`, or `maxResultsToFetch`. */
  paging?: { pageNumber?: number; pageSize?: number; maxResultsToFetch?: number; includeTotalCount?: boolean };
  /** True to count all matching rows. */
  includeTotalCount?: boolean;
  /** Largest count, for services that limit it. */
  includeTotalCountLimit?: number;
  /** True for a longer time limit of the query, for services that have one. */
  useExtendedTimeout?: boolean;
}

/** An attachment to add: an uploaded file, or a link. */
export type NewAttachment = NewFile | NewLink;

/** An uploaded file to attach. */
export interface NewFile {
  /** Kind of attachment. */
  type: "File";
  /** Category ID, e.g. `File`. */
  category: string;
  /** ID that `attachments.upload` returned. */
  ID: string;
  /** Display name (default: the name of the file). */
  name?: string;
}

/** A link to attach. */
export interface NewLink {
  /** Kind of attachment. */
  type: "URL";
  /** Category ID, e.g. `URL`. */
  category: string;
  /** Display name. */
  name: string;
  /** Address. */
  url: string;
}

/** The types of bodies, by name. */
export interface BodyTypes<Row> {
  /** Body of a request to a data view. */
  dataRequest: DataRequestBody<Row>;
  /** Attachments to add to a case. */
  newAttachments: NewAttachment[];
}
