/** The parts of a form, evaluated for its current content. */
import type { JsonObject, JsonValue } from "../../utils/json.ts";

/** The kind of value that a field takes. */
export type FieldKind =
  | "text"
  | "lines"
  | "richText"
  | "integer"
  | "decimal"
  | "percentage"
  | "currency"
  | "boolean"
  | "date"
  | "dateTime"
  | "time"
  | "phone"
  | "email"
  | "url"
  | "choice"
  | "user";

/** A part of a form. */
export type FormNode = FormGroup | FormField | FormList | FormReference | FormAttachment | FormNote;

/** A part of a form that holds a value. */
export type FormQuestion = FormField | FormList | FormReference | FormAttachment;

/** The members of all parts. */
export interface NodeBase {
  /** False if the part, or a group that contains it, is hidden. Hidden parts are neither asked nor sent. */
  readonly isVisible: boolean;
}

/** Parts under a heading. */
export interface FormGroup extends NodeBase {
  /** Discriminates the parts of a form. */
  readonly type: "group";
  /** Heading; empty without one. */
  readonly label: string;
  /** Plain text for the person; empty without one. */
  readonly instructions: string;
  /** True if nothing in it can be edited. */
  readonly isReadOnly: boolean;
  /** Parts in the group. */
  readonly children: readonly FormNode[];
}

/** A text without a value: a paragraph, or the name of a part that cannot be shown. */
export interface FormNote extends NodeBase {
  /** Discriminates the parts of a form. */
  readonly type: "note";
  /** The text. */
  readonly text: string;
  /** True if the text says which part of the form cannot be shown. */
  readonly isProblem: boolean;
}

/** The members of all parts that hold a value. */
export interface QuestionBase extends NodeBase {
  /** Path, e.g. `Applicant`, `Home.City` or `Stops[0].City`. */
  readonly path: string;
  /** Label for people. */
  readonly label: string;
  /** Help text; empty without one. */
  readonly help: string;
  /** True if it must have a value when the form is submitted. */
  readonly isRequired: boolean;
  /** True if the value is only shown. */
  readonly isReadOnly: boolean;
  /** The reason why the value cannot be entered, although it is not read-only. */
  readonly cannotFill?: string;
  /** Issues that the service has reported, or warnings that it shows. */
  readonly errors: readonly string[];
}

/** A field with a single value. */
export interface FormField extends QuestionBase {
  /** Discriminates the parts of a form. */
  readonly type: "field";
  /** Kind of value. */
  readonly kind: FieldKind;
  /** Component in the response, e.g. `TextInput`. */
  readonly component: string;
  /** Current value; undefined if the service has not loaded it. */
  readonly value: JsonValue | undefined;
  /** Value as a person reads it; empty without one. */
  readonly text: string;
  /** True if the service computes the value. */
  readonly isComputed: boolean;
  /** Placeholder; empty without one. */
  readonly placeholder: string;
  /** Maximum number of characters. */
  readonly maxLength?: number;
  /** ISO code of the currency. */
  readonly currency?: string;
  /** Texts for true and false. */
  readonly booleanLabels?: { readonly true: string; readonly false: string } | undefined;
  /** Kind of the keys of choices, unless they are texts. */
  readonly keyKind?: FieldKind;
  /** Choices in the response. */
  readonly choices?: readonly Choice[] | undefined;
  /** Query whose rows are the choices. */
  readonly query?: ChoiceQuery;
}

/** A value that can be chosen. */
export interface Choice {
  /** Key with the type that it has in its list. */
  readonly key: JsonValue;
  /** Text for people. */
  readonly text: string;
  /** Row from which the choice was made. */
  readonly row?: JsonObject;
}

/** A query whose rows are choices. */
export interface ChoiceQuery {
  /** Data view ID. */
  readonly dataView: string;
  /** Values of the parameters. */
  readonly parameters: JsonObject;
  /** Column with the key, e.g. `ID` or `Depot.ID`. */
  readonly key: string;
  /** Columns with the other keys of a record. */
  readonly otherKeys?: readonly string[];
  /** Column with the text; empty if the other columns make the text. */
  readonly text: string;
  /** All columns that are read. */
  readonly columns: readonly FormColumn[];
  /** True if the data view selects columns and filters. */
  readonly isQueryable: boolean;
  /** Properties that a choice also sets, with the columns that hold their values. */
  readonly setters: readonly { readonly column: string; readonly property: string }[];
  /** Paths of the form on which the parameters depend. */
  readonly dependsOn: readonly string[];
}

/** Rows of embedded data. */
export interface FormList extends QuestionBase {
  /** Discriminates the parts of a form. */
  readonly type: "list";
  /** Noun for a row, e.g. `stop`; empty without one. */
  readonly noun: string;
  /** Rows, in order. */
  readonly rows: readonly FormRow[];
  /** Columns of a table of the rows. */
  readonly columns: readonly FormColumn[];
  /** Parts of a new row, with the paths that it will have at the end of the list. */
  readonly newRow: readonly FormNode[];
  /** True if rows can be added. */
  readonly canAdd: boolean;
  /** True if rows can be moved. */
  readonly canReorder: boolean;
  /** View in which a row is filled in, if a dialog of its own shows it. */
  readonly rowView?: string;
  /** Action of the rows, for servers whose rows have actions. */
  readonly rowAction?: string;
  /** Data view whose rows are shown, if they do not belong to the case. */
  readonly dataView?: string;
}

/** A row of a list. */
export interface FormRow {
  /** Path, e.g. `Stops[0]`. */
  readonly path: string;
  /** Heading, e.g. `Row 1`, or the value of a property. */
  readonly heading: string;
  /** Parts of the row. */
  readonly nodes: readonly FormNode[];
  /** Cells of the table, in the order of the columns. */
  readonly cells: readonly string[];
  /** True if its values can be changed. */
  readonly canEdit: boolean;
  /** True if it can be removed. */
  readonly canDelete: boolean;
}

/** A column of a table. */
export interface FormColumn {
  /** Path within the row or record, e.g. `City`. */
  readonly path: string;
  /** Label for people. */
  readonly label: string;
  /** True if the values are numbers, such as amounts of money. */
  readonly isNumeric?: true;
}

/** A reference to records of a data type or to cases. */
export interface FormReference extends QuestionBase {
  /** Discriminates the parts of a form. */
  readonly type: "reference";
  /** Number of records: one, or several. `copy` copies a row of a list into a page. */
  readonly mode: "single" | "multiple" | "copy";
  /** Names of the properties that identify a record. */
  readonly keys: readonly string[];
  /** Kind of the first key, unless it is a text. */
  readonly keyKind?: FieldKind;
  /** Query whose rows can be chosen. */
  readonly query?: ChoiceQuery;
  /** Choices in the response. */
  readonly choices?: readonly Choice[] | undefined;
  /** Columns of a table of the choices. */
  readonly columns: readonly FormColumn[];
  /** Chosen records. */
  readonly chosen: readonly Choice[];
  /** Details of the chosen record, read-only. */
  readonly details: readonly FormNode[];
}

/** An attachment field. */
export interface FormAttachment extends QuestionBase {
  /** Discriminates the parts of a form. */
  readonly type: "attachment";
  /** True if it holds several files. */
  readonly isMultiple: boolean;
  /** Allowed file name extensions, without dots. Empty if all are allowed. */
  readonly extensions: readonly string[];
  /** Names of the files. */
  readonly files: readonly string[];
}
