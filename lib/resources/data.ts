/** The operations of `svc data`. */
import type { AnswerOf, Group, Pages, ParamsOf } from "../operation/operation.ts";
import type { JsonAnswer } from "../operation/answer.ts";
import type { Members, ObjectShape } from "../../utils/shape.ts";
import type { JsonObject } from "../../utils/json.ts";

import { actionShape } from "./shared/case.ts";
import { automationFlags, content } from "./shared/params.ts";

const dataViewId = {
  name: "dataViewId",
  help: "Data view ID, e.g. D_Permits",
  type: "string",
  to: "path:data_view_ID",
  required: true,
} as const;

const action = { help: "Action ID", type: "string", to: "path:action_ID", required: true } as const;

const record = {
  help: "Record: a JSON object",
  type: "object",
  isContent: true,
  to: "body:data",
  required: true,
} as const;

const params = { help: "Parameters of the data view", type: "object", to: "body:dataViewParameters" } as const;

const parametrised = {
  /** Parameters of the data view. */
  params,
  /** The whole request body. */
  data: {
    help: "The whole request body",
    type: "object",
    members: "dataRequest",
    to: "body:*",
    short: "d",
    excludes: ["params"],
  },
} as const;

const queried = {
  /** Parameters of the data view. */
  params,
  /** Maximum number of rows. */
  max: { help: "Maximum number of rows", type: "integer", to: "body:paging.maxResultsToFetch" },
  /** Page number, starting at 1. */
  page: { help: "Page number, starting at 1", type: "integer", to: "body:paging.pageNumber" },
  /** Rows per page, for services that cannot combine `page` and `max`. */
  pageSize: {
    help: "Rows per page, for services that cannot combine --page and --max",
    type: "integer",
    to: "body:paging.pageSize",
    excludes: ["max"],
    implies: { page: 1 },
  },
  /** Count all matching rows, not only those of the page. */
  includeTotal: {
    help: "Count all matching rows, not only those of the page",
    type: "boolean",
    to: "body:paging.includeTotalCount",
  },
  /** The whole request body: dataViewParameters, query, paging. */
  data: {
    ...parametrised.data,
    help: "The whole request body: dataViewParameters, query, paging",
    excludes: ["params", "max", "page", "pageSize", "includeTotal"],
  },
} as const;

const recordPage = {
  shape: {
    unchecked: {
      /** Entity tag, for `ifMatch`, if the page is a record. */
      etag: "string",
    },
    open: true,
  },
} as const satisfies JsonAnswer;

const field = {
  unchecked: {
    /** Name of the field. */
    fieldID: "string",
    /** Display name. */
    name: "string",
    /** Kind of field for people, e.g. `Text (single line)`. */
    fieldType: "string",
    /** Type of its values. */
    dataType: "string",
    /** Description. */
    description: "string",
    /** True if its value cannot be changed. */
    isReadOnly: "boolean",
    /** True if a record must have a value. */
    isRequired: "boolean",
    /** Maximum number of characters. */
    maxLength: "number",
    /** Class that has the field. */
    classID: "string",
  },
} as const satisfies ObjectShape;

const parameter = {
  unchecked: {
    /** Name of the parameter. */
    name: "string",
    /** Description. */
    description: "string",
    /** Type of its values. */
    dataType: "string",
    /** True if a query must give it. */
    required: "boolean",
    /** Value of a missing parameter; empty without one. */
    defaultValue: "json",
  },
} as const satisfies ObjectShape;

