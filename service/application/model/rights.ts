/** Rights of operators on the cases of a type. */
import type { Condition, Scope } from "./expression.ts";

/** The rights that a case type grants. */
export interface CaseRights {
  /** See the case. For an operator without this right, the case does not exist. */
  readonly read: ReadRight;
  /** Change the case. */
  readonly work: Condition;
  /** Discard drafts of other operators, and release and transfer their assignments. */
  readonly manage: Condition;
}

/** The right to see a case. */
export interface ReadRight {
  /** Decides about one case. */
  readonly allows: Condition;
  /** Returns the condition by which the store finds the cases that the right allows, for an operator and a time. */
  readonly toCaseCondition: (scope: Pick<Scope, "operator" | "now">) => CaseCondition;
}

/** A value of a case: a property of the case, or a path in its content. */
export type CaseValue = { readonly property: string } | { readonly content: readonly string[] };

/** A condition on a case that the store can evaluate. A comparison with a missing value is false. */
export type CaseCondition =
  | { readonly and: readonly CaseCondition[] }
  | { readonly or: readonly CaseCondition[] }
  | { readonly not: CaseCondition }
  | { readonly isNull: CaseValue }
  | { readonly in: readonly (string | number | boolean)[]; readonly field: CaseValue }
  | {
    readonly left: CaseValue;
    readonly comparator: CaseComparator;
    readonly right: { readonly value: string | number | boolean };
  };

/** A comparison in a condition on a case. */
export type CaseComparator = "EQ" | "GT" | "GTE" | "LT" | "LTE" | "STARTS_WITH" | "ENDS_WITH" | "CONTAINS";

/** The condition that every case meets. */
export const EVERY_CASE: CaseCondition = { and: [] };

/** The condition that no case meets. */
export const NO_CASE: CaseCondition = { or: [] };
