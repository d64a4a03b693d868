/** Participants of cases. */
import { isJsonObject, type JsonObject } from "../../utils/json.ts";
import type { CaseType, ParticipantRole } from "../application/model/case_type.ts";
import { addAttachments } from "../attachments/attachments.ts";
import { calculate, newPage } from "../cases/content/content.ts";
import { type FilledForm, fillForm, type Submission } from "../cases/content/fill_form.ts";
import { type CaseWork, checkChange, checkOpen, type EngineContext, openCase } from "../cases/case_work.ts";
import { Conflict, createIssue, type DomainError, Invalid, type Issue, NotFound, ValidationFailed } from "../errors.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import type { StoredItem } from "../store/store.ts";

const KIND = "participant";

/** A person who takes part in a case. */
export interface Participant {
  /** Opaque ID. */
  readonly id: string;
  /** ID of the role. The definition may not have it any more. */
  readonly roleId: string;
  /** ISO 8601 time, UTC, with milliseconds, at which the participant was added. */
  readonly since: string;
  readonly content: JsonObject;
}

/** A participant with the opened case. */
export interface ParticipantWork {
  readonly work: CaseWork;
  readonly participant: Participant;
}

/** Lists the participants of a case, oldest first. */
export async function listParticipants(work: CaseWork): Promise<Participant[]> {
  const items = await work.context.tx.listItems(KIND, work.stored.id);
  return items.reverse().map(toParticipant);
}

/** Opens a participant of a case. Throws NotFound if there is no such participant. */
export async function openParticipant(context: EngineContext, caseId: string, id: string): Promise<ParticipantWork> {
  const work = await openCase(context, caseId);
  const item = await context.tx.getItem(KIND, id);
  if (item?.owner === caseId) return { work, participant: toParticipant(item) };
  throw new NotFound(`Participant '${id}' not found`);
}

/** Finds a role of a case. Throws the given error if there is no such role. */
export function findRole({ type }: CaseWork, id: string, failure: (reason: string) => DomainError): ParticipantRole {
  const role = type.participantRoles.get(id);
  if (role !== undefined) return role;
  throw failure(`${describeMissingRole(type, id)}${suggestAlternatives(id, type.participantRoles.keys())}`);
}

function describeMissingRole({ name }: CaseType, id: string): string {
  return `'${id}' is not a participant role of the case type ${name}`;
}

/** Returns the role of a participant. Throws Conflict if the definition does not have it any more. */
export function getRole({ work, participant: { id, roleId } }: ParticipantWork): ParticipantRole {
  const role = work.type.participantRoles.get(roleId);
  if (role !== undefined) return role;
  throw new Conflict(`${describeMissingRole(work.type, roleId)} any more: delete ${id}, or define '${roleId}' again`);
}

/** Returns the name of a role, or its ID if the definition does not have it any more. */
export function getRoleName({ type }: CaseWork, id: string): string {
  return type.participantRoles.get(id)?.name ?? id;
}

/** Creates the content of a new participant. */
export function createContent(work: CaseWork, role: ParticipantRole): JsonObject {
  return calculateFields(work, role, newPage(role.fields));
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
  const role = findRole(work, roleId, (reason) => new Invalid([createRoleIssue(reason)]));
  beginChange(work, ifMatch);
  await checkVacancy(work, role);
  const { content } = fillIn(work, role, newPage(role.fields), submission);
  const id = `PARTY-${await context.tx.nextNumber(KIND)}`;
  const participant = { id, roleId, since: context.now.toISOString(), content };
  await save(work, participant);
  await finishChange(work, participant, `Added ${formatName(work, participant)} as ${role.name}`);
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
  const role = getRole(opened);
  const { content, attachments } = fillIn(work, role, before.content, submission);
  const participant = { ...before, content };
  await save(work, participant);
  await addAttachments(work, attachments);
  await finishChange(work, participant, `Changed ${formatName(work, participant)}, ${role.name}`);
  return { work, participant };
}

/** Deletes a participant of a case. */
export async function deleteParticipant(
  context: EngineContext,
  caseId: string,
  id: string,
  ifMatch: string | undefined,
): Promise<CaseWork> {
  const { work, participant } = await openParticipant(context, caseId, id);
  beginChange(work, ifMatch);
  await context.tx.deleteItem(KIND, id);
  const role = getRoleName(work, participant.roleId);
  await finishChange(work, participant, `Removed ${formatName(work, participant)}, ${role}`);
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

async function checkVacancy(work: CaseWork, role: ParticipantRole): Promise<void> {
  if (role.multiple || !(await listParticipants(work)).some((other) => other.roleId === role.id)) return;
  throw new ValidationFailed([
    createRoleIssue(`The role ${role.name} is for one participant, and the case has one already`),
  ]);
}

function createRoleIssue(reason: string): Issue {
  return createIssue(reason, { erroneousInputOutputIdentifier: "participantRoleID" });
}

function fillIn(work: CaseWork, role: ParticipantRole, current: JsonObject, submission: Submission): FilledForm {
  const conditions = { fields: role.fields, scope: work.scope() };
  const form = fillForm(role.view, current, submission, { complete: true, conditions });
  calculateFields(work, role, form.content);
  return form;
}

function calculateFields(work: CaseWork, { fields }: ParticipantRole, content: JsonObject): JsonObject {
  calculate(fields, content, { ...work.scope(), fields: content });
  return content;
}

function formatName(work: CaseWork, { content, roleId }: Participant): string {
  const { pyFullName, pyFirstName, pyLastName } = content;
  return String(pyFullName || [pyFirstName, pyLastName].filter(Boolean).join(" ") || getRoleName(work, roleId));
}

async function save({ context, stored }: CaseWork, { id, roleId, since: at, content }: Participant): Promise<void> {
  await context.tx.putItem({ kind: KIND, id, owner: stored.id, at, content: { role: roleId, content } });
}

function toParticipant({ id, at: since, content: { role, content } }: StoredItem): Participant {
  return { id, roleId: String(role), since, content: isJsonObject(content) ? content : {} };
}
