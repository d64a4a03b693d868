/** Serves the operations of `svc case-types`. */
import type { Application, CaseType, View } from "../definition/application.ts";
import { fieldsOf, shownValues } from "../engine/answers/content.ts";
import { link } from "../engine/answers/links.ts";
import { formResources } from "../engine/answers/view.ts";
import { bulkActionsOf } from "../engine/bulk.ts";
import { newPage } from "../engine/content.ts";
import { ServiceError } from "../errors.ts";
import type { GroupHandlers, Outcome } from "../handler.ts";
import { bulkInfo } from "./common.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"caseTypes"> = {
  list(_values, { app }) {
    return listOf(app);
  },

  /** The client picks the type from the list. */
  get(_values, { app }) {
    return listOf(app);
  },

  getAction({ caseTypeId, action }, { app }) {
    const type = caseTypeOf(app, caseTypeId);
    const view = action === "Create" ? type.createView : bulkActionsOf(type).find(({ id }) => id === action)?.view;
    if (view === undefined) {
      throw new ServiceError(404, `${action} is not a valid action to use on the case type ${caseTypeId}`);
    }
    return formOf(type, view);
  },

  listBulkActions({ caseTypeId }, { app }) {
    return { body: { bulkActions: bulkActionsOf(caseTypeOf(app, caseTypeId)).map(bulkInfo) } };
  },
};

function listOf(app: Application): Outcome {
  const caseTypes = [...app.caseTypes.values()].filter(({ creatable }) => creatable).map(({ id, name }) => ({
    id,
    ID: id,
    name,
    links: {
      create: {
        ...link("/cases", "POST", "Create Case"),
        rel: "create",
        request_body: { caseTypeID: id, processID: "pyStartCase" },
      },
    },
  }));
  return { body: { applicationIsConstellationCompatible: true, caseTypes } };
}

function formOf(type: CaseType, view: View): Outcome {
  const fields = fieldsOf(view);
  const content = shownValues(fields, newPage(fields), type.id);
  return {
    body: { data: { caseInfo: { caseTypeID: type.id, content } }, uiResources: formResources(view, type.id) },
  };
}

function caseTypeOf(app: Application, id: string): CaseType {
  const type = app.caseTypes.get(id);
  if (type === undefined) throw new ServiceError(404, `Case type '${id}' not found`);
  return type;
}
