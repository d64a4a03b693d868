/** Views that are shown by themselves: of actions, of cases, and what computing them gives. */
import type { JsonObject } from "../../../utils/json.ts";
import type { View } from "../../application/model/application.ts";
import type { Outcome } from "../../http/handler.ts";
import type { AssignmentWork } from "../../assignments/work.ts";
import type { RowPlace } from "../content/compute.ts";
import type { CaseWork } from "../case_work.ts";
import { assignmentResources, caseInfo } from "./case.ts";
import { showContent, viewResources, viewRoot } from "./ui.ts";

/** The form of an action, of an assignment or not, with the case around it; `listed` is in place of what that lists. */
export function formOutcome(
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
      data: { caseInfo: { ...caseInfo(work, showContent(work, view, content), false), ...listed } },
      uiResources: open === undefined ? formResources(view, type.id) : assignmentResources(open, view),
    },
  };
}

/** A view with its content and nothing of the case around it, as clients expect of what is computed. */
export function viewOutcome(work: CaseWork, view: View, content: JsonObject, row?: RowPlace): Outcome {
  const shown = showContent(work, view, content);
  if (row !== undefined) hideOtherRows(shown, row);
  return {
    body: {
      data: { caseInfo: { content: shown } },
      uiResources: {
        ...viewResources(view, work.type.id),
        ...(row && { root: viewRoot(view, `caseInfo.content.${row.list}[${row.row}]`) }),
      },
    },
  };
}

/** Values alone. */
export function valuesOutcome(work: CaseWork, view: View, values: JsonObject): Outcome {
  return {
    body: { data: { caseInfo: { content: values } }, uiResources: viewResources(view, work.type.id) },
  };
}

/** The resources of a form that is submitted as a whole. */
export function formResources(view: View, classId: string): JsonObject {
  const actionButtons = {
    main: [{ jsAction: "finishAssignment", name: "Submit", actionID: "submit" }],
    secondary: [{ jsAction: "cancelAssignment", name: "Cancel", actionID: "cancel" }],
  };
  return { ...viewResources(view, classId), actionButtons };
}

function hideOtherRows(content: JsonObject, { list, row }: RowPlace): void {
  const rows = content[list];
  if (Array.isArray(rows)) content[list] = rows.map((shown, index) => index === row ? shown : {});
}
