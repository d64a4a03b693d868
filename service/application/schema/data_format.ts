/** The format of data types and data views. */
import { z } from "zod";
import { CONDITION_COMPARATORS, PARAMETER_TYPES } from "../model/data_view.ts";
import { fields, form, views } from "./field_format.ts";
import { actionId, className, distinct, identifier, nonEmptyText, requireExactlyOne, scalar } from "./primitives.ts";

/** A class of data records. */
export const dataType = z.strictObject({
  name: nonEmptyText,
  key: distinct(identifier).min(1).describe("Fields that identify a record"),
  fields,
  views: views.optional(),
  savable: identifier.optional().describe("The data view through which records are created and changed"),
  records: z.array(z.record(identifier, scalar)).default([]).describe(
    "Records that a service creates when it first serves the data type, unless it has records already",
  ),
  actions: z.record(actionId, z.strictObject({ name: nonEmptyText.optional(), ...form })).default({}),
});

const plainCondition = z.strictObject({
  field: identifier,
  comparator: z.enum(CONDITION_COMPARATORS).default("EQ"),
  value: scalar.optional(),
  caller: z.literal(true).optional().describe("Compare with the caller's operator ID"),
});
const parameterCondition = plainCondition.extend({
  parameter: identifier.optional().describe("The condition is left out when an optional parameter is not given"),
});
const filter = z.array(requireExactlyOne(parameterCondition, "value", "parameter", "caller")).default([]).describe(
  "Conditions that must all hold",
);

/** Conditions without parameters. */
export const plainFilter = z.array(requireExactlyOne(plainCondition, "value", "caller")).default([]).describe(
  "Conditions that must all hold",
);

const parameters = z.record(
  identifier,
  z.strictObject({
    type: z.enum(PARAMETER_TYPES).default("Text"),
    description: nonEmptyText.default(""),
    required: z.boolean().default(false),
    default: scalar.optional(),
  }),
);

const viewMembers = {
  name: nonEmptyText,
  structure: z.enum(["list", "page"]).default("list"),
  parameters: parameters.default({}),
  filter,
  queryable: z.boolean().default(true).describe("Whether callers may select, filter, sort and page"),
  views: views.optional(),
};

/** A data view. */
export const dataView = z.discriminatedUnion("source", [
  z.strictObject({
    source: z.literal("records"),
    ...viewMembers,
    class: className.describe("Class of the records"),
  }),
  z.strictObject({
    source: z.literal("cases"),
    ...viewMembers,
    caseTypes: distinct(className).min(1).optional().describe("Types of the cases (default: all)"),
  }),
  z.strictObject({ source: z.literal(["history", "assignments"]), ...viewMembers }),
]);

/** A data type in the definition. */
export type DataTypeDefinition = z.infer<typeof dataType>;
/** A data view in the definition. */
export type DataViewDefinition = z.infer<typeof dataView>;
/** A condition on rows in the definition. */
export type ConditionDefinition = z.infer<typeof parameterCondition>;
/** The parameters of a data view in the definition. */
export type ParameterDefinitions = z.infer<typeof parameters>;
