/** The words of the application format: what its parts are made of. */
import { z } from "zod";

/** Text that is not empty. */
export const text = z.string().min(1);
const named = (pattern: RegExp, rule: string) =>
  z.string().regex(pattern, rule).refine((name) => !(name in Object.prototype), "is a name that every object has");
/** An ID that expressions can name. */
export const identifier = named(/^[A-Za-z][A-Za-z0-9_]*$/, "must be letters, digits and underscores");
/** ID of an action. */
export const actionId = named(/^[A-Za-z][\w .-]*$/, "must be letters, digits, spaces, dots, hyphens and underscores");
/** A class. */
export const className = z.string().regex(/^@?[A-Za-z][\w-]*$/, "must be letters, digits, hyphens and underscores");
/** ID of an operator. */
export const principal = z.string().regex(/^\S+$/, "must not hold spaces");
/** Status of an open case: one that says that it is closed would leave its work open. */
export const status = z.string().regex(
  /^(?!Resolved(-|$))[A-Z][A-Za-z]*(-[A-Za-z]+)*$/,
  "must be like Open or Pending-Review; a case is closed by 'resolve', or by a stage with the transition 'resolution'",
);
/** Status of a closed case: it is what says that the case is closed. */
export const resolution = z.string().regex(
  /^Resolved(-[A-Za-z]+)+$/,
  "must be like Resolved-Completed or Resolved-Rejected",
);
/** Urgency of a case. */
export const urgency = z.int().min(0).max(100);
/** An expression. */
export const expression = text.describe(
  "A CEL expression over the case's fields, caseInfo, operator, action, now and today",
);
/** A plain value. */
export const scalar = z.union([z.string(), z.number(), z.boolean()], "must be text, a number, true or false");

/** A list of what is there once each. */
export function distinct<T extends z.ZodType<string>>(element: T): z.ZodArray<T> {
  return z.array(element).check(({ value, issues }) => {
    for (const [index, one] of value.entries()) {
      if (value.indexOf(one) === index) continue;
      issues.push({ code: "custom", path: [index], input: one, message: `'${one}' is there twice` });
    }
  }).meta({ uniqueItems: true });
}

/** Whether the caller may do something. */
export const right = z.union([z.boolean(), expression], "must be true, false or a CEL expression");

/** How a condition on rows can compare. */
export const COMPARATORS = [
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

/** What a parameter of a data view can hold. */
export const PARAMETER_TYPES = ["Text", "Integer", "Decimal", "Boolean", "Date", "DateTime"] as const;

/** A condition on rows. */
export const condition = z.strictObject({
  field: identifier,
  comparator: z.enum(COMPARATORS).default("EQ"),
  value: scalar.optional(),
  parameter: identifier.optional().describe("The condition is left out when an optional parameter is not given"),
  caller: z.literal(true).optional().describe("Compare with the caller's operator ID"),
});