const metadata = {
  shape: {
    unchecked: {
      /** Data view ID. */
      id: "string",
      /** Name of the data view. */
      name: "string",
      /** Display name. */
      label: "string",
      /** Class of the rows. */
      classID: "string",
      /** Display name of the class. */
      className: "string",
      /** Kind: rows, or a single page. */
      structure: { values: ["List", "Page"] },
      /** True if it accepts a `query`. */
      isQueryable: "boolean",
      /** True if it can be searched. */
      isSearchable: "boolean",
      /** True if its records can be changed. */
      isSavable: "boolean",
      /** Fields that identify a record. */
      keys: { list: "string" },
      /** Parameters. */
      parameters: { list: parameter },
      /** Fields. */
      fields: { list: field },
      /** Relations to other classes. */
      associations: { list: "object" },
      /** Requests that the data view offers. */
      links: "object",
    },
  },
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

const rowCount = {
  shape: {
    required: {
      /** Number of matching rows. */
      resultCount: "number",
    },
    unchecked: {
      /** Time of the count. */
      fetchDateTime: "string",
      /** True if more rows match than were counted. */
      hasMoreResults: "boolean",
    },
  },
} as const satisfies JsonAnswer;

const paging = {
  /** Number of all matching rows, if `includeTotal` was set. */
  totalCount: "number",
  /** Number of rows in the response. */
  resultCount: "number",
  /** True if more rows match than the response contains. */
  hasMoreResults: "boolean",
  /** Number of the page. */
  pageNumber: "number",
  /** Maximum number of rows on a page. */
  pageSize: "number",
  /** Time of the query. */
  fetchDateTime: "string",
} as const satisfies Members;

const rows = {
  shape: {
    required: {
      /** Rows of this page. Some services write null instead of an empty list. */
      data: { oneOf: [{ list: "open" }, "null"] },
    },
    unchecked: paging,
  },
  list: "data",
} as const satisfies JsonAnswer;

const viewRows = {
  shape: {
    optional: {
      /** Rows of this page, with the fields of the view. Some services write one record, or null. */
      data: { oneOf: [{ list: "open" }, "open", "null"] },
    },
    unchecked: {
      ...paging,
      /** The view: fields with their types, and the components that show them. */
      uiResources: "object",
    },
  },
  list: "data",
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

const recordAnswer = {
  shape: {
    unchecked: {
      /** ID of the record. */
      id: "string",
      /** Entity tag, for `ifMatch`. */
      etag: "string",
      /** The stored record. */
      responseData: "open",
    },
  },
} as const satisfies JsonAnswer;

const recordForm = {
  shape: {
    unchecked: {
      /** ID of the record. */
      id: "string",
      /** ID of the action. */
      ID: "string",
      /** Display name of the action. */
      name: "string",
      /** Entity tag of the record, for `ifMatch`. */
      etag: "string",
      /** Content. */
      data: "open",
      /** The form: fields with their types, and the components that show them. */
      uiResources: "object",
    },
  },
} as const satisfies JsonAnswer;

const recordActionList = {
  shape: {
    optional: {
      /** In the order of the application. Some services omit an empty list. */
      actions: { list: actionShape },
    },
  },
  list: "actions",
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

const dataObject = {
  unchecked: {
    /** Class ID. */
    classID: "string",
    /** Data object ID. */
    dataObjectID: "string",
    /** Display name. */
    name: "string",
    /** Description. */
    description: "string",
    /** Data view that lists its records. Other operations take it as `dataViewId`. Empty without one. */
    defaultListDataView: "string",
    /** True if that data view accepts a `query`. */
    isDefaultListDataViewQueryable: "boolean",
    /** Requests that the data object offers. */
    links: "object",
  },
} as const satisfies ObjectShape;

const dataObjectList = {
  shape: {
    optional: {
      /** Records first, then cases. Some services omit an empty list. */
      dataObjects: { list: dataObject },
    },
  },
  list: "dataObjects",
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

const dataPage = {
  unchecked: {
    /** Data view ID. Other operations take it as `dataViewId`. */
    ID: "string",
    /** Display name. */
    name: "string",
    /** Class of the rows. */
    classID: "string",
    /** Kind: rows, or a single page. */
    structure: { values: ["list", "page"] },
    /** True if it accepts a `query`. */
    isQueryable: "boolean",
    /** True if its records can be changed. */
    isSavable: "boolean",
    /** Requests that the data page offers. */
    links: "object",
  },
} as const satisfies ObjectShape;

const dataPageList = {
  shape: {
    optional: {
      /** In the order of the application. Some services omit an empty list. */
      dataPages: { list: dataPage },
    },
  },
  list: "dataPages",
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

const rowPages = {
  items: "data",
  more: "hasMoreResults",
  page: "page",
  size: "pageSize",
  limit: "max",
  first: 1,
} as const satisfies Pages;

const operations = {
  /**
   * Reads a data view that is a single page.
   *
   * Errors: `NOT_FOUND` for an unknown data view, `VALIDATION_FAIL` for one that is a list.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const { data } = await svc.cases.get(id);
   * console.log(await svc.data.get("D_Permit", { params: { pyID: data.caseInfo.businessID } }));
   * ```
   */
  get: {
    summary: "Read a data view that is a single page",
    method: "GET",
    path: "/data_views/{data_view_ID}",
    args: [dataViewId],
    flags: {
      /** Parameters of the data view. */
      params: { ...params, to: "query:dataViewParameters", identifies: true },
    },
    answer: recordPage,
    example: [`D_Permit --params '{"pyID":"P-1"}'`, `D_Permit --params '{"pyID":"P-1"}' --format yaml`],
  },
  /**
   * Reads the parameters and the fields of a data view.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * console.log(await svc.data.getMetadata("D_Permits"));
   * ```
   */
  getMetadata: {
    summary: "Read the parameters and fields of a data view",
    method: "GET",
    path: "/data_views/{data_view_ID}/metadata",
    args: [dataViewId],
    accepts: { query: { skipAssociationProcessing: "boolean" } },
    answer: metadata,
    example: ["D_Permits", "D_Permits | jq '.fields[].fieldID'"],
  },
  /**
   * Reads the parameters and the fields of a data view, for given parameters.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * console.log(await svc.data.queryMetadata("D_Permits", { params: {} }));
   * ```
   */
  queryMetadata: {
    summary: "Read the parameters and fields of a data view, for specific parameters",
    method: "POST",
    reads: true,
    path: "/data_views/{data_view_ID}/metadata",
    args: [dataViewId],
    flags: parametrised,
    answer: metadata,
    example: [`D_Permits --params '{"Channel":"Desk"}'`, "D_Permits --data @query.json --format yaml"],
  },
  /**
   * Counts the rows of a data view. `data` is the whole body, with `query`; it excludes `params`.
   *
   * Errors: `NOT_FOUND`, `BAD_REQUEST` for a query that names an unknown field.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { resultCount } = await svc.data.count("D_Permits");
   * console.log(resultCount);
   * ```
   */
  count: {
    summary: "Count the rows of a data view",
    method: "POST",
    reads: true,
    path: "/data_views/{data_view_ID}/count",
    args: [dataViewId],
    flags: parametrised,
    answer: rowCount,
    example: [`D_Permits --params '{"Channel":"Desk"}'`, "D_Permits --fields resultCount"],
  },
  /**
   * Queries the rows of a data view: `max` rows of the 1-based `page`, all matching rows counted with `includeTotal`.
   * `pageSize` replaces `max` for services that cannot combine it with `page`. `data` is the whole body, with `query` for
   * select, filter, sort and aggregates, and `paging` for `pageNumber`, `pageSize` and `maxResultsToFetch`; it excludes the
   * others. docs/library.md names the comparators of a filter.
   *
   * Errors: `NOT_FOUND`, `BAD_REQUEST` for a query that names an unknown field.
   *
   * @example
   * ```ts
   * import { createClient, type DataQuery } from "@svc/lib";
   *
   * const svc = createClient();
   * const { data, totalCount } = await svc.data.query("D_Permits", { max: 20, includeTotal: true });
   * console.log(totalCount, data?.length);
   * const query: DataQuery = {
   *   select: ["pyID"],
   *   filter: { filterConditions: { F1: { lhs: { field: "Applicant" }, comparator: "STARTS_WITH", rhs: { value: "A" } } } },
   *   sortBy: [{ field: "pxCreateDateTime", type: "DESC" }],
   * };
   * console.log(await svc.data.query("D_Permits", { data: { query, paging: { maxResultsToFetch: 20 } } }));
   * ```
   */
  query: {
    summary: "Query the rows of a data view",
    method: "POST",
    reads: true,
    path: "/data_views/{data_view_ID}",
    args: [dataViewId],
    flags: queried,
    answer: rows,
    pages: rowPages,
    example: [
      "D_Permits --max 20 --include-total --format table",
      "D_Permits --page-size 50 --page 2 --fields data --format table",
      "D_Permits --data @query.json --fields data --format table",
      "D_Permits --max 100 --format compact > permits.json",
    ],
    seeAlso: ["data query-metadata --help", "help formatting"],
  },
  /**
   * Queries the rows of a data view through one of its views. Rows have only the fields of the view, which is in
   * `uiResources`. Parameters with the key of a record open that record: `data` is the record, with its entity tag.
   *
   * Errors: `NOT_FOUND` for an unknown data view or view.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { data } = await svc.data.queryView("D_Inspectors", { view: "pyDetails", max: 20 });
   * if (Array.isArray(data)) console.log(data.map((row) => row.Name));
   * ```
   */
  queryView: {
    summary: "Query the rows of a data view through one of its views",
    method: "POST",
    reads: true,
    path: "/data_views/{data_view_ID}/views/{view_ID}",
    args: [dataViewId],
    flags: {
      /** View ID. */
      view: { help: "View ID", type: "string", to: "path:view_ID", required: true },
      ...queried,
    },
    answer: viewRows,
    pages: rowPages,
    example: ["D_Permits --view pyDetails --max 20", "D_Inspectors --view pyDetails --page 2 --max 50 --include-total"],
  },
  /**
   * Creates a data record.
   *
   * Errors: `CONFLICT` for a key that exists, `VALIDATION_FAIL` with a detail per field.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const data = { ID: crypto.randomUUID().slice(0, 8), Name: "Grace" };
   * const { responseData } = await svc.data.create("D_Inspectors", { data });
   * console.log(responseData);
   * ```
   */
  create: {
    summary: "Create a data record",
    method: "POST",
    creates: true,
    path: "/data/{data_view_ID}",
    args: [dataViewId],
    flags: {
      /** Content of the fields. */
      data: record,
    },
    interactive: true,
    accepts: { body: "anything" },
    answer: recordAnswer,
    example: [`D_Inspectors --data '{"ID":"I-1","Name":"Grace"}'`, "D_Inspectors --data @inspector.json"],
    seeAlso: ["data update --help"],
  },
  /**
   * Replaces a data record. The client first reads its entity tag by the scalar members of `data`, unless `ifMatch`
   * is given. If the service offers none, the record is replaced without one.
   *
   * Errors: `NOT_FOUND`, `PRECONDITION_FAILED` if it has changed since, `VALIDATION_FAIL`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const ID = crypto.randomUUID().slice(0, 8);
   * await svc.data.create("D_Inspectors", { data: { ID, Name: "Grace" } });
   * await svc.data.update("D_Inspectors", { data: { ID, Name: "Grace Hopper" } });
   * ```
   */
  update: {
    summary: "Replace a data record",
    method: "PUT",
    path: "/data/{data_view_ID}",
    args: [dataViewId],
    flags: {
      /** Content of the fields. */
      data: record,
    },
    tagFrom: { path: "/data_views/{data_view_ID}", scalarsOf: "data" },
    interactive: true,
    accepts: { body: "anything" },
    answer: recordAnswer,
    example: [`D_Inspectors --data '{"ID":"I-1","Name":"Grace Hopper"}'`, "D_Inspectors --data @inspector.json"],
    seeAlso: ["data patch --help"],
  },
  /**
   * Changes fields of a data record. The client first reads its entity tag by the scalar members of `data`, unless
   * `ifMatch` is given. If the service offers none, the record is changed without one.
   *
   * Errors: `NOT_FOUND`, `PRECONDITION_FAILED` if it has changed since, `VALIDATION_FAIL`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const ID = crypto.randomUUID().slice(0, 8);
   * await svc.data.create("D_Inspectors", { data: { ID, Name: "Grace" } });
   * await svc.data.patch("D_Inspectors", { data: { ID, Phone: "555-0100" } });
   * ```
   */
  patch: {
    summary: "Change fields of a data record",
    method: "PATCH",
    path: "/data/{data_view_ID}",
    args: [dataViewId],
    flags: {
      /** Content of the fields. */
      data: record,
    },
    tagFrom: { path: "/data_views/{data_view_ID}", scalarsOf: "data" },
    interactive: true,
    accepts: { body: "anything" },
    answer: recordAnswer,
    example: [`D_Inspectors --data '{"ID":"I-1","Phone":"555-0100"}'`, "D_Inspectors --data @changes.json"],
    seeAlso: ["data update --help"],
  },
  /**
   * Deletes the data record that `params` identify.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const ID = crypto.randomUUID().slice(0, 8);
   * await svc.data.create("D_Inspectors", { data: { ID, Name: "Grace" } });
   * await svc.data.delete("D_Inspectors", { params: { ID } });
   * ```
   */
  delete: {
    summary: "Delete a data record",
    method: "DELETE",
    path: "/data/{data_view_ID}",
    args: [dataViewId],
    flags: {
      /** Key fields of the record. */
      params: {
        help: "Key fields of the record",
        type: "object",
        to: "query:*",
        jsonQuery: "dataViewParameters",
        identifies: true,
      },
    },
    answer: "nothing",
    example: [`D_Inspectors --params '{"ID":"I-1"}'`, "D_Inspectors --params @key.json"],
  },
  /**
   * Lists the actions of a data view's records.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { actions = [] } = await svc.data.listActions("D_Inspectors");
   * console.log(actions.map((action) => action.ID));
   * ```
   */
  listActions: {
    summary: "List the actions of a data view's records",
    method: "POST",
    reads: true,
    path: "/data/{data_view_ID}/actions",
    args: [dataViewId],
    emptyBody: true,
    answer: recordActionList,
    example: ["D_Inspectors", "D_Inspectors --format table"],
  },
  /**
   * Reads the form of an action of the record that `data` identifies.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const ID = crypto.randomUUID().slice(0, 8);
   * await svc.data.create("D_Inspectors", { data: { ID, Name: "Grace" } });
   * console.log(await svc.data.getAction("D_Inspectors", { action: "Edit", data: { ID } }));
   * ```
   */
  getAction: {
    summary: "Read the form of a record's action",
    method: "POST",
    reads: true,
    path: "/data/{data_view_ID}/actions/{action_ID}",
    args: [dataViewId],
    flags: {
      /** Action ID. */
      action,
      /** Key fields of the record. */
      data: { help: "Key fields of the record", type: "object", isContent: true, to: "body:*" },
    },
    answer: recordForm,
    example: [
      `D_Inspectors --action Edit --data '{"ID":"I-1"}'`,
      "D_Inspectors --action Edit --data @key.json --format yaml",
    ],
  },
  /**
   * Performs an action on the record that the key members of `data` identify. If the service demands its entity tag, or
   * the profile says `"tags": "first"`, the client first reads it by the scalar members of `data`.
   *
   * Errors: `NOT_FOUND`, `PRECONDITION_FAILED` for a stale `ifMatch`, `VALIDATION_FAIL` with a detail per field.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const ID = crypto.randomUUID().slice(0, 8);
   * await svc.data.create("D_Inspectors", { data: { ID, Name: "Grace" } });
   * await svc.data.performAction("D_Inspectors", { action: "Edit", data: { ID, Phone: "555-0100" } });
   * ```
   */
  performAction: {
    summary: "Perform an action on a record",
    method: "PATCH",
    path: "/data/{data_view_ID}/actions/{action_ID}",
    args: [dataViewId],
    flags: {
      /** Action ID. */
      action,
      ...content,
      /** Attachments (the embedded service accepts none). */
      attachments: { ...content.attachments, help: "Attachments (the embedded service accepts none)" },
      ...automationFlags,
    },
    tagFrom: { path: "/data_views/{data_view_ID}", scalarsOf: "data", onDemand: true },
    interactive: true,
    accepts: { body: "anything" },
    answer: recordAnswer,
    example: [
      `D_Inspectors --action Edit --data '{"ID":"I-1","Phone":"555-0100"}'`,
      "D_Inspectors --action Edit --data @inspector.json",
    ],
  },
  /**
   * Lists the data objects of the application, with the data view that lists each.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { dataObjects = [] } = await svc.data.listObjects();
   * for (const { name, defaultListDataView } of dataObjects) console.log(name, defaultListDataView);
   * ```
   */
  listObjects: {
    summary: "List the data objects of the application",
    method: "GET",
    path: "/data_objects",
    accepts: { query: { type: ["data", "case"] } },
    answer: dataObjectList,
    example: ["", "--format table"],
    seeAlso: ["data query --help"],
  },
  /**
   * Lists the data pages of the application: `all`, or the `explorable` ones.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { dataPages = [] } = await svc.data.listPages({ type: "explorable" });
   * console.log(dataPages.map((page) => page.ID));
   * ```
   */
  listPages: {
    summary: "List the data pages of the application",
    method: "GET",
    path: "/data_pages",
    flags: {
      /** Which data pages to list. */
      type: {
        help: "Which data pages to list",
        type: "string",
        choices: ["all", "explorable"],
        to: "query:type",
        default: "all",
      },
    },
    answer: dataPageList,
    example: ["--type explorable", "--format table"],
  },
} as const satisfies Group;

export default operations;

/** @internal */
type Operations = typeof operations;

/** The single page of a data view, such as a record. */
export type DataPageAnswer<Content = JsonObject> = AnswerOf<Operations["get"], Content>;

/** The parameters and fields of a data view. */
export type MetadataAnswer = AnswerOf<Operations["getMetadata"]>;

/** A parameter of a data view. */
export type ParameterInfo = NonNullable<MetadataAnswer["parameters"]>[number];

/** A field of a data view. */
export type FieldInfo = NonNullable<MetadataAnswer["fields"]>[number];

/** The number of rows of a data view. */
export type CountAnswer = AnswerOf<Operations["count"]>;

/** Rows of a data view. */
export type RowsAnswer<Row = JsonObject> = AnswerOf<Operations["query"], Row>;

/** Rows of a data view, through one of its views. */
export type ViewRowsAnswer<Row = JsonObject> = AnswerOf<Operations["queryView"], Row>;

/** A data record. */
export type RecordAnswer<Content = JsonObject> = AnswerOf<Operations["create"], Content>;

/** The form of a record's action. */
export type RecordFormAnswer<Content = JsonObject> = AnswerOf<Operations["getAction"], Content>;

/** The actions of a data view's records. */
export type RecordActionsAnswer = AnswerOf<Operations["listActions"]>;

/** The data objects of an application. */
export type DataObjectsAnswer = AnswerOf<Operations["listObjects"]>;

/** A data object: a class of records or of cases. */
export type DataObjectInfo = NonNullable<DataObjectsAnswer["dataObjects"]>[number];

/** The data pages of an application. */
export type DataPagesAnswer = AnswerOf<Operations["listPages"]>;

/** A data page. */
export type DataPageInfo = NonNullable<DataPagesAnswer["dataPages"]>[number];

/** Parameters of `data.get`. */
export type DataGetParams = ParamsOf<Operations["get"]>;

/** Parameters of `data.queryMetadata`. */
export type DataQueryMetadataParams = ParamsOf<Operations["queryMetadata"]>;

/** Parameters of `data.count`. */
export type DataCountParams = ParamsOf<Operations["count"]>;

/** Parameters of `data.query`. */
export type DataQueryParams = ParamsOf<Operations["query"]>;

/** Parameters of `data.queryView`. */
export type DataQueryViewParams = ParamsOf<Operations["queryView"]>;

/** Parameters of `data.create`. */
export type DataCreateParams<Content = JsonObject> = ParamsOf<Operations["create"], Content>;

/** Parameters of `data.update`. */
export type DataUpdateParams<Content = JsonObject> = ParamsOf<Operations["update"], Content>;

/** Parameters of `data.patch`. */
export type DataPatchParams<Content = JsonObject> = ParamsOf<Operations["patch"], Content>;

/** Parameters of `data.delete`. */
export type DataDeleteParams = ParamsOf<Operations["delete"]>;

/** Parameters of `data.getAction`. */
export type DataGetActionParams<Content = JsonObject> = ParamsOf<Operations["getAction"], Content>;

/** Parameters of `data.performAction`. */
export type DataPerformActionParams<Content = JsonObject> = ParamsOf<Operations["performAction"], Content>;

/** Parameters of `data.listPages`. */
export type DataListPagesParams = ParamsOf<Operations["listPages"]>;
