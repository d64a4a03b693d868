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
import type { GroupHandlers } from "../http/handler.ts";
import type { StoredAssignment } from "../store/store.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import { createAssignmentOutcome } from "../cases/views/case.ts";
import { readViewType } from "../cases/arguments.ts";
import { type AssignmentWork, openAssignmentWork } from "./work.ts";

type Assignee = StoredAssignment["assignee"];

/** The handlers of `svc work` by operation. */
export const handlers: GroupHandlers<"work"> = {
  async release({ assignmentId, ifMatch }, context) {
    const open = await openToReassign(context, assignmentId, ifMatch);
    const { assignment, step } = open;
    const { route } = step;
    if (route.kind !== "queue") throw new Conflict(`The step '${step.name}' has no queue: transfer ${assignment.id}`);
    if (assignment.assignee.kind === "queue") throw new Conflict(`${assignment.id} is in a queue already`);
    await reassign(open, { kind: "queue", id: route.queue }, "released");
    return createAssignmentOutcome(open, { viewType: readViewType(context, "none"), changed: true });
  },

  async transfer({ assignmentId, toOperator, toQueue, ifMatch }, context) {
    const open = await openToReassign(context, assignmentId, ifMatch);
    await reassign(open, findAssignee(open.work, toOperator, toQueue), "transferred");
    return createAssignmentOutcome(open, { viewType: readViewType(context, "none"), changed: true });
  },
};

/** Opens an assignment that the caller may give to others. */
async function openToReassign(
  context: EngineContext,
  id: string,
  ifMatch: string | undefined,
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

async function reassign({ work, assignment, step }: AssignmentWork, to: Assignee, kind: string): Promise<void> {
  const from = assignment.assignee;
  if (from.kind === to.kind && from.id === to.id) {
    throw new Conflict(`${describe(work, to)} has ${assignment.id} already`);
  }
  work.touch();
  assignment.assignee = to;
  work.putAssignment(assignment);
  const verb = kind === "released" ? "Released" : "Transferred";
  const text = `${verb} ${step.name} from ${describe(work, from)} to ${describe(work, to)}`;
  work.addEvent(kind, text, { assignment: assignment.id, from: { ...from }, to: { ...to } });
  await work.save();
}

function describe({ context: { app } }: CaseWork, { kind, id }: Assignee): string {
  return kind === "operator" ? getOperatorName(app, id) : app.queues.get(id) ?? id;
}
