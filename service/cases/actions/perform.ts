/** Performs assignments. */
import type { Action } from "../../application/model/application.ts";
import {
  type AssignmentWork,
  checkWorker,
  offeredAction,
  openAssignmentWork,
  withDraft,
} from "../../assignments/work.ts";
import { addAttachments } from "../../attachments/attachments.ts";
import type { EngineContext } from "../context.ts";
import { leaveStep } from "../flow.ts";
import { fillForm, type Submission, submissionFacts } from "../content/forms.ts";
import { draftOf, dropDraft, screenOf, setScreen } from "../state.ts";
import { type CaseWork, checkChange } from "../case_work.ts";

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
  checkChange(work, request.ifMatch, true);
  work.touch();
  const isLast = !step.screens || screenOf(assignment).current + 1 >= step.actions.size;
  for (const left of isLast ? leftScreens(open, action) : []) await submit(open, left, {});
  await submit(open, action, submission);
  if (!isLast) showNextScreen(open, action);
  else {
    work.removeAssignment(assignment.id);
    await leaveStep(work, process, step, step.screens ? step.next : action.next, action.id);
  }
  await work.save();
  return work;
}

/** The other screens that were left with changes: who ends the screen flow submits them too. */
function leftScreens({ assignment, step: { screens, actions } }: AssignmentWork, last: Action): Action[] {
  const isLeft = ({ id }: Action) => id !== last.id && Object.keys(draftOf(assignment, id)).length > 0;
  return screens ? [...actions.values()].filter(isLeft) : [];
}

/** Submits a form with its draft: the case changes as the form says. */
async function submit(open: AssignmentWork, action: Action, submission: Submission): Promise<void> {
  const { work, assignment, step } = open;
  const content = fillForm(action.view, withDraft(open, action), submission, { complete: true });
  work.setContent(content, action.set, action.id);
  await addAttachments(work, submission.attachments);
  if (action.status !== undefined) work.stored.status = action.status;
  work.addEvent("performed", `Performed ${action.name}`, {
    action: action.id,
    step: step.id,
    assignment: assignment.id,
    ...submissionFacts(submission, draftOf(assignment, action.id)),
  });
}

/** Goes to the next screen of a screen flow, with the operator who began it. */
function showNextScreen({ work, assignment }: AssignmentWork, done: Action): void {
  setScreen(assignment, screenOf(assignment).current + 1);
  dropDraft(assignment, done.id);
  assignment.assignee = { kind: "operator", id: work.context.caller.id };
  work.putAssignment(assignment);
}
