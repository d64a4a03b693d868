/** Serves the operations of `svc cases`. */
import type { JsonObject } from "../../utils/json.ts";
import { deleteRelations } from "../associations/relations.ts";
import { deleteConversations } from "../conversations/stored_conversations.ts";
import type { AttachmentCategory, View } from "../application/model/application.ts";
import { caseOutcome, onlyLocal, stagesWithProcesses, type ViewType } from "./views/case.ts";
import { ancestors, descendants } from "./views/family.ts";
import { formOutcome, valuesOutcome, viewOutcome } from "./views/view.ts";
import { commonActions, performOnAll } from "../case_types/bulk.ts";
import { promiseBulk } from "../case_types/bulk_jobs.ts";
import { computed, interestRow, requestedFields } from "./content/compute.ts";
import { listAttachments } from "../attachments/items.ts";
import { createCase } from "./create.ts";
import { discardDrafts, localAction, performLocal } from "./actions.ts";
import { releaseFile } from "../attachments/files.ts";
import { currentStage, goToNextStage, goToStage, type MoveOptions, startOptionalProcess } from "./flow.ts";
import {
  type CaseWork,
  checkChange,
  checkEntityTag,
  type EngineContext,
  isResolved,
  openCase,
  waitingFor,
} from "./case_work.ts";
import { Conflict, Forbidden, Invalid, NotFound } from "../errors.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import type { GroupHandlers, HandlerContext } from "../http/handler.ts";
import {
  bulkInfo,
  changedCase,
  checkRefresh,
  choiceOf,
  FORM,
  memberIn,
  readSubmission,
  readSwitch,
  readViewType,
  submissionIn,
} from "./arguments.ts";

/** How a case can be shown that is read: a form is read with its assignment. */
const READ: readonly ViewType[] = ["none", "page"];

/** The handlers by operation. */
export const handlers: GroupHandlers<"cases"> = {
  async create({ type: typeId, data: content }, context) {
    const { body } = context;
    const parentId = memberIn(body, "parentCaseID", "string");
    const pageInstructions = memberIn(body, "pageInstructions", "array");
    const attachments = memberIn(body, "attachments", "array");
    const work = await createCase(context, { typeId, content, parentId, pageInstructions, attachments });
    return caseOutcome(work, { viewType: readViewType(context, "none"), changed: true, created: true });
  },

  async get({ caseId }, context) {
    return caseOutcome(await openCase(context, caseId), { viewType: readViewType(context, "none", READ) });
  },

  async delete({ caseId, ifMatch }, context) {
    const { tx } = context;
    await checkDeletable(context, caseId, ifMatch);
    await deleteConversations(tx, caseId);
    await deleteRelations(tx, caseId);
    for (const { file } of await listAttachments(tx, caseId)) await releaseFile(file, context);
    await tx.deleteCase(caseId);
    return {};
  },

  async discardUpdates({ caseId, ifMatch }, context) {
    const viewType = readViewType(context, "none", READ);
    return caseOutcome(await discardDrafts(context, caseId, ifMatch), { viewType });
  },

  async getAction({ caseId, action }, context) {
    readViewType(context, "form", FORM);
    const work = await openCase(context, caseId);
    const found = localAction(work, action);
    const listed = readSwitch(context, "excludeAdditionalActions", false) ? onlyLocal(work, found) : {};
    return formOutcome(work, found.view, work.stored.content, { listed });
  },

  async performAction(values, context) {
    return changedCase(await performLocal(context, values, readSubmission(values)), context);
  },

  async recalculate({ caseId, action, data, ifMatch }, context) {
    const work = await openCase(context, caseId);
    const { view } = localAction(work, action);
    checkEntityTag(ifMatch, work.stored.tag);
    const content = computed(work, view, work.stored.content, submissionIn(context.body));
    return valuesOutcome(work, view, requestedFields(data, view, content));
  },

  async refreshAction(values, context) {
    checkRefresh(context);
    const work = await openCase(context, values.caseId);
    const { view } = localAction(work, values.action);
    checkEntityTag(values.ifMatch, work.stored.tag);
    const content = computed(work, view, work.stored.content, readSubmission(values));
    return viewOutcome(work, view, content, interestRow(values, content));
  },

  async getView({ caseId, view: viewId }, context) {
    const work = await openCase(context, caseId);
    return viewOutcome(work, findView(work, viewId), work.stored.content);
  },

  async refreshView(values, context) {
    const work = await openCase(context, values.caseId);
    const view = findView(work, values.view);
    const content = computed(work, view, work.stored.content, readSubmission(values));
    return viewOutcome(work, view, content, interestRow(values, content));
  },

  async calcFields({ caseId, view: viewId, data }, context) {
    const work = await openCase(context, caseId);
    const view = findView(work, viewId);
    const content = computed(work, view, work.stored.content, submissionIn(context.body));
    return valuesOutcome(work, view, requestedFields(data, view, content));
  },

  async listAncestors({ caseId }, context) {
    return { body: await ancestors(context, caseId) };
  },

  async listDescendants({ caseId }, context) {
    return { body: await descendants(context, caseId) };
  },

  async listAttachmentCategories({ caseId }, context) {
    const type = choiceOf(context, "type", ["File", "URL"]);
    const work = await openCase(context, caseId);
    const categories = [...work.type.attachmentCategories.values()]
      .filter((category) => type === undefined || category.type === type);
    return { body: { attachment_categories: categories.map((category) => categoryInfo(work, category)) } };
  },

  async listStages({ caseId }, context) {
    return { body: { stages: stagesWithProcesses(await openCase(context, caseId)) } };
  },

  async stageGo({ caseId, stage, ifMatch }, context) {
    return changedCase(await goToStage(context, caseId, stage, moveOptions(ifMatch, context)), context);
  },

  async stageNext({ caseId, ifMatch }, context) {
    return changedCase(await goToNextStage(context, caseId, moveOptions(ifMatch, context)), context);
  },

  async startProcess({ caseId, process, ifMatch }, context) {
    return changedCase(await startOptionalProcess(context, caseId, process, ifMatch), context);
  },

  async bulkActions({ cases }, context) {
    return { body: { bulkActions: (await commonActions(context, cases)).map(bulkInfo) } };
  },

  async bulkPerform(values, context) {
    const { cases, action, runningMode, ifMatch } = values;
    const bulk = { action, submission: readSubmission(values), ifMatch };
    if (runningMode === "async") {
      const id = crypto.randomUUID();
      await promiseBulk(context, { id, cases, ...bulk }, context.runLater);
      return { result: "accepted", body: { jobID: id } };
    }
    if (runningMode !== undefined) throw new Invalid(`runningMode must be async, not '${runningMode}'`);
    const results = await performOnAll(context, cases, bulk);
    const successful = results.filter(({ errorDetails }) => errorDetails === undefined).length;
    const failed = results.length - successful;
    const summary = { total: results.length, successful, failed };
    return { result: "perElement", body: { results, successCount: successful, failureCount: failed, summary } };
  },
};

