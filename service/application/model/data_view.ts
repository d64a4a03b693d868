/** Data types, and the data views over records, cases, history, assignments and computed rows. */
import type { JsonObject } from "../../../utils/json.ts";
import type { CaseType } from "./case_type.ts";
import type { Field, View } from "./field.ts";

/** The comparators of conditions on rows. */
export const CONDITION_COMPARATORS = [
  "EQ",
  "NEQ",
  "GT",
  "GTE",
  "LT",
  "LTE",
  "CONTAINS",
  "NOT_CONTAINS",
  "STARTS_WITH",
  "NOT_STARTS_WITH",
  "ENDS_WITH",
  "NOT_ENDS_WITH",
] as const;

/** The functions that compute one value from the rows of a group. */
export const SUMMARY_FUNCTIONS = ["COUNT", "DISTINCT_COUNT", "MIN", "MAX", "SUM", "AVG"] as const;

/** A function that computes one value from the rows of a group. */
export type SummaryFunction = typeof SUMMARY_FUNCTIONS[number];

/** The types of the parameters of data views. */
export const PARAMETER_TYPES = ["Text", "Integer", "Decimal", "Boolean", "Date", "DateTime"] as const;

/** The sources whose rows the service computes for each request. Only the data views of every application have them. */
export const COMPUTED_SOURCES = [
  "attachments",
  "attachment",
  "operators",
  "operator",
  "operatorProfile",
  "creatableTypes",
  "callingCodes",
  "bootstrap",
] as const;

/** A source whose rows the service computes. */
export type ComputedSource = typeof COMPUTED_SOURCES[number];

/** Reports whether the service computes the rows of a source. */
export function isComputed(source: DataView["source"]): source is ComputedSource {
  return COMPUTED_SOURCES.some((one) => one === source);
}

/** A class of data records. */
export interface DataType {
  /** Class, e.g. `City-Permit-Data-Inspector`. */
  readonly id: string;
  readonly name: string;
  /** Names of the fields that identify a record. */
  readonly key: readonly string[];
  /** Fields by name, in order. */
  readonly fields: ReadonlyMap<string, Field>;
  /** Views by ID. Every data type has `pyDetails`. */
  readonly views: ReadonlyMap<string, View>;
  /** ID of the data view through which records are created and changed. */
  readonly savable?: string;
  /** Actions on a record by ID. */
  readonly actions: ReadonlyMap<string, RecordAction>;
  /** Values of the records that a service creates when it first serves the data type. */
  readonly records: readonly JsonObject[];
}

/** An action on a data record. */
export interface RecordAction {
  readonly id: string;
  readonly name: string;
  /** The view that is filled in. */
  readonly view: View;
}

/** A data view. */
export interface DataView {
  /** ID, e.g. `D_Permits`. */
  readonly id: string;
  readonly name: string;
  readonly source: "records" | "cases" | "history" | "assignments" | ComputedSource;
  /** Class of its rows: the class of the records, the ID of its one case type, or a general class. */
  readonly classId: string;
  /** All rows, or the one row that the parameters identify. */
  readonly structure: "list" | "page";
  /** The data type of the records, for the source `records`. */
  readonly dataType?: DataType;
  /** The types of the cases, for the source `cases`. */
  readonly caseTypes: readonly CaseType[];
  /** Columns by name, in order. */
  readonly columns: ReadonlyMap<string, DataViewColumn>;
  /** Parameters by name. */
  readonly parameters: ReadonlyMap<string, DataViewParameter>;
  /** Conditions that must all hold. */
  readonly filter: readonly DataViewCondition[];
  /** True if callers may select, filter, sort and page. */
  readonly queryable: boolean;
  /** True if records are created and changed through it. */
  readonly savable: boolean;
  /** Views by ID: its own, then those of its data type or of its one case type. */
  readonly views: ReadonlyMap<string, View>;
}

/** A column of a data view. */
export interface DataViewColumn {
  /** The name, type and label. */
  readonly field: Field;
  /** The location of the value in the store: a property of the row, or a path in its content. */
  readonly place: { readonly property: string } | { readonly content: readonly string[] };
}

/** A parameter of a data view. */
export interface DataViewParameter {
  readonly name: string;
  readonly type: typeof PARAMETER_TYPES[number];
  readonly description: string;
  readonly required: boolean;
  readonly default?: string | number | boolean;
}

/** A condition on the rows of a data view. */
export interface DataViewCondition {
  /** Name of the column. */
  readonly field: string;
  readonly comparator: typeof CONDITION_COMPARATORS[number];
  /**
   * The value to compare with: a constant, a parameter or the caller's operator ID. Without a value for the parameter,
   * the condition is left out.
   */
  readonly with:
    | { readonly value: string | number | boolean }
    | { readonly parameter: string }
    | { readonly caller: true };
}
