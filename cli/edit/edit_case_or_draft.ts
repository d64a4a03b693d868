import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import { SvcError } from "../../lib/errors.ts";
import { readForm } from "../../lib/forms/mod.ts";
import assignments from "../../lib/resources/assignments.ts";
import cases from "../../lib/resources/cases.ts";
import type { CommandContext } from "../commands/command.ts";
import { callOperation } from "../context.ts";
import { isAssignmentHandle } from "../handles/handles.ts";
import { resolveCaseId } from "../handles/resolve_handles.ts";
import { printReply } from "../render/print_result.ts";
import { EDIT_DETAILS } from "../work/edit_details.ts";
import { editForm } from "./edit_form.ts";

/** Edits the fields of a case, or those of an action of an assignment, which are saved as a draft. */
export async function editCaseOrDraft(context: CommandContext, id: string, action?: string): Promise<void> {
  const form = isAssignmentHandle(id)
    ? {
      read: { name: "assignments.get-action", operation: assignments.getAction },
      submit: { name: "assignments.save", operation: assignments.save },
      values: { assignmentId: id, action: action ?? await findOnlyAction(context, id) },
    }
    : {
      read: { name: "cases.get-action", operation: cases.getAction },
      submit: { name: "cases.perform-action", operation: cases.performAction },
      values: { caseId: await resolveCaseId(context, id), action: action ?? EDIT_DETAILS },
    };
  const { read, submit, values } = form;
  const reply = await editForm(context, {
    title: `${id}: ${values.action}`,
    async read() {
      const reply = await callOperation(context, read, values);
      const body = checkAnswer(cases.getAction.answer, reply);
      return { form: readForm(body, { action: values.action }), etag: reply.etag };
    },
    submit: (changed) => callOperation(context, submit, { ...values, ...changed }),
  });
  if (reply !== undefined) await printReply(context, submit, values, reply);
}

async function findOnlyAction(context: CommandContext, assignmentId: string): Promise<string> {
  const ref = { name: "assignments.get", operation: assignments.get };
  const { id, data } = checkAnswer(
    assignments.get.answer,
    await callOperation(context, ref, { assignmentId }),
    assignmentId,
  );
  const { actions = [] } = data.caseInfo.assignments?.find(({ ID }) => ID === id) ?? {};
  const [only, ...others] = actions;
  if (only !== undefined && others.length === 0) return only.ID;
  const names = actions.map(({ ID }) => ID).join(", ");
  throw new SvcError(
    "INVALID_ARGS",
    `The assignment has ${actions.length === 0 ? "no action" : "several actions"} that you can perform.`,
    {
      hint: names === "" ? "'svc inbox' lists your work." : `Choose one with --action: ${names}.`,
    },
  );
}
