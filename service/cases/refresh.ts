/** Refreshes forms: computes them from changed content, and describes them or one row of their lists. Stores nothing. */
import type { CalculationRequest } from "../../lib/operation/operation.ts";
import type { JsonObject } from "../../utils/json.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import { createView, type View } from "../application/model/field.ts";
import { Conflict, Invalid } from "../errors.ts";
import type { Outcome } from "../http/handler.ts";
import type { CaseWork } from "./case_work.ts";
import { createFormRoot, pickRequested } from "./content/compute.ts";
import type { Submission } from "./content/fill_form.ts";
import { computeWithRecords } from "./content/submit_form.ts";
import { findClass, findPlace, listPageViews, type Place } from "./content/place.ts";
import { findView } from "./views/case.ts";
import { createRowOutcome, createValuesOutcome, createViewOutcome } from "./views/view.ts";

/** Operations on a row: open it, or confirm its changes. */
export const ROW_OPERATIONS = ["showRow", "submitRow"] as const;

/** A request for the refresh of a form. */
export interface RefreshRequest {
  readonly submission: Submission;
  /** The row of an embedded list that a person edits, e.g. `.Stops(2).Guests(1)`. */
  readonly interestPage?: string;
  /** Action of the row: a view of its class. */
  readonly rowAction?: string;
  readonly operation?: typeof ROW_OPERATIONS[number];
  /** True to leave out the views. */
  readonly contextOnly: boolean;
}

/** Refreshes a form, or shows one row of it. */
export async function refreshForm(
  work: CaseWork,
  form: View,
  current: JsonObject,
  request: RefreshRequest,
): Promise<Outcome> {
  const { submission, interestPage, rowAction, operation, contextOnly } = request;
  const showsRow = interestPage !== undefined && operation !== "submitRow";
  const content = await computeWithRecords(work, form, current, submission, { keepsText: showsRow });
  if (interestPage !== undefined) {
    const row = findRow(interestPage, createFormRoot(work, form, content));
    const rowView = rowAction === undefined ? row.view : findRowAction(rowAction, row, interestPage);
    if (showsRow) return createRowOutcome(work, { form, content, row, rowView, contextOnly });
  }
  return createViewOutcome(work, form, content, { contextOnly });
}

/** Refreshes a view of a case, or a view of the row that a request names. Throws `NotFound` if there is no such view. */
export async function refreshView(work: CaseWork, viewId: string, request: RefreshRequest): Promise<Outcome> {
  const { interestPage = "", rowAction = viewId, submission, contextOnly } = request;
  const rowClass = findClass(interestPage, work.type.fields);
  if (rowClass === undefined || !listPageViews(rowClass).some((view) => view.id === viewId)) {
    return await refreshForm(work, findView(work, viewId), work.stored.content, request);
  }
  const { id, name, fields } = work.type;
  const form = createView(id, name, fields);
  const content = await computeWithRecords(work, form, work.stored.content, submission, { keepsText: true });
  const row = findRow(interestPage, createFormRoot(work, form, content));
  const rowView = findRowAction(rowAction, row, interestPage);
  return createRowOutcome(work, { form: { ...form, fields: new Map() }, content, row, rowView, contextOnly });
}

/** Computes requested fields and conditions of a form from changed content. */
export async function recalculateForm(
  work: CaseWork,
  view: View,
  current: JsonObject,
  submission: Submission,
  request: CalculationRequest,
): Promise<Outcome> {
  const content = await computeWithRecords(work, view, current, submission);
  return createValuesOutcome(work, view, pickRequested(request, work, createFormRoot(work, view, content)));
}

function findRow(interestPage: string, root: Place): Place {
  const row = findPlace(interestPage.replace(/^(caseInfo\.)?content\./, ""), root);
  if (row?.isRow) return row;
  throw new Invalid(`interestPage '${interestPage}' is not a row of an embedded list`);
}

/** Finds an action of a row. Each view of the row's class is an action. */
function findRowAction(id: string, { views }: Place, interestPage: string): View {
  const action = views.find((view) => view.id === id);
  if (action !== undefined) return action;
  const instead = suggestAlternatives(id, views.map((view) => view.id));
  throw new Conflict(`${id} is not a valid action to use on the row ${interestPage}${instead}`);
}
