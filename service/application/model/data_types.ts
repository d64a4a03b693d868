/** The data part of an application: classes of records, and the views over records and over what the service keeps. */
import type { RowProperties } from "../../store/query.ts";
import type { CaseType, Field, View } from "./application.ts";
import type { COMPARATORS, PARAMETER_TYPES } from "../schema/words.ts";

/** A class of data records. */
export interface DataType {
  /** Class, e.g. `City-Permit-Data-Inspector`. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Names of the fields that identify a record. */
  readonly key: readonly string[];
  /** Fields by name, in order. */
  readonly fields: ReadonlyMap<string, Field>;
  /** Views by ID; `pyDetails` is always there. */
  readonly views: ReadonlyMap<string, View>;
  /** The data view through which records are created and changed. */
  readonly savable?: string;
  /** Actions on a record by ID. */
  readonly actions: ReadonlyMap<string, RecordAction>;
}

/** An action on a data record. */
export interface RecordAction {
  /** ID: what `--action` takes. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** The view that is filled in. */
  readonly view: View;
}

/** A condition of a data view. */
export interface DataViewCondition {
  /** Column. */
  readonly field: string;
  /** How it compares. */
  readonly comparator: typeof COMPARATORS[number];
  /**
   * With what: a value, the value of a parameter (the condition is left out when an optional one is not given), or the
   * caller's operator ID.
   */
  readonly with:
    | { readonly value: string | number | boolean }
    | { readonly parameter: string }
    | { readonly caller: true };
}

/** A parameter of a data view. */
export interface DataViewParameter {
  /** Name. */
  readonly name: string;
  /** What it holds. */
  readonly type: typeof PARAMETER_TYPES[number];
  /** What it means, for people. */
  readonly description: string;
  /** Whether it must be given. */
  readonly required: boolean;
  /** Value when it is not given. */
  readonly default?: string | number | boolean;
}

/** Where the value of a column is: in a property of what is stored, or in its content. */
export type ColumnPlace =
  | { readonly property: RowProperties[keyof RowProperties] }
  | { readonly content: readonly string[] };

/** A column of a data view. */
export interface Column {
  /** The field: its name, type and label. */
  readonly field: Field;
  /** Where the value is. */
  readonly place: ColumnPlace;
}

/** A data view. */
export interface DataView {
  /** ID, e.g. `D_Permits`. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** What its rows are. */
  readonly source: "records" | "cases" | "history" | "assignments";
  /** Class of its rows: the records' class, the one case type's ID, or a general one. */
  readonly classId: string;
  /** Rows, or the one row that the parameters pick. */
  readonly structure: "list" | "page";
  /** The data type of the records, for the source `records`. */
  readonly dataType?: DataType;
  /** The types of the cases, for the source `cases`. */
  readonly caseTypes: readonly CaseType[];
  /** Columns by name, in order. */
  readonly columns: ReadonlyMap<string, Column>;
  /** Parameters by name. */
  readonly parameters: ReadonlyMap<string, DataViewParameter>;
  /** Conditions that all hold. */
  readonly filter: readonly DataViewCondition[];
  /** Whether callers may select, filter, sort and page. */
  readonly queryable: boolean;
  /** Whether records are created and changed through it. */
  readonly savable: boolean;
  /** Views by ID: its own, then those of its data type or of its one case type. */
  readonly views: ReadonlyMap<string, View>;
}
