/** Queries on PostgreSQL use the indexes: no response requires a scan of a table that grows for years. */
import assert from "node:assert/strict";
import { buildListQuery } from "../../../../service/assignments/inbox.ts";
import { listSums } from "../../../../service/store/case_sums.ts";
import { compileCountedTexts, compileReceived } from "../../../../service/store/postgres/derived.ts";
import { MERGE_SUMS } from "../../../../service/store/postgres/indexes/case_sums.ts";
import { MERGE_TEXTS } from "../../../../service/store/postgres/indexes/text_index.ts";
import { openPostgresStore } from "../../../../service/store/postgres/postgres_store.ts";
import {
  type CaseIndexes,
  compileCount,
  type Compiled,
  compileRows,
  compileSums,
  type RowPlace,
} from "../../../../service/store/postgres/query.ts";
import { SQL, type StatementName } from "../../../../service/store/postgres/statements.ts";
import type { Comparator, Filter, RowQuery, Value } from "../../../../service/store/query.ts";
import { isJsonObject, type JsonValue, parseJson } from "../../../../utils/json.ts";
import type { SqlParameter } from "../../../../utils/postgres/sql_value.ts";
import { runAll, type TestSchema, useTestSchema } from "../../../harness/postgres_schema.ts";

const ROWS = 4000;

/** Fields with an index. */
const INDEXED = ["Reference", "Fee"];

const INDEXES: CaseIndexes = { hasTexts: true, hasField: ([name = ""]) => INDEXED.includes(name) };

/** An insight that is served by sums. */
const SUMMED: RowQuery = {
  source: { kind: "cases", typeIds: ["T", "U"] },
  columns: [
    { name: "city", field: { content: ["City"] } },
    { name: "sum", field: { content: ["Fee"] }, summary: "SUM" },
    { name: "least", field: { content: ["Fee"] }, summary: "MIN" },
    { name: "greatest", field: { content: ["Fee"] }, summary: "MAX" },
  ],
  filter: { left: { property: "status" }, comparator: "EQ", right: { value: "Open" } },
  sort: [{ column: "sum", descending: true }],
};

const PAGE = { offset: 0, limit: 10 };
const TIME = "2026-01-02T03:04:05.678Z";

/** Rows that are distributed as in use: most cases are resolved, and each case has events, items and few assignments. */
const FILL = `
  INSERT INTO cases ("id", "businessId", "typeId", "parentId", status, urgency, "stageId", "createdBy", "createdAt",
      "updatedBy", "updatedAt", tag, content, flow)
    SELECT 'W P-' || n, 'P-' || n, CASE WHEN n % 4 = 0 THEN 'U' ELSE 'T' END,
      CASE WHEN n % 10 = 0 THEN 'W P-' || n - 1 END,
      CASE WHEN n % 10 = 0 THEN 'Open' WHEN n % 10 < 5 THEN 'Resolved-A' ELSE 'Resolved-B' END, n % 100, 'S' || n % 5,
      'operator' || n % 50, '2026-01-01T' || lpad(n::text, 8, '0'), 'operator' || n % 50,
      '2026-01-02T' || lpad((n * 7919 % ${ROWS})::text, 8, '0'), '1',
      json_build_object('Name', 'Applicant ' || n || 'x', 'City', 'Harbour', 'Fee', n,
        'Reference', CASE WHEN n % 3 > 0 THEN 'R-' || n END, 'Notes', repeat(md5(n::text), 20)), '{}'
    FROM generate_series(1, ${ROWS}) AS n;
  INSERT INTO assignments (id, "caseId", "processId", "stepId", urgency, "createdAt", "assigneeKind", "assigneeId", state)
    SELECT 'A P-' || n, 'W P-' || n, 'P', 'S', n % 100, '2026-01-01T' || lpad(n::text, 8, '0'),
      CASE WHEN n % 2 = 0 THEN 'queue' ELSE 'operator' END, CASE WHEN n % 2 = 0 THEN 'Review' ELSE 'ada' END, '{}'
    FROM generate_series(1, ${ROWS}) AS n;
  INSERT INTO events ("caseId", at, "by", kind, text, facts)
    SELECT 'W P-' || 1 + n % ${ROWS}, '2026-01-01T' || lpad(n::text, 8, '0'), 'operator' || n % 50, 'created', 'Created', '{}'
    FROM generate_series(1, ${3 * ROWS}) AS n;
  INSERT INTO records ("classId", key, tag, content)
    SELECT 'C' || n % 3, n::text, '1', json_build_object('a', n) FROM generate_series(1, ${ROWS}) AS n;
  INSERT INTO items (kind, id, owner, at, content)
    SELECT CASE WHEN n % 2 = 0 THEN 'message' ELSE 'file' END, 'I-' || n, 'W P-' || 1 + n % ${ROWS},
      '2026-01-01T' || lpad(n::text, 8, '0'),
      json_build_object('author', 'operator' || n % 50, 'mentions', json_build_array('operator' || n % 40), 'tags', '[]'::json)
    FROM generate_series(1, ${2 * ROWS}) AS n;
  INSERT INTO answers (caller, key, request, at, status, headers, body)
    SELECT 'ada', n::text, '', '${TIME}', 200, '{}', '' FROM generate_series(1, ${ROWS}) AS n;
  INSERT INTO clients SELECT 'client' || n, '', 'ada', '${TIME}' FROM generate_series(1, ${ROWS}) AS n;
  INSERT INTO tokens SELECT 'token' || n, 'client' || n, '2026-01-01T' || lpad(n::text, 8, '0')
    FROM generate_series(1, ${ROWS}) AS n;
`;

