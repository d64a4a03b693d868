/** Fields of cases, records, pages and rows, and the views that show them. */
import type { Condition, Expression } from "./expression.ts";

/** The way in which values of a field compare. */
export type ValueKind = "text" | "number" | "boolean" | "date" | "instant" | "embedded";

/** The types of fields, each with its kind. */
export const VALUE_KINDS = {
  Text: "text",
  TextArea: "text",
  RichText: "text",
  Integer: "number",
  Decimal: "number",
  Currency: "number",
  Percentage: "number",
  Boolean: "boolean",
  Date: "date",
  DateTime: "instant",
  Time: "text",
  Dropdown: "text",
  Email: "text",
  Phone: "text",
  Url: "text",
  UserReference: "text",
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
  /** ISO 4217 code of a Currency, or the field of the same page that has it, such as `.Code`. */
  readonly currency?: string;
  /** Text that helps a person to fill in the field. */
  readonly help?: string;
  /** Allowed values of a Dropdown. */
  readonly values?: readonly string[];
  /** The rows from which a person chooses the value. */
  readonly choices?: Choices;
  /** The control of a field with choices. */
  readonly show?: typeof CHOICE_CONTROLS[number];
  /** The records that a page or the rows of a list refer to. */
  readonly reference?: Reference;
  /** The list from which a person copies a row into the page. */
  readonly copy?: Copy;
  /** Set on a member that cannot be edited in a form. A submitted value is ignored or refused. */
  readonly access?: "ignored" | "refused";
  /** True to keep an index, by which queries find and sort cases. */
  readonly indexed?: boolean;
  /** Category of the file in an attachment field. */
  readonly category?: string;
  /** Extensions of the files that an attachment field accepts. Undefined for all. */
  readonly extensions?: readonly string[];
  /** Fields of an embedded page, or of the rows of a list. */
  readonly embedded?: EmbeddedClass;
  /** Name of one row of a list, as forms show it. */
  readonly rowLabel?: string;
}

/** The controls of a field with choices. */
export const CHOICE_CONTROLS = ["dropdown", "radio", "autocomplete", "cards"] as const;

/** The controls of a reference to one record, and to several records. */
export const REFERENCE_CONTROLS = {
  single: ["dropdown", "autocomplete", "table", "simpleTable", "cards", "search"],
  multiple: ["table", "simpleTable", "combobox", "checkboxes"],
} as const;

/** A control of a reference. */
export type ReferenceControl = typeof REFERENCE_CONTROLS[keyof typeof REFERENCE_CONTROLS][number];

/** The value of a parameter: a constant, or a field of the same page by its path. */
export type Argument = { readonly value: string | number | boolean } | { readonly field: readonly string[] };

/** The rows of a data view among which a person chooses. */
interface RowSource {
  /** ID of the data view. */
  readonly dataView: string;
  /** Parameters of the data view by name. */
  readonly parameters: ReadonlyMap<string, Argument>;
  /** Name of the column that people read. */
  readonly text: string;
}

/** The rows from which a person chooses a value. */
export interface Choices extends RowSource {
  /** Class of the records. */
  readonly classId: string;
  /** Name of the column with the value. */
  readonly value: string;
  /** True if the form itself describes the choices. Otherwise, the declaration of the field does. */
  readonly inForm: boolean;
  /** True if the response with the form contains the rows. */
  readonly loaded: boolean;
  /** Columns by the names of the other fields that get their values. */
  readonly set: ReadonlyMap<string, string>;
}

/** The records that a page or the rows of a list refer to. */
export interface Reference extends RowSource {
  /** True for a reference to cases. */
  readonly toCase: boolean;
  /** Names of the fields that identify a record. */
  readonly key: readonly string[];
  readonly show: ReferenceControl;
  /** Names of the columns of a table. */
  readonly columns: readonly string[];
}

/** The list whose rows can be copied into a page. */
export interface Copy {
  /** Name of the list, which belongs to the same page. */
  readonly list: string;
  /** Name of the field of a row that people read. */
  readonly key: string;
}

