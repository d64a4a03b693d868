/** What a caller can know of data views: their fields and parameters, the data objects behind them, and a list of all. */
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import type { Application, DataView, Field, FieldType } from "../application/model/application.ts";
import { ServiceError } from "../errors.ts";

const FIELD_TYPES: { readonly [T in FieldType]: string } = {
  Text: "Text (single line)",
  TextArea: "Text (paragraph)",
  Integer: "Integer",
  Decimal: "Decimal",
  Currency: "Currency",
  Boolean: "Boolean",
  Date: "Date only",
  DateTime: "Date & time",
  Dropdown: "Picklist",
  Email: "Email",
  Phone: "Phone",
  Url: "URL",
  Page: "Embedded data (single record)",
  List: "Embedded data (list of records)",
};

/** The fields and parameters of a data view. */
export function metadataOf(view: DataView): JsonObject {
  return {
    id: view.id,
    name: view.id,
    label: view.name,
    classID: view.classId,
    className: view.dataType?.name ?? view.caseTypes[0]?.name ?? view.name,
    structure: view.structure === "list" ? "List" : "Page",
    isQueryable: view.queryable,
    isSearchable: false,
    isSavable: view.savable,
    keys: [...view.dataType?.key ?? []],
    parameters: [...view.parameters.values()].map(({ name, description, type, required, default: defaultValue }) => ({
      name,
      description,
      dataType: type,
      required,
      defaultValue: defaultValue ?? "",
    })),
    fields: [...view.columns.values()].map(({ field }) => fieldOf(field, view)),
    associations: [],
    views: [...view.views.values()].map(({ id, name }) => ({ ID: id, name })),
    links: {
      data: {
        rel: "data",
        href: `/data_views/${view.id}`,
        type: view.structure === "list" ? "POST" : "GET",
        title: "Get data",
      },
    },
  };
}

/** The data objects: the classes of the records and the case types. */
export function dataObjectsOf(app: Application, type: string | null): JsonObject {
  const records = [...app.dataTypes.values()].map(({ id, name, savable }) => dataObject(app, id, name, savable));
  const cases = [...app.caseTypes.values()].map(({ id, name }) => dataObject(app, id, name, caseViewOf(app, id)));
  const chosen = { data: records, case: cases, all: [...records, ...cases] };
  return { dataObjects: pick(chosen, type ?? "all") };
}

/** The data pages: all, or those whose rows can be queried. */
export function dataPagesOf(app: Application, type: string): JsonObject {
  const all = [...app.dataViews.values()];
  const chosen = { all, explorable: all.filter((view) => view.queryable && view.structure === "list") };
  return {
    dataPages: pick(chosen, type).map((view) => ({
      id: view.id,
      ID: view.id,
      name: view.name,
      classID: view.classId,
      structure: view.structure,
      isQueryable: view.queryable,
      isSavable: view.savable,
      links: metadataLink(view.id),
    })),
  };
}

function pick<T>(chosen: Readonly<Record<string, T>>, type: string): T {
  const found = Object.hasOwn(chosen, type) ? chosen[type] : undefined;
  if (found === undefined) {
    throw new ServiceError(400, `type must be one of ${Object.keys(chosen).join(", ")}, not ${type}.`);
  }
  return found;
}

function dataObject(app: Application, id: string, name: string, viewId: string | undefined): JsonObject {
  const view = viewId === undefined ? undefined : app.dataViews.get(viewId);
  return {
    id,
    classID: id,
    dataObjectID: id,
    name,
    description: "",
    defaultListDataView: viewId ?? "",
    isDefaultListDataViewQueryable: view?.queryable ?? false,
    links: viewId === undefined ? {} : metadataLink(viewId),
  };
}

function caseViewOf(app: Application, typeId: string): string | undefined {
  return [...app.dataViews.values()].find((view) =>
    view.source === "cases" && view.structure === "list" && view.classId === typeId
  )?.id;
}

function metadataLink(id: string): JsonObject {
  return { metadata: { rel: "metadata", href: `/data_views/${id}/metadata`, type: "GET", title: "Get metadata" } };
}

function fieldOf(field: Field, view: DataView): JsonObject {
  const isKey = view.dataType?.key.includes(field.name) ?? false;
  const values: JsonValue | undefined = field.values && [...field.values];
  return {
    fieldID: field.name,
    name: field.label,
    fieldType: FIELD_TYPES[field.type],
    dataType: field.type,
    description: "",
    isReadOnly: !view.savable || field.calculated !== undefined,
    isKey,
    isRequired: field.required || isKey,
    classID: field.embedded?.classId ?? view.classId,
    associationID: "",
    ...(field.maxLength !== undefined && { maxLength: field.maxLength }),
    ...(values && { values }),
  };
}