const resources = new AsyncDisposableStack();
Deno.test.afterAll(() => resources.disposeAsync());
let filled: Promise<(statement: Compiled) => Promise<PlanNode[]>> | undefined;

/** Fills a schema, and returns a function that lists the steps in which PostgreSQL runs a statement. */
async function fill(): Promise<(statement: Compiled) => Promise<PlanNode[]>> {
  const schema: TestSchema = resources.use(useTestSchema());
  const store = await openPostgresStore(schema.parsed);
  await store.indexFields(INDEXED.map((name) => [name]), listSums([SUMMED]));
  await store.close();
  const pool = await schema.open({ maxConnections: 1 });
  resources.defer(() => pool.close());
  await pool.use((connection) => connection.run(FILL));
  for (let merged = 0; merged < ROWS; merged += 1000) await runAll(pool, MERGE_TEXTS);
  await runAll(pool, [MERGE_SUMS]);
  await pool.use(async (connection) => {
    // Only these tables: a vacuum of the whole database would wait for the locks of other tests, and count as a vacuum
    // of their tables.
    const { rows } = await connection.run("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()");
    await connection.run(`VACUUM ANALYZE ${rows.map(({ tablename }) => `"${tablename}"`).join(", ")}`);
  });
  return async ({ sql, parameters }) => {
    const explained = await pool.use((connection) => connection.run(`EXPLAIN (FORMAT JSON) ${sql}`, parameters));
    const plan = parseJson(String(explained.rows[0]?.["QUERY PLAN"]));
    return Array.isArray(plan) ? plan.flatMap((one) => isJsonObject(one) ? listNodes(one.Plan) : []) : [];
  };
}

/** A step of a plan. */
interface PlanNode {
  readonly type: string;
  readonly table: string;
  readonly index: string;
  readonly rows: number;
}

function listNodes(plan: JsonValue | undefined): PlanNode[] {
  if (!isJsonObject(plan)) return [];
  const { Plans: inner = [] } = plan;
  const node = {
    type: String(plan["Node Type"]),
    table: String(plan["Relation Name"] ?? ""),
    index: String(plan["Index Name"] ?? ""),
    rows: Number(plan["Plan Rows"]),
  };
  return [node, ...(Array.isArray(inner) ? inner.flatMap(listNodes) : [])];
}

function format(nodes: readonly PlanNode[]): string {
  return nodes.map(({ type, table, index, rows }) => `${type} ${table} ${index} (${rows})`).join("; ");
}

