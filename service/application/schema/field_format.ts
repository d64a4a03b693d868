/** The format of fields and views. */
import { z } from "zod";
import { className, distinct, expression, identifier, nonEmptyText, scalar } from "./primitives.ts";

const common = {
  label: nonEmptyText.optional(),
  required: z.boolean().optional().describe("Whether every view that lets a person edit the field requires a value"),
  calculated: expression.optional(),
};
const scalarField = { ...common, default: scalar.optional() };

const text = z.strictObject({
  type: z.literal(["Text", "TextArea", "Email", "Phone", "Url"]),
  ...scalarField,
  maxLength: z.int().positive().optional().describe("Maximum number of characters"),
});
const number = z.strictObject({
  type: z.literal(["Integer", "Decimal", "Currency"]),
  ...scalarField,
  min: z.number().optional(),
  max: z.number().optional(),
}).refine(({ min, max }) => min === undefined || max === undefined || min <= max, {
  path: ["min"],
  error: "must not be greater than 'max'",
});
const unlimited = z.strictObject({ type: z.literal(["Boolean", "Date", "DateTime"]), ...scalarField });
const dropdown = z.strictObject({
  type: z.literal("Dropdown"),
  ...scalarField,
  values: distinct(nonEmptyText).min(1).describe("Allowed values of a Dropdown"),
});
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
  dropdown.extend(indexed),
] as const;

const emptyPage = z.strictObject({
  type: z.literal(["Page", "List", "PageGroup"]),
  ...common,
  class: className.optional().describe("Class of an embedded page or of a list's rows"),
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
  required: common.required,
  category: identifier.describe("Category of the file in an attachment field"),
});

/** A field in the definition. */
export type FieldDefinition =
  | z.infer<typeof indexedFields[number]>
  | z.infer<typeof attachmentField>
  | z.infer<typeof emptyPage> & { fields: Record<string, FieldDefinition> };

/** Fields by name. */
export const fields = z.record(identifier, z.discriminatedUnion("type", [...plainFields, embeddedField]));

/** Fields of a case by name. Only cases have attachments, and fields with indexes. */
export const caseFields = z.record(
  identifier,
  z.discriminatedUnion("type", [...indexedFields, embeddedField, attachmentField]),
);

/** A field of a view. */
export const viewField = z.union([
  identifier,
  z.strictObject({
    field: identifier,
    label: nonEmptyText.optional(),
    required: z.boolean().optional(),
    readOnly: z.boolean().optional(),
  }),
], "must be the name of a field, or an object with 'field'");

/** Views by ID. */
export const views = z.record(
  identifier,
  z.strictObject({ name: nonEmptyText.optional(), fields: z.array(viewField) }),
);

/** A reference to a view, or the fields of a view of its own. */
export const form = {
  view: identifier.optional().describe("The view to fill in"),
  fields: z.array(viewField).optional().describe("The fields to fill in, if no view of the class fits"),
};

/** Views in the definition. */
export type ViewDefinitions = z.infer<typeof views>;
/** A form in the definition. */
export type FormDefinition = { readonly [M in keyof typeof form]?: z.infer<typeof form[M]> };
