/** Performs assignments. */
import type { Action } from "../definition/application.ts";
import { checkTag } from "../tags.ts";
import { type AssignmentWork, checkWorker, offeredAction, openAssignmentWork, withDraft } from "./assignments.ts";
import { addAttachments } from "./attachments.ts";
import type { EngineContext } from "./context.ts";
import { leaveStep } from "./flow.ts";
import { fillForm, type Submission } from "./forms.ts";
import { dropDraft, screenOf, setScreen } from "./state.ts";
import { type CaseWork, checkLock } from "./work.ts";

/** An assignment, an action of it, and the entity tag that the caller knows. */
export interface ActionRequest {
  /** Assignment handle. */
  readonly assignmentId: string;
  /** Action ID. */
  readonly action: string;
  /** Entity tag. */
  readonly ifMatch?: string;
}

/** Takes an assignment and one of its actions in hand, for the caller to work on. */
export async function openAction(
  context: EngineContext,
  { assignmentId, action }: ActionRequest,
): Promise<AssignmentWork & { action: Action }> {
  const open = await openAssignmentWork(context, assignmentId);
  checkWorker(open);
  return { ...open, action: offeredAction(open, action) };
}

/** Performs an assignment: submits one of its actions. */
export async function perform(
  context: EngineContext,
  request: ActionRequest,
  submission: Submission,
): Promise<CaseWork> {
  const { action, ...open } = await openAction(context, request);
  const { work, assignment, process, step } = open;
  checkLock(work);
  checkTag(request.ifMatch, work.stored.tag, true);
  work.touch();
  const content = fillForm(action.view, withDraft(open, action), submission, { complete: true });
  work.setContent(content, action.set, action.id);
  await addAttachments(work, submission.attachments);
  if (action.status !== undefined) work.stored.status = action.status;
  work.addEvent("performed", `Performed ${action.name}`, {
    action: action.id,
    step: step.id,
    assignment: assignment.id,
    content: submission.content ?? {},
    ...(submission.pageInstructions && { pageInstructions: [...submission.pageInstructions] }),
  });
  if (step.screens && showNextScreen(open, action)) return await saved(work);
  work.removeAssignment(assignment.id);
  await leaveStep(work, process, step, step.screens ? step.next : action.next, action.id);
  return await saved(work);
}

/** Goes to the next screen of a screen flow; tells whether there was one. Whoever began it goes on with it. */
function showNextScreen({ work, assignment, step }: AssignmentWork, done: Action): boolean {
  const next = screenOf(assignment).current + 1;
  if (next >= step.actions.size) return false;
  setScreen(assignment, next);
  dropDraft(assignment, done.id);
  assignment.assignee = { kind: "operator", id: work.context.caller.id };
  work.putAssignment(assignment);
  return true;
}

async function saved(work: CaseWork): Promise<CaseWork> {
  await work.save();
  return work;
}
