/** Uses of names of the application definition in stored data. */

/** The kinds of names, each with the owner of the name, e.g. the case type of a stage. */
export type UseKind =
  | "caseType"
  | "stage"
  | "step"
  | "draft"
  | "role"
  | "category"
  | "dataType"
  | "queue"
  | "operator"
  | "uiList";

/** A name that stored data uses, and the number of its uses. */
export interface Use {
  readonly kind: UseKind;
  /** Case type, for names that belong to one; else an empty string. */
  readonly owner: string;
  /** The name. A step has the name of its process before it: `Intake/Register`. */
  readonly name: string;
  readonly count: number;
}

/** The values of a field, grouped by their type in JSON. */
export interface ValueCount {
  /** Name of the field. */
  readonly field: string;
  /** Type: `text`, `integer`, `real`, `true`, `false`, `null`, `object` or `array`. */
  readonly json: string;
  readonly count: number;
  /** Number of texts that are dates. */
  readonly dates: number;
  /** Number of texts that are timestamps. */
  readonly instants: number;
  /** Number of texts that `choices` allows. */
  readonly chosen: number;
}

/** The fields whose values are counted: those of the cases of a type, or of the records of a class. */
export interface FieldSource {
  readonly kind: "cases" | "records";
  /** Case type or class. */
  readonly id: string;
  /** Path of the embedded page or rows that contain the fields. Default: the case or the record itself. */
  readonly path?: readonly EmbeddedPart[];
  /** Names of the fields. Default: all. */
  readonly fields?: readonly string[];
  /** Allowed texts by name of the field. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
}

/** A field with an embedded page, or with several: the rows of a list, or the pages of a page group. */
export interface EmbeddedPart {
  readonly field: string;
  readonly container?: "array" | "object";
}

/** A name of the definition to replace in stored data. */
export type Rename =
  | { readonly kind: "caseType" | "dataType" | "queue" | "operator"; readonly from: string; readonly to: string }
  | {
    readonly kind: "stage" | "process" | "field" | "recordField";
    /** Case type, or class of the records. */
    readonly owner: string;
    readonly from: string;
    readonly to: string;
  }
  | {
    readonly kind: "step";
    readonly owner: string;
    readonly process: string;
    readonly from: string;
    readonly to: string;
  };
