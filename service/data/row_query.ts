/** Builds queries to the store from data view requests. */
import { checkSummary } from "../application/expressions/comparisons.ts";
import type { JsonObject } from "../../utils/json.ts";
import { type DataView, isComputed } from "../application/model/data_view.ts";
import { Invalid } from "../errors.ts";
import type { Column, RowQuery, RowSource } from "../store/query.ts";
import { findColumn, stripDot } from "./columns.ts";
import { buildRequestFilter, buildViewFilter } from "./filter.ts";
import type { Aggregation, DataQuery, DataRequest } from "./request.ts";

const NO_QUERY: DataQuery = { conditions: new Map(), sort: [], aggregations: [], distinct: false };

/** Options of a query. */
export interface RowQueryOptions {
  /** Fields to return if the request selects none. */
  readonly shown?: readonly string[];
  /** Rows of a data view whose rows are computed. */
  readonly computed?: readonly JsonObject[];
}

/** Builds the query of a request. */
export function buildRowQuery(
  view: DataView,
  { parameters, query }: Pick<DataRequest, "parameters" | "query">,
  caller: string,
  { shown, computed = [] }: RowQueryOptions = {},
): RowQuery {
  const filters = [...buildViewFilter(view, parameters, caller), ...(query ? buildRequestFilter(view, query) : [])];
  return {
    source: toSource(view, computed),
    columns: query || shown ? selectColumns(view, query ?? NO_QUERY, shown) : allColumns(view),
    ...(filters.length > 0 && { filter: { and: filters } }),
    ...(query && { sort: query.sort.map(({ field, ...order }) => ({ column: stripDot(field), ...order })) }),
    ...(query?.distinct && { distinct: true }),
  };
}

function toSource(view: DataView, computed: readonly JsonObject[]): RowSource {
  switch (view.source) {
    case "records":
      return { kind: "records", classId: view.classId };
    case "cases":
      return { kind: "cases", typeIds: view.caseTypes.map((type) => type.id) };
    case "history":
      return { kind: "events" };
    case "assignments":
      return { kind: "assignments" };
    default:
      return { kind: "given", rows: computed };
  }
}

/** Returns all columns, and the handle of the row as `id`, as in every resource. */
function allColumns(view: DataView): Column[] {
  const columns: Column[] = [...view.columns].map(([name, { place }]) => ({ name, field: place }));
  const [key, ...more] = view.dataType?.key ?? [];
  const id = view.source === "records"
    ? key !== undefined && more.length === 0 ? findColumn(view, key).place : { property: "key" }
    : { property: "id" };
  const hasHandle = view.source !== "history" && !isComputed(view.source);
  return !hasHandle || view.columns.has("id") ? columns : [{ name: "id", field: id }, ...columns];
}

function selectColumns(view: DataView, query: DataQuery, shown?: readonly string[]): Column[] {
  const aggregations = new Map(query.aggregations.map((aggregation) => [aggregation.name, aggregation]));
  const selected = query.select ?? (aggregations.size > 0 ? [] : shown ?? [...view.columns.keys()]);
  const sorted = query.sort.map(({ field }) => stripDot(field));
  // The rows contain what they are sorted by. With aggregations they cannot, because it would split the groups.
  const names = [...selected.map(stripDot), ...aggregations.keys(), ...(aggregations.size > 0 ? [] : sorted)];
  const unknown = sorted.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new Invalid(`The rows cannot be sorted by ${unknown}, because it is not selected.`);
  }
  return [...new Set(names)].map((name) => createColumn(view, name, aggregations.get(name)));
}

function createColumn(view: DataView, name: string, aggregation: Aggregation | undefined): Column {
  if (aggregation === undefined) return { name, field: findColumn(view, name).place };
  const { place, field } = findColumn(view, aggregation.field);
  const { summary } = aggregation;
  const needed = checkSummary(summary, field.type);
  if (needed !== undefined) {
    throw new Invalid(`${summary} needs ${needed}, but ${aggregation.field} is of the type ${field.type}.`);
  }
  return { name, field: place, summary };
}
