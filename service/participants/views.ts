/** Responses with participants and their roles. */
import type { JsonObject } from "../../utils/json.ts";
import { PARTICIPANT_CLASS, type ParticipantRole } from "../application/model/case_type.ts";
import { createLink, describeForm, listFields, showValues } from "../cases/views/ui.ts";
import type { CaseWork } from "../cases/case_work.ts";
import type { Outcome } from "../http/handler.ts";
import { createContent, getRole, getRoleName, type Participant, type ParticipantWork } from "./participants.ts";

/** Summarizes a participant for a list. */
export function summarizeParticipant(work: CaseWork, { id, roleId, content }: Participant): JsonObject {
  return {
    id,
    ID: id,
    participantRoleID: roleId,
    roleName: getRoleName(work, roleId),
    content: selectContent(work, roleId, content),
    links: { open: createLink(buildPath(work.stored.id, id), "GET", "Get participant details") },
  };
}

/** Describes a participant, with its form if the client asks for it. */
export function describeParticipant(opened: ParticipantWork, withForm: boolean): JsonObject {
  const { work, participant: { id, roleId, content } } = opened;
  return {
    id,
    participantRoleID: roleId,
    roleName: getRoleName(work, roleId),
    etag: work.stored.tag,
    data: { caseInfo: { content: selectContent(work, roleId, content) } },
    ...(withForm && { uiResources: describeRoleForm(work, getRole(opened), content) }),
  };
}

/** Creates the outcome of a change. */
export function createParticipantOutcome(changed: ParticipantWork, withForm: boolean): Outcome {
  return { tag: changed.work.stored.tag, body: describeParticipant(changed, withForm) };
}

/** Creates the outcome of adding a participant. */
export function createAddedOutcome(added: ParticipantWork, withForm: boolean): Outcome {
  const { work, participant } = added;
  return { ...createParticipantOutcome(added, withForm), location: buildPath(work.stored.id, participant.id) };
}

/** Summarizes a role for a list. */
export function summarizeRole({ stored }: CaseWork, { id, name, multiple }: ParticipantRole): JsonObject {
  const href = `/cases/${stored.id}/participant_roles/${id}`;
  return { id, ID: id, name, multiple, links: { open: createLink(href, "GET", "Get participant role details") } };
}

/** Describes a role, with the form of a new participant if the client asks for it. */
export function describeRole(work: CaseWork, role: ParticipantRole, withForm: boolean): JsonObject {
  const { id, name, multiple } = role;
  const content = createContent(work, role);
  return {
    id,
    name,
    multiple,
    data: { caseInfo: { content: selectContent(work, id, content) } },
    ...(withForm && { uiResources: describeRoleForm(work, role, content) }),
  };
}

function describeRoleForm(work: CaseWork, { view }: ParticipantRole, content: JsonObject): JsonObject {
  const scope = { ...work.scope(), fields: content };
  return describeForm({ app: work.context.app, view, classId: PARTICIPANT_CLASS, content, scope });
}

/** Selects the content that the form of the role shows. Without the role, it is all content. */
function selectContent({ type }: CaseWork, roleId: string, content: JsonObject): JsonObject {
  const role = type.participantRoles.get(roleId);
  if (role === undefined) return { classID: PARTICIPANT_CLASS, ...content };
  return showValues(listFields(role.view), content, PARTICIPANT_CLASS);
}

function buildPath(caseId: string, id: string): string {
  return `/cases/${caseId}/participants/${id}`;
}
