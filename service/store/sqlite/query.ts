/** Compiles queries to SQL. All values and names of members are bound parameters. */
import type { SQLInputValue } from "node:sqlite";
import { ExactNumber } from "../../../utils/exact_number.ts";
import { type CaseSums, findField, selectGroups } from "../case_sums.ts";
import { compileFilter, type Condition } from "../compile_filter.ts";
import { isCountedQuery, isGrouped, isSummarised } from "../counted_query.ts";
import type { Column, Comparator, Filter, Page, RowField, RowQuery, RowSource, Value } from "../query.ts";
import { getColumn, NUMBER_PROPERTIES, ROW_TABLES, type RowTable } from "../row_tables.ts";
import { toLowerCase, withinTime } from "./define_functions.ts";
import { nameSums } from "./case_sums.ts";
import { compileExtreme, type FieldIndexes, toJsonPath } from "./field_indexes.ts";
import { describeDamage } from "./tables.ts";
import { toLong } from "../summary_numbers.ts";

/** SQL and the values of its parameters. */
export interface Compiled {
  /** The statement. */
  readonly sql: string;
  /** Values in the order of the parameters. */
  readonly parameters: readonly SQLInputValue[];
}

/**
 * The place of a row in the order of a query: the values by which it is sorted, then its `seq`. Texts are bytes, and integers
 * are digits, so that each value is exact.
 */
export type RowPlace = readonly SQLInputValue[];

/** SQL that returns pages of rows. */
export interface CompiledPage extends Compiled {
  /** Number of columns `place0`, `place1`, …, which contain the place of each row. Groups have none. */
  readonly places: number;
}

/** Cases to which a query is limited. */
export interface CaseSearch {
  /** Expression for the text index. It finds all matching cases, and others. */
  readonly match: string;
  /**
   * Searches only this many of the newest cases that the expression finds. The rows are then the first of the whole result,
   * in the order of creation, if they fill the page.
   */
  readonly newest?: number;
}

/** Maximum number of trigrams by which a text is searched. */
const MAX_TRIGRAMS = 64;

/** Returns the expression that finds cases with all trigrams of at least one of several texts. */
export function matchTexts(texts: readonly string[]): string {
  return texts.map((text) => `(${listTrigrams(text).map(quote).join(" AND ")})`).join(" OR ");
}

