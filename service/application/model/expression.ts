/** Compiled expressions and the values that they can use. */
import type { JsonObject, JsonValue } from "../../../utils/json.ts";

/** The values that an expression can use. */
export interface Scope {
  /** Fields of the case, or of one row of a list. */
  readonly fields: JsonObject;
  /** Facts of the case. Outside of a case, they are empty. */
  readonly caseInfo: CaseFacts;
  /** The caller. */
  readonly operator: OperatorFacts;
  /** ID of the action that is being performed. Empty if there is no action. */
  readonly action: string;
  /** ISO 8601 time, UTC, with milliseconds. */
  readonly now: string;
}

/** The facts of a case that expressions can use. */
export interface CaseFacts {
  readonly ID: string;
  readonly businessID: string;
  readonly caseTypeID: string;
  readonly parentCaseID: string;
  readonly status: string;
  readonly urgency: number;
  readonly stageID: string;
  readonly createdBy: string;
  readonly createTime: string;
}

/** Facts for expressions without a case. */
export const WITHOUT_CASE: CaseFacts = {
  ID: "",
  businessID: "",
  caseTypeID: "",
  parentCaseID: "",
  status: "",
  urgency: 0,
  stageID: "",
  createdBy: "",
  createTime: "",
};

/** The facts of an operator that expressions can use. */
export interface OperatorFacts {
  readonly ID: string;
  readonly name: string;
  readonly queues: readonly string[];
}

/** A compiled expression. */
export type Expression = (scope: Scope) => JsonValue;

/** A compiled condition. */
export type Condition = (scope: Scope) => boolean;

/** A compiled text with expressions in `{{ }}`. */
export type Template = (scope: Scope) => string;
