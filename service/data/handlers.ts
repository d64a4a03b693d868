/** Handlers of the operations of `svc data`. */
import { createHash } from "node:crypto";
import type { JsonObject } from "../../utils/json.ts";
import { describeDataView, listDataObjects, listDataPages } from "./metadata.ts";
import {
  changeRecord,
  createRecord,
  deleteRecord,
  getRecord,
  getSavedType,
  hasKey,
  submitRecord,
  toRecordId,
} from "./records.ts";
import { checkMetadataRequest, readRequest } from "./request.ts";
import { isComputed } from "../application/model/data_view.ts";
import { countRows, queryRows, readOnlyRow } from "./query_rows.ts";
import type { Application, DataType, DataView, RecordAction, View } from "../application/model/application.ts";
import { createLink, describeForm } from "../cases/views/ui.ts";
import { getViewResources } from "../cases/views/forms/frames.ts";
import { scopeWithoutCase } from "../cases/scope.ts";
import { type DomainError, Invalid, NotFound, Unsupported } from "../errors.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import { truncate } from "../../utils/text/wording.ts";
import type { GroupHandlers, HandlerContext, Outcome } from "../http/handler.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"data"> = {
  async get({ dataViewId, params = {} }, context) {
    const view = getDataView(context.app, dataViewId);
    if (view.dataType && view.savable && hasKey(view.dataType, params)) {
      return await readRecord(view.dataType, params, context);
    }
    if (view.structure === "list") throw notOnePage(view);
    return { body: await readOnlyRow(view, params, context) };
  },

  getMetadata({ dataViewId }, { app }) {
    return { body: describeDataView(getDataView(app, dataViewId)) };
  },

  queryMetadata({ dataViewId, data }, { app }) {
    checkMetadataRequest(data);
    return { body: describeDataView(getDataView(app, dataViewId)) };
  },

  async count({ dataViewId, data }, context) {
    return { body: await countRows(getDataView(context.app, dataViewId), readRequest(data, context), context) };
  },

  async query({ dataViewId, data }, context) {
    return { body: await queryRows(getDataView(context.app, dataViewId), readRequest(data, context), context) };
  },

  async queryView({ dataViewId, view: viewId, data }, context) {
    const dataView = getDataView(context.app, dataViewId);
    const view = dataView.views.get(viewId);
    if (!view) {
      const known = suggestAlternatives(viewId, dataView.views.keys());
      throw new NotFound(`${dataViewId} has no view ${viewId}${known}`);
    }
    const request = readRequest(data, context);
    const { dataType, savable, classId } = dataView;
    if (dataType && savable && hasKey(dataType, request.parameters)) {
      const { content, tag } = await getRecord(dataType, request.parameters, context);
      const form = { app: context.app, view, classId, content, scope: scopeWithoutCase(content, context) };
      return {
        body: {
          id: toRecordId(dataType, content),
          etag: tag,
          data: pickFields(view, content),
          uiResources: describeForm(form, "details"),
        },
        tag,
      };
    }
    const rows = await queryRows(dataView, request, context, view);
    const tag = createHash("sha256").update(JSON.stringify(rows.data)).digest("base64url");
    const resources = getViewResources(view, classId, context.app, "details");
    return { body: { ...rows, uiResources: { ...resources, context_data: {} } }, tag };
  },

  async create({ dataViewId, data }, context) {
    return await createRecord(getType(context.app, dataViewId), data, context);
  },

  async update({ dataViewId, data, ifMatch }, context) {
    return await changeRecord(getType(context.app, dataViewId), data, { ifMatch, keep: false }, context);
  },

  async patch({ dataViewId, data, ifMatch }, context) {
    return await changeRecord(getType(context.app, dataViewId), data, { ifMatch, keep: true }, context);
  },

  async delete({ dataViewId, params = {}, ifMatch }, context) {
    const type = getType(context.app, dataViewId);
    if (context.strict) checkKeys(type, params);
    await deleteRecord(type, params, ifMatch, context);
    return {};
  },

  listActions({ dataViewId }, { app }) {
    const actions = [...getType(app, dataViewId).actions.values()];
    return { body: { actions: actions.map((action) => describeAction(dataViewId, action)) } };
  },

  async getAction({ dataViewId, action: actionId, data = {} }, context) {
    const type = getType(context.app, dataViewId);
    const action = getAction(type, actionId);
    const stored = await getRecord(type, data, context);
    const body = {
      ...describeAction(dataViewId, action),
      id: toRecordId(type, stored.content), // The ID of the record replaces that of the action.
      etag: stored.tag,
      data: pickFields(action.view, stored.content),
      uiResources: describeForm({
        app: context.app,
        view: action.view,
        classId: type.id,
        content: stored.content,
        scope: scopeWithoutCase(stored.content, context),
      }),
    };
    return { body, tag: stored.tag };
  },

  async performAction({ dataViewId, action: actionId, data, pageInstructions, attachments, ifMatch }, context) {
    if (attachments?.length) throw new Invalid("A data record cannot have attachments.");
    const type = getType(context.app, dataViewId);
    const { view } = getAction(type, actionId);
    return await submitRecord(type, view, { content: data, pageInstructions }, ifMatch, context);
  },

  listObjects(_, { app, query }) {
    return { body: listDataObjects(app, query.get("type")) };
  },

  listPages({ type = "all" }, { app }) {
    return { body: listDataPages(app, type) };
  },
};

