/** Participants and their roles, as they are answered. */
import type { JsonObject } from "../../lib/json.ts";
import { PARTICIPANT_CLASS, type ParticipantRole } from "../definition/participants.ts";
import { fieldsOf, shownValues } from "../engine/answers/content.ts";
import { link } from "../engine/answers/links.ts";
import { viewResources } from "../engine/answers/ui.ts";
import type { CaseWork } from "../engine/work.ts";
import type { Outcome } from "../handler.ts";
import { emptyContent, type Participant, type ParticipantWork } from "./participants.ts";

/** A participant, as a case lists it. */
export function participantInfo({ stored }: CaseWork, { id, role, content }: Participant): JsonObject {
  return {
    id,
    ID: id,
    participantRoleID: role.id,
    roleName: role.name,
    content: shown(role, content),
    links: { open: link(participantPath(stored.id, id), "GET", "Get participant details") },
  };
}

/** A participant, with its form where a client wants to see it. */
export function participantAnswer({ work, participant }: ParticipantWork, withForm: boolean): JsonObject {
  const { id, role, content } = participant;
  return {
    id,
    participantRoleID: role.id,
    roleName: role.name,
    etag: work.stored.tag,
    ...detail(role, content, withForm),
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
  return { id, name, multiple, ...detail(role, emptyContent(work, role), withForm) };
}

function detail(role: ParticipantRole, content: JsonObject, withForm: boolean): JsonObject {
  return {
    data: { caseInfo: { content: shown(role, content) } },
    ...(withForm && { uiResources: viewResources(role.view, PARTICIPANT_CLASS) }),
  };
}

function shown({ view }: ParticipantRole, content: JsonObject): JsonObject {
  return shownValues(fieldsOf(view), content, PARTICIPANT_CLASS);
}

function participantPath(caseId: string, id: string): string {
  return `/cases/${caseId}/participants/${id}`;
}
