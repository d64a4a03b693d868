/** The forms of cases: of a case action, and of a new case. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import caseTypes from "../../lib/resources/case_types.ts";
import caseForms from "../../lib/resources/case_forms.ts";
import cases from "../../lib/resources/cases.ts";
import type { JsonValue } from "../../utils/json.ts";
import { titleCase, toFormView } from "./assignment_form.ts";
import type { FormSource } from "./fill_form.ts";
import type { FormCalls } from "./form_calls.ts";

/** The action of a case, and what is submitted besides its form. */
export interface CaseActionTarget {
  /** Case handle. */
  readonly caseId: string;
  /** Action ID. */
  readonly action: string;
  /** Attachments that are submitted with the form. */
  readonly attachments?: readonly JsonValue[];
  /** Entity tag that must still be current. Default: that of the form. */
  readonly ifMatch?: string;
}

/** Returns the form of a case action. */
export function createCaseActionForm(calls: FormCalls, target: CaseActionTarget): FormSource {
  const { caseId, action, attachments = [] } = target;
  let etag = target.ifMatch;
  return {
    fields: calls,
    async read() {
      const reply = await calls.call("cases.get-action", caseForms.getAction, { caseId, action });
      etag = target.ifMatch ?? reply.etag;
      const answer = checkAnswer(caseForms.getAction.answer, reply);
      const name = answer.data.caseInfo.availableActions?.find(({ ID }) => ID === action)?.name ?? action;
      return { ...toFormView(answer), name, title: [titleCase(answer.data), name].filter(Boolean).join(": ") };
    },
    async refresh(submission) {
      const values = { caseId, action, ifMatch: etag, ...submission };
      const reply = await calls.call("cases.refresh-action", caseForms.refreshAction, values);
      return toFormView(checkAnswer(caseForms.refreshAction.answer, reply));
    },
    async submit({ submission, files }) {
      const all = [...attachments, ...await calls.uploadFiles(files)];
      return await calls.call("cases.perform-action", caseForms.performAction, {
        caseId,
        action,
        ifMatch: etag,
        ...submission,
        ...(all.length > 0 && { attachments: all }),
      });
    },
  };
}

/** Returns the form of a new case. Files can be attached when the case exists. */
export function createCaseForm(calls: FormCalls, type: string, typeName: string = type): FormSource {
  return {
    fields: calls,
    async read() {
      const values = { caseTypeId: type, action: "Create" };
      const reply = await calls.call("case-types.get-action", caseTypes.getAction, values);
      const name = `New ${typeName}`;
      return { ...toFormView(checkAnswer(caseTypes.getAction.answer, reply)), name, title: name, acceptsNoFiles: true };
    },
    async submit({ content }) {
      const data = Object.keys(content).length === 0 ? undefined : content;
      return await calls.call("cases.create", cases.create, { type, data });
    },
  };
}
