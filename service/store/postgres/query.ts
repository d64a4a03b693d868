/** Compiles queries to SQL for PostgreSQL. All values and names of members are bound parameters. */
import type { SqlParameter } from "../../../utils/postgres/sql_value.ts";
import { findField, selectGroups } from "../case_sums.ts";
import { compileFilter, type Condition } from "../compile_filter.ts";
import { isCountedQuery, isGrouped, isSummarised } from "../counted_query.ts";
import { findSearchTexts } from "../derived.ts";
import type { Column, Comparator, Filter, Page, RowField, RowQuery, RowSource, Value } from "../query.ts";
import { getColumn, NUMBER_PROPERTIES, ROW_TABLES, type RowTable } from "../row_tables.ts";
import { compileComparison, compileLower, joinOr, type Scalar } from "./compare.ts";
import { escapeJson, escapeText } from "./escape_text.ts";
import { compileGroupKey, type ReadySums } from "./indexes/case_sums.ts";
import { compileKey, compileScalar } from "./indexes/field_indexes.ts";

/** SQL and the values of its parameters. */
export interface Compiled {
  /** The statement. */
  readonly sql: string;
  /** Values in the order of the parameters. */
  readonly parameters: readonly SqlParameter[];
}

/** The place of a row in the order of a query: the values by which it is sorted, then its `seq`, as text. */
export type RowPlace = readonly (string | null)[];

/** SQL that returns pages of rows. */
export interface CompiledPage extends Compiled {
  /** Number of columns `place0`, `place1`, …, which contain the place of each row. Groups have none. */
  readonly places: number;
}

/** A value by which rows are sorted. */
interface SortKey {
  readonly value: string;
  readonly type: "text" | "numeric" | "bigint";
  readonly descending: boolean;
  readonly isNullable: boolean;
}

/** The groups of cases with their numbers, under the name of the table of cases. */
const COUNTED_CASES = `(
    SELECT "typeId", status, "stageId", SUM(number) AS number FROM "caseCounts"
    GROUP BY "typeId", status, "stageId" HAVING SUM(number) > 0
  ) AS cases`;

/** Comparators that the index of a field serves, with the comparators of its keys. Different values may have equal keys. */
const KEY_OPERATORS: ReadonlyMap<Comparator, string> = new Map([
  ["EQ", "="],
  ["GT", ">="],
  ["GTE", ">="],
  ["LT", "<="],
  ["LTE", "<="],
]);

/** Properties that may be missing. */
const OPTIONAL = ["parentId"];

/** The indexes of cases that queries can use. */
export interface CaseIndexes {
  /** True if text searches can use the index. */
  readonly hasTexts?: boolean;
  /** Reports whether a field has an index. */
  hasField?(members: readonly string[]): boolean;
  /** Sums of cases. */
  readonly sums?: readonly ReadySums[];
}

/** Options of a page of rows. */
export interface PageOptions {
  /** Place after which the page begins. The offset counts from it. */
  readonly after?: RowPlace | undefined;
  readonly indexes?: CaseIndexes | undefined;
  /**
   * Searches only this many of the newest cases that the text index finds. If the rows fill the page, they are those of a
   * search of all cases, in the order of creation.
   */
  readonly newest?: number | undefined;
}

/**
 * Compiles the statement for a page of rows. The column `row` is a JSON array with the values of the columns, or NULL if
 * the rows exceed the size of the page.
 */
export function compileRows(query: RowQuery, page: Page, { after, ...options }: PageOptions = {}): CompiledPage {
  const compiler = new Compiler(query, { ...options, isCounted: isGrouped(query) && isCountedQuery(query) });
  const order = [...compiler.order(), compiler.tieBreak].join(", ");
  const found = `FROM ${compiler.body(after)} ORDER BY ${order} ${compiler.limit(page)}`;
  // Otherwise PostgreSQL would build the skipped rows.
  const from = page.offset > 0 ? compiler.selectBySequence(found, order) : found;
  const places = compiler.places();
  const columns = [`${compiler.boundedRow(page)} AS row`, ...places.map((place, index) => `${place} AS place${index}`)];
  const names = places.map((_, index) => `place${index}`);
  const sql = compiler.limitSize(`SELECT ${columns.join(", ")} ${from}`, page, names);
  return { ...compiler.finish(sql), places: places.length };
}

