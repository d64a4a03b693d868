/** Serves the operations of `svc cases`. */
import type { JsonObject } from "../../utils/json.ts";
import { deleteRelations } from "../associations/relations.ts";
import { deleteConversations } from "../conversations/stored_conversations.ts";
import type { AttachmentCategory } from "../application/model/application.ts";
import { createCaseOutcome, describeStagesWithProcesses, findView, listOneAction } from "./views/case.ts";
import { listAncestors, listDescendants } from "./views/family.ts";
import { createFormOutcome, createViewOutcome } from "./views/view.ts";
import { listCommonActions, performOnAll } from "../case_types/bulk.ts";
import { scheduleBulkJob } from "../case_types/bulk_jobs.ts";
import { listAttachments } from "../attachments/items.ts";
import { createCase } from "./create.ts";
import { discardDrafts, findLocalAction, performLocal } from "./actions.ts";
import { recalculateForm, refreshForm, refreshView } from "./refresh.ts";
import { releaseFile } from "../attachments/files.ts";
import { getCurrentStage, goToNextStage, goToStage, type MoveOptions, startOptionalProcess } from "./flow.ts";
import {
  type CaseWork,
  checkChange,
  checkEntityTag,
  type EngineContext,
  findWaiting,
  isResolved,
  openCase,
  readVisits,
} from "./case_work.ts";
import { Conflict, Forbidden, Invalid } from "../errors.ts";
import type { GroupHandlers, HandlerContext } from "../http/handler.ts";
import {
  checkMembers,
  createChangedOutcome,
  describeBulkAction,
  readBodySubmission,
  readPage,
  readRefresh,
  readSubmission,
  readSwitch,
  readViewType,
} from "./arguments.ts";

/** Members of the body that creates a case. */
const CREATE_MEMBERS = ["caseTypeID", "content", "parentCaseID", "pageInstructions", "attachments", "processID"];

/** The handlers by operation. */
export const handlers: GroupHandlers<"cases"> = {
  async create({ type: typeId, parentCaseId: parentId, process, ...values }, context) {
    checkMembers(context.body, CREATE_MEMBERS);
    const work = await createCase(context, { typeId, parentId, process, ...readSubmission(values) });
    return createCaseOutcome(work, { ...readPage(context, "none"), changed: true, created: true });
  },

  async get({ caseId }, context) {
    return createCaseOutcome(await openCase(context, caseId), readPage(context, "none"));
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
    const viewType = readViewType(context, "none");
    return createCaseOutcome(await discardDrafts(context, caseId, ifMatch), { viewType });
  },

  async getAction({ caseId, action }, context) {
    const viewType = readViewType(context, "form");
    const work = await openCase(context, caseId);
    const found = findLocalAction(work, action);
    const listed = readSwitch(context, "excludeAdditionalActions", false) ? listOneAction(work, found) : {};
    return createFormOutcome(work, found.view, work.stored.content, { listed, viewType });
  },

  async performAction(values, context) {
    return createChangedOutcome(await performLocal(context, values, readSubmission(values)), context);
  },

  async recalculate({ caseId, action, data, ifMatch }, context) {
    const work = await openCase(context, caseId);
    const { view } = findLocalAction(work, action);
    checkEntityTag(ifMatch, work.stored.tag, context);
    return await recalculateForm(work, view, work.stored.content, readBodySubmission(context.body), data);
  },

  async refreshAction(values, context) {
    const request = readRefresh(values, context);
    const work = await openCase(context, values.caseId);
    const { view } = findLocalAction(work, values.action);
    checkEntityTag(values.ifMatch, work.stored.tag, context);
    return await refreshForm(work, view, work.stored.content, request);
  },

  async getView({ caseId, view: viewId }, context) {
    const work = await openCase(context, caseId);
    return createViewOutcome(work, findView(work, viewId), work.stored.content);
  },

  async refreshView(values, context) {
    const request = readRefresh(values, context);
    const work = await openCase(context, values.caseId);
    return await refreshView(work, values.view, request);
  },

  async calcFields({ caseId, view: viewId, data }, context) {
    const work = await openCase(context, caseId);
    const submission = readBodySubmission(context.body);
    return await recalculateForm(work, findView(work, viewId), work.stored.content, submission, data);
  },

  async listAncestors({ caseId }, context) {
    return { body: await listAncestors(context, caseId) };
  },

  async listDescendants({ caseId }, context) {
    return { body: await listDescendants(context, caseId) };
  },

  async listAttachmentCategories({ caseId }, context) {
    const type = context.query.get("type");
    const work = await openCase(context, caseId);
    const categories = [...work.type.attachmentCategories.values()]
      .filter((category) => type === null || category.type === type);
    return { body: { attachment_categories: categories.map((category) => describeCategory(work, category)) } };
  },

  async listStages({ caseId }, context) {
    return { body: { stages: describeStagesWithProcesses(await openCase(context, caseId)) } };
  },

  async stageGo({ caseId, stage, ifMatch }, context) {
    return createChangedOutcome(await goToStage(context, caseId, stage, moveOptions(ifMatch, context)), context);
  },

  async stageNext({ caseId, ifMatch }, context) {
    return createChangedOutcome(await goToNextStage(context, caseId, moveOptions(ifMatch, context)), context);
  },

  async startProcess({ caseId, process, ifMatch }, context) {
    return createChangedOutcome(await startOptionalProcess(context, caseId, process, ifMatch), context);
  },

  async bulkActions({ cases }, context) {
    return { body: { bulkActions: (await listCommonActions(context, cases)).map(describeBulkAction) } };
  },

  async bulkPerform(values, context) {
    const { cases, action, runningMode, ifMatch } = values;
    const bulk = { action, submission: readSubmission(values), ifMatch };
    if (runningMode === "async") {
      const id = crypto.randomUUID();
      await scheduleBulkJob(context, { id, cases, ...bulk }, context.runLater);
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

function moveOptions(ifMatch: string | undefined, context: HandlerContext): MoveOptions {
  return { ifMatch, cleanup: readSwitch(context, "cleanupProcesses", true) };
}

function describeCategory(work: CaseWork, category: AttachmentCategory): JsonObject {
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

/** Checks that a case can be deleted: it never left its create stage, has no children, and no parent waits for it. */
async function checkDeletable(
  context: EngineContext,
  caseId: string,
  ifMatch: string | undefined,
): Promise<void> {
  const work = await openCase(context, caseId);
  const stage = getCurrentStage(work);
  const wasElsewhere = Object.keys(readVisits(work.stored)).some((id) => id !== stage.id);
  if (isResolved(work.stored) || stage.transition !== "create" || wasElsewhere) {
    throw new Forbidden(`${work.stored.businessId} has left its create stage and can no longer be deleted`);
  }
  if ((await context.tx.unrestricted.listChildren(caseId)).length > 0) {
    throw new Conflict(`${work.stored.businessId} has child cases and cannot be deleted`);
  }
  const { parentId = "" } = work.stored;
  const parent = await context.tx.unrestricted.getCase(parentId);
  if (parent !== undefined && findWaiting(parent, caseId) !== undefined) {
    // Otherwise the parent would never continue: only the resolution of the child does that.
    const isVisible = await context.tx.isVisible(parentId);
    const waits = `${isVisible ? parent.businessId : "Another case"} waits for ${work.stored.businessId}`;
    throw new Conflict(`${waits}, so it cannot be deleted`);
  }
  checkChange(work, ifMatch);
}
