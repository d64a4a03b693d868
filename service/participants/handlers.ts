/** Handlers of the operations of `svc participants`. */
import { openCase } from "../cases/case_work.ts";
import { NotFound } from "../errors.ts";
import type { GroupHandlers, HandlerContext } from "../http/handler.ts";
import {
  createAddedOutcome,
  createParticipantOutcome,
  describeParticipant,
  describeRole,
  summarizeParticipant,
  summarizeRole,
} from "./views.ts";
import {
  addParticipant,
  changeParticipant,
  deleteParticipant,
  findRole,
  listParticipants,
  openParticipant,
} from "./participants.ts";
import { readBodySubmission, readSubmission, readViewType } from "../cases/arguments.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"participants"> = {
  async list({ caseId }, context) {
    const work = await openCase(context, caseId);
    const participants = (await listParticipants(work)).map((participant) => summarizeParticipant(work, participant));
    return { body: { participants } };
  },

  async add({ caseId, role, ifMatch }, context) {
    const added = await addParticipant(context, caseId, role, readBodySubmission(context.body), ifMatch);
    return createAddedOutcome(added, wantsForm(context));
  },

  async get({ caseId, participantId }, context) {
    return { body: describeParticipant(await openParticipant(context, caseId, participantId), wantsForm(context)) };
  },

  async update(values, context) {
    const { caseId, participantId, ifMatch } = values;
    const changed = await changeParticipant(context, caseId, participantId, readSubmission(values), ifMatch);
    return createParticipantOutcome(changed, wantsForm(context));
  },

  async delete({ caseId, participantId, ifMatch }, context) {
    const { stored } = await deleteParticipant(context, caseId, participantId, ifMatch);
    return { tag: stored.tag };
  },

  async listRoles({ caseId }, context) {
    const work = await openCase(context, caseId);
    return {
      body: { participantRoles: [...work.type.participantRoles.values()].map((role) => summarizeRole(work, role)) },
    };
  },

  async getRole({ caseId, roleId }, context) {
    const work = await openCase(context, caseId);
    const role = findRole(work, roleId, (reason) => new NotFound(reason));
    return { body: describeRole(work, role, wantsForm(context)) };
  },
};

function wantsForm(context: HandlerContext): boolean {
  return readViewType(context, "form") !== "none";
}
