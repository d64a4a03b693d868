/** Creates cases, and deletes those that have not come far. */
import type { JsonObject } from "../../lib/json.ts";
import { forgetRelations } from "../associations/relations.ts";
import { forgetConversations } from "../conversations/conversation.ts";
import type { CaseType } from "../definition/application.ts";
import { ServiceError } from "../errors.ts";
import { checkEntityTag } from "../entity_tags.ts";
import { addAttachments } from "./attachments.ts";
import { newPage } from "./content.ts";
import { type EngineContext, isResolved } from "./context.ts";
import { currentStage, enterStage } from "./flow.ts";
import { fillForm, type Submission } from "./forms.ts";
import { waitingFor } from "./state.ts";
import { CaseWork, checkLock, openCase } from "./work.ts";

/** What a person says of a new case. */
export interface CreateRequest extends Submission {
  /** Case type ID. */
  readonly typeId: string;
  /** Handle of the parent case. */
  readonly parentId?: string;
}

/** Child cases of child cases: a definition that goes on and on is stopped. */
const DEPTH_LIMIT = 10;

/** Creates a case and puts it on its first step. */
export async function createCase(context: EngineContext, request: CreateRequest): Promise<CaseWork> {
  const type = context.app.caseTypes.get(request.typeId);
  if (type === undefined) throw new ServiceError(404, `Case type '${request.typeId}' not found`);
  if (!type.creatable) throw new ServiceError(403, `Cases of type '${type.id}' are created by other cases`);
  if (request.parentId !== undefined) await openCase(context, request.parentId);
  const content = fillForm(type.createView, newPage(type.fields), request, { complete: true });
  const work = await startCase(context, type, content, request.parentId);
  await addAttachments(work, request.attachments);
  await work.save();
  return work;
}

/** Creates the child case of a step; the caller writes it together with the parent. */
export async function createChild(parent: CaseWork, type: CaseType, content: JsonObject): Promise<CaseWork> {
  if (depthOf(parent) > DEPTH_LIMIT) {
    throw new ServiceError(500, `The application definition nests cases deeper than ${DEPTH_LIMIT}`);
  }
  return await startCase(parent.context, type, { ...newPage(type.fields), ...content }, parent.stored.id, parent);
}

/** Deletes a case that is still in its create stage. */
export async function deleteCase(context: EngineContext, caseId: string, ifMatch: string | undefined): Promise<void> {
  const work = await openCase(context, caseId);
  if (isResolved(work.stored) || currentStage(work).transition !== "create") {
    throw new ServiceError(403, `${work.stored.businessId} has left its create stage: it cannot be deleted any more`);
  }
  if ((await context.tx.childrenOf(caseId)).length > 0) {
    throw new ServiceError(409, `${work.stored.businessId} has child cases: it cannot be deleted`);
  }
  const { parentId = "" } = work.stored;
  const parent = await context.tx.getCase(parentId);
  if (parent !== undefined && waitingFor(parent, caseId) !== undefined) {
    // It would wait for ever: nothing tells it but that the child is resolved.
    throw new ServiceError(409, `${parent.businessId} waits for ${work.stored.businessId}: it cannot be deleted`);
  }
  checkLock(work);
  checkEntityTag(ifMatch, work.stored.tag);
  await forgetConversations(context.tx, caseId);
  await forgetRelations(context.tx, caseId);
  await context.tx.deleteCase(caseId);
}

async function startCase(
  context: EngineContext,
  type: CaseType,
  content: JsonObject,
  parentId: string | undefined,
  creator?: CaseWork,
): Promise<CaseWork> {
  const { tx, caller, now } = context;
  const number = await tx.nextNumber(`${type.workPool} ${type.prefix}`);
  const businessId = `${type.prefix}-${number}`;
  const time = now.toISOString();
  const [first] = type.stages.values();
  if (first === undefined) throw new ServiceError(500, `Case type '${type.id}' has no stage`);
  const stored = {
    id: `${type.workPool} ${businessId}`,
    businessId,
    typeId: type.id,
    parentId,
    status: type.status,
    urgency: type.urgency,
    stageId: first.id,
    createdBy: caller.id,
    createdAt: time,
    updatedBy: caller.id,
    updatedAt: time,
    tag: "",
    content,
    flow: {},
  };
  const work = new CaseWork(context, type, stored, [], creator);
  work.addEvent("created", `Created the case ${businessId}`, { type: type.id, content: { ...content } });
  work.setContent(content, []);
  await enterStage(work, first);
  return work;
}

function depthOf({ creator }: CaseWork): number {
  return creator === undefined ? 0 : depthOf(creator) + 1;
}
