/** Serves the operations of `svc data`. */
import type { JsonObject } from "../../utils/json.ts";
import { dataObjectsOf, dataPagesOf, metadataOf } from "./metadata.ts";
import {
  changeRecord,
  createRecord,
  deleteRecord,
  identifies,
  recordId,
  requireRecord,
  savedType,
  submitRecord,
} from "./records.ts";
import { readRequest } from "./request.ts";
import { countRows, onlyRow, queryRows } from "./rows.ts";
import type { Application, DataType, DataView, RecordAction, View } from "../application/model/application.ts";
import { link } from "../cases/views/links.ts";
import { viewResources } from "../cases/views/ui.ts";
import { ServiceError } from "../errors.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import type { GroupHandlers, HandlerContext, Outcome } from "../http/handler.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"data"> = {
  async get({ dataViewId, params = {} }, context) {
    const view = dataViewOf(context.app, dataViewId);
    if (view.dataType && view.savable && identifies(view.dataType, params)) {
      return await readRecord(view.dataType, params, context);
    }
    if (view.structure === "list") throw notAPage(view);
    return { body: await onlyRow(view, params, context) };
  },

  getMetadata({ dataViewId }, { app }) {
    return { body: metadataOf(dataViewOf(app, dataViewId)) };
  },

  queryMetadata({ dataViewId, data }, { app }) {
    readRequest(data);
    return { body: metadataOf(dataViewOf(app, dataViewId)) };
  },

  async count({ dataViewId, data }, context) {
    return { body: await countRows(dataViewOf(context.app, dataViewId), readRequest(data), context) };
  },

  async query({ dataViewId, data }, context) {
    return { body: await queryRows(dataViewOf(context.app, dataViewId), readRequest(data), context) };
  },

  async queryView({ dataViewId, view: viewId, data }, context) {
    const dataView = dataViewOf(context.app, dataViewId);
    const view = dataView.views.get(viewId);
    if (!view) {
      const known = suggestAlternatives(viewId, dataView.views.keys());
      throw new ServiceError(404, `${dataViewId} has no view ${viewId}${known}`);
    }
    const rows = await queryRows(dataView, readRequest(data), context, view);
    return { body: { ...rows, uiResources: viewResources(view, dataView.classId) } };
  },

  async create({ dataViewId, data }, context) {
    return await createRecord(typeOf(context.app, dataViewId), data, context);
  },

  async update({ dataViewId, data, ifMatch }, context) {
    return await changeRecord(typeOf(context.app, dataViewId), data, { ifMatch, keep: false }, context);
  },

  async patch({ dataViewId, data, ifMatch }, context) {
    return await changeRecord(typeOf(context.app, dataViewId), data, { ifMatch, keep: true }, context);
  },

  async delete({ dataViewId, params = {}, ifMatch }, context) {
    await deleteRecord(typeOf(context.app, dataViewId), params, ifMatch, context);
    return {};
  },

  listActions({ dataViewId }, { app }) {
    const actions = [...typeOf(app, dataViewId).actions.values()];
    return { body: { actions: actions.map((action) => actionInfo(dataViewId, action)) } };
  },

  async getAction({ dataViewId, action: actionId, data = {} }, context) {
    const type = typeOf(context.app, dataViewId);
    const action = actionOf(type, actionId);
    const stored = await requireRecord(type, data, context);
    const body = {
      ...actionInfo(dataViewId, action),
      id: recordId(type, stored.content), // not the action's
      etag: stored.tag,
      data: shownPart(action.view, stored.content),
      uiResources: viewResources(action.view, type.id),
    };
    return { body, tag: stored.tag };
  },

  async performAction({ dataViewId, action: actionId, data, pageInstructions, attachments, ifMatch }, context) {
    if (attachments?.length) throw new ServiceError(400, "A data record takes no attachments.");
    const type = typeOf(context.app, dataViewId);
    const { view } = actionOf(type, actionId);
    return await submitRecord(type, view, { content: data, pageInstructions }, ifMatch, context);
  },

  listObjects(_, { app, query }) {
    return { body: dataObjectsOf(app, query.get("type")) };
  },

  listPages({ type = "all" }, { app }) {
    return { body: dataPagesOf(app, type) };
  },
};

function dataViewOf(app: Application, id: string): DataView {
  const view = app.dataViews.get(id);
  if (!view) throw new ServiceError(404, `Dataview not found: ${id}${suggestAlternatives(id, app.dataViews.keys())}`);
  return view;
}

function typeOf(app: Application, dataViewId: string): DataType {
  return savedType(dataViewOf(app, dataViewId));
}

function actionOf(type: DataType, id: string): RecordAction {
  const action = type.actions.get(id);
  if (!action) {
    throw new ServiceError(404, `${type.name} has no action ${id}${suggestAlternatives(id, type.actions.keys())}`);
  }
  return action;
}

function notAPage(view: DataView): ServiceError {
  const keys = view.savable
    ? ` Name one record by ${view.dataType?.key.join(", ")}, or query the view.`
    : " Query the view instead.";
  return new ServiceError(422, [{
    message: "Error_Request_Validation_Pagelist_Type_Dataview",
    localizedValue: "This API does not support Pagelist type Data View." + keys,
  }]);
}

async function readRecord(type: DataType, keys: JsonObject, context: HandlerContext): Promise<Outcome> {
  const { content, tag } = await requireRecord(type, keys, context);
  return { body: { id: recordId(type, content), etag: tag, pxObjClass: type.id, ...content }, tag };
}

function shownPart(view: View, content: JsonObject): JsonObject {
  return Object.fromEntries([...view.fields.keys()].map((name) => [name, content[name] ?? null]));
}

function actionInfo(dataViewId: string, { id, name }: RecordAction): JsonObject {
  const href = `/data/${dataViewId}/actions/${id}`;
  return {
    id,
    ID: id,
    name,
    links: {
      open: link(href, "POST", "Get the action's form"),
      submit: link(href, "PATCH", "Submit the action"),
    },
  };
}
