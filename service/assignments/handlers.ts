/** Serves the operations of `svc assignments`. */
import { assignmentOutcome, onlyAction } from "../cases/views/case.ts";
import { formOutcome, valuesOutcome, viewOutcome } from "../cases/views/view.ts";
import { openAction, openAssignmentWork, perform, saveDraft, shownInForm, takeNext, withDraft } from "./work.ts";
import { computed, interestRow, requestedFields } from "../cases/content/compute.ts";
import { navigateBack, navigateTo } from "./navigate.ts";
import type { GroupHandlers } from "../http/handler.ts";
import { checkEntityTag } from "../cases/case_work.ts";
import {
  changedCase,
  checkRefresh,
  FORM,
  readSubmission,
  readSwitch,
  readViewType,
  submissionIn,
} from "../cases/arguments.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"assignments"> = {
  async get({ assignmentId }, context) {
    return assignmentOutcome(await openAssignmentWork(context, assignmentId), {
      viewType: readViewType(context, "page"),
    });
  },

  async getNext(_values, context) {
    return assignmentOutcome(await takeNext(context), { viewType: readViewType(context, "page") });
  },

  async getAction(values, context) {
    readViewType(context, "form", FORM);
    const { action, ...open } = await openAction(context, values);
    const listed = readSwitch(context, "excludeAdditionalActions", false) ? onlyAction(open, action) : {};
    return formOutcome(open.work, action.view, shownInForm(open, action), { open, listed });
  },

  async perform(values, context) {
    return changedCase(await perform(context, values, readSubmission(values)), context);
  },

  async save(values, context) {
    const open = await saveDraft(context, values, readSubmission(values));
    return assignmentOutcome(open, { viewType: readViewType(context, "none"), changed: true }, open.action);
  },

  async recalculate(values, context) {
    const { action, ...open } = await openAction(context, values);
    checkEntityTag(values.ifMatch, open.work.stored.tag);
    const content = computed(open.work, action.view, withDraft(open, action), submissionIn(context.body));
    return valuesOutcome(open.work, action.view, requestedFields(values.data, action.view, content));
  },

  async refreshAction(values, context) {
    checkRefresh(context);
    const { action, ...open } = await openAction(context, values);
    checkEntityTag(values.ifMatch, open.work.stored.tag);
    const content = computed(open.work, action.view, withDraft(open, action), readSubmission(values));
    const row = interestRow(values, content);
    return viewOutcome(open.work, action.view, content, row);
  },

  async navigateBack(values, context) {
    const open = await navigateBack(context, values.assignmentId, values.ifMatch, readSubmission(values));
    return assignmentOutcome(open, { viewType: readViewType(context, "form"), changed: true });
  },

  async navigateToStep(values, context) {
    const { assignmentId, step, ifMatch } = values;
    const open = await navigateTo(context, assignmentId, step, ifMatch, readSubmission(values));
    return assignmentOutcome(open, { viewType: readViewType(context, "form"), changed: true });
  },
};
