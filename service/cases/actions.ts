/** Actions on assignments and on cases, and drafts of them. */
import type { Action, LocalAction } from "../application/model/application.ts";
import { type AssignmentWork, checkWorker, offeredAction, openAssignmentWork, withDraft } from "../assignments/work.ts";
import { addAttachments } from "../attachments/attachments.ts";
import { type CaseWork, checkChange, type EngineContext, isResolved, openCase } from "./case_work.ts";
import { currentStage, enterStage, findStage, known, leaveStep } from "./flow.ts";
import { fillForm, type Submission, submissionFacts } from "./content/forms.ts";
import { dropDraft, dropDrafts, hasDrafts, readDraft, readScreen, setDraft, setLock, setScreen } from "./state.ts";
import { STAGE_FIELD } from "../application/model/case_type.ts";
import { Conflict } from "../errors.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import type { JsonObject } from "../../utils/json.ts";
import { computed } from "./content/compute.ts";
import { changedPart } from "./content/content.ts";

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
  const isLast = !step.screens || readScreen(assignment).current + 1 >= step.actions.size;
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
  const isLeft = ({ id }: Action) => id !== last.id && Object.keys(readDraft(assignment, id)).length > 0;
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
    ...submissionFacts(submission, readDraft(assignment, action.id)),
  });
}

/** Goes to the next screen of a screen flow, with the operator who began it. */
function showNextScreen({ work, assignment }: AssignmentWork, done: Action): void {
  setScreen(assignment, readScreen(assignment).current + 1);
  dropDraft(assignment, done.id);
  assignment.assignee = { kind: "operator", id: work.context.caller.id };
  work.putAssignment(assignment);
}

/** The actions that a case offers now. */
export function localActions(work: CaseWork): LocalAction[] {
  return isResolved(work.stored) ? [] : [...work.type.actions.values(), ...currentStage(work).actions.values()];
}

/** Finds an action that a case offers now. Throws `Conflict` for any other action. */
export function localAction(work: CaseWork, id: string): LocalAction {
  const offered = localActions(work);
  const action = offered.find((one) => one.id === id);
  if (action !== undefined) return action;
  const instead = suggestAlternatives(id, offered.map((one) => one.id));
  throw new Conflict(`${id} is not a valid action to use on the case ${work.stored.id}${instead}`);
}

/** A case, an action of it, and the entity tag that the caller knows. */
export interface LocalRequest {
  /** Case handle. */
  readonly caseId: string;
  /** Action ID. */
  readonly action: string;
  /** Entity tag. */
  readonly ifMatch?: string;
  /** Set if the action is performed on several cases. */
  readonly bulk?: boolean;
}

/** Performs an action on a case. */
export async function performLocal(
  context: EngineContext,
  request: LocalRequest,
  submission: Submission,
): Promise<CaseWork> {
  const work = await openCase(context, request.caseId);
  const action = localAction(work, request.action);
  if (request.bulk && !action.bulk) {
    throw new Conflict(`${action.id} is not a valid action to use on several cases`);
  }
  checkChange(work, request.ifMatch);
  work.touch();
  const { [STAGE_FIELD]: stageName, ...content } = fillForm(action.view, work.stored.content, submission, {
    complete: true,
  });
  work.setContent(content, action.set, action.id);
  await addAttachments(work, submission.attachments);
  if (action.status !== undefined) work.stored.status = action.status;
  work.addEvent("performed", `Performed ${action.name}`, { action: action.id, ...submissionFacts(submission) });
  if (typeof stageName === "string") await enterStage(work, findStage(work, stageName));
  else if (action.stage !== undefined) await enterStage(work, known(work.type.stages, action.stage));
  await work.save();
  return work;
}

/** Saves a draft of an action, and locks the case until the draft is submitted or discarded. */
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
 * The operator who saved a draft owns the assignment.
 */
export function keepDraft({ work, assignment }: AssignmentWork, action: Action, content: JsonObject): void {
  computed(work, action.view, content, {}); // what cannot be computed is refused while it can still be corrected
  work.touch();
  assignment.assignee = { kind: "operator", id: work.context.caller.id };
  setDraft(assignment, action.id, changedPart(action.view, work.stored.content, content));
  setLock(work.stored, work.context.caller.id);
}

/** Discards the drafts of all operators, and releases the lock of the case. */
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
