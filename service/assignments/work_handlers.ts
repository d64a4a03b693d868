/** Serves the operations of `svc work`. */
import { readViewType } from "../cases/arguments.ts";
import { findCases } from "../cases/find_cases.ts";
import { createAssignmentOutcome } from "../cases/views/case.ts";
import type { GroupHandlers, HandlerContext, Outcome } from "../http/handler.ts";
import { listInbox } from "./inbox.ts";
import { release, take, transfer } from "./reassign.ts";
import type { AssignmentWork } from "./work.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"work"> = {
  getOperator(_, { app, caller }) {
    const queues = caller.queues.map((id) => ({ ID: id, name: app.queues.get(id) ?? id }));
    return { body: { ID: caller.id, name: caller.name, queues } };
  },

  async inbox(values, context) {
    return { body: await listInbox(values, context) };
  },

  async find(values, context) {
    return { body: await findCases(values, context) };
  },

  async take(values, context) {
    return createReassignedOutcome(await take(context, values), context);
  },

  async release(values, context) {
    return createReassignedOutcome(await release(context, values), context);
  },

  async transfer({ toOperator, toQueue, ...request }, context) {
    return createReassignedOutcome(await transfer(context, request, { toOperator, toQueue }), context);
  },
};

function createReassignedOutcome(open: AssignmentWork, context: HandlerContext): Outcome {
  return createAssignmentOutcome(open, { viewType: readViewType(context, "none"), changed: true });
}
