/** The format of fields and views. */
import { z } from "zod";
import { CHOICE_CONTROLS, REFERENCE_CONTROLS, ROW_EDITING, ROW_LAYOUTS } from "../model/field.ts";
import {
  className,
  distinct,
  expression,
  identifier,
  nonEmptyText,
  requireExactlyOne,
  right,
  scalar,
} from "./primitives.ts";

const help = nonEmptyText.optional().describe("Text that helps a person to fill in the field");
const common = {
  label: nonEmptyText.optional(),
  help,
  required: z.boolean().optional().describe("Whether every view that lets a person edit the field requires a value"),
  calculated: expression.optional(),
};
const scalarField = { ...common, default: scalar.optional() };

const text = z.strictObject({
  type: z.literal(["Text", "TextArea", "RichText", "Email", "Phone", "Url"]),
  ...scalarField,
  maxLength: z.int().positive().optional().describe("Maximum number of characters"),
});
const source = {
  from: identifier.describe("The data view with the records to choose from"),
  parameters: z.record(identifier, scalar).optional().describe(
    "Parameters of the data view: constants, or fields of the same page, such as .District",
  ),
  text: identifier.describe("The column that people read"),
};
const choices = z.strictObject({
  ...source,
  value: identifier.describe("The column with the value"),
  inForm: z.boolean().default(false).describe(
    "Whether the form itself describes the choices (default: the declaration of the field does)",
  ),
  loaded: z.boolean().default(false).describe("Whether the response with the form contains the rows"),
  set: z.record(identifier, identifier).optional().describe("Other fields of the form that get columns of the row"),
}).optional().describe("The records from which a person chooses the value of a Dropdown or an Integer");
const show = z.enum(CHOICE_CONTROLS).optional().describe("The control of a field with choices");

const number = z.strictObject({
  type: z.literal(["Integer", "Decimal", "Currency", "Percentage"]),
  ...scalarField,
  currency: z.string().regex(
    /^([A-Z]{3}|\.[A-Za-z]\w*)$/,
    "must be three capital letters, such as EUR, or a field, such as .Code",
  )
    .optional().describe("ISO 4217 code of a Currency, or the field of the same page that has it (default: EUR)"),
  choices,
  show,
  min: z.number().optional(),
  max: z.number().optional(),
}).refine(({ min, max }) => min === undefined || max === undefined || min <= max, {
  path: ["min"],
  error: "must not be greater than 'max'",
});
const unlimited = z.strictObject({
  type: z.literal(["Boolean", "Date", "DateTime", "Time", "UserReference"]),
  ...scalarField,
});

const dropdown = requireExactlyOne(
  z.strictObject({
    type: z.literal("Dropdown"),
    ...scalarField,
    values: distinct(nonEmptyText).min(1).optional().describe("Allowed values of a Dropdown"),
    choices,
    show,
  }),
  "values",
  "choices",
);
const plainFields = [text, number, unlimited, dropdown] as const;

const indexed = {
  indexed: z.boolean().optional().describe(
    "Whether to keep an index of the field, so that queries compare it and sort by it quickly",
  ),
};
const indexedFields = [
  text.extend(indexed),
  number.safeExtend(indexed),
  unlimited.extend(indexed),
  dropdown.safeExtend(indexed),
] as const;

const emptyPage = z.strictObject({
  type: z.literal(["Page", "List", "PageGroup"]),
  ...common,
  class: className.optional().describe("Class of an embedded page or of a list's rows"),
  rowLabel: nonEmptyText.optional().describe(
    "What a form calls one row of a list (default: the label in the singular)",
  ),
  get views(): z.ZodOptional<typeof views> {
    return views.optional().describe("Views of an embedded page or of a list's rows");
  },
});
const embeddedField = emptyPage.extend({
  // TypeScript cannot infer a type that contains itself.
  get fields(): z.ZodType<Record<string, FieldDefinition>> {
    return fields.describe("Fields of an embedded page or of a list's rows");
  },
});

const attachmentField = z.strictObject({
  type: z.literal("Attachment"),
  label: common.label,
  help,
  required: common.required,
  category: identifier.describe("Category of the file in an attachment field"),
  extensions: distinct(z.string().regex(/^[a-z0-9]{1,10}$/, "must be small letters and digits, such as pdf")).min(1)
    .optional().describe("Extensions of the files that the field accepts (default: all)"),
});

const copyField = z.strictObject({
  type: z.literal("Copy"),
  label: common.label,
  help,
  required: common.required,
  of: identifier.describe("The list of the same page from which a person chooses a row to copy"),
  key: identifier.describe("The field of the row that people read"),
});

const controls = [...new Set([...REFERENCE_CONTROLS.single, ...REFERENCE_CONTROLS.multiple])] as const;
const referenceField = z.strictObject({
  type: z.literal(["Reference", "MultiSelect"]),
  label: common.label,
  help,
  required: common.required,
  to: className.describe("The data type of the records, or the case type of the cases"),
  multiple: z.boolean().optional().describe("Whether the field refers to several records"),
  from: source.from.optional(),
  parameters: source.parameters,
  text: source.text.optional(),
  show: z.enum(controls).optional().describe("The control of a reference"),
  columns: distinct(identifier).min(1).optional().describe("The columns of a table"),
});

