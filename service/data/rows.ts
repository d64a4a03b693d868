/** Rows of data views in the answer's shapes. */
import type { JsonObject } from "../../utils/json.ts";
import type { DataView, View } from "../application/model/application.ts";
import { ServiceError } from "../errors.ts";
import type { HandlerContext } from "../http/handler.ts";
import { type Page, type RowQuery, RowsTooLong } from "../store/query.ts";
import type { Transaction } from "../store/store.ts";
import { planQuery } from "./plan.ts";
import { type DataRequest, MAX_ROWS } from "./request.ts";

/** MiB of text that the rows of an answer may have: it is made in memory. */
const SIZE_LIMIT = 16;

/** The rows of a page, through a view if one is given. One row more is read than fits: it tells whether there are more. */
export async function queryRows(
  dataView: DataView,
  request: DataRequest,
  context: HandlerContext,
  view?: View,
): Promise<JsonObject> {
  const started = performance.now();
  refuseUnlessQueryable(dataView, request);
  const query = planQuery(dataView, request, context.caller.id, view && [...view.fields.keys()]);
  const { limit, offset, page, includeTotal } = request;
  const read = await readRows(context.tx, query, { offset, limit: limit + 1 });
  const rows = read.slice(0, limit);
  return {
    ...header(context),
    ...(page && { pageNumber: page.number }),
    resultCount: rows.length,
    data: request.query || view ? rows : rows.map((row) => ({ pxObjClass: dataView.classId, ...row })),
    hasMoreResults: read.length > limit,
    ...(includeTotal && { totalCount: await context.tx.countRows(query) }),
    ...(dataView.queryable && {
      queryStats: {
        pxObjClass: "Embed-DataExploration-QueryStats",
        sourceType: "RDBMS",
        sourceExecutionTime: `${(performance.now() - started).toFixed(1)} ms`,
      },
      pageSize: page?.size ?? rows.length,
    }),
  };
}

/** The number of rows. */
export async function countRows(view: DataView, request: DataRequest, context: HandlerContext): Promise<JsonObject> {
  refuseUnlessQueryable(view, request);
  if (request.query && !request.query.select) throw new ServiceError(400, "Query does not contain select");
  const resultCount = await context.tx.countRows(planQuery(view, request, context.caller.id));
  return { ...header(context), resultCount, hasMoreResults: false };
}

/** The one row that the parameters pick; 404 where there is none. */
export async function onlyRow(view: DataView, parameters: JsonObject, context: HandlerContext): Promise<JsonObject> {
  const query = planQuery(view, { parameters }, context.caller.id);
  const [row] = await readRows(context.tx, query, { offset: 0, limit: 1 });
  if (!row) throw new ServiceError(404, `${view.id} has no row for these parameters.`);
  return row;
}

/** Rows for an answer; 400 where they would be too long for one. */
export async function readRows(tx: Transaction, query: RowQuery, page: Page): Promise<JsonObject[]> {
  try {
    return await tx.queryRows(query, { ...page, size: SIZE_LIMIT * 1024 * 1024 });
  } catch (error) {
    if (!(error instanceof RowsTooLong)) throw error;
    throw new ServiceError(400, `The rows have more than ${SIZE_LIMIT} MiB: ask for fewer rows or columns.`);
  }
}

function header({ now }: HandlerContext): JsonObject {
  return { fetchDateTime: now.toISOString(), pxObjClass: "Pega-API-DataExploration-Data" };
}

function refuseUnlessQueryable(view: DataView, { query, page, limit }: DataRequest): void {
  if (view.queryable) return;
  if (query) throw new ServiceError(422, "This dataview does not support query in request");
  if (page || limit < MAX_ROWS) throw new ServiceError(422, "This dataview does not support paging in request");
}