function listTrigrams(text: string): string[] {
  const characters = [...text];
  const trigrams = new Set(characters.slice(2).map((_, start) => characters.slice(start, start + 3).join("")));
  return [...trigrams].slice(0, MAX_TRIGRAMS);
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** The conditions of a query that lists the cases of one status, the last updated first. */
export interface StatusInOrder {
  readonly status: string;
  readonly typeIds: readonly string[];
}

/** Returns the status if a query lists the cases of one status, the last updated first, without other conditions. */
export function findStatusInOrder({ source, columns, sort = [], filter, cases }: RowQuery): StatusInOrder | undefined {
  const field = columns.find(({ name }) => name === sort[0]?.column)?.field;
  const isSorted = field !== undefined && "property" in field && field.property === "updatedAt" && sort[0]?.descending;
  if (source.kind !== "cases" || !isSorted || cases !== undefined || filter === undefined) return undefined;
  const [only, ...others] = "and" in filter ? filter.and : [filter];
  const isStatus = only !== undefined && "left" in only && only.comparator === "EQ" && only.ignoreCase !== true &&
    "property" in only.left && only.left.property === "status" && "value" in only.right;
  return isStatus && others.length === 0 ? { status: String(only.right.value), typeIds: source.typeIds } : undefined;
}

/**
 * Compiles the statement that reports, in the column `isFrequent`, whether a status is so frequent that its first cases are
 * found sooner among all cases in order than by sorting the cases of the status.
 */
export function compileIsFrequent({ status, typeIds }: StatusInOrder, rows: number): Compiled {
  return {
    sql: `SELECT found * found > ?3 * total AS isFrequent FROM (
      SELECT TOTAL(number) AS total, TOTAL(iif(status = ?1 AND typeId IN (SELECT value FROM json_each(?2)), number, 0)) AS found
      FROM caseCounts)`,
    parameters: [status, JSON.stringify(typeIds), rows],
  };
}

/** Maximum number of columns in a `json_object`. SQLite limits the arguments of a function. */
const MAX_COLUMNS = 300;

/** Maximum length of a text that `instr` finds fast enough in any other text. */
const MAX_INSTR = 100;

/** Options of a page of rows. */
export interface PageOptions {
  /** Place after which the page begins. */
  readonly after?: RowPlace | undefined;
  /** Cases to which the query is limited. */
  readonly search?: CaseSearch | undefined;
  /** Indexes of fields. */
  readonly indexes?: FieldIndexes | undefined;
  /** True to read cases in order and skip those of other statuses, instead of sorting the cases of a status. */
  readonly isInOrder?: boolean;
}

/**
 * Compiles the statement for a page of rows. The column `row` is a JSON array of objects, each with a part of the columns,
 * or NULL if it would exceed the size of the page. The column `damaged` names a row that no longer matches its checksum.
 * Groups, given rows, and rows that a filter excludes are not checked. The offset counts from the place `after`, if it is
 * given.
 */
export function compileRows(
  query: RowQuery,
  page: Page,
  { after, ...options }: PageOptions = {},
): CompiledPage {
  const compiler = new Compiler(query, { ...options, isCounted: isGrouped(query) && isCountedQuery(query) });
  const order = [...compiler.order(), compiler.tieBreak].join(", ");
  const limit = `LIMIT ${compiler.bind(page.limit)} OFFSET ${compiler.bind(page.offset)}`;
  const found = `FROM ${compiler.body(after)} ORDER BY ${order} ${limit}`;
  // Otherwise SQLite would build and sort the skipped rows completely.
  const from = page.offset > 0 ? compiler.selectBySequence(found, order) : found;
  const places = compiler.places();
  const sql = compiler.checkRows(`SELECT ${compiler.boundedRow(page)} AS row`, places, from);
  return { ...compiler.finish(sql), places: places.length };
}

/** Compiles the statement for a page of groups that sums of cases serve. The column `row` is that of `compileRows`. */
export function compileSums(query: RowQuery, page: Page, sums: CaseSums, indexes?: FieldIndexes): Compiled {
  const compiler = new Compiler(query, { sums, indexes });
  const limit = `LIMIT ${compiler.bind(page.limit)} OFFSET ${compiler.bind(page.offset)}`;
  return compiler.finish(selectGroups(compiler, page, compiler.sortValues(), limit));
}

/** Compiles the statement that returns a row if the sums are maintained. */
export function compileAreKept(sums: CaseSums): Compiled {
  return { sql: "SELECT 1 FROM maintainedSums WHERE sums = ?1", parameters: [nameSums(sums)] };
}

/** Compiles the statement that counts all rows, in the column `count`. */
export function compileCount(
  query: RowQuery,
  options: Pick<PageOptions, "search" | "indexes"> = {},
): Compiled {
  const isCounted = isCountedQuery(isGrouped(query) ? query : { ...query, columns: [] });
  const compiler = new Compiler(query, { ...options, isCounted });
  if (isCounted && !isGrouped(query)) return compiler.finish(`SELECT ${TOTAL} AS count FROM ${compiler.body()}`);
  const one = compiler.summarised ? "COUNT(*)" : "1";
  return compiler.finish(`SELECT COUNT(*) AS count FROM (SELECT ${one} FROM ${compiler.body()})`);
}

/** Compiles the condition that the case of an item meets a filter, or that the item belongs to no case. */
export function compileItemCases(filter: Filter): Compiled {
  const compiler = new Compiler({ source: { kind: "cases", typeIds: [] }, columns: [] }, {});
  const isVisible = compiler.matchCase("items.owner", filter);
  return compiler.finish(`(${isVisible} OR NOT EXISTS (SELECT 1 FROM cases WHERE cases.id = items.owner))`);
}

/** The number of cases in rows of `caseCounts` or `caseSums`. */
const TOTAL = "IFNULL(SUM(number), 0)";

class Compiler {
  readonly #query: RowQuery;
  readonly #search: CaseSearch | undefined;
  readonly #isInOrder: boolean;
  readonly #indexes: FieldIndexes | undefined;
  readonly #sums: CaseSums | undefined;
  /** Table of the rows: that of the source, `caseCounts`, or `caseSums` under the name of the table of cases. */
  readonly #from: string;
  /** True if each row stands for several cases: a count or a sum. */
  readonly #isPrecomputed: boolean;
  #table: RowTable;
  readonly #parameters = new Map<SQLInputValue, string>();

  constructor(
    query: RowQuery,
    { search, indexes, isInOrder = false, isCounted = false, sums }: PageOptions & {
      isCounted?: boolean;
      sums?: CaseSums;
    },
  ) {
    this.#query = query;
    this.#indexes = indexes;
    this.#isInOrder = isInOrder;
    this.#search = search;
    this.#table = ROW_TABLES[query.source.kind];
    this.#sums = sums;
    this.#isPrecomputed = isCounted || sums !== undefined;
    this.#from = isCounted ? "caseCounts" : sums ? "caseSums AS cases" : this.#nameRows(query.source);
  }

  finish(sql: string): Compiled {
    return { sql, parameters: [...this.#parameters.keys()] };
  }

  /** Binds a value. Equal values share a numbered parameter, because SQLite limits the number of parameters. */
  bind(given: Value): string {
    const value = typeof given === "string"
      ? given
      : toStoredNumber(typeof given === "boolean" ? Number(given) : given);
    const parameter = this.#parameters.get(value) ?? `?${this.#parameters.size + 1}`;
    this.#parameters.set(value, parameter);
    return parameter;
  }

  get summarised(): boolean {
    return isSummarised(this.#query);
  }

  get #grouped(): boolean {
    return isGrouped(this.#query);
  }

  #nameRows(source: RowSource): string {
    if (source.kind !== "given") return this.#table.name;
    return `(SELECT key AS seq, value AS content FROM json_each(${this.bind(JSON.stringify(source.rows))})) AS given`;
  }

  get tieBreak(): string {
    if (!this.#isPrecomputed) return this.#grouped ? "MIN(seq)" : "seq";
    // The + keeps SQLite from using another index, which would not find the first case soon.
    return `MIN((SELECT seq FROM cases WHERE cases.status = caseCounts.status AND +cases.typeId = caseCounts.typeId
      AND +cases.stageId = caseCounts.stageId ORDER BY seq LIMIT 1))`;
  }

  /** Avoids building a row that is too long: each summary may be as long as the longest text. */
  boundedRow({ size }: Page): string {
    const longest = this.#query.columns.filter(({ summary }) => summary === "MIN" || summary === "MAX")
      .map((column) => `IFNULL(octet_length(${this.#value(column)}), 0)`);
    if (size === undefined || longest.length === 0) return this.row();
    return `iif(${longest.join(" + ")} <= ${this.bind(size)}, ${this.row()}, NULL)`;
  }

  /** Selects rows by their sequence numbers, unless they are groups. */
  selectBySequence(found: string, order: string): string {
    if (this.#grouped) return found;
    return `FROM ${this.#from} WHERE seq IN (SELECT seq ${found}) ORDER BY ${order}`;
  }

  row(): string {
    const members = this.#query.columns.map((column) => {
      const value = column.summary === undefined ? this.#json(column.field) : this.#value(column);
      return `${this.bind(column.name)}, ${value}`;
    });
    const objects: string[] = [];
    for (let start = 0; start < members.length; start += MAX_COLUMNS) {
      objects.push(`json_object(${members.slice(start, start + MAX_COLUMNS).join(", ")})`);
    }
    return `json_array(${objects.join(", ")})`;
  }

  /** Adds the column `damaged` and the places. The subquery keeps SQLite from checking rows that it only sorts. */
  checkRows(select: string, places: readonly string[], from: string): string {
    const { name } = this.#table;
    if (this.#grouped || name === "given") return `${select}, NULL AS damaged ${from}`;
    const damage = `SELECT ${describeDamage(name)} FROM ${name} WHERE ${name}.seq = page.seq`;
    const names = places.map((_, index) => `place${index}`);
    const inner = places.map((value, index) => `${value} AS ${names[index]}`);
    const page = [select, ...inner, `${name}.seq AS seq`].join(", ");
    return `SELECT ${["row", `(${damage}) AS damaged`, ...names].join(", ")} FROM (${page} ${from}) AS page`;
  }

  order(): string[] {
    return this.sortValues().map(({ value, descending }) => value + (descending ? " DESC" : " ASC"));
  }

  /** Compiles the values of a row's place. Other types than text and integer are exact as they are. */
  places(): string[] {
    if (this.#grouped || this.#table.name === "given") return [];
    const values = this.sortValues().map(({ value }) =>
      `CASE typeof(${value}) WHEN 'text' THEN CAST(${value} AS BLOB) WHEN 'integer' THEN CAST(${value} AS TEXT) ELSE ${value} END`
    );
    return [...values, `CAST(${this.#table.name}.seq AS TEXT)`];
  }

  /** Compiles the values by which the rows are sorted. */
  sortValues(): { readonly value: string; readonly isNullable: boolean; readonly descending: boolean }[] {
    return (this.#query.sort ?? []).map(({ column: name, descending, ignoreCase }) => {
      const column = this.#query.columns.find((one) => one.name === name);
      if (!column) throw new TypeError(`Rows cannot be sorted by ${name}, which is not a column.`);
      const isNullable = !("property" in column.field) || column.field.property === "parentId";
      const value = this.#value(column);
      return { value: ignoreCase ? `fold(${value})` : value, isNullable, descending };
    });
  }

  /** Compiles the condition that a row comes after a place. NULL comes before all other values. */
  #isAfter(place: RowPlace): string {
    const terms = [...this.sortValues(), { value: `${this.#table.name}.seq`, isNullable: false, descending: false }];
    const later = terms.map(({ value, isNullable, descending }, index) => {
      const last = place[index] ?? null;
      if (last === null) return { value, last, next: descending ? "0" : `${value} IS NOT NULL` };
      const bound = this.#bindPlace(last);
      if (!descending) return { value, last: bound, next: `${value} > ${bound}`, range: `${value} >= ${bound}` };
      return isNullable
        ? { value, last: bound, next: `(${value} < ${bound} OR ${value} IS NULL)` }
        : { value, last: bound, next: `${value} < ${bound}`, range: `${value} <= ${bound}` };
    });
    const condition = later.reduceRight(
      (rest, { value, last, next }) => rest === "" ? next : `(${next} OR (${value} IS ${last ?? "NULL"} AND ${rest}))`,
      "",
    );
    // Only a range of the first value can use an index.
    const range = later[0]?.range;
    return range === undefined ? condition : `${range} AND ${condition}`;
  }

  /** Binds a value of a place. Values of other types than `bind` takes have parameters of their own. */
  #bindPlace(value: SQLInputValue): string {
    const exact = typeof value === "string" ? BigInt(value) : value;
    const parameter = this.#parameters.get(exact) ?? `?${this.#parameters.size + 1}`;
    this.#parameters.set(exact, parameter);
    // The + removes the affinity, which would convert numbers to text before they are compared.
    return exact instanceof Uint8Array ? `+CAST(${parameter} AS TEXT)` : parameter;
  }

  body(after?: RowPlace): string {
    const { filter, cases, source, columns } = this.#query;
    const conditions = [
      ...(this.#search ? this.#found(this.#search) : []),
      ...this.#source(source),
      ...(this.#isPrecomputed ? [] : [withinTime(`${this.#table.name}.seq`)]),
      ...(this.#sums ? [`cases.sums = ${this.bind(nameSums(this.#sums))}`, withinTime("random()")] : []),
      ...(filter ? [this.#filter(filter)] : []),
      ...(cases ? [this.#matchCaseOfRow(source, cases)] : []),
      ...(after ? [this.#isAfter(after)] : []),
    ];
    const where = ` WHERE ${conditions.join(" AND ")}`;
    const terms = this.summarised
      ? columns.filter(({ summary }) => summary === undefined).map(({ field }) => this.#json(field))
      // Whole rows are compared, because SQLite limits the number of terms.
      : this.#grouped
      ? [this.row()]
      : [];
    // The + keeps SQLite from using an index, which would look up each row separately.
    const groupBy = terms.length > 0 ? ` GROUP BY ${terms.map((term) => `+${term}`).join(", ")}` : "";
    return this.#from + (this.#search ? " NOT INDEXED" : "") + where + groupBy;
  }

  /**
   * Compiles the conditions that a search finds a case. Texts that have changed are not in the index yet, so that their cases
   * are always found. Without the cases that it finds, the newest case is the bound from which the result may be incomplete.
   */
  #found({ match, newest }: CaseSearch): string[] {
    const found = `SELECT rowid AS seq FROM caseTexts WHERE caseTexts MATCH ${this.bind(match)}`;
    if (newest === undefined) return [`cases.seq IN (${found} UNION ALL SELECT seq FROM staleTexts)`];
    const latest = `SELECT seq FROM (${found} ORDER BY rowid DESC LIMIT ${this.bind(newest)})`;
    return [
      `cases.seq IN (${latest} UNION ALL SELECT seq FROM staleTexts)`,
      `cases.createdAt > (SELECT createdAt FROM cases WHERE cases.seq < (SELECT MIN(seq) FROM (${latest}))
        ORDER BY createdAt DESC, seq LIMIT 1)`,
    ];
  }

  #matchCaseOfRow({ kind }: RowSource, filter: Filter): string {
    if (kind === "cases") return this.#filter(filter);
    return kind === "records" || kind === "given" ? "0" : this.matchCase(`${this.#table.name}.caseId`, filter);
  }

  /** Compiles the condition that the case with an ID meets a filter. The case is looked up for each row. */
  matchCase(id: string, filter: Filter): string {
    const table = this.#table;
    this.#table = ROW_TABLES.cases;
    const condition = this.#filter(filter);
    this.#table = table;
    return `EXISTS (SELECT 1 FROM cases WHERE cases.id = ${id} AND ${condition})`;
  }

  #source(source: RowSource): string[] {
    if (source.kind === "records") return [`classId = ${this.bind(source.classId)}`];
    if (source.kind === "cases") return [`typeId IN ${this.#list(source.typeIds)}`];
    return [];
  }

  /** Binds several values as one parameter, because SQLite limits the number of parameters. */
  #list(values: readonly Value[]): string {
    return `(SELECT value FROM json_each(${this.bind(JSON.stringify(values))}))`;
  }

  #filter(filter: Filter): string {
    return compileFilter(filter, (condition) => this.#condition(condition));
  }

  #condition(filter: Condition): string {
    if ("isNull" in filter) return `${this.#scalar(filter.isNull)} IS NULL`;
    const isText = "in" in filter || ("value" in filter.right && typeof filter.right.value === "string");
    const read = (field: RowField) => {
      if (filter.ignoreCase) return this.#folded(field);
      // The + keeps SQLite from using the index of the status.
      if (this.#isInOrder && "property" in field && field.property === "status") return `+${this.#scalar(field)}`;
      const isTextColumn = "property" in field
        ? !NUMBER_PROPERTIES.includes(field.property)
        : field.content.length === 0;
      // The + keeps SQLite from converting a number to a text before it compares it with a column of texts.
      return isTextColumn && !isText ? `+${this.#scalar(field)}` : this.#scalar(field);
    };
    if ("in" in filter) {
      const values = filter.ignoreCase ? filter.in.map(toLowerCase) : filter.in;
      return `${read(filter.field)} IN ${this.#list(values)}`;
    }
    const operand = "field" in filter.right
      ? read(filter.right.field)
      : this.bind(filter.ignoreCase ? toLowerCase(filter.right.value) : filter.right.value);
    const [left, right] = [read(filter.left), operand];
    const isShort = "value" in filter.right && String(filter.right.value).length <= MAX_INSTR;
    if (filter.comparator === "CONTAINS" && !isShort) return `contains(${left}, ${right})`;
    return compare(filter.comparator, left, right);
  }

  /** Compiles a value in lower case. SQLite converts an ASCII text faster, but it would compute a path three times. */
  #folded(field: RowField): string {
    const value = this.#scalar(field);
    if ("content" in field && field.content.length > 0) return `fold(${value})`;
    const isAscii = `typeof(${value}) = 'text' AND octet_length(${value}) = length(${value})`;
    return `iif(${isAscii}, lower(${value}), fold(${value}))`;
  }

  /** Compiles the number of values in all groups that the sums do not contain. */
  countOthers(): string {
    const terms = this.#query.columns.flatMap(({ field, summary }) => {
      const part = summary === "SUM" || summary === "AVG" ? 2 : summary === "MIN" || summary === "MAX" ? 3 : undefined;
      const value = part === undefined ? undefined : this.#part(field, part);
      return value === undefined ? [] : [`IFNULL(SUM(${value}), 0)`];
    });
    return terms.length > 0 ? terms.join(" + ") : "0";
  }

  /** Compiles a part of a field in the sums. Returns undefined for a field that has none. */
  #part(field: RowField, part: 0 | 1 | 2 | 3): string | undefined {
    const index = this.#sums ? findField(this.#sums.fields, field) : -1;
    return index < 0 ? undefined : `(cases.parts ->> '$[${index}][${part}]')`;
  }

  /** Compiles a summary of a field from the sums. Returns undefined for a field that has none. */
  #summaryOfSums({ field, summary }: Column): string | undefined {
    const [sum, numbers, others] = ([0, 1, 2] as const).map((part) => this.#part(field, part));
    if (sum === undefined || this.#sums === undefined || "property" in field) return undefined;
    switch (summary) {
      case "COUNT":
        return `IFNULL(SUM(${numbers} + ${others}), 0)`;
      case "SUM":
        return `sum_decimals(json_group_array(${sum}))`;
      case "AVG":
        return `sum_decimals(json_group_array(${sum})) / NULLIF(SUM(${numbers}), 0)`;
      case "MIN":
      case "MAX":
        return compileExtreme(summary, this.#sums, field.content, "cases");
      default:
        return undefined;
    }
  }

  #value(column: Column): string {
    const { field, summary } = column;
    const value = this.#scalar(field);
    if (summary === undefined) return value;
    const fromSums = this.#summaryOfSums(column);
    if (fromSums !== undefined) return fromSums;
    if (summary === "COUNT" && this.#isPrecomputed) return TOTAL;
    if (summary === "DISTINCT_COUNT") return `COUNT(DISTINCT ${value})`;
    if (summary === "SUM") return `TOTAL(${value})`; // SUM fails if integers exceed 64 bits.
    return `${summary}(${value})`;
  }

  /** Compiles a value for comparing and sorting: text, a number, or NULL. */
  #scalar(field: RowField): string {
    if ("property" in field) return this.#property(field.property);
    if (field.content.length === 0) return this.#table.content;
    const indexed = this.#table.name === "cases" ? this.#indexes?.find(field.content) : undefined;
    return indexed ?? `json_extract(${this.#table.content}, ${this.#path(field.content)})`;
  }

  /** Compiles a value for the result. JSON preserves true and false, which SQL does not have. */
  #json(field: RowField): string {
    return "property" in field
      ? this.#property(field.property)
      : `${this.#table.content} -> ${this.#path(field.content)}`;
  }

  #property(name: string): string {
    const column = this.#table.caseColumns?.get(name);
    if (column === undefined) return `"${getColumn(this.#table, name)}"`;
    return `(SELECT own."${column}" FROM cases AS own WHERE own.id = ${this.#table.name}.caseId)`;
  }

  #path(members: readonly string[]): string {
    return this.bind(toJsonPath(members));
  }
}

/**
 * Converts a number to the value that SQLite reads from its JSON. The parameter of an integer is a bigint: SQLite would get
 * a floating-point number, whose text is `1.0`.
 */
function toStoredNumber(value: number | ExactNumber): number | bigint {
  if (value instanceof ExactNumber) return toLong(value) ?? Number(value);
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(String(value)) : value;
}

function compare(comparator: Comparator, left: string, right: string): string {
  switch (comparator) {
    case "EQ":
      return `${left} = ${right}`;
    case "GT":
      return `${left} > ${right}`;
    case "GTE":
      return `${left} >= ${right}`;
    case "LT":
      return `${left} < ${right}`;
    case "LTE":
      return `${left} <= ${right}`;
    case "STARTS_WITH":
      return isPart(left, `1, octet_length(${right})`, right);
    case "ENDS_WITH":
      return isPart(left, `octet_length(${left}) - octet_length(${right}) + 1`, right);
    case "CONTAINS":
      return `instr(${left}, ${right}) > 0`;
  }
}

/** Compiles the condition that a range of a text is another text. Compares bytes, because `length` ends at a NUL. */
function isPart(text: string, range: string, part: string): string {
  const isEqual = `substr(CAST(${text} AS BLOB), ${range}) = CAST(${part} AS BLOB)`;
  return `typeof(${part}) = 'text' AND iif(${part} = '', ${text} IS NOT NULL, ${isEqual})`; // An empty BLOB has no parts.
}
