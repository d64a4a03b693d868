/** Rules of assignments: who may work on them, their actions, and drafts. */
import { cloneJson, type JsonObject } from "../../utils/json.ts";
import { checkWork, mayWork } from "../access/case_rights.ts";
import type { Action, AssignmentStep, CaseType, Process } from "../application/model/application.ts";
import { Conflict, Forbidden, NotFound } from "../errors.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import type { CasePlace, StoredAssignment } from "../store/store.ts";
import { computeForm } from "../cases/content/compute.ts";
import {
  type CaseWork,
  checkChange,
  deleteDraft,
  type EngineContext,
  findCase,
  findOtherHolder,
  getOperatorName,
  openCase,
  readDraft,
  readScreen,
  setDraft,
  setLock,
  setScreen,
} from "../cases/case_work.ts";
import { getMember, leaveStep } from "../cases/flow.ts";
import { calculate, pickChanges } from "../cases/content/content.ts";
import { fillForm, type Submission, submissionFacts } from "../cases/content/fill_form.ts";
import { resolveRecords } from "../cases/content/resolve_records.ts";
import { submitForm } from "../cases/content/submit_form.ts";
import { addAttachments } from "../attachments/attachments.ts";

/** An open assignment with its case, process and step. */
export interface AssignmentWork {
  readonly work: CaseWork;
  readonly assignment: StoredAssignment;
  readonly process: Process;
  readonly step: AssignmentStep;
}

/** Reads an assignment with its case. Throws `NotFound` if it does not exist. */
export async function openAssignmentWork(context: EngineContext, id: string): Promise<AssignmentWork> {
  // The handle names the case: `ASSIGN-WORKLIST <case>!<PROCESS>`.
  const work = await findCase(context, id.slice(id.indexOf(" ") + 1, Math.max(0, id.lastIndexOf("!"))));
  const assignment = work?.findAssignment(id);
  if (work !== undefined && assignment !== undefined) return resolveAssignment(work, assignment);
  throw new NotFound("Assignment not found for the given parameter ID");
}

/** Finds the most urgent, then oldest assignment that the caller may take. Throws `NotFound` if no assignment is available. */
export async function takeNext(context: EngineContext): Promise<AssignmentWork> {
  const { app, tx, caller } = context;
  const next = await tx.nextAssignment(caller.id, caller.queues, (place) => {
    const { stored } = place;
    const type = app.caseTypes.get(stored.typeId);
    return type !== undefined && isServed(type, place) && findOtherHolder(stored, caller.id) === undefined &&
      mayWork({ type, stored, context });
  });
  if (next === undefined) {
    throw new NotFound([
      { message: "Error_No_Assignment_Available", localizedValue: "No assignments are available" },
    ]);
  }
  const work = await openCase(context, next.caseId);
  const assignment = work.findAssignment(next.id) ?? next;
  if (assignment.assignee.kind === "queue") {
    assignment.assignee = { kind: "operator", id: caller.id };
    work.putAssignment(assignment);
    await work.save();
  }
  return resolveAssignment(work, assignment);
}

/** Reports whether the definition, which may have changed, still contains the position of a case. */
function isServed(type: CaseType, { stored: { stageId }, assignments }: CasePlace): boolean {
  if (!type.stages.has(stageId)) return false;
  return assignments.every(({ processId, stepId }) => {
    return type.processes.get(processId)?.steps.get(stepId)?.kind === "assignment";
  });
}

/** Resolves the process and the step of an assignment. */
export function resolveAssignment(work: CaseWork, assignment: StoredAssignment): AssignmentWork {
  const process = getMember(work.type.processes, assignment.processId);
  const step = getMember(process.steps, assignment.stepId);
  if (step.kind === "assignment") return { work, assignment, process, step };
  throw new Conflict(`The step '${step.id}' is no longer an assignment`);
}

/** Reports whether the caller may work on an assignment: it is in the caller's worklist or queues, and the rights allow it. */
export function mayWorkOn(work: CaseWork, { assignee }: StoredAssignment): boolean {
  const { id, queues } = work.context.caller;
  return (assignee.kind === "operator" ? assignee.id === id : queues.includes(assignee.id)) && mayWork(work);
}

/** Checks that the caller may work on an assignment. Throws `Forbidden` otherwise. */
export function checkWorker({ work, assignment }: AssignmentWork): void {
  if (mayWorkOn(work, assignment)) return;
  checkWork(work);
  const { kind, id } = assignment.assignee;
  const holder = kind === "operator" ? getOperatorName(work.context.app, id) : `the queue ${id}`;
  throw new Forbidden(`${assignment.id} is not in your worklist or in one of your queues: ${holder} has it`);
}

/** Lists the actions that an assignment offers now: all actions of its step, or the current screen. */
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

/** Finds the first assignment of a case that the caller may work on. */
export function nextFor(work: CaseWork): StoredAssignment | undefined {
  return work.assignments.find((assignment) => mayWorkOn(work, assignment));
}

