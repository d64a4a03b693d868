/** The body of a data view request. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { truncate } from "../../utils/text/wording.ts";
import { SUMMARY_FUNCTIONS, type SummaryFunction } from "../application/model/data_view.ts";
import { type DomainError, Invalid } from "../errors.ts";

/** Maximum number of rows in a response. */
export const MAX_ROWS = 5000;

const DEFAULT_PAGE_SIZE = 100;
const MAX_CONDITIONS = 100;
const MAX_VALUES = 1000;
const MAX_COLUMNS = 200;
const MAX_AGGREGATIONS = 100;
const MAX_SORTS = 100;

/** Members of the body. The last three are for other servers and have no effect here. */
const ROOT = [
  "dataViewParameters",
  "query",
  "paging",
  "includeTotalCount",
  "includeTotalCountLimit",
  "useExtendedTimeout",
  "pyRouteToWorkbasket",
];
const QUERY = ["select", "filter", "sortBy", "aggregations", "calculations", "distinctResultsOnly"];
const FILTER = ["filterConditions", "logic"];
const CONDITION = ["lhs", "comparator", "rhs", "ignoreCase"];
const SORT = ["field", "type", "ignoreCase"];
const PAGING = ["pageNumber", "pageSize", "maxResultsToFetch", "includeTotalCount"];

/** A data view request. */
export interface DataRequest {
  /** Parameters of the data view. */
  readonly parameters: JsonObject;
  readonly query?: DataQuery;
  /** The page, if the request asks for one. */
  readonly page?: { readonly number: number; readonly size: number };
  /** Maximum number of rows. */
  readonly limit: number;
  /** Number of rows to skip. */
  readonly offset: number;
  /** True if the response contains the number of all matching rows. */
  readonly includeTotal: boolean;
}

/** A query on the rows of a data view. */
export interface DataQuery {
  /** Names of fields and aggregations (default: all fields). */
  readonly select?: readonly string[];
  /** Conditions by name. */
  readonly conditions: ReadonlyMap<string, QueryCondition>;
  /** The logic that combines the conditions (default: all must hold). */
  readonly logic?: string;
  readonly sort: readonly { readonly field: string; readonly descending: boolean; readonly ignoreCase?: boolean }[];
  readonly aggregations: readonly Aggregation[];
  /** True if equal rows count once. */
  readonly distinct: boolean;
}

/** A condition of a request. */
export interface QueryCondition {
  /** The field on the left side. */
  readonly field: string;
  readonly comparator: string;
  /** The right side. */
  readonly right: { readonly values: readonly JsonValue[] } | { readonly field: string };
  readonly ignoreCase: boolean;
}

/** An aggregation. */
export interface Aggregation {
  /** Name of the column. */
  readonly name: string;
  /** Name of the field that is summed up. */
  readonly field: string;
  readonly summary: SummaryFunction;
}

/** Checks the body of a request for metadata. It may name associations, which no data view of the service has. */
export function checkMetadataRequest(body: JsonValue | undefined): void {
  const { associationFilter, ...request } = isJsonObject(body) ? body : {};
  new BodyValue(associationFilter, "associationFilter").elements(MAX_COLUMNS);
  readRequest(isJsonObject(body) ? request : body);
}

/** Reads the body of a request. Throws Invalid if it has the wrong format. */
export function readRequest(body: JsonValue | undefined, { strict = false }: { strict?: boolean } = {}): DataRequest {
  const root = new BodyValue(body, "").object(ROOT);
  const query = root("query");
  const paging = root("paging").object(PAGING);
  const total = paging("includeTotalCount");
  return {
    parameters: readParameters(root("dataViewParameters")),
    ...(query.exists && { query: readQuery(query) }),
    ...readPaging(paging, strict),
    includeTotal: (total.exists ? total : root("includeTotalCount")).boolean(),
  };
}

/** Reads the parameters. Some clients send them as an array of one object. */
function readParameters(parameters: BodyValue): JsonObject {
  const { value, path } = parameters;
  if (!Array.isArray(value)) return parameters.members();
  const [only, ...more] = value;
  if (more.length > 0) throw invalid(`${path} must be one object`);
  return new BodyValue(only, path).members();
}

/**
 * Reads the paging. With a page number, `maxResultsToFetch` is the page size, unless the service is strict. It cannot be
 * combined with `pageSize`.
 */
function readPaging(paging: Members, strict: boolean): Pick<DataRequest, "page" | "limit" | "offset"> {
  const [most, pageNumber, pageSize] = [paging("maxResultsToFetch"), paging("pageNumber"), paging("pageSize")];
  if (most.exists && (pageSize.exists || (strict && pageNumber.exists))) {
    throw invalid("MaxResultsToFetch and paging information both are not supported at same time");
  }
  if (!pageNumber.exists && !pageSize.exists) return { limit: most.number(MAX_ROWS, MAX_ROWS), offset: 0 };
  const number = pageNumber.number(1);
  const size = most.exists ? most.number(MAX_ROWS, MAX_ROWS) : pageSize.number(DEFAULT_PAGE_SIZE, MAX_ROWS);
  return { page: { number, size }, limit: size, offset: (number - 1) * size };
}

