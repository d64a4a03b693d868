/** The words of the application format for fields. */
import { z } from "zod";
import { className, distinct, expression, identifier, scalar, text } from "./words.ts";

/** What a field can hold. */
export const FIELD_TYPES = [
  "Text",
  "TextArea",
  "Integer",
  "Decimal",
  "Currency",
  "Boolean",
  "Date",
  "DateTime",
  "Dropdown",
  "Email",
  "Phone",
  "Url",
  "Page",
  "List",
] as const;

/** A field. */
export const field = z.strictObject({
  type: z.enum(FIELD_TYPES),
  label: text.optional(),
  required: z.boolean().optional().describe("Must be filled in wherever a view lets a person edit it"),
  default: scalar.optional(),
  calculated: expression.optional(),
  maxLength: z.int().positive().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  values: distinct(text).min(1).optional().describe("Allowed values of a Dropdown"),
  class: className.optional().describe("Class of an embedded page or of a list's rows"),
  get fields() {
    return fields.optional().describe("Fields of an embedded page or of a list's rows");
  },
});
/** Fields by name. */
export const fields = z.record(identifier, field);

/** A field of a view. */
export const viewField = z.union([
  identifier,
  z.strictObject({
    field: identifier,
    label: text.optional(),
    required: z.boolean().optional(),
    readOnly: z.boolean().optional(),
  }),
], "must be a field's name, or an object with 'field'");
