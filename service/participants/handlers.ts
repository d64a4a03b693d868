/** Serves the operations of `svc participants`. */
import { openCase } from "../cases/case_work.ts";
import { ServiceError } from "../errors.ts";
import type { GroupHandlers, HandlerContext } from "../http/handler.ts";
import {
  changedParticipantOutcome,
  newParticipantOutcome,
  participantAnswer,
  participantInfo,
  roleAnswer,
  roleInfo,
} from "./views.ts";
import {
  addParticipant,
  changeParticipant,
  findRole,
  openParticipant,
  participantsOf,
  removeParticipant,
} from "./participants.ts";
import { submissionIn, submissionOf, viewTypeOf } from "../cases/handler_values.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"participants"> = {
  async list({ caseId }, context) {
    const work = await openCase(context, caseId);
    const participants = (await participantsOf(work)).map((participant) => participantInfo(work, participant));
    return { body: { participants } };
  },

  async add({ caseId, role, ifMatch }, context) {
    const added = await addParticipant(context, caseId, role, submissionIn(context.body), ifMatch);
    return newParticipantOutcome(added, wantsForm(context));
  },

  async get({ caseId, participantId }, context) {
    return { body: participantAnswer(await openParticipant(context, caseId, participantId), wantsForm(context)) };
  },

  async update(values, context) {
    const { caseId, participantId, ifMatch } = values;
    const changed = await changeParticipant(context, caseId, participantId, submissionOf(values), ifMatch);
    return changedParticipantOutcome(changed, wantsForm(context));
  },

  async delete({ caseId, participantId, ifMatch }, context) {
    const { stored } = await removeParticipant(context, caseId, participantId, ifMatch);
    return { tag: stored.tag };
  },

  async listRoles({ caseId }, context) {
    const work = await openCase(context, caseId);
    return { body: { participantRoles: [...work.type.participantRoles.values()].map((role) => roleInfo(work, role)) } };
  },

  async getRole({ caseId, roleId }, context) {
    const work = await openCase(context, caseId);
    const role = findRole(work, roleId, (reason) => new ServiceError(404, reason));
    return { body: roleAnswer(work, role, wantsForm(context)) };
  },
};

function wantsForm(context: HandlerContext): boolean {
  return viewTypeOf(context, "form", ["none", "form"]) !== "none";
}
