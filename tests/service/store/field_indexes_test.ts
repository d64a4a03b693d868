/** Indexes of fields of cases: queries use them, give the same rows as without them, and no name can change a statement. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { indexFields } from "../../../service/migration/index_fields.ts";
import { startService } from "../../../service/mod.ts";
import { loadServedApplication } from "../../../service/sample/served_application.ts";
import { openPostgresStore } from "../../../service/store/postgres/postgres_store.ts";
import type { Column, Comparator, Filter, RowQuery, Value } from "../../../service/store/query.ts";
import { defineFunctions } from "../../../service/store/sqlite/define_functions.ts";
import { FieldIndexes } from "../../../service/store/sqlite/field_indexes.ts";
import { compileCount, compileRows } from "../../../service/store/sqlite/query.ts";
import { prepareDatabase } from "../../../service/store/sqlite/schema.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import { type Store, type StoredCase, StoreFull } from "../../../service/store/store.ts";
import { ExactNumber } from "../../../utils/exact_number.ts";
import type { JsonObject, JsonValue } from "../../../utils/json.ts";
import { useTestSchema } from "../../harness/postgres_schema.ts";
import { newStoredCase } from "../../harness/stores.ts";
import { makeFolder } from "../../harness/svc.ts";
import { eventually } from "../../harness/wait.ts";

const PAGE = { offset: 0, limit: 10 };

/** A text that is longer than a key of an index. */
const LONG = "x".repeat(3000);

const NAMES = [
  "Reference",
  "'",
  "''; DROP TABLE cases; --",
  '"',
  '\\"',
  "a.b",
  "$",
  "[0]",
  "\u0000\u0001\n\u007f\u2028",
  "\ud800",
  "?1",
  "x".repeat(50_000),
];

function newCase(n: number, content: JsonObject): StoredCase {
  return newStoredCase(n, { content });
}

function askFor(name: string, filter?: Filter, descending?: boolean): RowQuery {
  const columns: readonly Column[] = [
    { name: "id", field: { property: "id" } },
    { name: "value", field: { content: [name] } },
  ];
  return {
    ...{ source: { kind: "cases", typeIds: ["T"] }, columns },
    ...(filter && { filter }),
    ...(descending !== undefined && { sort: [{ column: "value", descending }] }),
  };
}

function compare(name: string, comparator: Comparator, value: string | number): Filter {
  return { left: { content: [name] }, comparator, right: { value } };
}

Deno.test("conditions on an indexed field, and its order, use the index", () => {
  using db = new DatabaseSync(":memory:");
  prepareDatabase(db, ":memory:");
  defineFunctions(db, () => {});
  const indexes = new FieldIndexes();
  const wanted = { fields: [["Reference"]], sums: [] };
  indexes.create(db, wanted);
  indexes.use(wanted);
  const reference = compare("Reference", "EQ", "A-1");
  const queries: RowQuery[] = [
    askFor("Reference", reference),
    askFor("Reference", { and: [reference, { not: compare("Other", "EQ", "x") }] }),
    askFor("Reference", { field: { content: ["Reference"] }, in: ["A-1", "A-2"] }),
    askFor("Reference", compare("Reference", "EQ", 7)),
    askFor("Reference", { and: [compare("Reference", "GTE", 7), compare("Reference", "LT", 9)] }),
    askFor("Reference", compare("Reference", "GT", "A"), false),
    askFor("Reference", undefined, false),
    askFor("Reference", undefined, true),
  ];
  for (const query of queries) {
    const pages = [compileRows(query, PAGE, { indexes }), compileRows(query, { offset: 20, limit: 5 }, { indexes })];
    for (const { sql, parameters } of [...pages, ...(query.filter ? [compileCount(query, { indexes })] : [])]) {
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters).map(({ detail }) => String(detail));
      assert.ok(plan.some((step) => step.includes("INDEX casesByField_")), plan.join("; "));
      assert.ok(!plan.some((step) => step === "SCAN cases"), plan.join("; "));
    }
  }
});

