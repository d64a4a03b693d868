/** Assignments: who may work on one, and what may be done there. */
import type { JsonObject } from "../../utils/json.ts";
import type { Action, Application, AssignmentStep, Operator, Process } from "../application/model/application.ts";
import { Conflict, DomainError, Forbidden, NotFound } from "../errors.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import type { CasePlace, StoredAssignment } from "../store/store.ts";
import { computed } from "../cases/content/compute.ts";
import { type CaseWork, type EngineContext, findCase, openCase } from "../cases/case_work.ts";
import { known } from "../cases/flow.ts";
import { otherHolder, readDraft, readScreen } from "../cases/state.ts";

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
