/** The operations of `svc data`. */
import type { Group } from "../operation.ts";
import { content } from "./common.ts";

const dataViewId = {
  name: "dataViewId",
  help: "Data view ID, e.g. D_Permits",
  type: "string",
  to: "path:data_view_ID",
  required: true,
} as const;

const action = { help: "Action ID", type: "string", to: "path:action_ID", required: true } as const;

const record = { help: "The record: a JSON object", type: "object", to: "body:data", required: true } as const;

const params = { help: "Parameters of the data view", type: "object", to: "body:dataViewParameters" } as const;

const parametrised = {
  params,
  data: { help: "The whole request body", type: "object", to: "body:*", short: "d", excludes: ["params"] },
} as const;

const queried = {
  params,
  max: { help: "Rows to fetch at most", type: "integer", to: "body:paging.maxResultsToFetch" },
  page: { help: "Page to fetch, from 1", type: "integer", to: "body:paging.pageNumber" },
  includeTotal: { help: "Count all matching rows too", type: "boolean", to: "body:paging.includeTotalCount" },
  data: {
    help: "The whole request body",
    type: "object",
    to: "body:*",
    short: "d",
    excludes: ["params", "max", "page", "includeTotal"],
  },
} as const;

/** The operations by name. */
export const operations = {
  get: {
    summary: "Read a data view that is a single page",
    method: "GET",
    path: "/data_views/{data_view_ID}",
    args: [dataViewId],
    flags: { params: { ...params, to: "query:dataViewParameters" } },
    answer: "object",
    example: `D_Permit --params '{"pyID":"P-1"}'`,
  },
  getMetadata: {
    summary: "Read the parameters and fields of a data view",
    method: "GET",
    path: "/data_views/{data_view_ID}/metadata",
    args: [dataViewId],
    answer: "object",
    example: "D_Permits",
  },
  queryMetadata: {
    summary: "Read the parameters and fields of a data view, for given parameters",
    method: "POST",
    reads: true,
    path: "/data_views/{data_view_ID}/metadata",
    args: [dataViewId],
    flags: parametrised,
    answer: "object",
    example: `D_Permits --params '{"Channel":"Desk"}'`,
  },
  count: {
    summary: "Count the rows of a data view",
    method: "POST",
    reads: true,
    path: "/data_views/{data_view_ID}/count",
    args: [dataViewId],
    flags: parametrised,
    answer: "count",
    example: `D_Permits --params '{"Channel":"Desk"}'`,
  },
  query: {
    summary: "Query the rows of a data view",
    method: "POST",
    reads: true,
    path: "/data_views/{data_view_ID}",
    args: [dataViewId],
    flags: queried,
    answer: "rows",
    example: "D_Permits --max 20 --include-total --format table",
  },
  queryView: {
    summary: "Query the rows of a data view through one of its views",
    method: "POST",
    reads: true,
    path: "/data_views/{data_view_ID}/views/{view_ID}",
    args: [dataViewId],
    flags: { view: { help: "View ID", type: "string", to: "path:view_ID", required: true }, ...queried },
    answer: "object",
    example: "D_Permits --view pyDetails --max 20",
  },
  create: {
    summary: "Create a data record",
    method: "POST",
    path: "/data/{data_view_ID}",
    args: [dataViewId],
    flags: { data: record },
    answer: "record",
    example: `D_Inspectors --data '{"ID":"I-1","Name":"Grace"}'`,
  },
  update: {
    summary: "Replace a data record",
    method: "PUT",
    path: "/data/{data_view_ID}",
    args: [dataViewId],
    flags: { data: record },
    tagFrom: { path: "/data_views/{data_view_ID}", scalarsOf: "data" },
    answer: "record",
    example: `D_Inspectors --data '{"ID":"I-1","Name":"Grace Hopper"}'`,
  },
  patch: {
    summary: "Change members of a data record",
    method: "PATCH",
    path: "/data/{data_view_ID}",
    args: [dataViewId],
    flags: { data: record },
    tagFrom: { path: "/data_views/{data_view_ID}", scalarsOf: "data" },
    answer: "record",
    example: `D_Inspectors --data '{"ID":"I-1","Phone":"555-0100"}'`,
  },
  delete: {
    summary: "Delete a data record",
    method: "DELETE",
    path: "/data/{data_view_ID}",
    args: [dataViewId],
    flags: { params: { help: "The members that identify the record", type: "object", to: "query:*" } },
    answer: "nothing",
    example: `D_Inspectors --params '{"ID":"I-1"}'`,
  },
  listActions: {
    summary: "List the actions of a data view's records",
    method: "POST",
    reads: true,
    path: "/data/{data_view_ID}/actions",
    args: [dataViewId],
    emptyBody: true,
    answer: "object",
    example: "D_Inspectors",
  },
  getAction: {
    summary: "Read the form of a record's action",
    method: "POST",
    reads: true,
    path: "/data/{data_view_ID}/actions/{action_ID}",
    args: [dataViewId],
    flags: { action, data: { help: "The members that identify the record", type: "object", to: "body:*" } },
    answer: "object",
    example: `D_Inspectors --action Edit --data '{"ID":"I-1"}'`,
  },
  performAction: {
    summary: "Perform an action on a record",
    method: "PATCH",
    path: "/data/{data_view_ID}/actions/{action_ID}",
    args: [dataViewId],
    flags: { action, ...content },
    answer: "object",
    example: `D_Inspectors --action Edit --data '{"ID":"I-1","Phone":"555-0100"}'`,
  },
  listObjects: {
    summary: "List the data objects of the application",
    method: "GET",
    path: "/data_objects",
    answer: "object",
    example: "",
  },
  listPages: {
    summary: "List the data pages of the application",
    method: "GET",
    path: "/data_pages",
    flags: { type: { help: "Which: 'all' or 'explorable'", type: "string", to: "query:type", default: "all" } },
    answer: "object",
    example: "--type explorable",
  },
} as const satisfies Group;