function readQuery(value: BodyValue): DataQuery {
  const query = value.object(QUERY);
  const [select, filter] = [query("select"), query("filter").object(FILTER)];
  const logic = filter("logic");
  const aggregations = query("aggregations").entries(MAX_AGGREGATIONS).map(readAggregation);
  const distinct = query("distinctResultsOnly").boolean();
  if (query("calculations").entries(Infinity).length > 0) throw invalid("query.calculations are not supported");
  if (distinct && aggregations.length > 0) throw invalid("DistinctResultsOnly is not supported for aggregation");
  return {
    ...(select.exists && { select: select.elements(MAX_COLUMNS).map(readColumn) }),
    conditions: new Map(
      filter("filterConditions").entries(MAX_CONDITIONS).map(([name, condition]) => [name, readCondition(condition)]),
    ),
    ...(logic.exists && { logic: logic.text() }),
    sort: query("sortBy").elements(MAX_SORTS).map(readSort),
    aggregations,
    distinct,
  };
}

function readColumn(column: BodyValue): string {
  if (!isJsonObject(column.value)) return column.text();
  const member = column.object();
  return (member("field").exists ? member("field") : member("aggregation")).text();
}

function readCondition(condition: BodyValue): QueryCondition {
  const member = condition.required().object(CONDITION);
  const right = member("rhs").object();
  return {
    field: member("lhs").required().object()("field").text(),
    comparator: member("comparator").text(),
    right: right("field").exists ? { field: right("field").text() } : { values: readValues(right) },
    ignoreCase: member("ignoreCase").boolean(),
  };
}

function readValues(right: Members): JsonValue[] {
  const values = right("values").exists ? right("values") : right("value");
  if (Array.isArray(values.value)) return values.elements(MAX_VALUES).map(({ value }) => value ?? null);
  return values.value === undefined ? [] : [values.value];
}

function readAggregation([name, aggregation]: [string, BodyValue]): Aggregation {
  const member = aggregation.required().object();
  const given = member("summaryFunction");
  const summary = SUMMARY_FUNCTIONS.find((one) => one === given.value);
  if (!summary) throw invalid(`${given.path} must be one of ${SUMMARY_FUNCTIONS.join(", ")}`);
  return { name, field: member("field").text(), summary };
}

function readSort(sort: BodyValue): DataQuery["sort"][number] {
  const member = sort.required().object(SORT);
  const { value = "ASC", path } = member("type");
  if (value !== "ASC" && value !== "DESC") throw invalid(`${path} must be ASC or DESC`);
  return { field: member("field").text(), descending: value === "DESC", ignoreCase: member("ignoreCase").boolean() };
}

/** Returns a member of an object by its name. */
type Members = (name: string) => BodyValue;

/** A value in a body, with its path for error messages. Null means that the value is missing. */
class BodyValue {
  readonly value: JsonValue | undefined;
  readonly path: string;

  constructor(value: JsonValue | undefined, path: string) {
    this.value = value ?? undefined;
    this.path = path;
  }

  get exists(): boolean {
    return this.value !== undefined;
  }

  /** Returns this value, and refuses a missing one. */
  required(): BodyValue {
    if (!this.exists) throw this.#notAnObject();
    return this;
  }

  /** Returns the members of an object; none if it is missing. */
  members(): JsonObject {
    const { value = {} } = this;
    if (!isJsonObject(value)) throw this.#notAnObject();
    return value;
  }

  /** Returns access to the members of an object. A misspelt member would find more rows, so unknown ones are refused. */
  object(known?: readonly string[]): Members {
    const members = this.members();
    const unknown = known && Object.keys(members).find((name) => !known.includes(name));
    if (unknown !== undefined) {
      const allowed = `it may have ${known?.join(", ")}`;
      throw invalid(`${this.path || "The body"} has no member '${truncate(unknown, 50)}'; ${allowed}`);
    }
    return (name) => new BodyValue(members[name], this.path === "" ? name : `${this.path}.${name}`);
  }

  /** Returns the members of an object by name. */
  entries(limit: number): [name: string, value: BodyValue][] {
    const member = this.object();
    const names = Object.keys(this.members());
    if (names.length > limit) throw invalid(`${this.path} may have at most ${limit} members`);
    return names.map((name) => [name, member(name)]);
  }

  /** Returns the elements of an array; none if it is missing. */
  elements(limit: number): BodyValue[] {
    const elements = this.value ?? [];
    if (!Array.isArray(elements)) throw invalid(`${this.path} must be a JSON array`);
    if (elements.length > limit) throw invalid(`${this.path} may have at most ${limit} elements`);
    return elements.map((element, index) => new BodyValue(element, `${this.path}[${index}]`));
  }

  text(): string {
    if (typeof this.value !== "string" || this.value === "") throw invalid(`${this.path} must be text`);
    return this.value;
  }

  boolean(): boolean {
    const { value = false, path } = this;
    if (typeof value !== "boolean") throw invalid(`${path} must be true or false`);
    return value;
  }

  /** Returns a whole number from 1 to `most`. */
  number(fallback: number, most: number = 2 ** 31): number {
    const { value = fallback, path } = this;
    if (typeof value !== "number" || !Number.isInteger(value) || value < 1 || value > most) {
      throw invalid(`${path} must be a whole number from 1 to ${most}`);
    }
    return value;
  }

  #notAnObject(): DomainError {
    return invalid(`${this.path || "The body"} must be a JSON object`);
  }
}

function invalid(sentence: string): DomainError {
  return new Invalid(sentence + ".");
}