Deno.test("an index changes no result", async () => {
  const values: readonly JsonValue[] = [
    null,
    true,
    0,
    1,
    1.5,
    -3,
    9007199254740991,
    "",
    "1",
    "a",
    "A",
    "ä",
    "a'b",
    "😀",
    new ExactNumber("9223372036854775806"),
    new ExactNumber("9223372036854775807"),
    new ExactNumber(`0.${"1".repeat(20_000)}`),
    new ExactNumber("0e99999999999"),
    `${LONG}a`,
    `${LONG}b`,
    [1],
    { a: "x" },
  ];
  const comparators: Comparator[] = ["EQ", "GT", "GTE", "LT", "LTE", "CONTAINS", "STARTS_WITH"];
  const operand = fc.constantFrom<Value>(0, 1, 1.5, -3, true, "", "1", "a", "a'b", `${LONG}b`, "[1]");
  const leaf: fc.Arbitrary<Filter> = fc.oneof(
    fc.record({
      left: fc.constant({ content: ["F"] }),
      comparator: fc.constantFrom(...comparators),
      right: fc.record({ value: operand }),
      ignoreCase: fc.boolean(),
    }),
    fc.record({ field: fc.constant({ content: ["F"] }), in: fc.array(operand, { maxLength: 3 }) }),
    fc.constant({ isNull: { content: ["F"] } }),
  );
  const filter = fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }).map((and) => ({ and })), leaf.map((not) => ({ not })));
  const content = fc.option(fc.constantFrom(...values), { nil: undefined });
  const sort = fc.constantFrom(undefined, false, true);
  await using stores = new AsyncDisposableStack();
  const schema = stores.use(useTestSchema());
  const [plain, indexed, onPostgres] = [
    openSqliteStore(":memory:"),
    openSqliteStore(":memory:"),
    await openPostgresStore(schema.parsed),
  ];
  for (const store of [plain, indexed, onPostgres]) stores.defer(() => store.close());
  for (const store of [indexed, onPostgres]) await store.indexFields([["F"]]);
  const contents = fc.sample(content, { numRuns: 120, seed: 1 });
  for (const store of [plain, indexed, onPostgres]) {
    await store.transact(async (tx) => {
      for (const [n, value] of contents.entries()) {
        await tx.putCase(newCase(n, value === undefined ? {} : { F: value }));
      }
      for (let n = 0; n < 20; n++) await tx.putCase(newCase(n, { F: "a" }));
      await tx.deleteCase("W P-30");
    });
  }
  await fc.assert(
    fc.asyncProperty(filter, sort, async (filter, descending) => {
      const read = (store: Store) =>
        store.read(async (tx) => {
          const query = askFor("F", filter, descending);
          const pages = [];
          for (const offset of [0, 10, 20]) pages.push(await tx.queryRows(query, { offset, limit: 10 }));
          return [...pages, await tx.countRows(query)];
        }, "ada");
      const rows = await read(plain);
      assert.deepEqual(await read(indexed), rows);
      assert.deepEqual(await read(onPostgres), rows);
    }),
    { examples: [[{ left: { content: ["F"] }, comparator: "STARTS_WITH", right: { value: "[1]" } }, undefined]] },
  );
});