/** Tables whose number of rows does not grow with that of the cases. */
const SMALL = ["caseCounts", "caseSums", "textCounts", "sequences", "staleTexts"];

/** Rows up to which sorting costs less than reading a page. */
const FEW = 60;

async function explain(statement: Compiled): Promise<PlanNode[]> {
  return await (await (filled ??= fill()))(statement);
}

/** Checks that a statement reads no whole table, and sorts few rows. */
async function check(
  statement: Compiled,
  { sorts = FEW, index }: { sorts?: number; index?: string } = {},
): Promise<void> {
  const nodes = await explain(statement);
  const scans = nodes.filter(({ type, table }) => type === "Seq Scan" && !SMALL.includes(table));
  assert.deepEqual(scans, [], format(nodes));
  // An incremental sort only orders rows with the same time.
  const sorted = nodes.filter(({ type, rows }) => type === "Sort" && rows > sorts);
  assert.deepEqual(sorted, [], format(nodes));
  if (index !== undefined) assert.ok(nodes.some((node) => node.index.startsWith(index)), format(nodes));
}

const statements: Record<StatementName, readonly SqlParameter[] | undefined> = {
  getCase: ["W P-5"],
  lockCase: ["W P-5"],
  tryLockCase: ["W P-5"],
  getCases: [["W P-5", "W P-6"]],
  insertCase: undefined,
  putCase: undefined,
  updateCase: ["W P-5", "Open", 10, "S1", "ada", TIME, "1", "{}", "{}"],
  deleteCase: ["W P-5"],
  listChildren: ["W P-9"],
  putAssignment: undefined,
  deleteAssignment: ["A P-5"],
  listAssignments: ["W P-5"],
  listAssignmentsOf: [["W P-5", "W P-6"]],
  nextAssignments: [["operator", "queue"], ["ada", "Review"], 2 ** 31 - 1, "", 0],
  addEvent: undefined,
  getRecord: ["C1", "5"],
  lockRecord: ["C1", "5"],
  insertRecord: undefined,
  putRecord: undefined,
  deleteRecord: ["C1", "5"],
  getItem: ["message", "I-6"],
  lockItem: ["message", "I-6"],
  insertItem: undefined,
  putItem: undefined,
  deleteItem: ["message", "I-6"],
  deleteItemsOf: ["W P-5"],
  listItems: ["message", "W P-5", TIME, 20],
  allItems: ["message", TIME, 20],
  lockText: ["key"],
  getResponse: ["ada", "5"],
  findNewestResponse: [],
  putResponse: undefined,
  deleteResponses: [TIME, 10],
  getClient: ["client5"],
  countClients: undefined, // The number of clients does not depend on that of the cases.
  putClient: undefined,
  deleteClient: ["client5"],
  getToken: ["token5"],
  putToken: undefined,
  deleteToken: ["token5"],
  deleteTokens: ["2026-01-01T00000100"],
};

Deno.test("each statement finds its rows with an index", async () => {
  for (const [name, parameters] of Object.entries(statements)) {
    if (parameters === undefined) continue; // An insert finds the row with the index of its key.
    const sql = Object.entries(SQL).find(([other]) => other === name)?.[1] ?? "";
    await check({ sql, parameters }).catch((cause) => {
      throw new Error(`${name}: ${cause.message}`, { cause });
    });
  }
});

function is(property: string, value: string, comparator: Comparator = "EQ"): Filter {
  return { left: { property }, comparator, right: { value } };
}

function has(field: string, value: Value, comparator: Comparator = "EQ"): Filter {
  return { left: { content: [field] }, comparator, right: { value } };
}

function cases(filter: Filter | undefined, sort?: string, descending = true): RowQuery {
  const properties = ["id", "createdAt", "updatedAt", "status", "urgency", "stageId", "updatedBy"];
  return {
    source: { kind: "cases", typeIds: ["T", "U"] },
    columns: properties.map((property) => ({ name: property, field: { property } })),
    ...(filter && { filter }),
    ...(sort && { sort: [{ column: sort, descending }] }),
  };
}

