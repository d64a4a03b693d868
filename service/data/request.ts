/** The body of a data view request: checked as a whole, and in one form however it was written. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { truncate } from "../../utils/text/wording.ts";
import { ServiceError } from "../errors.ts";
import { SUMMARY_FUNCTIONS, type SummaryFunction } from "../store/query.ts";

/** Rows of an answer at most. */
export const MAX_ROWS = 5000;

const PAGE_SIZE = 100;
const CONDITIONS_LIMIT = 100;
const VALUES_LIMIT = 1000;
const COLUMNS_LIMIT = 200;
const AGGREGATIONS_LIMIT = 100;
const SORT_LIMIT = 100;

/** What may be in a request; the last two of its root are for servers whose rows take long to count, and say nothing here. */
const ROOT = [
  "dataViewParameters",
  "query",
  "paging",
  "includeTotalCount",
  "includeTotalCountLimit",
  "useExtendedTimeout",
];
const QUERY = ["select", "filter", "sortBy", "aggregations", "calculations", "distinctResultsOnly"];
const FILTER = ["filterConditions", "logic"];
const CONDITION = ["lhs", "comparator", "rhs", "ignoreCase"];
const SORT = ["field", "type"];
const PAGING = ["pageNumber", "pageSize", "maxResultsToFetch", "includeTotalCount"];

/** A condition as it was written. */
export interface Condition {
  /** Field on the left. */
  readonly field: string;
  /** Comparator. */
  readonly comparator: string;
  /** A value, values, or a field. */
  readonly right: { readonly values: readonly JsonValue[] } | { readonly field: string };
  /** Whether capital and small letters are the same. */
  readonly ignoreCase: boolean;
}

/** An aggregation by the name of its column. */
export interface Aggregation {
  /** Name of the column. */
  readonly name: string;
  /** Field that is summed up. */
  readonly field: string;
  /** How. */
  readonly summary: SummaryFunction;
}

/** What is asked of the rows. */
export interface DataQuery {
  /** Fields and aggregations by name; all fields without it. */
  readonly select?: readonly string[];
  /** Conditions by name. */
  readonly conditions: ReadonlyMap<string, Condition>;
  /** How they combine; all hold without it. */
  readonly logic?: string;
  /** Order. */
  readonly sort: readonly { readonly field: string; readonly descending: boolean }[];
  /** Aggregations. */
  readonly aggregations: readonly Aggregation[];
  /** Whether equal rows count once. */
  readonly distinct: boolean;
}

/** A data view request. */
export interface DataRequest {
  /** Parameters of the data view. */
  readonly parameters: JsonObject;
  /** What is asked of the rows, if anything is. */
  readonly query?: DataQuery;
  /** The page, where pages are asked for. */
  readonly page?: { readonly number: number; readonly size: number };
  /** Rows at most. */
  readonly limit: number;
  /** Rows to pass over. */
  readonly offset: number;
  /** Whether all matching rows are counted. */
  readonly includeTotal: boolean;
}

/** Reads a body; 400 where it does not fit. */
export function readRequest(body: JsonValue | undefined): DataRequest {
  const root = known(objectAt(body, "The body"), ROOT, "The body");
  const paging = known(objectAt(root.paging, "paging"), PAGING, "paging");
  const { includeTotalCount = root.includeTotalCount } = paging;
  return {
    parameters: readParameters(root.dataViewParameters),
    ...(root.query !== undefined && { query: readQuery(known(objectAt(root.query, "query"), QUERY, "query")) }),
    ...readPaging(paging),
    includeTotal: booleanAt(includeTotalCount, "includeTotalCount"),
  };
}

/** Some clients send the parameters as an array of one object. */
function readParameters(value: JsonValue | undefined): JsonObject {
  const [only, more] = Array.isArray(value) ? value : [value];
  if (more !== undefined) throw invalid("dataViewParameters must be one object");
  return objectAt(only, "dataViewParameters");
}

/** `maxResultsToFetch` is the size of a page where a page's number is given, and contradicts `pageSize`. */
function readPaging(paging: JsonObject): Pick<DataRequest, "page" | "limit" | "offset"> {
  const { maxResultsToFetch: most, pageNumber, pageSize } = paging;
  if (most !== undefined && pageSize !== undefined) {
    throw invalid("MaxResultsToFetch and paging information both are not supported at same time");
  }
  if (pageNumber === undefined && pageSize === undefined) {
    return { limit: numberAt(most, "paging.maxResultsToFetch", MAX_ROWS, MAX_ROWS), offset: 0 };
  }
  const number = numberAt(pageNumber, "paging.pageNumber", 1);
  const size = most === undefined
    ? numberAt(pageSize, "paging.pageSize", PAGE_SIZE, MAX_ROWS)
    : numberAt(most, "paging.maxResultsToFetch", MAX_ROWS, MAX_ROWS);
  return { page: { number, size }, limit: size, offset: (number - 1) * size };
}