/** Finds a view of a case. */
function findView({ type }: CaseWork, id: string): View {
  const view = type.views.get(id);
  if (view !== undefined) return view;
  throw new NotFound(`View '${id}' not found${suggestAlternatives(id, type.views.keys())}`);
}

function moveOptions(ifMatch: string | undefined, context: HandlerContext): MoveOptions {
  return { ifMatch, cleanup: readSwitch(context, "cleanupProcesses", true) };
}

function categoryInfo(work: CaseWork, category: AttachmentCategory): JsonObject {
  const scope = work.scope();
  return {
    id: category.id,
    ID: category.id,
    name: category.name,
    canView: category.canView(scope),
    canCreate: category.canCreate(scope),
    canEdit: category.canEdit(scope),
    canDeleteOwn: category.canDeleteOwn(scope),
    canDeleteAll: category.canDeleteAll(scope),
  };
}

/** Refuses to delete a case that has left its create stage, or with which others have to do. */
export async function checkDeletable(
  context: EngineContext,
  caseId: string,
  ifMatch: string | undefined,
): Promise<void> {
  const work = await openCase(context, caseId);
  if (isResolved(work.stored) || currentStage(work).transition !== "create") {
    throw new Forbidden(`${work.stored.businessId} has left its create stage and can no longer be deleted`);
  }
  if ((await context.tx.listChildren(caseId)).length > 0) {
    throw new Conflict(`${work.stored.businessId} has child cases and cannot be deleted`);
  }
  const { parentId = "" } = work.stored;
  const parent = await context.tx.getCase(parentId);
  if (parent !== undefined && waitingFor(parent, caseId) !== undefined) {
    // Otherwise the parent would never continue: only the resolution of the child continues it.
    throw new Conflict(`${parent.businessId} waits for ${work.stored.businessId}, so it cannot be deleted`);
  }
  checkChange(work, ifMatch);
}
