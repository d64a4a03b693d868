/** Serves the operations of `svc assignments`. */
import { type CaseOptions, createAssignmentOutcome, listOneAssignmentAction } from "../cases/views/case.ts";
import { createFormOutcome } from "../cases/views/view.ts";
import { applyDraft, getFormContent, openAction, openAssignmentWork, perform, saveDraft, takeNext } from "./work.ts";
import { recalculateForm, refreshForm } from "../cases/refresh.ts";
import { navigateBack, navigateTo } from "./navigate.ts";
import type { GroupHandlers, HandlerContext } from "../http/handler.ts";
import { checkEntityTag } from "../cases/case_work.ts";
import {
  createChangedOutcome,
  readBodySubmission,
  readPage,
  readRefresh,
  readSubmission,
  readSwitch,
  readViewType,
} from "../cases/arguments.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"assignments"> = {
  async get({ assignmentId }, context) {
    return createAssignmentOutcome(await openAssignmentWork(context, assignmentId), readPage(context, "page"));
  },

  async getNext(_values, context) {
    return createAssignmentOutcome(await takeNext(context), readPage(context, "page"));
  },

  async getAction(values, context) {
    const viewType = readViewType(context, "form");
    const { action, ...open } = await openAction(context, values);
    const listed = readSwitch(context, "excludeAdditionalActions", false) ? listOneAssignmentAction(open, action) : {};
    return createFormOutcome(open.work, action.view, getFormContent(open, action), { open, listed, viewType });
  },

  async perform(values, context) {
    return createChangedOutcome(await perform(context, values, readSubmission(values)), context);
  },

  async save(values, context) {
    const open = await saveDraft(context, values, readSubmission(values));
    return createAssignmentOutcome(open, { viewType: readViewType(context, "none"), changed: true }, open.action);
  },

  async recalculate(values, context) {
    const { action, ...open } = await openAction(context, values);
    checkEntityTag(values.ifMatch, open.work.stored.tag, context);
    const submission = readBodySubmission(context.body);
    return await recalculateForm(open.work, action.view, applyDraft(open, action), submission, values.data);
  },

  async refreshAction(values, context) {
    const request = readRefresh(values, context);
    const { action, ...open } = await openAction(context, values);
    checkEntityTag(values.ifMatch, open.work.stored.tag, context);
    return await refreshForm(open.work, action.view, applyDraft(open, action), request);
  },

  async navigateBack(values, context) {
    const open = await navigateBack(context, values.assignmentId, values.ifMatch, readSubmission(values));
    return createAssignmentOutcome(open, readNavigation(context));
  },

  async navigateToStep(values, context) {
    const { assignmentId, step, ifMatch } = values;
    const open = await navigateTo(context, assignmentId, step, ifMatch, readSubmission(values));
    return createAssignmentOutcome(open, readNavigation(context));
  },
};

function readNavigation(context: HandlerContext): CaseOptions {
  return { viewType: readViewType(context, "form"), changed: true, navigated: true };
}
