/** Participants and their roles, as they are answered. */
import type { JsonObject } from "../../utils/json.ts";
import { PARTICIPANT_CLASS, type ParticipantRole } from "../application/model/case_type.ts";
import { fieldsOf, shownValues } from "../cases/views/content.ts";
import { link } from "../cases/views/links.ts";
import { viewResources } from "../cases/views/ui.ts";
import type { CaseWork } from "../cases/case_work.ts";
import type { Outcome } from "../http/handler.ts";
import { emptyContent, type Participant, type ParticipantWork, roleName, roleOf } from "./participants.ts";

/** A participant, as a case lists it. */
export function participantInfo(work: CaseWork, { id, roleId, content }: Participant): JsonObject {
  return {
    id,
    ID: id,
    participantRoleID: roleId,
    roleName: roleName(work, roleId),
    content: shown(work, roleId, content),
    links: { open: link(participantPath(work.stored.id, id), "GET", "Get participant details") },
  };
}

/** A participant, with its form where a client wants to see it. */
export function participantAnswer(opened: ParticipantWork, withForm: boolean): JsonObject {
  const { work, participant: { id, roleId, content } } = opened;
  return {
    id,
    participantRoleID: roleId,
    roleName: roleName(work, roleId),
    etag: work.stored.tag,
    data: { caseInfo: { content: shown(work, roleId, content) } },
    ...(withForm && { uiResources: formOf(roleOf(opened)) }),
  };
}

/** A participant who was changed, and the case with it. */
export function changedParticipantOutcome(changed: ParticipantWork, withForm: boolean): Outcome {
  return { tag: changed.work.stored.tag, body: participantAnswer(changed, withForm) };
}

/** A participant who is new. */
export function newParticipantOutcome(added: ParticipantWork, withForm: boolean): Outcome {
  const { work, participant } = added;
  return { ...changedParticipantOutcome(added, withForm), location: participantPath(work.stored.id, participant.id) };
}

/** A role, as a case lists it. */
export function roleInfo({ stored }: CaseWork, { id, name, multiple }: ParticipantRole): JsonObject {
  const href = `/cases/${stored.id}/participant_roles/${id}`;
  return { id, ID: id, name, multiple, links: { open: link(href, "GET", "Get participant role details") } };
}

/** A role with the empty form of a participant. */
export function roleAnswer(work: CaseWork, role: ParticipantRole, withForm: boolean): JsonObject {
  const { id, name, multiple } = role;
  return {
    id,
    name,
    multiple,
    data: { caseInfo: { content: shown(work, id, emptyContent(work, role)) } },
    ...(withForm && { uiResources: formOf(role) }),
  };
}

function formOf({ view }: ParticipantRole): JsonObject {
  return viewResources(view, PARTICIPANT_CLASS);
}

/** What the role's form shows; where a changed definition has lost the role, what is kept. */
function shown({ type }: CaseWork, roleId: string, content: JsonObject): JsonObject {
  const role = type.participantRoles.get(roleId);
  if (role === undefined) return { classID: PARTICIPANT_CLASS, ...content };
  return shownValues(fieldsOf(role.view), content, PARTICIPANT_CLASS);
}

function participantPath(caseId: string, id: string): string {
  return `/cases/${caseId}/participants/${id}`;
}
