/** Queries the rows of data views. */
import type { JsonObject } from "../../utils/json.ts";
import { type DataView, isComputed } from "../application/model/data_view.ts";
import type { View } from "../application/model/field.ts";
import { Invalid, NotFound, Unsupported } from "../errors.ts";
import type { HandlerContext } from "../http/handler.ts";
import { type Page, type RowQuery, RowsTooLong } from "../store/query.ts";
import type { Transaction } from "../store/store.ts";
import { COMPUTED_ROWS } from "./computed_rows.ts";
import { readParameters } from "./filter.ts";
import { type DataRequest, MAX_ROWS } from "./request.ts";
import { buildRowQuery } from "./row_query.ts";

/** Maximum size of the rows in a response, which is built in memory. */
const MAX_MEBIBYTES = 16;

/** Queries a page of rows, with the fields of a view if one is given. */
export async function queryRows(
  dataView: DataView,
  request: DataRequest,
  context: HandlerContext,
  view?: View,
): Promise<JsonObject> {
  const started = performance.now();
  checkQueryable(dataView, request);
  const shown = view && [...view.fields.keys()];
  const query = await buildQuery(dataView, request, context, shown);
  const { limit, offset, page, includeTotal } = request;
  const read = await readRows(context.tx, query, { offset, limit: limit + 1 }); // One more shows whether others follow.
  const rows = read.slice(0, limit);
  return {
    ...createHeader(context),
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

/** Counts rows. */
export async function countRows(view: DataView, request: DataRequest, context: HandlerContext): Promise<JsonObject> {
  checkQueryable(view, request);
  if (request.query && !request.query.select) throw new Invalid("Query does not contain select");
  const resultCount = await context.tx.countRows(await buildQuery(view, request, context));
  return { ...createHeader(context), resultCount, hasMoreResults: false };
}

/** Reads the one row that the parameters identify. Throws NotFound if there is no such row. */
export async function readOnlyRow(
  view: DataView,
  parameters: JsonObject,
  context: HandlerContext,
): Promise<JsonObject> {
  const query = await buildQuery(view, { parameters }, context);
  const [row] = await readRows(context.tx, query, { offset: 0, limit: 1 });
  if (row === undefined) throw new NotFound(`${view.id} has no row for these parameters.`);
  return row;
}

/** Builds a query. Computes the rows of a data view that are not in the store. */
async function buildQuery(
  view: DataView,
  request: Pick<DataRequest, "parameters" | "query">,
  context: HandlerContext,
  shown?: readonly string[],
): Promise<RowQuery> {
  const { source } = view;
  const computed = isComputed(source)
    ? await COMPUTED_ROWS[source](readParameters(view, request.parameters), context)
    : undefined;
  return buildRowQuery(view, request, context.caller.id, { shown, computed });
}

/** Reads rows for a response. Throws Invalid if they are too large for one. */
export async function readRows(tx: Transaction, query: RowQuery, page: Page): Promise<JsonObject[]> {
  try {
    return await tx.queryRows(query, { ...page, size: MAX_MEBIBYTES * 1024 * 1024 });
  } catch (error) {
    if (!(error instanceof RowsTooLong)) throw error;
    throw new Invalid(`The rows have more than ${MAX_MEBIBYTES} MiB. Request fewer rows or columns.`);
  }
}

function createHeader({ now }: HandlerContext): JsonObject {
  return { fetchDateTime: now.toISOString(), pxObjClass: "Pega-API-DataExploration-Data" };
}

function checkQueryable(view: DataView, { query, page, limit }: DataRequest): void {
  if (view.queryable) return;
  if (query) throw new Unsupported("This dataview does not support query in request");
  if (page || limit < MAX_ROWS) throw new Unsupported("This dataview does not support paging in request");
}