function getDataView(app: Application, id: string): DataView {
  const view = app.dataViews.get(id);
  if (view !== undefined) return view;
  const stored = [...app.dataViews.values()].filter(({ source }) => !isComputed(source)).map((one) => one.id);
  const instead = suggestAlternatives(id, app.dataViews.keys(), 0) || suggestAlternatives(id, stored);
  throw new NotFound(`Dataview not found: ${id}${instead}`);
}

function getType(app: Application, dataViewId: string): DataType {
  return getSavedType(getDataView(app, dataViewId));
}

function getAction(type: DataType, id: string): RecordAction {
  const action = type.actions.get(id);
  if (!action) {
    throw new NotFound(`${type.name} has no action ${id}${suggestAlternatives(id, type.actions.keys())}`);
  }
  return action;
}

/** Checks that all parameters are keys of the record. */
function checkKeys({ key }: DataType, params: JsonObject): void {
  const unknown = Object.keys(params).find((name) => !key.includes(name));
  if (unknown !== undefined) {
    throw new Invalid(`${truncate(unknown, 50)} is not a key of the record. Its keys are ${key.join(", ")}.`);
  }
}

function notOnePage(view: DataView): DomainError {
  const keys = view.savable
    ? ` Name one record by ${view.dataType?.key.join(", ")}, or query the view.`
    : " Query the view instead.";
  return new Unsupported([{
    message: "Error_Request_Validation_Pagelist_Type_Dataview",
    localizedValue: "This API does not support Pagelist type Data View." + keys,
  }]);
}

async function readRecord(type: DataType, keys: JsonObject, context: HandlerContext): Promise<Outcome> {
  const { content, tag } = await getRecord(type, keys, context);
  return { body: { id: toRecordId(type, content), etag: tag, pxObjClass: type.id, ...content }, tag };
}

function pickFields(view: View, content: JsonObject): JsonObject {
  return Object.fromEntries([...view.fields.keys()].map((name) => [name, content[name] ?? null]));
}

function describeAction(dataViewId: string, { id, name }: RecordAction): JsonObject {
  const href = `/data/${dataViewId}/actions/${id}`;
  return {
    id,
    ID: id,
    name,
    links: {
      open: createLink(href, "POST", "Get the action's form"),
      submit: createLink(href, "PATCH", "Submit the action"),
    },
  };
}
