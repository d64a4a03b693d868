/** The numbers of insights, computed by the store from the rows that are there now. */
import type { JsonObject } from "../../utils/json.ts";
import type { Insight } from "../application/compile/insights.ts";
import type { HandlerContext } from "../http/handler.ts";
import { planQuery } from "./plan.ts";
import { type Aggregation, type DataQuery, MAX_ROWS } from "./request.ts";
import { readRows } from "./rows.ts";

/** An insight with its rows: one per group. */
export async function insightData(
  insight: Insight,
  { tx, caller, now }: Pick<HandlerContext, "tx" | "caller" | "now">,
): Promise<JsonObject> {
  const { id, name, chart, view, columns } = insight;
  const plan = planQuery(view, { parameters: {}, query: queryOf(insight) }, caller.id);
  const rows = await readRows(tx, plan, { offset: 0, limit: MAX_ROWS + 1 });
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

function queryOf({ columns, sort }: Insight): DataQuery {
  const aggregations = columns.flatMap(({ name, field, summary }): Aggregation[] =>
    summary === undefined ? [] : [{ name, field, summary }]
  );
  return {
    select: columns.filter(({ summary }) => summary === undefined).map(({ name }) => name),
    conditions: new Map(),
    sort: sort.map(({ column, descending }) => ({ field: column, descending })),
    aggregations,
    distinct: false,
  };
}
