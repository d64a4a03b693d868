/** The forms of actions: of an assignment, and of a case. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import type { Reply } from "../../lib/client/response/reply.ts";
import type { Values } from "../../lib/client/request/values.ts";
import type { Operation } from "../../lib/operation/operation.ts";
import assignments from "../../lib/resources/assignments.ts";
import caseForms, { type ViewAnswer } from "../../lib/resources/case_forms.ts";
import { filterObjects, isNonEmptyString, type JsonObject, type JsonValue } from "../../utils/json.ts";
import type { FilledForm, FormSource, OpenForm } from "./fill_form.ts";
import { toObject } from "./form.ts";
import type { FormCalls } from "./form_calls.ts";
import type { FormView, Submission } from "./form_state.ts";

/** An action, and what is submitted besides its form. */
interface ActionTarget {
  /** Action ID. */
  readonly action: string;
  /** Attachments that are submitted with the form. */
  readonly attachments?: readonly JsonValue[];
  /** Entity tag that must still be current. Default: that of the form. */
  readonly ifMatch?: string;
}

/** The action of an assignment. */
export interface AssignmentTarget extends ActionTarget {
  /** Assignment handle. */
  readonly assignmentId: string;
}

/** The action of a case. */
export interface CaseActionTarget extends ActionTarget {
  /** Case handle. */
  readonly caseId: string;
}

/** Returns the form of an assignment's action. */
export function createAssignmentForm(calls: FormCalls, target: AssignmentTarget): FormSource {
  const { assignmentId, action } = target;
  const form = new ActionForm(calls, target);
  return {
    fields: calls,
    async read() {
      const answer = await form.read("assignments.get-action", assignments.getAction, { assignmentId, action });
      return describeForm(answer, target);
    },
    refresh: (submission) =>
      form.refresh("assignments.refresh-action", assignments.refreshAction, { assignmentId, action }, submission),
    submit: (filled) => form.submit("assignments.perform", assignments.perform, { assignmentId, action }, filled),
    save: (filled) => form.submit("assignments.save", assignments.save, { assignmentId, action }, filled),
    goBack: (filled) => form.submit("assignments.navigate-back", assignments.navigateBack, { assignmentId }, filled),
  };
}

/** Returns the form of a case action. */
export function createCaseActionForm(calls: FormCalls, target: CaseActionTarget): FormSource {
  const { caseId, action } = target;
  const form = new ActionForm(calls, target);
  return {
    fields: calls,
    async read() {
      const answer = await form.read("cases.get-action", caseForms.getAction, { caseId, action });
      const name = answer.data.caseInfo.availableActions?.find(({ ID }) => ID === action)?.name ?? action;
      return { ...toFormView(answer), name, title: [titleCase(answer.data), name].filter(Boolean).join(": ") };
    },
    refresh: (submission) =>
      form.refresh("cases.refresh-action", caseForms.refreshAction, { caseId, action }, submission),
    submit: (filled) => form.submit("cases.perform-action", caseForms.performAction, { caseId, action }, filled),
  };
}

/** Makes the calls of a form with its entity tag. */
class ActionForm {
  readonly #calls: FormCalls;
  readonly #target: ActionTarget;
  #etag?: string;

  constructor(calls: FormCalls, target: ActionTarget) {
    this.#calls = calls;
    this.#target = target;
  }

  async read(name: string, operation: Operation, values: Values): Promise<ViewAnswer> {
    const reply = await this.#calls.call(name, operation, values);
    this.#etag = this.#target.ifMatch ?? reply.etag;
    return checkAnswer(caseForms.getAction.answer, reply);
  }

  async refresh(name: string, operation: Operation, values: Values, submission: Submission): Promise<FormView> {
    const reply = await this.#calls.call(name, operation, { ...values, ifMatch: this.#etag, ...submission });
    return toFormView(checkAnswer(caseForms.refreshAction.answer, reply));
  }

  async submit(
    name: string,
    operation: Operation,
    values: Values,
    { submission, files }: FilledForm,
  ): Promise<Reply> {
    const attachments = [...this.#target.attachments ?? [], ...await this.#calls.uploadFiles(files)];
    return await this.#calls.call(name, operation, {
      ...values,
      ifMatch: this.#etag,
      ...submission,
      ...(attachments.length > 0 && { attachments }),
    });
  }
}

/** Returns the components and values of a form. */
export function toFormView({ data, uiResources }: ViewAnswer): FormView {
  return { uiResources: uiResources ?? {}, content: data.caseInfo.content ?? {} };
}

/** Returns the title of a case: its number and its label. */
export function titleCase({ caseInfo }: ViewAnswer["data"]): string {
  const label = caseInfo.content?.pyLabel;
  const texts = [caseInfo.businessID ?? caseInfo.ID, isNonEmptyString(label) ? label : caseInfo.name];
  return texts.filter(Boolean).join(" ");
}

function describeForm(answer: ViewAnswer, { assignmentId, action }: AssignmentTarget): OpenForm {
  const { caseInfo } = answer.data;
  const assignment = caseInfo.assignments?.find(({ ID }) => ID === assignmentId);
  const name = assignment?.actions?.find(({ ID }) => ID === action)?.name ?? action;
  const view = toFormView(answer);
  const screens = filterObjects(toObject(view.uiResources.navigation).steps);
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

function hasButton({ actionButtons }: JsonObject, action: string): boolean {
  return filterObjects(toObject(actionButtons).secondary).some(({ actionID }) => actionID === action);
}