Deno.test("fields with quotes, control characters, SQL or long texts in their names get indexes (SQLite)", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/store.db`;
  using db = new DatabaseSync(path);
  const sql = "SELECT 1 FROM sqlite_schema WHERE name GLOB 'casesByField_*'";
  await checkNames(openSqliteStore(path), () => db.prepare(sql).all().length);
});

Deno.test("fields with quotes, control characters, SQL or long texts in their names get indexes (PostgreSQL)", async () => {
  await using schema = useTestSchema();
  const store = await openPostgresStore(schema.parsed);
  const pool = await schema.open();
  const sql = `SELECT 1 FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE indrelid = 'cases'::regclass AND relname LIKE 'casesByField\\_%' AND indisvalid`;
  await checkNames(store, async () => (await pool.use((connection) => connection.run(sql))).count);
  await pool.close();
});

/** Indexes fields with unusual names. `count` counts the indexes. */
async function checkNames(store: Store, count: () => number | Promise<number>): Promise<void> {
  const content = Object.fromEntries(NAMES.map((name, index) => [name, `value ${index}`]));
  await store.transact(async (tx) => {
    for (const [n, name] of NAMES.entries()) await tx.putCase(newCase(n, { [name]: content[name] ?? null }));
  });
  await store.indexFields(NAMES.map((name) => [name]));
  await store.transact((tx) => tx.putCase(newCase(99, content)));
  await eventually("all indexes exist", async () => await count() === NAMES.length);
  for (const [n, name] of NAMES.entries()) {
    const found = await store.read((tx) => tx.queryRows(askFor(name, compare(name, "EQ", `value ${n}`)), PAGE));
    assert.deepEqual(found.map(({ id }) => id), [`W P-${n}`, "W P-99"], name.slice(0, 50));
  }
  await store.indexFields([["Reference"]]);
  await eventually("one index remains", async () => await count() === 1);
  await store.indexFields([]);
  await eventually("no index remains", async () => await count() === 0);
  assert.equal(await store.read((tx) => tx.countRows(askFor("Reference"))), NAMES.length + 1);
  await store.close();
}

Deno.test("a case with a damaged content can be replaced and deleted", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/store.db`;
  const fill = openSqliteStore(path);
  await fill.transact(async (tx) => {
    for (const n of [1, 2, 3]) await tx.putCase(newCase(n, { F: n }));
  });
  await fill.close();
  using db = new DatabaseSync(path);
  assert.equal(db.prepare("UPDATE cases SET content = substr(content, 2) WHERE seq < 3").run().changes, 2);
  const store = openSqliteStore(path);
  await store.indexFields([["F"]]);
  await store.transact(async (tx) => {
    await tx.putCase(newCase(1, { F: 7 }));
    await tx.deleteCase("W P-2");
  });
  const found = await store.read((tx) => tx.queryRows(askFor("F", compare("F", "GT", 0), false), PAGE));
  assert.deepEqual(found, [{ id: "W P-3", value: 3 }, { id: "W P-1", value: 7 }]);
  await store.close();
});

Deno.test("a service creates the indexes of its definition, and drops those that no field asks for", async () => {
  await using folder = await makeFolder();
  const sample = await Deno.readTextFile(new URL("../../../service/sample/permit.yaml", import.meta.url));
  const app = `${folder.path}/permit.yaml`;
  const data = `${folder.path}/data`;
  const start = async (definition: string) => {
    await Deno.writeTextFile(app, definition);
    await using _service = await startService({ data, app, log: () => {} });
    using db = new DatabaseSync(`${data}/service.db`);
    return db.prepare("SELECT sql FROM sqlite_schema WHERE name GLOB 'casesByField_*'").all().map(({ sql }) => sql);
  };
  const indexed = sample.replace("label: Applicant, maxLength: 80", "label: Applicant, maxLength: 80, indexed: true");
  assert.notEqual(indexed, sample);
  const [sql, ...others] = await start(indexed);
  assert.match(String(sql), /'\$\."Applicant"'/);
  assert.deepEqual(others, []);
  assert.deepEqual(await start(indexed), [sql]);
  assert.deepEqual(await start(sample), []);
});

Deno.test("a full disk leaves the indexes as they are, and the log says so", async () => {
  const store = openSqliteStore(":memory:");
  const full: Store = { ...store, indexFields: () => Promise.reject(new StoreFull("The disk is full.")) };
  const lines: unknown[] = [];
  await indexFields(full, await loadServedApplication(undefined), (text, fields) => lines.push([text, fields?.level]));
  assert.deepEqual(lines, [[
    "Warning: The disk is full. The indexes of the fields with 'indexed: true' and the sums of insights were not changed, " +
    "so queries on new ones read all cases. Free some space, then restart the service.",
    "warning",
  ]]);
  await store.close();
});