/** Compiles the statement for a page of groups that sums of cases serve. The column `row` is that of `compileRows`. */
export function compileSums(query: RowQuery, page: Page, sums: ReadySums, indexes?: CaseIndexes): Compiled {
  const compiler = new Compiler(query, { sums, indexes });
  const rows = selectGroups(compiler, page, compiler.sortKeys(), compiler.limit(page));
  return compiler.finish(compiler.limitSize(rows, page, ["cells", "doubt"]));
}

/** Compiles the statement that returns a row if the sums are maintained. */
export function compileAreReady({ id }: ReadySums): Compiled {
  return { sql: `SELECT 1 FROM "maintainedSums" WHERE id = $1 AND "isReady"`, parameters: [id] };
}

/** Compiles the statement that counts all rows, in the column `count`. */
export function compileCount(query: RowQuery, indexes?: CaseIndexes): Compiled {
  const isCounted = isCountedQuery(isGrouped(query) ? query : { ...query, columns: [] });
  const compiler = new Compiler(query, { isCounted, indexes });
  if (isCounted && !isGrouped(query)) {
    return compiler.finish(`SELECT COALESCE(SUM(number), 0) AS count FROM ${compiler.body()}`);
  }
  const one = compiler.summarised ? "COUNT(*)" : "1";
  return compiler.finish(`SELECT COUNT(*) AS count FROM (SELECT ${one} FROM ${compiler.body()}) AS found`);
}

/**
 * Compiles the statement that reports, in the column `isFrequent`, whether the text index finds more than `newest` cases for
 * a query. Returns undefined if the query does not use the index.
 */
export function compileIsFrequent(
  query: RowQuery,
  indexes: CaseIndexes | undefined,
  newest: number,
): Compiled | undefined {
  const compiler = new Compiler(query, { indexes });
  const found = compiler.findTexts();
  if (found === undefined) return undefined;
  return compiler.finish(`SELECT EXISTS (${found} OFFSET ${compiler.bind(newest, "bigint")}) AS "isFrequent"`);
}

/** Compiles the statement that counts the texts in a member of the items of a kind. */
export function compileTextUses(kind: string, member: string, owner: string, cases?: Filter): Compiled {
  const compiler = new Compiler({ source: { kind: "cases", typeIds: [] }, columns: [] });
  const texts = `items.content::json -> ${compiler.bind(member)}`;
  const isVisible = cases === undefined ? "TRUE" : `(${compiler.matchCase("items.owner", cases)}
    OR NOT EXISTS (SELECT 1 FROM cases WHERE cases.id = items.owner))`;
  return compiler.finish(`SELECT used.text, COUNT(*) AS everywhere,
      COUNT(*) FILTER (WHERE items.owner = ${compiler.bind(owner)}) AS here
    FROM items, json_array_elements_text(
      CASE json_typeof(${texts}) WHEN 'array' THEN ${texts} WHEN 'string' THEN json_build_array(${texts}) ELSE '[]' END
    ) AS used (text)
    WHERE items.kind = ${compiler.bind(kind)} AND ${isVisible}
    GROUP BY used.text ORDER BY used.text COLLATE "C"`);
}

interface CompilerOptions {
  /** True to read the counts of cases instead of the cases. */
  readonly isCounted?: boolean;
  readonly indexes?: CaseIndexes | undefined;
  readonly newest?: number | undefined;
  /** Sums to read instead of the cases. */
  readonly sums?: ReadySums | undefined;
}

class Compiler {
  readonly #query: RowQuery;
  readonly #isCounted: boolean;
  readonly #indexes: CaseIndexes;
  readonly #newest: number | undefined;
  readonly #sums: ReadySums | undefined;
  #table: RowTable;
  readonly #parameters: SqlParameter[] = [];
  readonly #known = new Map<string, string>();

  constructor(query: RowQuery, { isCounted = false, indexes = {}, newest, sums }: CompilerOptions = {}) {
    this.#query = query;
    this.#isCounted = isCounted;
    this.#indexes = indexes;
    this.#newest = newest;
    this.#sums = sums;
    this.#table = ROW_TABLES[query.source.kind];
  }

