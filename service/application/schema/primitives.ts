/** The primitives of the definition format: texts, names, statuses and expressions. */
import { z } from "zod";

/** Text that is not empty. */
export const nonEmptyText = z.string().min(1);

const named = (pattern: RegExp, rule: string) =>
  z.string().regex(pattern, rule).refine((name) => !(name in Object.prototype), "is reserved: choose another name");

/** An ID that expressions can use as a name. */
export const identifier = named(
  /^[A-Za-z][A-Za-z0-9_]*$/,
  "must begin with a letter and consist of letters, digits and underscores",
);

/** ID of an action. */
export const actionId = named(
  /^[A-Za-z][\w .-]*$/,
  "must begin with a letter and consist of letters, digits, spaces, dots, hyphens and underscores",
);

/** A class. */
export const className = z.string().regex(
  /^@?[A-Za-z][\w-]*$/,
  "must begin with a letter and consist of letters, digits, hyphens and underscores",
);

/** ID of an operator. */
export const principal = z.string().regex(/^\S+$/, "must not contain spaces");

/** Status of an open case. A status for closed cases would close the case and leave its assignments open. */
export const openStatus = z.string().regex(
  /^(?!Resolved(-|$))[A-Z][A-Za-z]*(-[A-Za-z]+)*$/,
  "must be like Open or Pending-Review; to close a case, use 'resolve', or a stage with the transition 'resolution'",
);

/** Status of a closed case. The service recognizes a closed case by this status. */
export const resolution = z.string().regex(
  /^Resolved(-[A-Za-z]+)+$/,
  "must be like Resolved-Completed or Resolved-Rejected",
);

/** Urgency of a case. */
export const urgency = z.int().min(0).max(100);

/** An expression. */
export const expression = nonEmptyText.describe(
  "A CEL expression over the case's fields, caseInfo, operator, action, now and today",
);

/** A text with expressions in it. */
export const template = nonEmptyText.describe("Text with CEL expressions in {{ }}");

/** A right of the caller. */
export const right = z.union([z.boolean(), expression], "must be true, false or a CEL expression");

/** A text, a number or a boolean. */
export const scalar = z.union([z.string(), z.number(), z.boolean()], "must be text, a number, true or false");

/** Describes a list whose elements differ. */
export function distinct<T extends z.ZodType<string>>(element: T): z.ZodArray<T> {
  return z.array(element).check(({ value, issues }) => {
    for (const [index, one] of value.entries()) {
      if (value.indexOf(one) === index) continue;
      issues.push({ code: "custom", path: [index], input: one, message: `repeats '${one}'` });
    }
  }).meta({ uniqueItems: true });
}

/** Describes an object with at least one member. */
export function atLeastOne<T extends z.ZodRecord>(members: T, what: string): T {
  return members.refine((value) => Object.keys(value).length > 0, `must have at least one ${what}`)
    .meta({ minProperties: 1 });
}

/** Describes an object that has exactly one of some members. */
export function requireExactlyOne<T extends z.ZodObject>(object: T, ...names: (keyof T["shape"] & string)[]): T {
  const rule = `must have exactly one of ${
    names.map((name) => `'${name}'`).join(", ").replace(/, ([^,]*)$/, " and $1")
  }`;
  return object.refine((value) => names.filter((name) => value[name] !== undefined).length === 1, rule);
}
