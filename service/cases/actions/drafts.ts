/** Drafts: what a person has filled in and not submitted yet. The case's content stays as it is. */
import type { JsonObject } from "../../../utils/json.ts";
import type { Action } from "../../application/model/application.ts";
import { type AssignmentWork, withDraft } from "../../assignments/work.ts";
import { addAttachments } from "../../attachments/attachments.ts";
import { computed } from "../content/compute.ts";
import { changedPart } from "../content/content.ts";
import type { EngineContext } from "../context.ts";
import { fillForm, type Submission } from "../content/forms.ts";
import { type ActionRequest, openAction } from "./perform.ts";
import { dropDrafts, hasDrafts, setDraft, setLock } from "../state.ts";
import { type CaseWork, checkChange, openCase } from "../case_work.ts";

/** Saves a draft of an action. Nobody else may change the case until it is submitted or discarded. */
export async function saveDraft(
  context: EngineContext,
  request: ActionRequest,
  submission: Submission,
): Promise<AssignmentWork & { action: Action }> {
  const open = await openAction(context, request);
  const { work, assignment, action } = open;
  checkChange(work, request.ifMatch);
  keepDraft(open, action, fillForm(action.view, withDraft(open, action), submission, { complete: false }));
  await addAttachments(work, submission.attachments);
  work.putAssignment(assignment);
  await work.save();
  return open;
}

/**
 * Keeps what a form has changed as the draft of its action: the rest may change meanwhile, and is shown as it is then.
 * Whoever has a draft has the assignment.
 */
export function keepDraft({ work, assignment }: AssignmentWork, action: Action, content: JsonObject): void {
  computed(work, action.view, content, {}); // what cannot be computed is refused while it can still be corrected
  work.touch();
  assignment.assignee = { kind: "operator", id: work.context.caller.id };
  setDraft(assignment, action.id, changedPart(action.view, work.stored.content, content));
  setLock(work.stored, work.context.caller.id);
}

/** Discards all drafts of a case, whoever saved them: the lock is released with the last. */
export async function discardDrafts(
  context: EngineContext,
  caseId: string,
  ifMatch: string | undefined,
): Promise<CaseWork> {
  const work = await openCase(context, caseId, ifMatch);
  const drafted = work.assignments.filter(hasDrafts);
  if (drafted.length === 0) return work;
  for (const assignment of drafted) {
    dropDrafts(assignment);
    work.putAssignment(assignment);
  }
  work.touch();
  work.addEvent("discarded", "Discarded the saved drafts", {});
  await work.save();
  return work;
}
