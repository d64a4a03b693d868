/** A data view request as a question to the store. */
import type { DataView } from "../application/model/application.ts";
import { summaryNeeds } from "../application/expressions/comparisons.ts";
import { ServiceError } from "../errors.ts";
import type { Column, RowQuery, RowSource } from "../store/query.ts";
import { columnOf, columnsOf } from "./columns.ts";
import { queryFilter, viewFilter } from "./filter.ts";
import type { Aggregation, DataQuery, DataRequest } from "./request.ts";

const NO_QUERY: DataQuery = { conditions: new Map(), sort: [], aggregations: [], distinct: false };

/** The question that a request asks of a data view, as a caller; `shown` are the fields where it selects none. */
export function planQuery(
  view: DataView,
  { parameters, query }: Pick<DataRequest, "parameters" | "query">,
  caller: string,
  shown?: readonly string[],
): RowQuery {
  const filters = [...viewFilter(view, parameters, caller), ...(query ? queryFilter(view, query) : [])];
  return {
    source: sourceOf(view),
    columns: query || shown ? selectedColumns(view, query ?? NO_QUERY, shown) : allColumns(view),
    ...(filters.length > 0 && { filter: { and: filters } }),
    ...(query && { sort: query.sort.map(({ field, descending }) => ({ column: plain(field), descending })) }),
    ...(query?.distinct && { distinct: true }),
  };
}

/** Where the rows of a data view are. */
function sourceOf(view: DataView): RowSource {
  switch (view.source) {
    case "records":
      return { kind: "records", classId: view.classId };
    case "cases":
      return { kind: "cases", typeIds: view.caseTypes.map((type) => type.id) };
    case "history":
      return { kind: "events" };
    case "assignments":
      return { kind: "assignments" };
  }
}

/** All columns, and the row's handle under `id`, where every resource has it. */
function allColumns(view: DataView): Column[] {
  const columns: Column[] = columnsOf(view).map(({ name, place }) => ({ name, field: place }));
  const [key, ...more] = view.dataType?.key ?? [];
  const id = view.source === "records"
    ? key !== undefined && more.length === 0 ? columnOf(view, key).place : { property: "key" }
    : { property: "id" };
  return view.source === "history" || view.columns.has("id") ? columns : [{ name: "id", field: id }, ...columns];
}

function selectedColumns(view: DataView, query: DataQuery, shown?: readonly string[]): Column[] {
  const aggregations = new Map(query.aggregations.map((aggregation) => [aggregation.name, aggregation]));
  const chosen = query.select ?? (aggregations.size > 0 ? [] : shown ?? [...view.columns.keys()]);
  const sorted = query.sort.map(({ field }) => plain(field));
  // What is sorted by is part of the answer, unless rows are summed up: it would split the groups.
  const names = [...chosen.map(plain), ...aggregations.keys(), ...(aggregations.size > 0 ? [] : sorted)];
  const unknown = sorted.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new ServiceError(400, `The rows cannot be sorted by ${unknown}: it is not selected.`);
  }
  return [...new Set(names)].map((name) => columnFor(view, name, aggregations.get(name)));
}

function columnFor(view: DataView, name: string, aggregation: Aggregation | undefined): Column {
  if (!aggregation) return { name, field: columnOf(view, name).place };
  const { place, field } = columnOf(view, aggregation.field);
  const { summary } = aggregation;
  const needed = summaryNeeds(summary, field.type);
  if (needed !== undefined) {
    throw new ServiceError(400, `${summary} needs ${needed}, and ${aggregation.field} is of the type ${field.type}.`);
  }
  return { name, field: place, summary };
}

function plain(name: string): string {
  return name.replace(/^\./, "");
}
