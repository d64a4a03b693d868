/** Fields of cases, records, pages and rows, and the views that show them. */
import type { Expression } from "./expression.ts";

/** The way in which values of a field compare. */
export type ValueKind = "text" | "number" | "boolean" | "date" | "instant" | "embedded";

/** The types of fields, each with its kind. */
export const VALUE_KINDS = {
  Text: "text",
  TextArea: "text",
  Integer: "number",
  Decimal: "number",
  Currency: "number",
  Boolean: "boolean",
  Date: "date",
  DateTime: "instant",
  Dropdown: "text",
  Email: "text",
  Phone: "text",
  Url: "text",
  Page: "embedded",
  List: "embedded",
  PageGroup: "embedded",
  Attachment: "embedded",
} as const satisfies Record<string, ValueKind>;

/** The type of a field. */
export type FieldType = keyof typeof VALUE_KINDS;

/** Reports whether the value of a field is a single page. The page of an attachment field contains the attachment ID. */
export function holdsPage(type: FieldType | undefined): boolean {
  return type === "Page" || type === "Attachment";
}

/** Reports whether a text can name a page of a page group. */
export function isGroupIndex(text: string): boolean {
  return /^[A-Za-z][\w-]{0,63}$/.test(text);
}

/** A field of a case, a record, an embedded page or a row. */
export interface Field {
  /** Name, without a leading dot. */
  readonly name: string;
  readonly type: FieldType;
  readonly label: string;
  /** True if every view that lets a person edit the field requires a value. */
  readonly required: boolean;
  /** Value in a new case, record or row. */
  readonly default?: string | number | boolean;
  /** Computes the value. A calculated field cannot be edited. */
  readonly calculated?: Expression;
  /** Maximum number of characters. */
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  /** Allowed values of a Dropdown. */
  readonly values?: readonly string[];
  /** True to keep an index, by which queries find and sort cases. */
  readonly indexed?: boolean;
  /** Category of the file in an attachment field. */
  readonly category?: string;
  /** Fields of an embedded page, or of the rows of a list. */
  readonly embedded?: EmbeddedClass;
}

/** The class of an embedded page, or of the rows of a list. */
export interface EmbeddedClass {
  /** Class, e.g. `City-Permit-Data-Document`. */
  readonly classId: string;
  /** Fields by name. */
  readonly fields: ReadonlyMap<string, Field>;
}

/** A field in a view. */
export interface ViewField {
  readonly field: Field;
  readonly label: string;
  readonly required: boolean;
  readonly readOnly: boolean;
}

/** A view: fields in order. */
export interface View {
  /** ID, e.g. `pyDetails`. */
  readonly id: string;
  readonly name: string;
  /** Fields by name, in order. */
  readonly fields: ReadonlyMap<string, ViewField>;
}

/** Converts a field to a field of a view. The view may override the label, and whether the field is required. */
export function toViewField(
  field: Field,
  overrides: { readonly label?: string; readonly required?: boolean; readonly readOnly?: boolean } = {},
): ViewField {
  const readOnly = overrides.readOnly === true || field.calculated !== undefined;
  return {
    field,
    label: overrides.label ?? field.label,
    required: !readOnly && (overrides.required ?? field.required),
    readOnly,
  };
}
