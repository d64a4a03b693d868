/** Serves the operations of `svc case-types`. */
import type { Application, CaseType, View } from "../application/model/application.ts";
import { createLink, listFields, showValues } from "../cases/views/ui.ts";
import { buildFormResources } from "../cases/views/view.ts";
import { findBulkActions } from "./bulk.ts";
import { findCaseType, listCreatableTypes, START_PROCESS } from "../cases/creatable_types.ts";
import { newPage } from "../cases/content/content.ts";
import { scopeWithoutCase } from "../cases/scope.ts";
import { NotFound } from "../errors.ts";
import type { GroupHandlers, HandlerContext, Outcome } from "../http/handler.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import { describeBulkAction } from "../cases/arguments.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"caseTypes"> = {
  list(_values, { app }) {
    return describeTypes(app);
  },

  /** The client picks the type from the list. */
  get(_values, { app }) {
    return describeTypes(app);
  },

  getAction({ caseTypeId, action }, context) {
    const type = findCaseType(context.app, caseTypeId);
    const offered = [{ id: "Create", view: type.createView }, ...findBulkActions(type)];
    const view = offered.find(({ id }) => id === action)?.view;
    if (view !== undefined) return describeNewForm(type, view, context);
    const instead = suggestAlternatives(action, offered.map(({ id }) => id));
    throw new NotFound(`${action} is not a valid action to use on the case type ${caseTypeId}${instead}`);
  },

  listBulkActions({ caseTypeId }, { app }) {
    return { body: { bulkActions: findBulkActions(findCaseType(app, caseTypeId)).map(describeBulkAction) } };
  },
};

function describeTypes(app: Application): Outcome {
  const caseTypes = listCreatableTypes(app).map(({ id, name }) => ({
    id,
    ID: id,
    name,
    links: {
      create: {
        ...createLink("/cases", "POST", "Create Case"),
        rel: "create",
        request_body: { caseTypeID: id, processID: START_PROCESS },
      },
    },
  }));
  return { body: { applicationIsConstellationCompatible: true, caseTypes } };
}

function describeNewForm({ id: classId }: CaseType, view: View, context: HandlerContext): Outcome {
  const fields = listFields(view);
  const content = newPage(fields);
  const form = { app: context.app, view, classId, content, scope: scopeWithoutCase(content, context) };
  return {
    body: {
      data: { caseInfo: { caseTypeID: classId, content: showValues(fields, content, classId) } },
      uiResources: buildFormResources(form),
    },
  };
}