/** The class of an embedded page, or of the rows of a list. */
export interface EmbeddedClass {
  /** Class, e.g. `City-Permit-Data-Document`. */
  readonly classId: string;
  /** Fields by name. */
  readonly fields: ReadonlyMap<string, Field>;
  /** Views by ID. */
  readonly views?: ReadonlyMap<string, View>;
}

/** A condition in a form. */
export interface FormCondition {
  /** Name under which the service tells clients the result. */
  readonly name: string;
  readonly holds: Condition;
  /** The condition in the grammar that clients evaluate. Undefined if the grammar cannot express it. */
  readonly text?: string;
}

/** A field in a view. */
export interface ViewField {
  readonly field: Field;
  readonly label: string;
  /** Help that the view adds to that of the field. */
  readonly help?: string;
  readonly required: boolean;
  readonly readOnly: boolean;
  /** Decides whether the field is shown. */
  readonly visible?: FormCondition;
  /** Decides whether a value is required. */
  readonly requiredWhen?: FormCondition;
  /** Decides whether a person can edit the field. */
  readonly readOnlyWhen?: FormCondition;
  /** Conditions of the groups around the field. All must hold for it to be shown. */
  readonly within?: readonly FormCondition[];
  /** The view of the page, of a row or of the chosen record. */
  readonly view?: View;
  /** How the rows of a list are shown and edited. */
  readonly rows?: RowDisplay;
}

/** The layouts of the rows of a list. */
export const ROW_LAYOUTS = ["table", "simpleTable", "repeating"] as const;

/** The ways to edit rows: in the table, in a dialog, or in a dialog that is an action. */
export const ROW_EDITING = ["inline", "modal", "action"] as const;

/** How the rows of a list are shown and edited. */
export interface RowDisplay {
  readonly layout: typeof ROW_LAYOUTS[number];
  readonly editing: typeof ROW_EDITING[number];
  /** The columns of a table. */
  readonly columns: View;
  /** The view in which an existing row is edited, if it is another than that of a new row. */
  readonly editView?: View;
  /** Heading of a row: the value of a field, or a text. */
  readonly heading?: { readonly field: string } | { readonly text: string };
  /** True if rows can neither be added, deleted nor moved. Their fields can be edited. */
  readonly isFixed?: boolean;
  /** Conditions of the page with the list. A missing one allows the change. */
  readonly allow: { readonly [A in RowAction]?: FormCondition };
  /** Conditions of each row. */
  readonly allowRow: { readonly edit?: FormCondition; readonly delete?: FormCondition };
}

/** An action of a person on the rows of a list. */
export type RowAction = "add" | "edit" | "delete" | "move";

/** A part of a view: a field, a group, or another view of the class. */
export type ViewPart = ViewPlace | ViewGroup | NestedView;

/** A place in which a view shows a field. A view may show a field several times. */
export interface ViewPlace {
  readonly shown: ViewField;
  /** Name of the page that has the field. Undefined for a field of the class itself. */
  readonly page?: string;
}

/** A member of a page that a view shows outside a view of its page. */
export interface ViewMember extends Required<ViewPlace> {
  /** True if a view of the page in the same form lets a person edit it, too. */
  readonly isElsewhere: boolean;
}

/** Another view of the same class. */
export interface NestedView {
  readonly nested: View;
  readonly label?: string;
  readonly readOnly: boolean;
  /** Decides whether the view is shown. */
  readonly visible?: FormCondition;
}

/** Fields under a heading. */
export interface ViewGroup {
  readonly id: string;
  readonly heading: string;
  readonly instructions?: string;
  readonly collapsible: boolean;
  /** Decides whether the group is shown. */
  readonly visible?: FormCondition;
  readonly parts: readonly ViewPart[];
}

/** A view: fields in order. */
export interface View {
  /** ID, e.g. `pyDetails`. */
  readonly id: string;
  readonly name: string;
  /** Fields by name, in order, with those in groups. A field that is shown several times is here as it can be edited. */
  readonly fields: ReadonlyMap<string, ViewField>;
  /** Members of pages that the view shows outside a view of their page. */
  readonly members?: readonly ViewMember[];
  /** The parts in order (default: the fields). */
  readonly parts?: readonly ViewPart[];
  /** Name of the page that the form is about. It has the ID of the view of the page. */
  readonly page?: string;
  /** True if the view only shows its fields. */
  readonly readOnly?: boolean;
  /** Fields that a read-only view shows first. */
  readonly highlighted?: readonly ViewPlace[];
  /** Conditions that clients cannot evaluate, by name. */
  readonly whens?: ReadonlyMap<string, Condition>;
}

