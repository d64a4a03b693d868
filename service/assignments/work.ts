/** Assignments: who may work on one, and what may be done there. */
import type { JsonObject } from "../../utils/json.ts";
import type { Action, Application, AssignmentStep, Operator, Process } from "../application/model/application.ts";
import { Conflict, DomainError, Forbidden, NotFound } from "../errors.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import type { CasePlace, StoredAssignment } from "../store/store.ts";
import { computed } from "../cases/content/compute.ts";
import {
  type CaseWork,
  checkChange,
  dropDraft,
  type EngineContext,
  findCase,
  openCase,
  otherHolder,
  readDraft,
  readScreen,
  setDraft,
  setLock,
  setScreen,
} from "../cases/case_work.ts";
import { known, leaveStep } from "../cases/flow.ts";
import { changedPart, fillForm, type Submission, submissionFacts } from "../cases/content/content.ts";
import { addAttachments } from "../attachments/attachments.ts";

/** An open assignment in hand, with its case. */
export interface AssignmentWork {
  /** Its case. */
  readonly work: CaseWork;
  /** The assignment. */
  readonly assignment: StoredAssignment;
  /** Its process. */
  readonly process: Process;
  /** Its step. */
  readonly step: AssignmentStep;
}

/** Reads an assignment with its case. Throws `NotFound` if it does not exist. */
export async function openAssignmentWork(context: EngineContext, id: string): Promise<AssignmentWork> {
  // The handle names the case: `ASSIGN-WORKLIST <case>!<PROCESS>`.
  const work = await findCase(context, id.slice(id.indexOf(" ") + 1, Math.max(0, id.lastIndexOf("!"))));
  const assignment = work?.assignment(id);
  if (work !== undefined && assignment !== undefined) return assignmentWork(work, assignment);
  throw new NotFound("Assignment not found for the given parameter ID");
}

/** Finds the most urgent, then oldest assignment that the caller may take. Throws `NotFound` if no assignment is available. */
export async function takeNext(context: EngineContext): Promise<AssignmentWork> {
  const { app, tx, caller } = context;
  const next = await tx.nextAssignment(caller.id, caller.queues, (place) => {
    return isServed(app, place) && otherHolder(place, caller.id) === undefined;
  });
  if (next === undefined) {
    throw new NotFound([
      { message: "Error_No_Assignment_Available", localizedValue: "No assignments are available" },
    ]);
  }
  const work = await openCase(context, next.caseId);
  const assignment = work.assignment(next.id) ?? next;
  if (assignment.assignee.kind === "queue") {
    assignment.assignee = { kind: "operator", id: caller.id };
    work.putAssignment(assignment);
    await work.save();
  }
  return assignmentWork(work, assignment);
}

/** Checks whether the definition, which may have changed, still contains the position of a case. */
function isServed({ caseTypes }: Application, { typeId, stageId, assignments }: CasePlace): boolean {
  const type = caseTypes.get(typeId);
  if (!type?.stages.has(stageId)) return false;
  return assignments.every(({ processId, stepId }) => {
    return type.processes.get(processId)?.steps.get(stepId)?.kind === "assignment";
  });
}

/** An assignment of a case with what its handle stands for. */
export function assignmentWork(work: CaseWork, assignment: StoredAssignment): AssignmentWork {
  const process = known(work.type.processes, assignment.processId);
  const step = known(process.steps, assignment.stepId);
  if (step.kind === "assignment") return { work, assignment, process, step };
  throw new Conflict(`The step '${step.id}' is no longer an assignment`);
}

/** Checks whether an assignment is in the worklist or in a queue of an operator. */
export function mayWorkOn({ assignee }: StoredAssignment, { id, queues }: Operator): boolean {
  return assignee.kind === "operator" ? assignee.id === id : queues.includes(assignee.id);
}

/** Refuses an operator who may not work on an assignment. */
export function checkWorker({ work, assignment }: AssignmentWork): void {
  if (mayWorkOn(assignment, work.context.caller)) return;
  throw new Forbidden(`${assignment.id} is not in your worklist or in one of your queues`);
}

/** The actions that an assignment offers now: all of its step, or the screen that is shown. */
export function offeredActions({ assignment, step }: Pick<AssignmentWork, "assignment" | "step">): Action[] {
  const actions = [...step.actions.values()];
  return step.screens ? actions.slice(readScreen(assignment).current).slice(0, 1) : actions;
}

/** Finds an action that an assignment offers now. Throws `Conflict` for any other action. */
export function offeredAction(open: AssignmentWork, id: string): Action {
  const offered = offeredActions(open);
  const action = offered.find((one) => one.id === id);
  if (action !== undefined) return action;
  const instead = suggestAlternatives(id, offered.map((one) => one.id));
  throw new Conflict(`${id} is not a valid action to use on the assignment ${open.assignment.id}${instead}`);
}

/** The first assignment of a case that the caller may work on. */
export function nextFor(work: CaseWork): StoredAssignment | undefined {
  return work.assignments.find((assignment) => mayWorkOn(assignment, work.context.caller));
}

/** Returns the content that a form shows, with the values that are calculated from the draft of the caller. */
export function shownInForm(open: AssignmentWork, action: Action): JsonObject {
  const { assignment, work } = open;
  const isDrafted = mayWorkOn(assignment, work.context.caller) &&
    Object.keys(readDraft(assignment, action.id)).length > 0;
  if (!isDrafted) return work.stored.content;
  const content = withDraft(open, action);
  try {
    return computed(work, action.view, content, {});
  } catch (error) {
    if (error instanceof DomainError) return content; // The case has changed since: the form must show to be corrected.
    throw error;
  }
}

/** The content that a form of an assignment begins with: the case's, under the draft. */
export function withDraft({ work, assignment }: AssignmentWork, action: Action): JsonObject {
  const content = { ...work.stored.content };
  for (const [name, value] of Object.entries(readDraft(assignment, action.id))) {
    if (value === null) delete content[name];
    else content[name] = value;
  }
  return content;
}

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