function byField(name: string, descending: boolean, filter?: Filter): RowQuery {
  const query = cases(filter);
  const columns = [...query.columns, { name, field: { content: [name] } }];
  return { ...query, columns, sort: [{ column: name, descending }] };
}

function listByField(...[name, descending, filter]: Parameters<typeof byField>): Compiled {
  return compileRows(byField(name, descending, filter), PAGE, { indexes: INDEXES });
}

function events(...filters: Filter[]): RowQuery {
  const columns = ["at", "text"].map((property) => ({ name: property, field: { property } }));
  return { source: { kind: "events" }, columns, filter: { and: filters }, sort: [{ column: "at", descending: true }] };
}

const RECORDS: RowQuery = {
  source: { kind: "records", classId: "C1" },
  columns: [{ name: "a", field: { content: ["a"] } }],
};

const QUEUE = { kind: "queue", id: "Review" } as const;
const [status, stage] = ["status", "stageId"].map((property) => ({ name: property, field: { property } }));
const number = { name: "number", field: { property: "id" }, summary: "COUNT" } as const;
const BY_STATUS: RowQuery = {
  ...cases(undefined),
  columns: [status, stage, number].filter((one) => one !== undefined),
};

function after(query: RowQuery, ...place: RowPlace): Compiled {
  return compileRows(query, PAGE, { after: place });
}

const search = (filter: Filter) => compileRows(cases(filter, "createdAt"), PAGE, { indexes: INDEXES });