/** Lists the parts of a view in order. */
export function listParts({ parts, fields }: View): readonly ViewPart[] {
  return parts ?? Array.from(fields.values(), (shown) => ({ shown }));
}

/** Lists the fields of a view as often as it shows them, except members of pages. */
export function listShown(view: View): ViewField[] {
  return listFieldsOf(listParts(view));
}

function listFieldsOf(parts: readonly ViewPart[]): ViewField[] {
  return parts.flatMap((part) => {
    if ("shown" in part) return part.page === undefined ? [part.shown] : [];
    return "nested" in part ? listShown(part.nested) : listFieldsOf(part.parts);
  });
}

/** Returns a field of a view as one that is only shown. */
export function toReadOnly(shown: ViewField): ViewField {
  return { ...shown, readOnly: true, readOnlyWhen: undefined, required: false, requiredWhen: undefined };
}

/** Converts a field to a field of a view. The view may override the label, and whether the field is required. */
export function toViewField(
  field: Field,
  overrides: { readonly label?: string; readonly required?: boolean; readonly readOnly?: boolean } = {},
): ViewField {
  const readOnly = overrides.readOnly === true || field.calculated !== undefined || field.access !== undefined;
  return {
    field,
    label: overrides.label ?? field.label,
    required: !readOnly && (overrides.required ?? field.required),
    readOnly,
  };
}

/** Creates a view of all fields of a class. */
export function createView(
  id: string,
  name: string,
  fields: ReadonlyMap<string, Field>,
  overrides: { readonly required?: boolean } = {},
): View {
  return { id, name, fields: new Map([...fields].map(([key, field]) => [key, toViewField(field, overrides)])) };
}

const pageViews = new WeakMap<EmbeddedClass, View>();

/** Returns the default view of a page or a row. It shows all fields. */
export function createPageView(embedded: EmbeddedClass): View {
  const view = pageViews.get(embedded) ?? createView("pyEdit", "Edit", embedded.fields);
  pageViews.set(embedded, view);
  return view;
}

/** Returns the view in which a page or a row is edited. Returns undefined for other fields. */
export function getInnerView({ field: { type, embedded, reference, copy }, view, rows }: ViewField): View | undefined {
  if (embedded === undefined || (reference ?? copy) !== undefined || (type !== "Page" && type !== "List")) {
    return undefined;
  }
  const isTable = rows?.editing === "inline" && rows.layout !== "repeating";
  return view ?? (isTable ? rows.columns : createPageView(embedded));
}

/**
 * Returns how rows are shown unless a form says so: in a table, or below each other if they have pages or lists. The pages
 * of a page group are below each other, because their names are not columns.
 */
export function createRowDisplay({ fields }: EmbeddedClass, type: FieldType = "List"): RowDisplay {
  const plain = [...fields.values()].filter(({ embedded }) => embedded === undefined);
  return {
    layout: type === "List" && plain.length === fields.size ? "table" : "repeating",
    editing: "inline",
    columns: createView("Columns", "Columns", new Map(plain.map((field) => [field.name, field]))),
    allow: {},
    allowRow: {},
  };
}

/** Returns a field whose members can be edited only as far as the views of its page or of its rows allow. */
export function limitMembers(field: Field, views: readonly View[]): Field {
  const { embedded } = field;
  if (embedded === undefined) return field;
  const members = Array.from(embedded.fields, ([name, member]): [string, Field] => {
    const shown = views.map((view) => view.fields.get(name)).find((one) => one !== undefined && !one.readOnly);
    return [name, shown?.field ?? { ...member, access: member.access ?? "refused" }];
  });
  return { ...field, embedded: { ...embedded, fields: new Map(members) } };
}
