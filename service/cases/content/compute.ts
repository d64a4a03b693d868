/** Computes without saving: forms from changed content, and calculated fields. */
import type { JsonObject } from "../../../utils/json.ts";
import type { CalculationRequest } from "../../../lib/operation/operation.ts";
import type { View } from "../../application/model/application.ts";
import { Invalid } from "../../errors.ts";
import { calculate, fillForm, type Submission } from "./content.ts";
import type { CaseWork } from "../case_work.ts";

/** The row of an embedded list that a caller shows. */
export interface InterestPage {
  /** Reference, e.g. `.Documents(1)`. */
  readonly interestPage?: string;
  /** ID of the inner action. */
  readonly interestPageActionId?: string;
}

/** A row of an embedded list, from 0. */
export interface RowPlace {
  readonly list: string;
  readonly row: number;
}

/** Computes the content of a form after a submission, with its calculated fields. Stores nothing. */
export function computeForm(work: CaseWork, view: View, current: JsonObject, submission: Submission): JsonObject {
  const content = structuredClone(fillForm(view, current, submission, { complete: false }));
  calculate(work.type.fields, content, { ...work.scope(), fields: content });
  return content;
}

/** Selects the requested fields of a content. Unknown fields are omitted. */
export function pickRequestedFields(request: CalculationRequest, view: View, content: JsonObject): JsonObject {
  const requested: JsonObject = {};
  for (const { name } of request.calculations.fields) {
    const field = name.replace(/^\./, "");
    if (view.fields.has(field) && content[field] !== undefined) requested[field] = content[field];
  }
  return requested;
}

/** Finds the row that an interest page names. Throws `Invalid` if it does not exist. */
export function findInterestRow(
  { interestPage: page, interestPageActionId: action }: InterestPage,
  content: JsonObject,
): RowPlace | undefined {
  if (page === undefined && action === undefined) return undefined;
  if (page === undefined) throw new Invalid("interestPageActionID needs an interestPage");
  const [, list, position] = page.match(/^\.?(\w+)\((\d+)\)$/) ?? [];
  const rows = list === undefined ? undefined : content[list];
  const row = Number(position) - 1;
  if (list !== undefined && Array.isArray(rows) && row in rows) return { list, row };
  throw new Invalid(`interestPage '${page}' is not a row of an embedded list`);
}
