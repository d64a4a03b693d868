/** Describes data views, data objects and data pages. */
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import type { Application } from "../application/model/application.ts";
import type { DataView } from "../application/model/data_view.ts";
import type { Field, FieldType } from "../application/model/field.ts";
import { Invalid } from "../errors.ts";

const TYPE_NAMES: { readonly [T in FieldType]: string } = {
  Text: "Text (single line)",
  TextArea: "Text (paragraph)",
  RichText: "Text (rich text)",
  Integer: "Integer",
  Decimal: "Decimal",
  Currency: "Currency",
  Percentage: "Percentage",
  Boolean: "Boolean",
  Date: "Date only",
  DateTime: "Date & time",
  Time: "Time only",
  Dropdown: "Picklist",
  Email: "Email",
  Phone: "Phone",
  Url: "URL",
  UserReference: "User Reference",
  Page: "Embedded data (single record)",
  List: "Embedded data (list of records)",
  PageGroup: "Embedded data (records by name)",
  Attachment: "Attachment",
};

/** Describes the fields and parameters of a data view. */
export function describeDataView(view: DataView): JsonObject {
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
    fields: [...view.columns.values()].map(({ field }) => describeField(field, view)),
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

/** Lists the data objects: data types and case types. */
export function listDataObjects(app: Application, type: string | null): JsonObject {
  const records = [...app.dataTypes.values()].map(({ id, name, savable }) =>
    describeDataObject(app, id, name, savable)
  );
  const cases = [...app.caseTypes.values()].map(({ id, name }) =>
    describeDataObject(app, id, name, findCaseView(app, id))
  );
  const chosen = { data: records, case: cases, all: [...records, ...cases] };
  return { dataObjects: pick(chosen, type ?? "all") };
}

/** Lists the data pages: all, or those whose rows can be queried. */
export function listDataPages(app: Application, type: string): JsonObject {
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
      links: createLinks(view.id),
    })),
  };
}

function pick<T>(chosen: Readonly<Record<string, T>>, type: string): T {
  const found = Object.hasOwn(chosen, type) ? chosen[type] : undefined;
  if (found === undefined) {
    throw new Invalid(`type must be one of ${Object.keys(chosen).join(", ")}, not ${type}.`);
  }
  return found;
}

function describeDataObject(app: Application, id: string, name: string, viewId: string | undefined): JsonObject {
  const view = viewId === undefined ? undefined : app.dataViews.get(viewId);
  return {
    id,
    classID: id,
    dataObjectID: id,
    name,
    description: "",
    defaultListDataView: viewId ?? "",
    isDefaultListDataViewQueryable: view?.queryable ?? false,
    links: viewId === undefined ? {} : createLinks(viewId),
  };
}

function findCaseView(app: Application, typeId: string): string | undefined {
  return [...app.dataViews.values()].find((view) =>
    view.source === "cases" && view.structure === "list" && view.classId === typeId
  )?.id;
}

function createLinks(id: string): JsonObject {
  return { metadata: { rel: "metadata", href: `/data_views/${id}/metadata`, type: "GET", title: "Get metadata" } };
}

function describeField(field: Field, view: DataView): JsonObject {
  const isKey = view.dataType?.key.includes(field.name) ?? false;
  const values: JsonValue | undefined = field.values && [...field.values];
  return {
    fieldID: field.name,
    name: field.label,
    fieldType: TYPE_NAMES[field.type],
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
