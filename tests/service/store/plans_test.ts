/** Queries use the indexes: no response requires a scan of a table that grows for years. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { buildListQuery } from "../../../service/assignments/inbox.ts";
import { listSums } from "../../../service/store/case_sums.ts";
import type { Filter, RowQuery } from "../../../service/store/query.ts";
import { compileCountedTexts, compileReceived, defineSearchText } from "../../../service/store/sqlite/derived.ts";
import { defineFunctions } from "../../../service/store/sqlite/define_functions.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import { FieldIndexes } from "../../../service/store/sqlite/field_indexes.ts";
import { compileCount, type Compiled, compileRows, compileSums } from "../../../service/store/sqlite/query.ts";
import { SQL } from "../../../service/store/sqlite/transaction.ts";
import { prepareDatabase } from "../../../service/store/sqlite/schema.ts";
import { defineChecksum } from "../../../service/store/sqlite/tables.ts";
import { COUNT_USES } from "../../../service/store/sqlite/uses.ts";
import type { StoredCase } from "../../../service/store/store.ts";
import { makeFolder } from "../../harness/svc.ts";

const PAGE = { offset: 0, limit: 10 };
const TIME = "2026-01-02T03:04:05.678Z";
const LATER = "2026-01-02T03:04:05.679Z";

/** An insight that is served by sums. */
const SUMMED: RowQuery = {
  source: { kind: "cases", typeIds: ["T"] },
  columns: [
    { name: "channel", field: { content: ["Channel"] } },
    { name: "sum", field: { content: ["Fee"] }, summary: "SUM" },
    { name: "least", field: { content: ["Area"] }, summary: "MIN" },
    { name: "greatest", field: { content: ["Area"] }, summary: "MAX" },
  ],
  filter: is("status", "Open"),
};

function openDatabase(): DatabaseSync {
  const db = new DatabaseSync(":memory:");
  prepareDatabase(db, ":memory:");
  defineFunctions(db, () => {});
  new FieldIndexes().create(db, { fields: [], sums: listSums([SUMMED]) });
  return db;
}

/** Returns the steps in which SQLite runs a query. */
function explain({ sql, parameters }: Compiled): string[] {
  using db = openDatabase();
  return db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters).map(({ detail }) => String(detail));
}

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
  ["all that belongs to a case", { sql: SQL.deleteItemsOf, parameters: ["C"] }],
  ["the newest items of a case", { sql: SQL.listItems, parameters: ["message", "C", TIME, 200] }],
  ["the newest items of a kind", { sql: SQL.allItems, parameters: ["message", TIME, 200] }],
];

for (const [what, { sql, parameters }] of QUESTIONS) {
  Deno.test(`an index finds ${what}`, () => {
    const plan = explain({ sql, parameters });
    const usesIndex = plan.filter((step) => /^(SCAN|SEARCH) (events|items|cases)\b/.test(step));
    assert.ok(usesIndex.length > 0 && usesIndex.every((step) => step.startsWith("SEARCH")), plan.join("; "));
    if (what.includes("newest")) assert.ok(!plan.some((step) => step.includes("TEMP B-TREE")), plan.join("; "));
  });
}

const NEWEST: RowQuery = {
  source: { kind: "cases", typeIds: ["T", "U"] },
  columns: ["id", "createdAt"].map((property) => ({ name: property, field: { property } })),
  sort: [{ column: "createdAt", descending: true }],
};
const UPDATED: RowQuery = {
  ...NEWEST,
  columns: ["id", "updatedAt"].map((property) => ({ name: property, field: { property } })),
  sort: [{ column: "updatedAt", descending: true }],
};
const RECORDS: RowQuery = {
  source: { kind: "records", classId: "C" },
  columns: [{ name: "a", field: { content: ["a"] } }],
};
const OF_STATUS: RowQuery = { ...PERMIT, filter: { and: [is("status", "Open")] } };
const OF_CREATOR: RowQuery = { ...PERMIT, filter: { and: [is("createdBy", "ada")] } };

const QUEUE = { kind: "queue", id: "Review" } as const;

const LISTS: readonly [what: string, asked: Compiled, step: string][] = [
  ["the first records of a class", compileRows(RECORDS, PAGE), "SEARCH records USING INDEX recordsByClass (classId=?)"],
  [
    "the number of a class's records",
    compileCount(RECORDS),
    "SEARCH records USING COVERING INDEX recordsByClass (classId=?)",
  ],
  ["the newest cases", compileRows(NEWEST, PAGE), "SCAN cases USING INDEX casesByCreation"],
  [
    "the most urgent assignments of a queue",
    compileRows(buildListQuery(QUEUE, []), PAGE),
    "SEARCH assignments USING INDEX assignmentsByAssignee (assigneeKind=? AND assigneeId=?)",
  ],
  [
    "the most urgent assignments with cases of a status",
    compileRows(buildListQuery(QUEUE, [is("status", "Open")]), PAGE),
    "SEARCH assignments USING INDEX assignmentsByAssignee (assigneeKind=? AND assigneeId=?)",
  ],
  ["the cases that changed last", compileRows(UPDATED, PAGE), "SCAN cases USING INDEX casesByUpdate"],
  [
    "the cases of a frequent status that changed last",
    compileRows({ ...UPDATED, filter: is("status", "Open") }, PAGE, { isInOrder: true }),
    "SCAN cases USING INDEX casesByUpdate",
  ],
  ["the first cases", compileRows({ ...PERMIT, filter: undefined }, PAGE), "SCAN cases"],
  [
    "the number of a type's cases",
    compileCount({ ...PERMIT, filter: undefined }),
    "SEARCH caseCounts USING PRIMARY KEY (typeId=?)",
  ],
  ["the first cases of a status", compileRows(OF_STATUS, PAGE), "SEARCH cases USING INDEX casesByStatus (status=?)"],
  [
    "the number of a status's cases",
    compileCount(OF_STATUS),
    "SEARCH caseCounts USING PRIMARY KEY (typeId=? AND status=?)",
  ],
  [
    "the first cases that an operator created",
    compileRows(OF_CREATOR, PAGE),
    "SEARCH cases USING INDEX casesByCreator (createdBy=?)",
  ],
];