const QUERIES: readonly [what: string, query: Compiled, index?: string][] = [
  ["the first cases", compileRows(cases(undefined), PAGE), "cases_pkey"],
  ["a case by its number", compileRows(cases(is("businessId", "P-5")), PAGE), "casesByNumber"],
  ["the newest cases", compileRows(cases(undefined, "createdAt"), PAGE), "casesByCreation"],
  ["the oldest cases", compileRows(cases(undefined, "createdAt", false), PAGE), "casesByCreation"],
  [
    "a late page of the newest cases",
    after(cases(undefined, "createdAt"), "2026-01-01T00000200", "200"),
    "casesByCreation",
  ],
  ["the cases that changed last", compileRows(cases(undefined, "updatedAt"), PAGE), "casesByUpdate"],
  ["a late page of them", after(cases(undefined, "updatedAt"), "2026-01-02T00000200", "200"), "casesByUpdate"],
  ["the most urgent cases", compileRows(cases(undefined, "urgency"), PAGE), "casesByUrgency"],
  ["the cases by stage", compileRows(cases(undefined, "stageId", false), PAGE), "casesByStage"],
  ["the first cases of a status", compileRows(cases(is("status", "Open")), PAGE)],
  [
    "the newest cases of a status",
    compileRows(cases(is("status", "Open"), "createdAt"), PAGE),
    "casesByStatusAndCreation",
  ],
  [
    "the newest cases of statuses with a prefix",
    compileRows(cases(is("status", "Resolved", "STARTS_WITH"), "createdAt"), PAGE),
    "casesByCreation",
  ],
  ["the first cases of a creator", compileRows(cases(is("createdBy", "operator5")), PAGE)],
  ["the children of a case", compileRows(cases(is("parentId", "W P-9")), PAGE), "casesByParent"],
  ["cases with a rare text", search(has("Name", "cant 77x", "CONTAINS")), "textsByTrigram"],
  ["cases with a rare value", search(has("Name", "Applicant 77x")), "textsByTrigram"],
  ["cases with a missing text", search(has("Name", "nowhere", "CONTAINS")), "textsByTrigram"],
  [
    "the newest cases with a frequent text",
    compileRows(cases(has("City", "arbou", "CONTAINS"), "createdAt"), PAGE, { indexes: INDEXES, newest: 100 }),
    "caseTexts_pkey",
  ],
  ["cases with a value of an indexed field", search(has("Reference", "R-77")), "casesByField_"],
  ["cases with a number of an indexed field", search(has("Fee", 77)), "casesByField_"],
  [
    "cases with several values of an indexed field",
    search({ field: { content: ["Fee"] }, in: [7, "x"] }),
    "casesByField_",
  ],
  [
    "cases with a range of an indexed field",
    search({ and: [has("Fee", 70, "GTE"), has("Fee", 75, "LT")] }),
    "casesByField_",
  ],
  ["cases with a high value of an indexed field", search(has("Reference", "R-998", "GT")), "casesByField_"],
  ["cases with a low value of an indexed field", search(has("Reference", "R-1002", "LTE")), "casesByField_"],
  [
    "the number of cases with a value of a field",
    compileCount(cases(has("Reference", "R-7")), INDEXES),
    "casesByField_",
  ],
  ["the cases in order of an indexed text", listByField("Reference", false), "casesByField_"],
  ["the cases in reverse order of an indexed text", listByField("Reference", true), "casesByField_"],
  ["the cases in order of an indexed number", listByField("Fee", false), "casesByField_"],
  ["the cases of a status in order of a field", listByField("Fee", true, is("status", "Open")), "casesByField_"],
  [
    "a late page in order of a field",
    compileRows(byField("Fee", false), PAGE, { after: ["n80", null, "3900", "3900"], indexes: INDEXES }),
    "casesByField_",
  ],
  ["the number of all cases", compileCount(cases(undefined))],
  ["the number of cases of a status", compileCount(cases(is("status", "Open")))],
  [
    "the number of cases with a rare text",
    compileCount(cases(has("Name", "77x", "CONTAINS")), INDEXES),
    "textsByTrigram",
  ],
  ["the newest lines of all histories", compileRows(events(is("at", TIME, "LTE")), PAGE), "eventsByTime"],
  ["the lines of a millisecond", compileCount(events(is("at", "2026-01-01T00000005"))), "eventsByTime"],
  [
    "the newest lines of an operator",
    compileRows(events(is("by", "operator5"), is("at", TIME, "LTE")), PAGE),
    "eventsByOperator",
  ],
  [
    "the newest lines of a case",
    compileRows(events(is("caseId", "W P-5"), is("at", TIME, "LTE")), PAGE),
    "eventsByCase",
  ],
  ["the first records of a class", compileRows(RECORDS, PAGE)],
  ["a late page of records", after(RECORDS, "2000")],
  ["the most urgent work of a queue", compileRows(buildListQuery(QUEUE, []), PAGE), "assignmentsByAssignee"],
  [
    "the most urgent work with cases of a status",
    compileRows(buildListQuery(QUEUE, [is("status", "Open")]), PAGE),
    "assignmentsByAssignee",
  ],
  ["the texts of a member", compileCountedTexts("message", "author", "W P-5")],
  [
    "the newest messages of recipients",
    compileReceived("message", ["operator operator5", "mention operator5", "queue Review"], TIME, 20),
    "itemRecipients_pkey",
  ],
];

for (const [what, query, index] of QUERIES) {
  Deno.test(`an index finds ${what} on PostgreSQL`, () => check(query, { ...(index && { index }) }));
}

Deno.test("the groups of cases by status and stage are read from the kept counts", async () => {
  const nodes = await explain(compileRows(BY_STATUS, PAGE));
  assert.ok(nodes.some(({ table }) => table === "caseCounts"), format(nodes));
  assert.ok(nodes.every(({ type, table }) => type !== "Seq Scan" || table === "caseCounts"), format(nodes));
});

Deno.test("an insight with sums, a least and a greatest value reads no cases", async () => {
  const [sums] = listSums([SUMMED]);
  assert.ok(sums);
  const nodes = await explain(compileSums(SUMMED, PAGE, { ...sums, id: "1" }));
  assert.ok(nodes.some(({ table }) => table === "caseSums"), format(nodes));
  const ofCases = nodes.filter(({ table }) => table === "cases");
  assert.equal(ofCases.length, 2, format(nodes));
  assert.ok(ofCases.every(({ index }) => index.startsWith("casesByGroup_")), format(nodes));
});
