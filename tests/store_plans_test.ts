/** How SQLite finds what the service asks for: what grows for years is never gone through for one answer. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { Filter, RowQuery } from "../service/store/query.ts";
import { compileCount, type Compiled, compileRows } from "../service/store/sqlite_query.ts";
import { prepareSchema } from "../service/store/sqlite_schema.ts";

const PAGE = { offset: 0, limit: 10 };
const TIME = "2026-01-02T03:04:05.678Z";

function is(property: string, value: string, comparator: "EQ" | "LTE" = "EQ"): Filter {
  return { left: { property }, comparator, right: { value } };
}

function lines(...filters: Filter[]): RowQuery {
  const columns = ["at", "text"].map((property) => ({ name: property, field: { property } }));
  return { source: { kind: "events" }, columns, filter: { and: filters }, sort: [{ column: "at", descending: true }] };
}

const PERMIT: RowQuery = {
  source: { kind: "cases", typeIds: ["T"] },
  columns: [{ name: "id", field: { property: "id" } }],
  filter: { and: [is("businessId", "P-1")] },
};

const QUESTIONS: readonly [what: string, asked: Compiled][] = [
  ["the newest lines of all histories", compileRows(lines(is("at", TIME, "LTE")), PAGE)],
  ["the lines of a millisecond", compileCount(lines(is("at", TIME)))],
  ["an operator's newest lines", compileRows(lines(is("by", "ada"), is("at", TIME, "LTE")), PAGE)],
  ["a case's newest lines", compileRows(lines(is("caseId", "C"), is("at", TIME, "LTE")), PAGE)],
  ["a case by its number", compileRows(PERMIT, PAGE)],
  ["all that belongs to a case", { sql: "DELETE FROM items WHERE owner = ?", parameters: ["C"] }],
];

for (const [what, { sql, parameters }] of QUESTIONS) {
  Deno.test(`${what} are found by an index, in their order`, () => {
    using db = new DatabaseSync(":memory:");
    prepareSchema(db, ":memory:");
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters).map(({ detail }) => String(detail));
    const usesIndex = plan.filter((step) => /^(SCAN|SEARCH) (events|items|cases)\b/.test(step));
    assert.ok(usesIndex.length > 0 && usesIndex.every((step) => step.startsWith("SEARCH")), plan.join("; "));
    if (what.endsWith("newest lines")) assert.ok(!plan.some((step) => step.includes("TEMP B-TREE")), plan.join("; "));
  });
}