for (const [what, { sql, parameters }, step] of LISTS) {
  Deno.test(`${what} are read without sorting`, () => {
    const plan = explain({ sql, parameters });
    assert.ok(plan.includes(step) && !plan.some((other) => other.includes("TEMP B-TREE")), plan.join("; "));
  });
}

/** Statements that read a whole table or sort its rows, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  findNewestResponse: "It ends at the first row.",
  deleteResponses: "It reads the oldest rows, up to a limit.",
  countClients: "A service has few clients.",
  deleteClient: "An administrator removes clients, and expired tokens are deleted.",
  countStaleTexts: "The table has at most a few hundred rows.",
  removeTexts: "SQLite looks each row up by its number.",
  dropText: "SQLite looks the row up by its number.",
  received: "It sorts one page for each recipient.",
  countedTexts: "It groups the items of one owner.",
  "uses of caseType": "Only a changed definition needs it.",
  "uses of stage": "Only a changed definition needs it.",
  "uses of step": "Only a changed definition needs it.",
  "uses of draft": "Only a changed definition needs it.",
  "uses of role": "Only a changed definition needs it.",
  "uses of category": "Only a changed definition needs it.",
  "uses of dataType": "Only a changed definition needs it.",
};

Deno.test("no statement reads a whole table or sorts its rows, except for a reason", () => {
  const statements: Readonly<Record<string, string>> = {
    ...SQL,
    received: compileReceived("message", ["operator ada", "queue Review"], TIME, 10).sql,
    countedTexts: compileCountedTexts("caseTag", "name", "C").sql,
    ...Object.fromEntries(Object.entries(COUNT_USES).map(([kind, sql]) => [`uses of ${kind}`, sql])),
  };
  using db = openDatabase();
  defineChecksum(db);
  defineSearchText(db);
  const found = Object.entries(statements).filter(([, sql]) => {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all().map(({ detail }) => String(detail));
    return plan.some((step) => /^SCAN (?!json_each|\(subquery)|TEMP B-TREE/.test(step));
  });
  assert.deepEqual(found.map(([name]) => name).toSorted(), Object.keys(EXCEPTIONS).toSorted());
});

Deno.test("a summary of cases by status reads the table in order", () => {
  const columns = [
    { name: "status", field: { property: "status" } },
    { name: "sum", field: { content: ["Fee"] }, summary: "SUM" },
  ] as const;
  const [first] = explain(compileRows({ ...PERMIT, columns, filter: undefined }, PAGE));
  assert.equal(first, "SCAN cases");
});

Deno.test("an insight with sums, a least and a greatest value reads no cases", () => {
  const [sums] = listSums([SUMMED]);
  assert.ok(sums);
  const plan = explain(compileSums(SUMMED, PAGE, sums));
  const steps = plan.filter((step) => /^(SCAN|SEARCH) (cases|one)/.test(step));
  assert.equal(steps.length, 3, plan.join("; "));
  assert.equal(steps[0], "SEARCH cases USING PRIMARY KEY (sums=? AND typeId=? AND status=?)");
  for (const step of steps.slice(1)) {
    assert.match(
      step,
      /^SEARCH one USING INDEX casesByGroup_\w+ \(<expr>=\? AND <expr>=\?/,
    );
  }
});

Deno.test("rows before a page are read only for sorting", () => {
  using db = openDatabase();
  const put = db.prepare("INSERT INTO records (classId, key, tag, content) VALUES ('C', ?, ?, ?)");
  for (const key of "abcd") put.run(key, key, key < "c" ? '{"a":1}' : "no JSON"); // Reading the content of "c" or "d" fails.
  const columns = [...RECORDS.columns, { name: "tag", field: { property: "tag" } }];
  const sorted = { ...RECORDS, columns, sort: [{ column: "tag", descending: true }] };
  const { sql, parameters } = compileRows(sorted, { offset: 2, limit: 2 });
  const rows = db.prepare(sql).all(...parameters).map(({ row }) => row);
  assert.deepEqual(rows, ['[{"a":1,"tag":"b"}]', '[{"a":1,"tag":"a"}]']);
});

Deno.test("a new state of a case writes its row and its place by update, and no other page", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/service.db`;
  const store = openSqliteStore(path);
  const put = (numbers: readonly number[], updatedAt: string) =>
    store.transact(async (tx) => {
      for (const n of numbers) await tx.putCase({ ...caseOf(n, "1"), updatedAt });
    });
  const all = Array.from({ length: 1000 }, (_, n) => n);
  await put(all, TIME);
  // Synchronous: during an asynchronous call, the idle store could empty the log.
  const written = () => Deno.statSync(`${path}-wal`).size / (2048 + 24);
  const before = written();
  for (const n of all.slice(0, 100)) await put([9 * n], LATER);
  const each = (written() - before) / 100;
  await store.close();
  assert.ok(each > 1 && each < 4.5, `${each} pages for each`);
});

function caseOf(n: number, tag: string): StoredCase {
  return {
    ...{ id: `W P-${n}`, businessId: `P-${n}`, typeId: "T", status: "Open", urgency: 10, stageId: "S" },
    ...{ createdBy: `o${n % 50}`, createdAt: TIME, updatedBy: "ada", updatedAt: TIME },
    ...{ tag, content: { text: "x".repeat(900) }, flow: {} },
  };
}