function readQuery(query: JsonObject): DataQuery {
  const filter = known(objectAt(query.filter, "query.filter"), FILTER, "query.filter");
  const aggregations = readAggregations(objectAt(query.aggregations, "query.aggregations"));
  const distinct = booleanAt(query.distinctResultsOnly, "query.distinctResultsOnly");
  if (Object.keys(objectAt(query.calculations, "query.calculations")).length > 0) {
    throw invalid("query.calculations are not supported");
  }
  if (distinct && aggregations.length > 0) throw invalid("DistinctResultsOnly is not supported for aggregation");
  return {
    ...(query.select !== undefined && { select: readSelect(query.select) }),
    conditions: readConditions(objectAt(filter.filterConditions, "query.filter.filterConditions")),
    ...(filter.logic !== undefined && { logic: textAt(filter.logic, "query.filter.logic") }),
    sort: readSorts(arrayAt(query.sortBy, "query.sortBy")),
    aggregations,
    distinct,
  };
}

function readSelect(value: JsonValue): string[] {
  const names = arrayAt(value, "query.select").map((element, index) => {
    const place = `query.select[${index}]`;
    return isJsonObject(element)
      ? textAt(element.field ?? element.aggregation, `${place}.field`)
      : textAt(element, place);
  });
  if (names.length > COLUMNS_LIMIT) throw invalid(`query.select may have at most ${COLUMNS_LIMIT} elements`);
  return names;
}

function readConditions(conditions: JsonObject): Map<string, Condition> {
  const entries = Object.entries(conditions);
  if (entries.length > CONDITIONS_LIMIT) throw invalid(`query.filter may have at most ${CONDITIONS_LIMIT} conditions`);
  return new Map(entries.map(([name, value]) => [name, readCondition(value, `query.filter.filterConditions.${name}`)]));
}

function readCondition(value: JsonValue | undefined, place: string): Condition {
  const { lhs, comparator, rhs, ignoreCase } = known(requiredObject(value, place), CONDITION, place);
  const right = present(objectAt(rhs, `${place}.rhs`));
  return {
    field: textAt(requiredObject(lhs, `${place}.lhs`).field, `${place}.lhs.field`),
    comparator: textAt(comparator, `${place}.comparator`),
    right: right.field === undefined
      ? { values: valuesOf(right, `${place}.rhs`) }
      : { field: textAt(right.field, `${place}.rhs.field`) },
    ignoreCase: booleanAt(ignoreCase, `${place}.ignoreCase`),
  };
}

function valuesOf({ value, values = value }: JsonObject, place: string): JsonValue[] {
  if (values === undefined) return [];
  if (!Array.isArray(values)) return [values];
  if (values.length > VALUES_LIMIT) throw invalid(`${place} may have at most ${VALUES_LIMIT} values`);
  return values;
}

function readAggregations(aggregations: JsonObject): Aggregation[] {
  const entries = Object.entries(aggregations);
  if (entries.length > AGGREGATIONS_LIMIT) {
    throw invalid(`query.aggregations may have at most ${AGGREGATIONS_LIMIT} members`);
  }
  return entries.map(([name, value]) => {
    const place = `query.aggregations.${name}`;
    const { field, summaryFunction } = requiredObject(value, place);
    const summary = SUMMARY_FUNCTIONS.find((one) => one === summaryFunction);
    if (!summary) throw invalid(`${place}.summaryFunction must be one of ${SUMMARY_FUNCTIONS.join(", ")}`);
    return { name, field: textAt(field, `${place}.field`), summary };
  });
}

function readSorts(values: readonly JsonValue[]): { field: string; descending: boolean }[] {
  if (values.length > SORT_LIMIT) throw invalid(`query.sortBy may have at most ${SORT_LIMIT} elements`);
  return values.map(readSort);
}

function readSort(value: JsonValue, index: number): { field: string; descending: boolean } {
  const place = `query.sortBy[${index}]`;
  const { field, type = "ASC" } = known(requiredObject(value, place), SORT, place);
  if (type !== "ASC" && type !== "DESC") throw invalid(`${place}.type must be ASC or DESC`);
  return { field: textAt(field, `${place}.field`), descending: type === "DESC" };
}

/** The members that are there, all of them known: with one that is misspelt, more rows would be found than were meant. */
function known(members: JsonObject, names: readonly string[], place: string): JsonObject {
  const name = Object.keys(members).find((name) => !names.includes(name));
  if (name === undefined) return present(members);
  throw invalid(`${place} has no member '${truncate(name, 50)}'; it may have ${names.join(", ")}`);
}

/** The members that are there: null is none, as everywhere in a body. */
function present(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

function objectAt(value: JsonValue | undefined, place: string): JsonObject {
  return value === undefined || value === null ? {} : requiredObject(value, place);
}

function requiredObject(value: JsonValue | undefined, place: string): JsonObject {
  if (!isJsonObject(value)) throw invalid(`${place} must be a JSON object`);
  return value;
}

function arrayAt(value: JsonValue | undefined, place: string): JsonValue[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid(`${place} must be a JSON array`);
  return value;
}

function textAt(value: JsonValue | undefined, place: string): string {
  if (typeof value !== "string" || value === "") throw invalid(`${place} must be text`);
  return value;
}

function booleanAt(value: JsonValue | undefined, place: string): boolean {
  if (value !== undefined && typeof value !== "boolean") throw invalid(`${place} must be true or false`);
  return value ?? false;
}

function numberAt(value: JsonValue | undefined, place: string, absent: number, most: number = 2 ** 31): number {
  if (value === undefined) return absent;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1 || value > most) {
    throw invalid(`${place} must be a whole number from 1 to ${most}`);
  }
  return value;
}

function invalid(sentence: string): ServiceError {
  return new ServiceError(400, sentence + ".");
}
