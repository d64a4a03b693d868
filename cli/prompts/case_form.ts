/** The form of a new case. */
import type { Values } from "../../lib/client/request/values.ts";
import { readForm } from "../../lib/forms/mod.ts";
import caseTypes from "../../lib/resources/case_types.ts";
import cases from "../../lib/resources/cases.ts";
import type { FormCalls } from "./form_calls.ts";
import { type FormSource, toValues } from "./form_source.ts";

/** Returns the form of a new case, which is submitted with other values, e.g. its parent. It has no prompts for files. */
export function createCaseForm(
  calls: FormCalls,
  type: string,
  typeName: string = type,
  values: Values = {},
): FormSource {
  return {
    async read() {
      const values = { caseTypeId: type, action: "Create" };
      const reply = await calls.call("case-types.get-action", caseTypes.getAction, values);
      const form = readForm(calls.readBody(reply), { action: "Create" });
      const hasFiles = form.questions.some((question) => question.type === "attachment");
      const name = `New ${typeName}`;
      return {
        form,
        name,
        title: name,
        instructions: hasFiles ? ["Files can be attached when the case exists."] : [],
        acceptsNoFiles: true,
      };
    },
    async submit(filled) {
      const { data, ...others } = toValues(filled);
      const isEmpty = JSON.stringify(data) === "{}";
      return await calls.call("cases.create", cases.create, {
        ...values,
        type,
        data: isEmpty ? undefined : data,
        ...others,
      });
    },
  };
}
