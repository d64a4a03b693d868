/** Changes who has an assignment. */
import { mayManage, mayRead, mayWork } from "../access/case_rights.ts";
import {
  type CaseWork,
  checkChange,
  checkEntityTag,
  type EngineContext,
  getOperatorName,
  hasDrafts,
} from "../cases/case_work.ts";
import { Conflict, Forbidden, Invalid } from "../errors.ts";
import type { StoredAssignment } from "../store/store.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import { type AssignmentWork, checkWorker, openAssignmentWork } from "./work.ts";

type Assignee = StoredAssignment["assignee"];

/** An assignment, and the entity tag that the caller knows. */
export interface ReassignRequest {
  /** Assignment handle. */
  readonly assignmentId: string;
  /** Entity tag. */
  readonly ifMatch?: string;
}

/** The new assignee of an assignment: an operator or a queue. */
export interface NewAssignee {
  /** Operator ID. */
  readonly toOperator?: string;
  /** Queue ID. */
  readonly toQueue?: string;
}

/** Gives an assignment to the caller, who may take it from its queue. Changes nothing if the caller has it. */
export async function take(context: EngineContext, request: ReassignRequest): Promise<AssignmentWork> {
  const open = await openAssignmentWork(context, request.assignmentId);
  const { work, assignment: { id, assignee } } = open;
  const { caller } = context;
  if (assignee.kind === "operator" && assignee.id !== caller.id) {
    throw new Conflict(`${describe(work, assignee)} has ${id}`);
  }
  checkWorker(open);
  checkChange(work, request.ifMatch);
  if (assignee.kind === "queue") await reassign(open, { kind: "operator", id: caller.id }, "taken");
  return open;
}

/** Gives an assignment back to the queue of its step. */
export async function release(context: EngineContext, request: ReassignRequest): Promise<AssignmentWork> {
  const open = await openToReassign(context, request);
  const { assignment, step } = open;
  const { route } = step;
  if (route.kind !== "queue") throw new Conflict(`The step '${step.name}' has no queue: transfer ${assignment.id}`);
  if (assignment.assignee.kind === "queue") throw new Conflict(`${assignment.id} is in a queue already`);
  await reassign(open, { kind: "queue", id: route.queue }, "released");
  return open;
}

/** Gives an assignment to an operator or a queue. */
export async function transfer(
  context: EngineContext,
  request: ReassignRequest,
  { toOperator, toQueue }: NewAssignee,
): Promise<AssignmentWork> {
  const open = await openToReassign(context, request);
  await reassign(open, findAssignee(open.work, toOperator, toQueue), "transferred");
  return open;
}

/** Opens an assignment that the caller may give to others. */
async function openToReassign(
  context: EngineContext,
  { assignmentId: id, ifMatch }: ReassignRequest,
): Promise<AssignmentWork> {
  const open = await openAssignmentWork(context, id);
  const { work, assignment: { assignee } } = open;
  const isHolder = assignee.kind === "operator" && assignee.id === context.caller.id && mayWork(work);
  if (!isHolder && !mayManage(work)) {
    throw new Forbidden(`Only the holder of ${id} and operators with the right 'manage' may give it to others`);
  }
  if (isHolder) checkChange(work, ifMatch);
  else checkEntityTag(ifMatch, work.stored.tag, context);
  if (hasDrafts(open.assignment)) {
    throw new Conflict(`${id} has a saved draft: submit it, or discard it with 'cases discard-updates'`);
  }
  return open;
}

function findAssignee(work: CaseWork, operator: string | undefined, queue: string | undefined): Assignee {
  const { app, now } = work.context;
  if ((operator === undefined) === (queue === undefined)) throw new Invalid("Name either an operator or a queue");
  if (queue !== undefined) {
    if (app.queues.has(queue)) return { kind: "queue", id: queue };
    throw new Invalid(`There is no queue '${queue}'${suggestAlternatives(queue, app.queues.keys())}`);
  }
  const caller = app.operators.get(operator ?? "");
  if (caller === undefined) {
    throw new Invalid(`There is no operator '${operator}'${suggestAlternatives(operator ?? "", app.operators.keys())}`);
  }
  const context = { app, caller, now };
  if (!mayRead(work.stored, context) || !mayWork({ type: work.type, stored: work.stored, context })) {
    throw new Conflict(`${caller.name} may not change ${work.stored.businessId}`);
  }
  return { kind: "operator", id: caller.id };
}

/** The words for the changes in the history. */
const VERBS = { taken: "Took", released: "Released", transferred: "Transferred" } as const;

async function reassign(
  { work, assignment, step }: AssignmentWork,
  to: Assignee,
  kind: keyof typeof VERBS,
): Promise<void> {
  const from = assignment.assignee;
  if (from.kind === to.kind && from.id === to.id) {
    throw new Conflict(`${describe(work, to)} has ${assignment.id} already`);
  }
  work.touch();
  assignment.assignee = to;
  work.putAssignment(assignment);
  const receiver = kind === "taken" ? "" : ` to ${describe(work, to)}`;
  const text = `${VERBS[kind]} ${step.name} from ${describe(work, from)}${receiver}`;
  work.addEvent(kind, text, { assignment: assignment.id, from: { ...from }, to: { ...to } });
  await work.save();
}

function describe({ context: { app } }: CaseWork, { kind, id }: Assignee): string {
  return kind === "operator" ? getOperatorName(app, id) : app.queues.get(id) ?? id;
}
