/** Computes insights. */
import type { JsonObject } from "../../utils/json.ts";
import type { Insight } from "../application/model/user_interface.ts";
import type { HandlerContext } from "../http/handler.ts";
import type { RowQuery } from "../store/query.ts";
import { readRows } from "./query_rows.ts";
import { type DataQuery, MAX_ROWS } from "./request.ts";
import { buildRowQuery } from "./row_query.ts";

/** Computes an insight from the current rows. It has one row per group. */
export async function computeInsight(
  insight: Insight,
  { tx, caller, now }: Pick<HandlerContext, "tx" | "caller" | "now">,
): Promise<JsonObject> {
  const { id, name, chart, view, columns } = insight;
  const rows = await readRows(tx, buildInsightQuery(insight, caller.id), { offset: 0, limit: MAX_ROWS + 1 });
  return {
    ID: id,
    name,
    chart,
    dataView: view.id,
    fetchDateTime: now.toISOString(),
    columns: columns.map(({ name, label, field, summary }) => ({
      name,
      label,
      field,
      ...(summary && { summaryFunction: summary }),
    })),
    resultCount: Math.min(rows.length, MAX_ROWS),
    hasMoreResults: rows.length > MAX_ROWS,
    rows: rows.slice(0, MAX_ROWS),
  };
}

/** Builds the query of an insight to the store. */
export function buildInsightQuery(insight: Insight, caller: string): RowQuery {
  return buildRowQuery(insight.view, { parameters: {}, query: toDataQuery(insight) }, caller);
}

function toDataQuery({ columns, sort }: Insight): DataQuery {
  return {
    select: columns.filter(({ summary }) => summary === undefined).map(({ name }) => name),
    conditions: new Map(),
    sort: sort.map(({ column, descending }) => ({ field: column, descending })),
    aggregations: columns.flatMap(({ name, field, summary }) => summary === undefined ? [] : { name, field, summary }),
    distinct: false,
  };
}
