/** The form of a new case. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import type { Values } from "../../lib/client/request/values.ts";
import caseTypes from "../../lib/resources/case_types.ts";
import cases from "../../lib/resources/cases.ts";
import { toFormView } from "./action_form.ts";
import type { FormSource } from "./fill_form.ts";
import { readFields } from "./form.ts";
import type { FormCalls } from "./form_calls.ts";

/** Returns the form of a new case, which is submitted with other values, e.g. its parent. It has no prompts for files. */
export function createCaseForm(
  calls: FormCalls,
  type: string,
  typeName: string = type,
  values: Values = {},
): FormSource {
  return {
    fields: calls,
    async read() {
      const values = { caseTypeId: type, action: "Create" };
      const reply = await calls.call("case-types.get-action", caseTypes.getAction, values);
      const view = toFormView(checkAnswer(caseTypes.getAction.answer, reply));
      const hasFiles = readFields(view.uiResources).some(({ kind }) => kind === "attachment");
      const name = `New ${typeName}`;
      return {
        ...view,
        name,
        title: name,
        instructions: hasFiles ? "Files can be attached when the case exists." : undefined,
        acceptsNoFiles: true,
      };
    },
    async submit({ content }) {
      const data = Object.keys(content).length === 0 ? undefined : content;
      return await calls.call("cases.create", cases.create, { ...values, type, data });
    },
  };
}