/** A field in the definition. */
export type FieldDefinition =
  | z.infer<typeof indexedFields[number]>
  | z.infer<typeof attachmentField>
  | z.infer<typeof referenceField>
  | z.infer<typeof copyField>
  | z.infer<typeof emptyPage> & { fields: Record<string, FieldDefinition> };

/** Fields by name. */
export const fields = z.record(
  identifier,
  z.discriminatedUnion("type", [...plainFields, embeddedField, referenceField, copyField]),
);

/** Fields of a case by name. Only cases have attachments, and fields with indexes. */
export const caseFields = z.record(
  identifier,
  z.discriminatedUnion("type", [...indexedFields, embeddedField, attachmentField, referenceField, copyField]),
);

const shownField = z.strictObject({
  field: z.string().regex(
    /^[A-Za-z]\w*(\.[A-Za-z]\w*)?$/,
    "must be a field, or a field of a page, such as Contact.Name",
  )
    .describe("A field, or a field of a page, such as Contact.Name"),
  label: nonEmptyText.optional(),
  help,
  visible: right.optional().describe("Whether the field is shown: true, false or a CEL expression"),
  required: right.optional().describe("Whether a value is required: true, false or a CEL expression"),
  readOnly: right.optional().describe("Whether the field is only shown: true, false or a CEL expression"),
  view: identifier.optional().describe("The view of the page"),
  details: identifier.optional().describe("The view of the chosen record"),
  rows: z.enum(ROW_LAYOUTS).optional().describe("The layout of the rows (default: table)"),
  columns: distinct(identifier).min(1).optional().describe("The columns of a table"),
  editing: z.enum(ROW_EDITING).optional().describe(
    "Whether rows are edited in the table, in a dialog, or by an action",
  ),
  rowView: identifier.optional().describe("The view of a row"),
  editView: identifier.optional().describe("The view in which an existing row is edited (default: rowView)"),
  heading: nonEmptyText.optional().describe("Heading of a row: a text, or a field of the row, such as .Title"),
  allowTableEdit: z.boolean().optional().describe("Whether rows can be added, deleted and moved at all"),
  allowAdd: right.optional(),
  allowEdit: right.optional(),
  allowDelete: right.optional(),
  allowMove: right.optional(),
  allowRowEdit: expression.optional().describe("Whether a row can be edited: a CEL expression over the row"),
  allowRowDelete: expression.optional().describe("Whether a row can be deleted: a CEL expression over the row"),
});
const shownView = z.strictObject({
  view: identifier.describe("Another view of the same class, which is defined above"),
  label: nonEmptyText.optional(),
  visible: right.optional().describe("Whether the view is shown: true, false or a CEL expression"),
  readOnly: z.boolean().default(false).describe("Whether its fields are only shown"),
});
const emptyGroup = z.strictObject({
  group: identifier.describe("ID of a group of fields"),
  heading: nonEmptyText.optional(),
  instructions: nonEmptyText.optional().describe("Text above the fields, as HTML"),
  collapsible: z.boolean().default(false),
  visible: right.optional().describe("Whether the group is shown: true, false or a CEL expression"),
});
const group = emptyGroup.extend({
  get fields(): z.ZodType<ViewFieldDefinition[]> {
    return z.array(viewField);
  },
});

/** A field or a group of fields of a view. */
export type ViewFieldDefinition =
  | string
  | z.infer<typeof shownField>
  | z.infer<typeof shownView>
  | z.infer<typeof emptyGroup> & { fields: ViewFieldDefinition[] };

/** A field or a group of fields of a view. */
export const viewField: z.ZodType<ViewFieldDefinition> = z.union(
  [identifier, shownField, shownView, group],
  "must be the name of a field, or an object with 'field', 'view' or 'group'",
);

/** Views by ID. */
export const views = z.record(
  identifier,
  z.strictObject({
    name: nonEmptyText.optional(),
    fields: z.array(viewField),
    readOnly: z.boolean().default(false).describe("Whether the view only shows its fields"),
    highlighted: distinct(identifier).optional().describe("Fields that a view shows first if it is read-only"),
  }),
);

/** A reference to a view, or the fields of a view of its own. */
export const form = {
  page: identifier.optional().describe("The embedded page that the form is about. The view is one of the page"),
  view: identifier.optional().describe("The view to fill in"),
  fields: z.array(viewField).optional().describe("The fields to fill in, if no view of the class fits"),
};

/** Views in the definition. */
export type ViewDefinitions = z.infer<typeof views>;
/** A form in the definition. */
export type FormDefinition = { readonly [M in keyof typeof form]?: z.infer<typeof form[M]> };
