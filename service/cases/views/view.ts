/** Responses with one view of a case: a form, a view, or computed values. */
import type { JsonObject } from "../../../utils/json.ts";
import type { View } from "../../application/model/application.ts";
import type { Outcome } from "../../http/handler.ts";
import type { AssignmentWork } from "../../assignments/work.ts";
import { pickFitting } from "../content/content.ts";
import type { RequestedValues } from "../content/compute.ts";
import type { Place } from "../content/place.ts";
import type { CaseWork } from "../case_work.ts";
import { describeCase, describeShown, showAction, type ShownView, type ViewType } from "./case.ts";
import { describePage } from "./forms/context_data.ts";
import { describeRoot } from "./forms/form_resources.ts";
import { type Frame, getViewResources } from "./forms/frames.ts";
import {
  describeCaseForm,
  describeForm,
  describeShownView,
  listFields,
  showContent,
  type ShownForm,
  showValues,
} from "./ui.ts";

/** Describes a case with the form of an action. The members of `listed` replace those of the case. */
export function createFormOutcome(
  work: CaseWork,
  view: View,
  content: JsonObject,
  { open, listed, viewType }: { open?: AssignmentWork; listed: JsonObject; viewType: ViewType },
): Outcome {
  const { stored } = work;
  const shown = open === undefined
    ? showLocalAction(work, view, content, viewType === "page" ? "page" : "form")
    : showAction(open, view, content, { viewType });
  return {
    tag: stored.tag,
    body: {
      id: open?.assignment.id ?? stored.id,
      etag: stored.tag,
      ...describeShown(work, shown, { ...describeCase(work, shown.content, false), ...listed }),
    },
  };
}

function showLocalAction(work: CaseWork, view: View, content: JsonObject, frame: Frame): ShownView {
  return {
    view,
    content: { ...showContent(work, view, content), ...describeShownView(view, frame) },
    uiResources: { ...describeCaseForm(work, view, content, frame), actionButtons: FORM_BUTTONS },
  };
}

/** Describes a view with its content, without the facts of the case. With `contextOnly`, the view itself is left out. */
export function createViewOutcome(
  work: CaseWork,
  view: View,
  content: JsonObject,
  { contextOnly = false } = {},
): Outcome {
  const shown = showContent(work, view, content);
  return createPartialOutcome(shown, describeCaseForm(work, view, content), contextOnly);
}

/** A row of an embedded list. */
export interface ShownRow {
  /** The form with the list. */
  readonly form: View;
  /** Content of the form. */
  readonly content: JsonObject;
  readonly row: Place;
  /** The view of the row. */
  readonly rowView: View;
  readonly contextOnly: boolean;
}

/** Describes a row of an embedded list in its view. The other rows of the list are empty objects. */
export function createRowOutcome(
  work: CaseWork,
  { form, content, row, rowView, contextOnly }: ShownRow,
): Outcome {
  const shown: JsonObject = {};
  Object.assign(row.findIn(shown), showValues(listFields(rowView), row.content, row.classId));
  const context: JsonObject = {};
  Object.assign(row.findIn(context), describePage([rowView], pickFitting(row.fields, row.content), work.scope()));
  const uiResources = {
    ...getViewResources(rowView, row.classId, work.context.app),
    root: describeRoot(rowView, `caseInfo.content${row.path}`),
    context_data: { caseInfo: { content: context } },
  };
  return createPartialOutcome({ ...showContent(work, form, content), ...shown }, uiResources, contextOnly);
}

/** Describes computed values and conditions. */
export function createValuesOutcome(work: CaseWork, view: View, { content, conditions }: RequestedValues): Outcome {
  const context_data = Object.keys(conditions).length === 0 ? {} : { caseInfo: { content: conditions } };
  const resources = getViewResources(view, work.type.id, work.context.app);
  return createPartialOutcome(content, { ...resources, context_data }, false);
}

function createPartialOutcome(content: JsonObject, uiResources: JsonObject, contextOnly: boolean): Outcome {
  const { context_data } = uiResources;
  return { body: { data: { caseInfo: { content } }, uiResources: contextOnly ? { context_data } : uiResources } };
}

/** Builds the resources of a form that is submitted as a whole. */
export function buildFormResources(form: ShownForm): JsonObject {
  return { ...describeForm(form), actionButtons: FORM_BUTTONS };
}

const FORM_BUTTONS = {
  main: [{ jsAction: "finishAssignment", name: "Submit", actionID: "submit" }],
  secondary: [{ jsAction: "cancelAssignment", name: "Cancel", actionID: "cancel" }],
};
