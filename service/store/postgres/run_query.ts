/** Runs queries, and reads their results. */
import { ExactNumber } from "../../../utils/exact_number.ts";
import type { SummaryFunction } from "../../application/model/data_view.ts";
import type { JsonObject, JsonValue } from "../../../utils/json.ts";
import type { SqlResult } from "../../../utils/postgres/pool.ts";
import type { SqlRow } from "../../../utils/postgres/sql_value.ts";
import { areGroupsRight, findSums } from "../case_sums.ts";
import { isCounted, isNewestFirst } from "../derived.ts";
import { type OperatorPages, readPage } from "../page_places.ts";
import { type Column, type Filter, type Page, type RowQuery, RowsTooLong } from "../query.ts";
import type { TextUse } from "../store.ts";
import { roundSummary } from "../summary_numbers.ts";
import { parseStored } from "../tables.ts";
import { compileCountedTexts } from "./derived.ts";
import { unescapeJson, unescapeText } from "./escape_text.ts";
import {
  type CaseIndexes,
  compileAreReady,
  compileCount,
  type Compiled,
  compileIsFrequent,
  compileRows,
  compileSums,
  compileTextUses,
  type RowPlace,
} from "./query.ts";

/** Numbers of newest cases that are searched for a frequent text before all cases are. */
const NEWEST: readonly number[] = [100, 2000];

/** Runs a statement. */
export type RunStatement = (statement: Compiled) => Promise<SqlResult>;

/** The pages that an operator reads. */
export type Pages = OperatorPages<RowPlace[number]>;

/** Options of a query. */
export interface QueryOptions {
  readonly pages?: Pages | undefined;
  readonly indexes?: CaseIndexes | undefined;
}

/** Returns a page of rows. Throws `RowsTooLong` if they exceed the size of the page. */
export async function queryRows(
  run: RunStatement,
  query: RowQuery,
  page: Page,
  { pages, indexes }: QueryOptions = {},
): Promise<JsonObject[]> {
  const summed = await readSums(run, query, page, indexes);
  if (summed !== undefined) return summed;
  const compile = () => compileRows(query, { offset: 0, limit: 0 }, { indexes });
  const rows = await readPage(pages, compile, page, async (page, after) => {
    const read = async (newest?: number) => {
      const { places, ...statement } = compileRows(query, page, { after, indexes, newest });
      const { rows } = await run(statement);
      return { rows, places: places > 0 ? rows.map((row) => readPlace(row, places)) : [] };
    };
    for (const newest of page.limit < 0 || !isNewestFirst(query) ? [] : NEWEST) {
      if (!await isFrequent(run, query, indexes, newest)) break;
      const found = await read(newest);
      if (found.rows.length === page.limit) return found;
    }
    return await read();
  });
  return readRows(query, rows);
}

/** Reads a page of groups from the sums of cases. Returns undefined if the cases have to be read. */
async function readSums(
  run: RunStatement,
  query: RowQuery,
  page: Page,
  indexes: CaseIndexes | undefined,
): Promise<JsonObject[] | undefined> {
  const sums = findSums(query, indexes?.sums ?? []);
  if (sums === undefined) return undefined;
  const { rows } = await run(compileSums(query, page, sums, indexes));
  const areRight = await areGroupsRight(rows, async () => (await run(compileAreReady(sums))).count > 0);
  return areRight ? readRows(query, rows) : undefined;
}

function readRows({ columns }: RowQuery, rows: readonly SqlRow[]): JsonObject[] {
  return rows.map(({ row }) => {
    if (typeof row !== "string") throw new RowsTooLong();
    return toObject(columns, parseValues(row));
  });
}

/** Reports whether the text index finds more than `newest` cases for a query. */
async function isFrequent(
  run: RunStatement,
  query: RowQuery,
  indexes: CaseIndexes | undefined,
  newest: number,
): Promise<boolean> {
  const statement = compileIsFrequent(query, indexes, newest);
  return statement !== undefined && (await run(statement)).rows[0]?.isFrequent === true;
}

/** Counts all rows of a query. */
export async function countRows(run: RunStatement, query: RowQuery, indexes?: CaseIndexes): Promise<number> {
  const { rows: [row] } = await run(compileCount(query, indexes));
  return Number(row?.count ?? 0);
}

/** Counts the texts in a member of the items of a kind. */
export async function countTextUses(
  run: RunStatement,
  kind: string,
  member: string,
  owner = "",
  cases?: Filter,
): Promise<TextUse[]> {
  const { rows } = await run(
    cases === undefined && isCounted(kind, member)
      ? compileCountedTexts(kind, member, owner)
      : compileTextUses(kind, member, owner, cases),
  );
  return rows.map(({ text, everywhere, here }) => {
    return { text: unescapeText(String(text)), everywhere: Number(everywhere), here: Number(here) };
  });
}

function readPlace(row: SqlRow, places: number): RowPlace {
  return Array.from({ length: places }, (_, index) => {
    const value = row[`place${index}`];
    return typeof value === "string" ? value : null;
  });
}

function parseValues(row: string): JsonValue[] {
  const values: unknown = parseStored(unescapeJson(row));
  if (!Array.isArray(values)) throw new TypeError("A row is not a JSON array.");
  return values;
}

function toObject(columns: readonly Column[], values: readonly JsonValue[]): JsonObject {
  return Object.fromEntries(columns.map(({ name, summary }, index) => {
    const value = values[index] ?? null;
    return [name.toWellFormed(), summary === undefined ? value : toSummary(summary, value)];
  }));
}

/** Converts a computed value: a number may have too many digits, and the least or greatest object is its stored JSON. */
function toSummary(summary: SummaryFunction, value: JsonValue): JsonValue {
  if (value instanceof ExactNumber) return roundSummary(summary, value);
  return typeof value === "string" && /^[{[]/.test(value) ? unescapeJson(value) : value;
}