/** Returns the content that a form shows, with the values that are calculated from the draft of the caller. */
export function getFormContent(open: AssignmentWork, action: Action): JsonObject {
  const { assignment, work } = open;
  const isDrafted = mayWorkOn(work, assignment) &&
    Object.keys(readDraft(assignment, action.id)).length > 0;
  if (!isDrafted) return work.stored.content;
  return computeForm(work, action.view, applyDraft(open, action), {});
}

/** Applies the draft of an action to the content of the case. */
export function applyDraft({ work, assignment }: AssignmentWork, action: Action): JsonObject {
  const content = { ...work.stored.content };
  for (const [name, value] of Object.entries(readDraft(assignment, action.id))) {
    if (value === null) delete content[name];
    else content[name] = value;
  }
  return content;
}

/** A request for an action of an assignment. */
export interface ActionRequest {
  /** Assignment handle. */
  readonly assignmentId: string;
  /** Action ID. */
  readonly action: string;
  /** Entity tag. */
  readonly ifMatch?: string;
}

/** Opens an assignment and one of its actions. Throws `Forbidden` if the caller may not work on it. */
export async function openAction(
  context: EngineContext,
  { assignmentId, action }: ActionRequest,
): Promise<AssignmentWork & { action: Action }> {
  const open = await openAssignmentWork(context, assignmentId);
  checkWorker(open);
  return { ...open, action: offeredAction(open, action) };
}

/** Performs an action of an assignment. The last screen of a screen flow submits the drafts of the others, too. */
export async function perform(
  context: EngineContext,
  request: ActionRequest,
  submission: Submission,
): Promise<CaseWork> {
  const { action, ...open } = await openAction(context, request);
  const { work, assignment, process, step } = open;
  checkChange(work, request.ifMatch);
  work.touch();
  const isLast = !step.screens || readScreen(assignment).current + 1 >= step.actions.size;
  for (const other of isLast ? listDraftedScreens(open, action) : []) await submit(open, other, {});
  await submit(open, action, submission);
  if (!isLast) showNextScreen(open, action);
  else {
    work.removeAssignment(assignment.id);
    await leaveStep(work, process, step, step.screens ? step.next : action.next, action.id);
  }
  await work.save();
  return work;
}

/** Lists the other screens with drafts. */
function listDraftedScreens({ assignment, step: { screens, actions } }: AssignmentWork, last: Action): Action[] {
  const isDrafted = ({ id }: Action) => id !== last.id && Object.keys(readDraft(assignment, id)).length > 0;
  return screens ? [...actions.values()].filter(isDrafted) : [];
}

/** Submits a form with its draft, and changes the case. */
async function submit(open: AssignmentWork, action: Action, submission: Submission): Promise<void> {
  const { work, assignment, step } = open;
  const before = work.stored.content;
  const drafted = { current: applyDraft(open, action), stored: before };
  const { content, attachments } = await submitForm(work, action.view, drafted, submission);
  work.setContent(content, action.set, action.id);
  await addAttachments(work, attachments);
  if (action.status !== undefined) work.stored.status = action.status;
  work.addEvent("performed", `Performed ${action.name}`, {
    action: action.id,
    step: step.id,
    assignment: assignment.id,
    ...submissionFacts(submission, { before, after: work.stored.content }, readDraft(assignment, action.id)),
  });
}

/** Shows the next screen of a screen flow, and assigns it to the caller. */
function showNextScreen({ work, assignment }: AssignmentWork, done: Action): void {
  setScreen(assignment, readScreen(assignment).current + 1);
  deleteDraft(assignment, done.id);
  assignment.assignee = { kind: "operator", id: work.context.caller.id };
  work.putAssignment(assignment);
}

/** Saves the draft of an action, and locks the case until the draft is submitted or discarded. */
export async function saveDraft(
  context: EngineContext,
  request: ActionRequest,
  submission: Submission,
): Promise<AssignmentWork & { action: Action }> {
  const open = await openAction(context, request);
  const { work, assignment, action } = open;
  checkChange(work, request.ifMatch);
  await storeForm(open, action, submission);
  work.putAssignment(assignment);
  await work.save();
  return open;
}

/** Stores a submission as the draft of its action, and adds its attachments to the case. */
export async function storeForm(open: AssignmentWork, action: Action, submission: Submission): Promise<void> {
  const current = applyDraft(open, action);
  const conditions = { fields: open.work.type.fields, scope: open.work.scope() };
  const { content, attachments } = fillForm(action.view, current, submission, { complete: false, conditions });
  await resolveRecords(open.work.context, action.view, current, content);
  await addAttachments(open.work, attachments, content);
  storeDraft(open, action, content);
}

/**
 * Stores the changes of a form as the draft of its action. Other fields are not part of the draft, because the case may
 * change meanwhile. The operator who saves a draft gets the assignment.
 */
function storeDraft({ work, assignment }: AssignmentWork, action: Action, content: JsonObject): void {
  const computed = cloneJson(content);
  calculate(work.type.fields, computed, { ...work.scope(), fields: computed }); // Fails while a person can correct the form.
  work.touch();
  assignment.assignee = { kind: "operator", id: work.context.caller.id };
  setDraft(assignment, action.id, pickChanges(action.view, work.stored.content, content));
  setLock(work.stored, work.context.caller.id, work.context.now);
}
