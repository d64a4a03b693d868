/** Responses with one view of a case: a form, a view, or computed values. */
import type { JsonObject } from "../../../utils/json.ts";
import type { View } from "../../application/model/application.ts";
import type { Outcome } from "../../http/handler.ts";
import type { AssignmentWork } from "../../assignments/work.ts";
import type { RowPlace } from "../content/compute.ts";
import type { CaseWork } from "../case_work.ts";
import { describeCase, describeShown, showAction, type ShownView, type ViewType } from "./case.ts";
import { describeRoot } from "./forms/form_resources.ts";
import type { Frame } from "./forms/frames.ts";
import { describeCaseForm, describeForm, describeShownView, showContent, type ShownForm } from "./ui.ts";

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

/** Describes a view with its content, without the facts of the case. */
export function createViewOutcome(work: CaseWork, view: View, content: JsonObject, row?: RowPlace): Outcome {
  const shown = showContent(work, view, content);
  if (row !== undefined) hideOtherRows(shown, row);
  return {
    body: {
      data: { caseInfo: { content: shown } },
      uiResources: {
        ...describeCaseForm(work, view, content),
        ...(row && { root: describeRoot(view, `caseInfo.content.${row.list}[${row.row}]`) }),
      },
    },
  };
}

/** Describes computed values. */
export function createValuesOutcome(work: CaseWork, view: View, values: JsonObject): Outcome {
  return {
    body: { data: { caseInfo: { content: values } }, uiResources: describeCaseForm(work, view, work.stored.content) },
  };
}

/** Builds the resources of a form that is submitted as a whole. */
export function buildFormResources(form: ShownForm): JsonObject {
  return { ...describeForm(form), actionButtons: FORM_BUTTONS };
}

const FORM_BUTTONS = {
  main: [{ jsAction: "finishAssignment", name: "Submit", actionID: "submit" }],
  secondary: [{ jsAction: "cancelAssignment", name: "Cancel", actionID: "cancel" }],
};

function hideOtherRows(content: JsonObject, { list, row }: RowPlace): void {
  const rows = content[list];
  if (Array.isArray(rows)) content[list] = rows.map((shown, index) => index === row ? shown : {});
}