  /** Leaves out the parameters of expressions that were not needed. PostgreSQL refuses them. */
  finish(sql: string): Compiled {
    const used = [...new Set(sql.match(/(?<=\$)\d+/g)?.map(Number))];
    return {
      sql: sql.replace(/(?<=\$)\d+/g, (number) => String(used.indexOf(Number(number)) + 1)),
      parameters: used.map((number) => this.#parameters[number - 1] ?? null),
    };
  }

  /** Binds a value. Equal values of a type share a parameter, so that equal expressions are recognized. */
  bind(value: string | number | readonly string[], type = "text"): string {
    const key = `${type} ${JSON.stringify(value)}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#parameters.push(
      typeof value === "string" ? escapeText(value) : typeof value === "number" ? value : value.map(escapeText),
    );
    const parameter = `$${this.#parameters.length}::${type}`;
    this.#known.set(key, parameter);
    return parameter;
  }

  get summarised(): boolean {
    return isSummarised(this.#query);
  }

  get #grouped(): boolean {
    return isGrouped(this.#query);
  }

  get tieBreak(): string {
    if (this.#isCounted) {
      return `MIN((SELECT first.seq FROM cases AS first WHERE first.status = cases.status
        AND first."typeId" = cases."typeId" AND first."stageId" = cases."stageId" ORDER BY first.seq LIMIT 1))`;
    }
    return this.#grouped ? "MIN(seq)" : "seq";
  }

  /** Avoids building a row that is too long: each summary may be as long as the longest text. */
  boundedRow({ size }: Page): string {
    const longest = this.#query.columns.filter(({ summary }) => summary === "MIN" || summary === "MAX")
      .map(({ field, summary }) => this.#scalar(field).text && `octet_length(${summary}(${this.#scalar(field).text}))`)
      .filter((length) => length !== undefined);
    if (size === undefined || longest.length === 0) return this.row();
    const sum = longest.map((length) => `COALESCE(${length}, 0)`).join(" + ");
    return `CASE WHEN ${sum} <= ${this.bind(size, "bigint")} THEN ${this.row()} END`;
  }

  limit({ offset, limit }: Page): string {
    return `LIMIT ${limit < 0 ? "ALL" : this.bind(limit, "bigint")} OFFSET ${this.bind(offset, "bigint")}`;
  }

  /** Replaces all rows by NULL if their JSON exceeds the size of a page. The rows of the subquery keep their order. */
  limitSize(rows: string, { size }: Page, others: readonly string[]): string {
    if (size === undefined) return rows;
    const names = this.#query.columns.map(({ name }) => JSON.stringify(name).length + 1);
    const fixed = names.reduce((sum, length) => sum + length, 2); // The names with their colons, and the braces.
    const length = `SELECT SUM(length(row) + ${this.bind(fixed, "bigint")}) FROM page`;
    const row = `CASE WHEN (${length}) <= ${this.bind(size, "bigint")} THEN row END AS row`;
    return `WITH page AS MATERIALIZED (${rows}) SELECT ${[row, ...others].join(", ")} FROM page`;
  }

  /** Selects rows by their sequence numbers, unless they are groups. */
  selectBySequence(found: string, order: string): string {
    if (this.#grouped) return found;
    return `FROM ${this.#rows} WHERE seq IN (SELECT seq ${found}) ORDER BY ${order}`;
  }

  row(): string {
    const values = this.#query.columns.map((column) =>
      column.summary === undefined ? this.#json(column.field) : this.#summaryJson(column)
    );
    return `concat('[', array_to_string(ARRAY[${values.join(", ")}]::text[], ',', 'null'), ']')`;
  }

  order(): string[] {
    return this.sortKeys().map(({ value, descending, isNullable }) => {
      // An index on a column that is never NULL serves only an order that does not mention NULL.
      return value + (descending ? " DESC" : " ASC") +
        (isNullable ? (descending ? " NULLS LAST" : " NULLS FIRST") : "");
    });
  }

  /** Compiles the values of a row's place. */
  places(): string[] {
    if (this.#grouped) return [];
    return [...this.sortKeys(), this.#sequence].map(({ value, type }) => type === "text" ? value : `(${value})::text`);
  }

  /** Compiles the values by which the rows are sorted. */
  sortKeys(): SortKey[] {
    return (this.#query.sort ?? []).flatMap(({ column: name, descending, ignoreCase = false }) => {
      const column = this.#query.columns.find((one) => one.name === name);
      if (!column) throw new TypeError(`Rows cannot be sorted by ${name}, which is not a column.`);
      const { field } = column;
      const isNullable = this.#grouped || !("property" in field) || OPTIONAL.includes(field.property);
      // Numbers come before texts.
      const { text: exact, number } = this.#sortKey(column);
      const text = exact && ignoreCase ? compileLower(exact) : exact;
      return [
        ...(!this.#grouped && !ignoreCase && this.#isIndexed(field)
          ? [{ value: this.#key(field), type: "text" as const, descending, isNullable: false }]
          : []),
        ...(text === undefined ? [] : [{ value: text, type: "text" as const, descending, isNullable }]),
        ...(number === undefined ? [] : [{ value: number, type: "numeric" as const, descending, isNullable }]),
      ];
    });
  }

  get #sequence(): SortKey {
    return { value: `${this.#table.name}.seq`, type: "bigint", descending: false, isNullable: false };
  }

  /** Compiles the condition that a row comes after a place. NULL comes before all other values. */
  #isAfter(place: RowPlace): string {
    const later = [...this.sortKeys(), this.#sequence].map(({ value, type, descending, isNullable }, index) => {
      const last = place[index] ?? null;
      if (last === null) return { same: `${value} IS NULL`, next: descending ? "FALSE" : `${value} IS NOT NULL` };
      const bound = this.#bindPlace(last, type);
      const next = `${value} ${descending ? "<" : ">"} ${bound}`;
      if (descending && isNullable) return { same: `${value} = ${bound}`, next: `(${next} OR ${value} IS NULL)` };
      return { same: `${value} = ${bound}`, next, range: `${value} ${descending ? "<=" : ">="} ${bound}` };
    });
    const condition = later.reduceRight(
      (rest, { same, next }) => rest === "" ? next : `(${next} OR (${same} AND ${rest}))`,
      "",
    );
    // Only a range of the first value can use an index.
    const range = later[0]?.range;
    return range === undefined ? condition : `${range} AND ${condition}`;
  }

  /** Binds a value of a place, which the database has returned. */
  #bindPlace(value: string, type: SortKey["type"]): string {
    this.#parameters.push(value);
    const collation = type === "text" ? ' COLLATE "C"' : "";
    return `$${this.#parameters.length}::${type}${collation}`;
  }

  body(after?: RowPlace): string {
    const { filter, cases, source, columns } = this.#query;
    const conditions = [
      ...this.#source(source),
      ...this.#search(),
      ...(filter ? [this.#filter(filter)] : []),
      ...(cases ? [this.#matchCaseOfRow(source, cases)] : []),
      ...(after ? [this.#isAfter(after)] : []),
    ];
    const where = conditions.length > 0 ? ` WHERE ${conditions.join(" AND ")}` : "";
    const terms = this.summarised
      ? columns.filter(({ summary }) => summary === undefined).map(({ field }) => this.#json(field))
      : this.#grouped
      ? [this.row()]
      : [];
    const from = this.#isCounted ? COUNTED_CASES : this.#sums ? this.#summedCases(this.#sums) : this.#rows;
    return from + where +
      (terms.length > 0 ? ` GROUP BY ${terms.join(", ")}` : "");
  }

  get #rows(): string {
    const { source } = this.#query;
    if (source.kind !== "given") return this.#table.name;
    this.#parameters.push(escapeJson(JSON.stringify(source.rows)));
    return `(SELECT place AS seq, value AS content FROM json_array_elements($${this.#parameters.length}::json)
      WITH ORDINALITY AS element (value, place)) AS given`;
  }

  /** Compiles the groups of cases with their sums, under the name of the table of cases. */
  #summedCases({ id, groups, fields, extremes }: ReadySums): string {
    const used = fields.flatMap((content, index) =>
      this.#query.columns.some(({ field }) => findField([content], field) === 0) ? [{ content, at: index + 1 }] : []
    );
    const sums = used.flatMap(({ at }) =>
      ["sum", "number", "others"].map((part) =>
        `COALESCE(SUM(${part}) FILTER (WHERE field = ${at}), 0) AS ${part}${at}`
      )
    );
    const isSame = [
      ...["typeId", "status", "stageId"].map((name) => `one."${name}" = cells."${name}"`),
      `${compileGroupKey("one.content", this.bind(groups, "text[]"))} = md5(cells.content)`,
    ].join(" AND ");
    const bounds = used.filter(({ content }) => findField(extremes, { content }) >= 0).flatMap(({ content, at }) => {
      const value = compileScalar(["one.content", ...content.map((name) => this.bind(name))].join(" -> ")).number;
      return ["MIN", "MAX"].map((bound) =>
        `(SELECT ${bound}(${value}) FROM cases AS one WHERE ${isSame}) AS "${bound}${at}"`
      );
    });
    return `(SELECT ${["cells.*", ...bounds].join(", ")} FROM (
        SELECT ${
      ['"typeId"', "status", '"stageId"', "content", "SUM(number) FILTER (WHERE field = 0) AS number", ...sums].join(
        ", ",
      )
    }
        FROM "caseSums" WHERE sums = (${this.#selectReady(id)})
        GROUP BY key, "typeId", status, "stageId", content HAVING SUM(number) FILTER (WHERE field = 0) > 0
      ) AS cells) AS cases`;
  }

  #selectReady(id: string): string {
    return `SELECT id FROM "maintainedSums" WHERE id = ${this.bind(id, "bigint")} AND "isReady"`;
  }

  /** Compiles the number of values in all groups that the sums do not contain. */
  countOthers(): string {
    const terms = this.#query.columns.filter(({ summary }) => summary !== undefined && summary !== "COUNT")
      .map(({ field }) => this.#fieldOfSums(field)).filter((at) => at !== undefined);
    return terms.length > 0 ? terms.map((at) => `COALESCE(SUM(cases.others${at}), 0)`).join(" + ") : "0";
  }

  /** Returns the number of a field in the sums, starting at 1. */
  #fieldOfSums(field: RowField): number | undefined {
    const index = this.#sums ? findField(this.#sums.fields, field) : -1;
    return index < 0 ? undefined : index + 1;
  }

  /** Compiles a summary of a field from the sums. Returns undefined for a field that has none. */
  #summaryOfSums({ field, summary }: Column): string | undefined {
    const at = this.#fieldOfSums(field);
    if (at === undefined) return undefined;
    switch (summary) {
      case "COUNT":
        return `COALESCE(SUM(cases.number${at} + cases.others${at}), 0)`;
      case "SUM":
        return `COALESCE(SUM(cases.sum${at}), 0)`;
      case "AVG":
        return `SUM(cases.sum${at}) / NULLIF(SUM(cases.number${at}), 0)`;
      case "MIN":
      case "MAX":
        return `${summary}(cases."${summary}${at}")`;
      default:
        return undefined;
    }
  }

  /** Compiles the statement that finds cases in the text index. Each matching case contains at least one of the texts. */
  findTexts(): string | undefined {
    const { source, filter } = this.#query;
    if (this.#indexes.hasTexts !== true || source.kind !== "cases") return undefined;
    const found = findSearchTexts(filter, (field) => this.#isIndexed(field))
      ?.map((text) => `text LIKE svc_fold(${this.bind(`%${escapePattern(text)}%`)})`);
    return found && `SELECT seq FROM "caseTexts" WHERE ${found.join(" OR ")}`;
  }

  /**
   * Compiles the conditions that the text index finds a case. Stale texts are not in the index yet, so their cases always meet
   * them. With `newest`, a case must also be newer than each case before those that are searched: any other match then comes
   * later in the order. The array keeps PostgreSQL from comparing each case with all texts.
   */
  #search(): string[] {
    const found = this.findTexts();
    if (found === undefined) return [];
    const isIn = (texts: string) => `cases.seq = ANY(ARRAY(${texts} UNION ALL SELECT seq FROM "staleTexts"))`;
    if (this.#newest === undefined) return [isIn(found)];
    const latest = `(${found} ORDER BY seq DESC LIMIT ${this.bind(this.#newest, "bigint")})`;
    return [
      isIn(latest),
      `cases."createdAt" > (SELECT other."createdAt" FROM cases AS other
        WHERE other.seq < (SELECT MIN(seq) FROM ${latest} AS latest) ORDER BY other."createdAt" DESC, other.seq LIMIT 1)`,
    ];
  }

  #matchCaseOfRow({ kind }: RowSource, filter: Filter): string {
    if (kind === "cases") return this.#filter(filter);
    return kind === "records" || kind === "given" ? "FALSE" : this.matchCase(`${this.#table.name}."caseId"`, filter);
  }

  /** Compiles the condition that the case with an ID meets a filter. */
  matchCase(id: string, filter: Filter): string {
    const table = this.#table;
    this.#table = ROW_TABLES.cases;
    const condition = this.#filter(filter);
    this.#table = table;
    return `EXISTS (SELECT 1 FROM cases WHERE cases.id = ${id} AND ${condition})`;
  }

  #source(source: RowSource): string[] {
    if (source.kind === "records") return [`"classId" = ${this.bind(source.classId)}`];
    if (source.kind === "cases") return [`"typeId" = ANY(${this.bind(source.typeIds, "text[]")})`];
    return [];
  }

  #filter(filter: Filter): string {
    return compileFilter(filter, (condition) => this.#condition(condition));
  }

  #condition(filter: Condition): string {
    const indexed = this.#matchKey(filter);
    const condition = this.#compare(filter);
    return indexed === undefined ? condition : `${indexed} AND (${condition})`;
  }

  #compare(filter: Condition): string {
    if ("isNull" in filter) return this.#isNull(filter.isNull);
    const fold = (scalar: Scalar) =>
      filter.ignoreCase && scalar.text ? { ...scalar, text: compileLower(scalar.text) } : scalar;
    const left = fold(this.#scalar("in" in filter ? filter.field : filter.left));
    if ("in" in filter) return this.#isIn(left, filter.in, filter.ignoreCase);
    const { right } = filter;
    const other = "field" in right ? this.#scalar(right.field) : this.#operand(filter.left, right.value);
    return compileComparison(filter.comparator, left, fold(other));
  }

  /** Compiles the value to compare with. One for a whole content is a part of its JSON, which is stored with escapes. */
  #operand(left: RowField, value: Value): Scalar {
    const isOfJson = "content" in left && left.content.length === 0;
    return this.#value(isOfJson && typeof value === "string" ? escapeJson(value) : value);
  }

  #isIn({ text, number }: Scalar, values: readonly Value[], ignoreCase = false): string {
    const { texts, numbers } = this.#bindLists(values);
    const hasText = values.some((value) => typeof value === "string");
    const hasNumber = values.some((value) => typeof value !== "string");
    const folded = `ARRAY(SELECT ${compileLower("value")} FROM unnest(${texts}) AS list (value))`;
    return joinOr([
      text && hasText && `${text} = ANY(${ignoreCase ? folded : texts})`,
      number && hasNumber &&
      `${number} = ANY(ARRAY(SELECT svc_number(value::json) FROM unnest(${numbers}) AS list (value)))`,
    ]);
  }

  /** Binds the texts among values, and the JSON of the others. */
  #bindLists(values: readonly Value[]): { readonly texts: string; readonly numbers: string } {
    const texts = values.filter((value) => typeof value === "string");
    const numbers = values.filter((value) => typeof value !== "string").map(formatValue);
    return { texts: this.bind(texts, "text[]"), numbers: this.bind(numbers, "text[]") };
  }

  #isNull(field: RowField): string {
    if ("property" in field) return `${this.#property(field.property)} IS NULL`;
    if (field.content.length === 0) return "FALSE";
    return `COALESCE(json_typeof(${this.#member(field.content)}), 'null') = 'null'`;
  }

  #value(value: Value): Scalar {
    if (typeof value === "string") return { text: this.bind(value) };
    const digits = formatValue(value);
    // An index on a column of integers serves only a comparison with an integer.
    if (/^-?\d{1,15}$/.test(digits)) return { number: this.bind(Number(digits), "bigint") };
    return { number: `svc_number(${this.bind(digits, "json")})` };
  }

