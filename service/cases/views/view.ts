/** Responses with one view of a case: a form, a view, or computed values. */
import type { JsonObject } from "../../../utils/json.ts";
import type { View } from "../../application/model/application.ts";
import type { Outcome } from "../../http/handler.ts";
import type { AssignmentWork } from "../../assignments/work.ts";
import type { RowPlace } from "../content/compute.ts";
import type { CaseWork } from "../case_work.ts";
import { buildAssignmentResources, describeCase } from "./case.ts";
import { describeRoot, getViewResources, showContent } from "./ui.ts";

/** Describes a case with the form of an action. The members of `listed` replace those of the case. */
export function createFormOutcome(
  work: CaseWork,
  view: View,
  content: JsonObject,
  { open, listed }: { open?: AssignmentWork; listed: JsonObject },
): Outcome {
  const { stored, type } = work;
  return {
    tag: stored.tag,
    body: {
      id: open?.assignment.id ?? stored.id,
      etag: stored.tag,
      data: { caseInfo: { ...describeCase(work, showContent(work, view, content), false), ...listed } },
      uiResources: open === undefined ? buildFormResources(view, type.id) : buildAssignmentResources(open, view),
    },
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
        ...getViewResources(view, work.type.id),
        ...(row && { root: describeRoot(view, `caseInfo.content.${row.list}[${row.row}]`) }),
      },
    },
  };
}

/** Describes computed values. */
export function createValuesOutcome(work: CaseWork, view: View, values: JsonObject): Outcome {
  return {
    body: { data: { caseInfo: { content: values } }, uiResources: getViewResources(view, work.type.id) },
  };
}

/** Builds the resources of a form that is submitted as a whole. */
export function buildFormResources(view: View, classId: string): JsonObject {
  const actionButtons = {
    main: [{ jsAction: "finishAssignment", name: "Submit", actionID: "submit" }],
    secondary: [{ jsAction: "cancelAssignment", name: "Cancel", actionID: "cancel" }],
  };
  return { ...getViewResources(view, classId), actionButtons };
}

function hideOtherRows(content: JsonObject, { list, row }: RowPlace): void {
  const rows = content[list];
  if (Array.isArray(rows)) content[list] = rows.map((shown, index) => index === row ? shown : {});
}
