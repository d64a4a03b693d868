/** The form of an assignment's action. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import operations from "../../lib/resources/assignments.ts";
import type { ViewAnswer } from "../../lib/resources/case_forms.ts";
import type { ActionInfo, AssignmentInfo } from "../../lib/resources/cases.ts";
import { filterObjects, isJsonObject, isNonEmptyString, type JsonObject, type JsonValue } from "../../utils/json.ts";
import type { FilledForm, FormSource, OpenForm } from "./fill_form.ts";
import type { FormCalls } from "./form_calls.ts";

/** The action of an assignment, and what is submitted besides its form. */
export interface AssignmentTarget {
  /** Assignment handle. */
  readonly assignmentId: string;
  /** Action ID. */
  readonly action: string;
  /** Attachments that are submitted with the form. */
  readonly attachments?: readonly JsonValue[];
  /** Entity tag that must still be current. Default: that of the form. */
  readonly ifMatch?: string;
}

/** Returns the form of an assignment's action. */
export function createAssignmentForm(calls: FormCalls, target: AssignmentTarget): FormSource {
  const { assignmentId, action, attachments = [] } = target;
  let etag = target.ifMatch;

  async function toValues({ submission, files }: FilledForm) {
    const all = [...attachments, ...await calls.uploadFiles(files)];
    return { assignmentId, ifMatch: etag, ...submission, ...(all.length > 0 && { attachments: all }) };
  }

  return {
    fields: calls,
    async read() {
      const reply = await calls.call("assignments.get-action", operations.getAction, { assignmentId, action });
      etag = target.ifMatch ?? reply.etag;
      return describeForm(checkAnswer(operations.getAction.answer, reply), target);
    },
    async refresh(submission) {
      const values = { assignmentId, action, ifMatch: etag, ...submission };
      const reply = await calls.call("assignments.refresh-action", operations.refreshAction, values);
      return toFormView(checkAnswer(operations.refreshAction.answer, reply));
    },
    async submit(filled) {
      return await calls.call("assignments.perform", operations.perform, { action, ...await toValues(filled) });
    },
    async save(filled) {
      return await calls.call("assignments.save", operations.save, { action, ...await toValues(filled) });
    },
    async goBack(filled) {
      return await calls.call("assignments.navigate-back", operations.navigateBack, await toValues(filled));
    },
  };
}

/** Returns the components and values of a form. */
export function toFormView({ data, uiResources }: ViewAnswer): { uiResources: JsonObject; content: JsonObject } {
  return { uiResources: uiResources ?? {}, content: data.caseInfo.content ?? {} };
}

/** Returns the title of a case: its number and its label. */
export function titleCase({ caseInfo }: ViewAnswer["data"]): string {
  const label = caseInfo.content?.pyLabel;
  return [caseInfo.businessID ?? caseInfo.ID, isNonEmptyString(label) ? label : caseInfo.name].filter(Boolean).join(
    " ",
  );
}

function describeForm(answer: ViewAnswer, { assignmentId, action }: AssignmentTarget): OpenForm {
  const { caseInfo } = answer.data;
  const assignment = caseInfo.assignments?.find(({ ID }) => ID === assignmentId);
  const name = findAction(assignment, action)?.name ?? action;
  const view = toFormView(answer);
  const screens = filterObjects(object(view.uiResources.navigation).steps);
  const current = screens.findIndex(({ visited_status }) => visited_status === "current");
  const position = current < 0 ? "" : ` (screen ${current + 1} of ${screens.length})`;
  const steps = [assignment?.name, name].filter((step, i, all) => step !== undefined && step !== all[i - 1]);
  return {
    ...view,
    name,
    title: [titleCase(answer.data), steps.join(", ")].filter(Boolean).join(": ") + position,
    instructions: assignment?.instructions,
    canSave: hasButton(view.uiResources, "save"),
    previous: hasButton(view.uiResources, "back")
      ? String(screens[current - 1]?.name ?? "the previous screen")
      : undefined,
  };
}

function findAction(assignment: AssignmentInfo | undefined, action: string): ActionInfo | undefined {
  return assignment?.actions?.find(({ ID }) => ID === action);
}

function hasButton({ actionButtons }: JsonObject, action: string): boolean {
  return filterObjects(object(actionButtons).secondary).some(({ actionID }) => actionID === action);
}

function object(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
