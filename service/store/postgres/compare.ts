/** Compiles comparisons of values that are texts or numbers. */
import type { Comparator } from "../query.ts";

/** Expressions for comparing and sorting a value, which is a text or a number. Both are NULL for a missing value. */
export interface Scalar {
  /** The value if it is a text; undefined if it never is. */
  readonly text?: string;
  /** The value if it is a number; undefined if it never is. */
  readonly number?: string;
}

/** Compiles an expression for a text in lower case. */
export function compileLower(text: string): string {
  return `lower(${text} COLLATE "und-x-icu") COLLATE "C"`;
}

/** Joins conditions with OR. Without conditions, the result is false. */
export function joinOr(conditions: readonly (string | false | undefined)[]): string {
  const found = conditions.filter((condition) => typeof condition === "string");
  return found.length > 0 ? found.join(" OR ") : "FALSE";
}

/** Compiles a comparison. Numbers come before texts. */
export function compileComparison(comparator: Comparator, left: Scalar, right: Scalar): string {
  switch (comparator) {
    case "EQ":
      return compareAlike("=", left, right);
    case "GT":
      return joinOr([compareAlike(">", left, right), compareTypes(left, right)]);
    case "GTE":
      return joinOr([compareAlike(">=", left, right), compareTypes(left, right)]);
    case "LT":
      return joinOr([compareAlike("<", left, right), compareTypes(right, left)]);
    case "LTE":
      return joinOr([compareAlike("<=", left, right), compareTypes(right, left)]);
    case "STARTS_WITH":
      return right.text === undefined ? "FALSE" : `starts_with(${toText(left)}, ${right.text})`;
    case "ENDS_WITH":
      return right.text === undefined ? "FALSE" : `right(${toText(left)}, length(${right.text})) = ${right.text}`;
    case "CONTAINS":
      return `svc_contains(${toText(left)}, ${toText(right)})`;
  }
}

/** Compares two texts, or two numbers. */
function compareAlike(operator: string, left: Scalar, right: Scalar): string {
  return joinOr([
    left.text && right.text && `${left.text} ${operator} ${right.text}`,
    left.number && right.number && `${left.number} ${operator} ${right.number}`,
  ]);
}

/** Compiles the condition that the first value is a text and the second a number. */
function compareTypes({ text }: Scalar, { number }: Scalar): string | undefined {
  return text && number && `${text} IS NOT NULL AND ${number} IS NOT NULL`;
}

function toText({ text, number }: Scalar): string {
  if (number === undefined) return text ?? "NULL"; // An index serves a column only without COALESCE.
  const digits = `svc_json(${number})`;
  return text === undefined ? digits : `COALESCE(${text}, ${digits})`;
}
