/** Participants of cases: what is stored of them, and how it changes. */
import { isJsonObject, type JsonObject } from "../../utils/json.ts";
import type { CaseType } from "../application/model/application.ts";
import type { ParticipantRole } from "../application/model/case_type.ts";
import { addAttachments } from "../attachments/attachments.ts";
import { calculate, newPage } from "../cases/content/content.ts";
import type { EngineContext } from "../cases/context.ts";
import { fillForm, type Submission } from "../cases/content/forms.ts";
import { type CaseWork, checkChange, checkOpen, openCase } from "../cases/case_work.ts";
import { type ErrorDetail, finding, ServiceError, validationFailure } from "../errors.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import type { StoredItem } from "../store/store.ts";

const KIND = "participant";

/** Somebody who takes part in a case. */
export interface Participant {
  /** ID: says nothing of the role or of the person. */
  readonly id: string;
  /** ID of the role in which: a changed definition may have lost it. */
  readonly roleId: string;
  /** ISO 8601 time, UTC, with milliseconds: since when. */
  readonly since: string;
  /** The fields. */
  readonly content: JsonObject;
}

/** A participant with the case in hand. */
export interface ParticipantWork {
  /** The case. */
  readonly work: CaseWork;
  /** The participant. */
  readonly participant: Participant;
}

/** The participants of a case, those first who came first. */
export async function participantsOf(work: CaseWork): Promise<Participant[]> {
  const items = await work.context.tx.itemsOf(KIND, work.stored.id);
  return items.reverse().map(toParticipant);
}

/** A participant of a case, or 404. */
export async function openParticipant(context: EngineContext, caseId: string, id: string): Promise<ParticipantWork> {
  const work = await openCase(context, caseId);
  const item = await context.tx.getItem(KIND, id);
  if (item?.owner === caseId) return { work, participant: toParticipant(item) };
  throw new ServiceError(404, `Participant '${id}' not found`);
}

/** A role that cases of this type have, or the given failure. */
export function findRole({ type }: CaseWork, id: string, failure: (reason: string) => ServiceError): ParticipantRole {
  const role = type.participantRoles.get(id);
  if (role !== undefined) return role;
  throw failure(`${noRole(type, id)}${suggestAlternatives(id, type.participantRoles.keys())}`);
}

function noRole({ name }: CaseType, id: string): string {
  return `'${id}' is not a participant role of the case type ${name}`;
}

/** The role of a participant, or 409 where a changed definition has lost it. */
export function roleOf({ work, participant: { id, roleId } }: ParticipantWork): ParticipantRole {
  const role = work.type.participantRoles.get(roleId);
  if (role !== undefined) return role;
  throw new ServiceError(409, `${noRole(work.type, roleId)} any more: remove ${id}, or put '${roleId}' back`);
}

/** The name of a role; the ID of one that a changed definition has lost. */
export function roleName({ type }: CaseWork, id: string): string {
  return type.participantRoles.get(id)?.name ?? id;
}

/** A participant's fields before anybody has filled them in. */
export function emptyContent(work: CaseWork, role: ParticipantRole): JsonObject {
  return computed(work, role, newPage(role.fields));
}

/** Adds a participant to a case. */
export async function addParticipant(
  context: EngineContext,
  caseId: string,
  roleId: string,
  submission: Submission,
  ifMatch: string | undefined,
): Promise<ParticipantWork> {
  const work = await openCase(context, caseId);
  const role = findRole(work, roleId, (reason) => new ServiceError(400, [aboutRole(reason)]));
  beginChange(work, ifMatch);
  await checkRoom(work, role);
  const content = filledIn(work, role, newPage(role.fields), submission);
  const id = `PARTY-${await context.tx.nextNumber(KIND)}`;
  const participant = { id, roleId, since: context.now.toISOString(), content };
  await put(work, participant);
  await finishChange(work, participant, `Added ${nameOf(work, participant)} as ${role.name}`);
  return { work, participant };
}

/** Changes a participant. */
export async function changeParticipant(
  context: EngineContext,
  caseId: string,
  id: string,
  submission: Submission,
  ifMatch: string | undefined,
): Promise<ParticipantWork> {
  const opened = await openParticipant(context, caseId, id);
  const { work, participant: before } = opened;
  beginChange(work, ifMatch);
  const role = roleOf(opened);
  const participant = { ...before, content: filledIn(work, role, before.content, submission) };
  await put(work, participant);
  await addAttachments(work, submission.attachments);
  await finishChange(work, participant, `Changed ${nameOf(work, participant)}, ${role.name}`);
  return { work, participant };
}

/** Removes a participant from a case. */
export async function removeParticipant(
  context: EngineContext,
  caseId: string,
  id: string,
  ifMatch: string | undefined,
): Promise<CaseWork> {
  const { work, participant } = await openParticipant(context, caseId, id);
  beginChange(work, ifMatch);
  await context.tx.deleteItem(KIND, id);
  const role = roleName(work, participant.roleId);
  await finishChange(work, participant, `Removed ${nameOf(work, participant)}, ${role}`);
  return work;
}

function beginChange(work: CaseWork, ifMatch: string | undefined): void {
  checkOpen(work);
  checkChange(work, ifMatch);
  work.touch();
}

async function finishChange(work: CaseWork, { id, roleId, content }: Participant, text: string): Promise<void> {
  work.addEvent(KIND, text, { participant: id, role: roleId, content });
  await work.save();
}

async function checkRoom(work: CaseWork, role: ParticipantRole): Promise<void> {
  if (role.multiple || !(await participantsOf(work)).some((other) => other.roleId === role.id)) return;
  throw validationFailure([aboutRole(`${role.name} is a role for one participant, and the case has one`)]);
}

function aboutRole(reason: string): ErrorDetail {
  return finding(reason, { erroneousInputOutputIdentifier: "participantRoleID" });
}

function filledIn(work: CaseWork, role: ParticipantRole, current: JsonObject, submission: Submission): JsonObject {
  return computed(work, role, fillForm(role.view, current, submission, { complete: true }));
}

function computed(work: CaseWork, { fields }: ParticipantRole, content: JsonObject): JsonObject {
  calculate(fields, content, { ...work.scope(), fields: content });
  return content;
}

function nameOf(work: CaseWork, { content, roleId }: Participant): string {
  const { pyFullName, pyFirstName, pyLastName } = content;
  return String(pyFullName || [pyFirstName, pyLastName].filter(Boolean).join(" ") || roleName(work, roleId));
}

async function put({ context, stored }: CaseWork, { id, roleId, since: at, content }: Participant): Promise<void> {
  await context.tx.putItem({ kind: KIND, id, owner: stored.id, at, content: { role: roleId, content } });
}

function toParticipant({ id, at: since, content: { role, content } }: StoredItem): Participant {
  return { id, roleId: String(role), since, content: isJsonObject(content) ? content : {} };
}