  /** Compiles a value for comparing and sorting. */
  #scalar(field: RowField): Scalar {
    if ("property" in field) {
      const column = this.#property(field.property);
      if (NUMBER_PROPERTIES.includes(field.property)) return { number: column };
      return { text: `${column} COLLATE "C"` };
    }
    if (field.content.length === 0) return { text: `${this.#content}::text COLLATE "C"` };
    return compileScalar(this.#member(field.content));
  }

  /** Reports whether an index finds cases by the key of a field. */
  #isIndexed(field: RowField): boolean {
    return this.#query.source.kind === "cases" && "content" in field && field.content.length > 0 &&
      this.#indexes.hasField?.(field.content) === true;
  }

  /** Compiles the key of an indexed field. */
  #key(field: RowField): string {
    const { text, number } = this.#scalar(field);
    return compileKey(text, number);
  }

  /** Compiles a wider condition that the index of a field serves. All cases that meet `filter` meet it. */
  #matchKey(filter: Condition): string | undefined {
    if ("isNull" in filter) return this.#isIndexed(filter.isNull) ? `${this.#key(filter.isNull)} = ''` : undefined;
    if (filter.ignoreCase === true) return undefined;
    if ("in" in filter) {
      if (!this.#isIndexed(filter.field)) return undefined;
      const { texts, numbers } = this.#bindLists(filter.in);
      return `${this.#key(filter.field)} = ANY(ARRAY(
        SELECT ${compileKey("value")} FROM unnest(${texts}) AS list (value)
        UNION ALL SELECT ${compileKey(undefined, "svc_number(value::json)")} FROM unnest(${numbers}) AS list (value)))`;
    }
    const operator = KEY_OPERATORS.get(filter.comparator);
    if (operator === undefined || "field" in filter.right || !this.#isIndexed(filter.left)) return undefined;
    const key = this.#key(filter.left);
    const condition = `${key} ${operator} ${this.#toKey(filter.right.value)}`;
    return operator === "<=" ? `${key} > '' AND ${condition}` : condition;
  }

  #toKey(value: Value): string {
    const { text, number } = this.#value(value);
    return compileKey(text, number);
  }

  /** Compiles a value for sorting. The rows of a group have the same value. */
  #sortKey(column: Column): Scalar {
    const { field, summary } = column;
    const isNumber = summary !== undefined && summary !== "MIN" && summary !== "MAX";
    if (isNumber || this.#summaryOfSums(column) !== undefined) return { number: this.#summaryNumber(column) };
    const { text, number } = this.#scalar(field);
    if (!this.#grouped) return { text, number };
    if (summary !== "MAX") {
      const first = number && `MIN(${number})`;
      // A text counts only if the group has no number.
      return {
        text: text && (first ? `CASE WHEN ${first} IS NULL THEN MIN(${text}) END` : `MIN(${text})`),
        number: first,
      };
    }
    const last = text && `MAX(${text})`;
    return {
      text: last,
      number: number && (last ? `CASE WHEN ${last} IS NULL THEN MAX(${number}) END` : `MAX(${number})`),
    };
  }

  /** Compiles a summary that is a number. */
  #summaryNumber(column: Column): string {
    const { field, summary } = column;
    const fromSums = this.#summaryOfSums(column);
    if (fromSums !== undefined) return fromSums;
    const { text, number } = this.#scalar(field);
    if (summary === "COUNT" && (this.#isCounted || this.#sums)) return "COALESCE(SUM(number), 0)";
    if (summary === "COUNT") return `COUNT(*) FILTER (WHERE NOT ${this.#isNull(field)})`;
    if (summary === "DISTINCT_COUNT") {
      return [text, number].filter((value) => value !== undefined).map((value) => `COUNT(DISTINCT ${value})`).join(
        " + ",
      );
    }
    const numbers = [number, text && `svc_leading_number(${text})`].filter((value) => value !== undefined);
    const sum = `${summary}(COALESCE(${numbers.join(", ")}))`;
    return summary === "SUM" ? `COALESCE(${sum}, 0)` : sum;
  }

  #summaryJson(column: Column): string {
    const { summary, field } = column;
    const isNumber = summary !== "MIN" && summary !== "MAX";
    if (isNumber || this.#summaryOfSums(column) !== undefined) return `svc_json(${this.#summaryNumber(column)})`;
    const { text, number } = this.#scalar(field);
    const values = [number && `svc_json(${summary}(${number}))`, text && `to_json(${summary}(${text}))::text`]
      .filter((value) => value !== undefined);
    return `COALESCE(${(summary === "MIN" ? values : values.reverse()).join(", ")})`;
  }

  /** Compiles the JSON of a value for the result. */
  #json(field: RowField): string {
    if ("property" in field) return `to_json(${this.#property(field.property)})::text`;
    return field.content.length === 0 ? `${this.#content}::text` : `(${this.#member(field.content)})::text`;
  }

  get #content(): string {
    return `${this.#table.name}.${this.#table.content}`;
  }

  #member(path: readonly string[]): string {
    return [`${this.#content}::json`, ...path.map((name) => this.bind(name))].join(" -> ");
  }

  #property(name: string): string {
    const column = this.#table.caseColumns?.get(name);
    if (column === undefined) return `${this.#table.name}."${getColumn(this.#table, name)}"`;
    return `(SELECT own."${column}" FROM cases AS own WHERE own.id = ${this.#table.name}."caseId")`;
  }
}

/** Converts true and false to numbers, and numbers to their digits. */
function formatValue(value: Value): string {
  return String(typeof value === "boolean" ? Number(value) : value);
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\%_]/g, "\\$&");
}
