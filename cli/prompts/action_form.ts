/** The forms of actions: of an assignment, and of a case. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import type { Values } from "../../lib/client/request/values.ts";
import type { Reply } from "../../lib/client/response/reply.ts";
import { readForm } from "../../lib/forms/mod.ts";
import type { RefreshCall } from "../../lib/forms/mod.ts";
import type { Operation } from "../../lib/operation/operation.ts";
import assignments from "../../lib/resources/assignments.ts";
import caseForms from "../../lib/resources/case_forms.ts";
import cases, { type CaseAnswer } from "../../lib/resources/cases.ts";
import { filterObjects, isJsonObject, isNonEmptyString, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { hasDraft } from "../handles/handles.ts";
import type { FormCalls } from "./form_calls.ts";
import { type FilledForm, type FormSource, type OpenForm, toValues } from "./form_source.ts";

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
  const submit = (filled: FilledForm, options: Values = {}) =>
    form.submit("assignments.perform", assignments.perform, { assignmentId, action, ...options }, filled);
  return {
    read: () => form.read("assignments.get-action", assignments.getAction, { assignmentId, action }),
    refresh: (call) =>
      form.refresh(call, "assignments.refresh-action", assignments.refreshAction, { assignmentId, action }),
    upload: (file) => calls.upload(file),
    submit: (filled) => submit(filled),
    submitWithoutAutomation: (filled) => submit(filled, { skipAutomation: true }),
    save: (filled) => form.submit("assignments.save", assignments.save, { assignmentId, action }, filled),
    goBack: (filled) => form.submit("assignments.navigate-back", assignments.navigateBack, { assignmentId }, filled),
    goTo: (step, filled) =>
      form.submit("assignments.navigate-to-step", assignments.navigateToStep, { assignmentId, step }, filled),
  };
}

/** Returns the form of a case action. */
export function createCaseActionForm(calls: FormCalls, target: CaseActionTarget): FormSource {
  const { caseId, action } = target;
  const form = new ActionForm(calls, target);
  const submit = (filled: FilledForm, options: Values = {}) =>
    form.submit("cases.perform-action", caseForms.performAction, { caseId, action, ...options }, filled);
  return {
    read: () => form.read("cases.get-action", caseForms.getAction, { caseId, action }),
    refresh: (call) => form.refresh(call, "cases.refresh-action", caseForms.refreshAction, { caseId, action }),
    upload: (file) => calls.upload(file),
    submit: (filled) => submit(filled),
    submitWithoutAutomation: (filled) => submit(filled, { skipAutomation: true }),
  };
}

/** Makes the calls of a form with its entity tag. */
class ActionForm {
  readonly #calls: FormCalls;
  readonly #target: ActionTarget & Partial<AssignmentTarget>;
  #etag?: string;
  #caseId?: string;

  constructor(calls: FormCalls, target: ActionTarget & Partial<AssignmentTarget>) {
    this.#calls = calls;
    this.#target = target;
  }

  async read(name: string, operation: Operation, values: Values): Promise<OpenForm> {
    const reply = await this.#calls.call(name, operation, values);
    this.#etag = this.#target.ifMatch ?? reply.etag;
    const body = this.#calls.readBody(reply);
    this.#caseId = readCaseId(body);
    const { action, assignmentId } = this.#target;
    const form = readForm(body, { action, assignmentId });
    const { instructions } = form;
    const content = await this.#readSavedContent(body);
    return {
      form,
      ...(content && { saved: readForm(replaceContent(body, content), { action, assignmentId }) }),
      name: form.name,
      title: form.title,
      instructions: instructions === "" ? [] : instructions.split("\n"),
    };
  }

  /** Reads the content of a case without the draft in a response. Returns undefined if the response has no draft. */
  async #readSavedContent(body: JsonObject): Promise<JsonObject | undefined> {
    const { action, assignmentId } = this.#target;
    const assignment = filterObjects(getCaseInfo(body)?.assignments).find(({ ID }) => ID === assignmentId);
    if (assignment === undefined || !hasDraft(assignment, action) || this.#caseId === undefined) return undefined;
    const reply = await this.#calls.call("cases.get", cases.get, { caseId: this.#caseId });
    return checkAnswer(cases.get.answer, reply).data.caseInfo.content;
  }

  /** Computes the action again, or the view of a row. */
  async refresh(call: RefreshCall, name: string, operation: Operation, values: Values): Promise<JsonObject> {
    const { content, pageInstructions, interestPage, interestPageActionID } = call.body;
    const body = {
      data: content,
      ...(Array.isArray(pageInstructions) && pageInstructions.length > 0 && { pageInstructions }),
      ...(isNonEmptyString(interestPage) && { interestPage }),
      ...(isNonEmptyString(interestPageActionID) && { interestPageActionId: interestPageActionID }),
      ...(call.refreshFor !== undefined && { refreshFor: call.refreshFor }),
      ...(call.operation !== undefined && { operation: call.operation }),
    };
    if (call.view === undefined || this.#caseId === undefined) {
      return this.#calls.readBody(await this.#calls.call(name, operation, { ...values, ifMatch: this.#etag, ...body }));
    }
    const target = { caseId: this.#caseId, view: call.view };
    return this.#calls.readBody(
      await this.#calls.call("cases.refresh-view", caseForms.refreshView, { ...target, ...body }),
    );
  }

  async submit(name: string, operation: Operation, values: Values, filled: FilledForm): Promise<Reply> {
    const { attachments = [], ...submitted } = toValues(filled);
    const all = [...this.#target.attachments ?? [], ...(Array.isArray(attachments) ? attachments : [])];
    return await this.#calls.call(name, operation, {
      ...values,
      ifMatch: this.#etag,
      ...submitted,
      ...(all.length > 0 && { attachments: all }),
    });
  }
}

function readCaseId(body: JsonObject): string | undefined {
  const id = getCaseInfo(body)?.ID;
  return isNonEmptyString(id) ? id : undefined;
}

function getCaseInfo({ data }: JsonObject): JsonObject | undefined {
  const info = isJsonObject(data) ? data.caseInfo : undefined;
  return isJsonObject(info) ? info : undefined;
}

function replaceContent(body: JsonObject, content: JsonObject): JsonObject {
  const data = isJsonObject(body.data) ? body.data : {};
  return { ...body, data: { ...data, caseInfo: { ...getCaseInfo(body), content } } };
}

/** Returns the title of a case: its number and its label. */
export function titleCase({ caseInfo }: CaseAnswer["data"]): string {
  const label = caseInfo.content?.pyLabel;
  const texts = [caseInfo.businessID ?? caseInfo.ID, isNonEmptyString(label) ? label : caseInfo.name];
  return texts.filter(Boolean).join(" ");
}
