/** Navigation between the screens of a screen flow. */
import { Conflict, createIssue, NotFound, ValidationFailed } from "../errors.ts";
import { type AssignmentWork, checkWorker, offeredActions, openAssignmentWork, storeForm } from "./work.ts";
import { checkChange, type EngineContext, readScreen, setScreen } from "../cases/case_work.ts";
import type { Submission } from "../cases/content/fill_form.ts";

/** Builds the ID of a screen from its index. */
export function buildScreenId(index: number): string {
  return `AssignmentSF${index + 1}`;
}

/** Goes back to the previous screen. */
export async function navigateBack(
  context: EngineContext,
  assignmentId: string,
  ifMatch: string | undefined,
  submission: Submission,
): Promise<AssignmentWork> {
  const open = await openFlow(context, assignmentId, ifMatch);
  const { current } = readScreen(open.assignment);
  if (!open.step.screens || current === 0) throw new ValidationFailed([createIssue("There is no previous step")]);
  return await show(open, current - 1, submission);
}

/** Goes to a visited screen. */
export async function navigateTo(
  context: EngineContext,
  assignmentId: string,
  stepId: string,
  ifMatch: string | undefined,
  submission: Submission,
): Promise<AssignmentWork> {
  const open = await openFlow(context, assignmentId, ifMatch);
  const { current, furthest } = readScreen(open.assignment);
  const count = open.step.screens ? open.step.actions.size : 0;
  const target = Array.from({ length: count }, (_, index) => buildScreenId(index)).indexOf(stepId);
  if (target < 0) throw new NotFound("Navigation step not found for the given parameter stepID");
  if (target === current) throw new Conflict(`${stepId} is the current step`);
  if (target > furthest) throw new ValidationFailed([createIssue(`${stepId} has not been visited yet`)]);
  return await show(open, target, submission);
}

async function openFlow(
  context: EngineContext,
  assignmentId: string,
  ifMatch: string | undefined,
): Promise<AssignmentWork> {
  const open = await openAssignmentWork(context, assignmentId);
  checkWorker(open);
  checkChange(open.work, ifMatch);
  return open;
}

/** Saves the content of the current screen as its draft, and adds its attachments. */
async function show(open: AssignmentWork, index: number, submission: Submission): Promise<AssignmentWork> {
  const { work, assignment } = open;
  const [shown] = offeredActions(open);
  const isEmpty = Object.values(submission).every((part) => part === undefined);
  if (shown !== undefined && !isEmpty) await storeForm(open, shown, submission);
  work.touch();
  setScreen(assignment, index);
  work.putAssignment(assignment);
  await work.save();
  return open;
}
