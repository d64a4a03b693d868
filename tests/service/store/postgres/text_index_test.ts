/** The text index on PostgreSQL: it is built for existing cases, and a database without it still finds texts. */
import assert from "node:assert/strict";
import { openPostgresStore } from "../../../../service/store/postgres/postgres_store.ts";
import { MERGE_TEXTS, TextIndex } from "../../../../service/store/postgres/indexes/text_index.ts";
import { encodeRow, insertInto } from "../../../../service/store/postgres/rows.ts";
import { STORE_SCHEMA } from "../../../../service/store/postgres/schema.ts";
import type { Store, StoredCase } from "../../../../service/store/store.ts";
import { migrate } from "../../../../utils/postgres/migrate.ts";
import { ExactNumber } from "../../../../utils/exact_number.ts";
import { parseLocation } from "../../../../utils/postgres/location.ts";
import { openPool, type Pool } from "../../../../utils/postgres/pool.ts";
import { startPostgres } from "../../../harness/postgres.ts";
import { runAll, useTestSchema } from "../../../harness/postgres_schema.ts";
import { newStoredCase, withPostgresStore } from "../../../harness/stores.ts";
import { eventually } from "../../../harness/wait.ts";

function newCase(n: number): StoredCase {
  return newStoredCase(n, { content: { Page: { Text: `The Garage of number ${n}` } } });
}

async function putCases(store: Store, first: number, count: number): Promise<void> {
  await store.transact(async (tx) => {
    for (let n = first; n < first + count; n++) await tx.putCase(newCase(n));
  });
}

/** Counts the cases with a text, whatever its case. */
async function countMatches(store: Store, text: string): Promise<number> {
  const filter = {
    left: { content: ["Page", "Text"] },
    comparator: "CONTAINS",
    right: { value: text },
    ignoreCase: true,
  } as const;
  return await store.read((tx) => tx.countRows({ source: { kind: "cases", typeIds: ["T"] }, columns: [], filter }));
}

function run(pool: Pool, sql: string) {
  return pool.use((connection) => connection.run(sql));
}

Deno.test("the index is built again for existing cases, while others are added", async () => {
  await using schema = useTestSchema();
  const first = await openPostgresStore(schema.parsed);
  await putCases(first, 0, 100);
  const pool = await schema.open();
  const isValid = async () => {
    const sql = `SELECT 1 FROM pg_index WHERE indexrelid = to_regclass('"textsByTrigram"') AND indisvalid`;
    return (await run(pool, sql)).count === 1;
  };
  assert.ok(await isValid(), "a new schema has the index");
  // An interrupted build leaves such an index.
  await run(pool, `UPDATE pg_index SET indisvalid = false WHERE indexrelid = '"textsByTrigram"'::regclass`);
  const second = await openPostgresStore(schema.parsed);
  await putCases(second, 100, 100);
  assert.equal(await countMatches(second, "garage"), 200);
  await eventually("the index is built", isValid);
  await putCases(first, 200, 1);
  await eventually("the index is used", async () => await countMatches(second, "the garage of number 200") === 1);
  await Promise.all([first.close(), second.close(), pool.close()]);
});

Deno.test("the texts of cases from an earlier version are collected, and its index is removed", async () => {
  await using schema = useTestSchema();
  const pool = await schema.open();
  await migrate(pool, schema.parsed, { ...STORE_SCHEMA, steps: STORE_SCHEMA.steps.slice(0, 7) });
  const put = (stored: StoredCase) =>
    pool.use((connection) => connection.run(insertInto("cases"), encodeRow("cases", stored)));
  for (let n = 0; n < 5; n++) await put(newCase(n));
  await run(pool, `CREATE INDEX "casesByText" ON cases (svc_search_text("businessId", content))`);
  const store = await openPostgresStore(schema.parsed);
  await put(newCase(5));
  assert.equal(await countMatches(store, "garage"), 6);
  const count = async (sql: string) => (await run(pool, sql)).count;
  await eventually(
    "the index is removed",
    async () => await count(`SELECT WHERE to_regclass('"casesByText"') IS NULL`) === 1,
  );
  await store.transact(async (tx) => {
    await tx.putCase({ ...newCase(1), content: { Page: { Text: "A new roof" } } });
    await tx.deleteCase("W P-2");
  });
  const check = async () => {
    assert.equal(await countMatches(store, "garage"), 4);
    assert.equal(await countMatches(store, "NEW ROOF"), 1);
  };
  await check();
  await runAll(pool, MERGE_TEXTS);
  await check();
  const differs = `SELECT FROM cases FULL JOIN "caseTexts" USING (seq)
    WHERE text IS DISTINCT FROM svc_search_text("businessId", content)`;
  assert.equal(await count(differs), 0);
  assert.equal(await count('SELECT FROM "staleTexts"'), 0);
  await Promise.all([store.close(), pool.close()]);
});

Deno.test("numbers that are too large for jsonb do not keep texts out of the index", () =>
  withPostgresStore(async (store, schema) => {
    const numbers = ["1e200000", "-1e-200000", "1".repeat(140_000)].map((digits) => new ExactNumber(digits));
    await store.transact(async (tx) => {
      for (const [n, number] of numbers.entries()) {
        const Text = `The "Garage" at\n1e5 number ${n}, 1e200000`;
        await tx.putCase({ ...newCase(n), content: { Large: number, Page: { Text, Numbers: [1, number] } } });
      }
      await tx.putCase(newCase(3));
    });
    const pool = await schema.open();
    await runAll(pool, MERGE_TEXTS);
    assert.equal((await run(pool, 'SELECT FROM "staleTexts"')).count, 0);
    await pool.close();
    assert.equal(await countMatches(store, "garage"), 4);
    assert.equal(await countMatches(store, 'the "garage" at\n1e5'), 3);
    assert.equal(await countMatches(store, "number 2, 1E200000"), 1);
  }));

Deno.test("texts are merged by one statement at a time, which leaves the other connections to units", () =>
  withPostgresStore(async (store, schema) => {
    await putCases(store, 0, 1);
    const pool = await schema.open({ idleSeconds: 60 });
    await pool.use(async (connection) => {
      await connection.run('BEGIN; LOCK TABLE "caseTexts"');
      for (let n = 0; n < 5; n++) await putCases(store, 300 * n, 300);
      const isWaiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = '"caseTexts"'::regclass`;
      await eventually("a merge waits", async () => (await connection.run(isWaiting)).count > 0);
      await putCases(store, 1500, 300);
      assert.equal((await connection.run(isWaiting)).count, 1);
      await connection.run("COMMIT");
    });
    await pool.close();
  }, { lockSeconds: 60 }));

Deno.test("a merge that fails is reported, and texts are found nevertheless", async () => {
  const lines: string[] = [];
  await withPostgresStore(async (store, schema) => {
    const pool = await schema.open();
    await run(pool, 'ALTER TABLE "caseTexts" ADD CHECK (false)');
    await putCases(store, 0, 3);
    await eventually("the failure is reported", () => lines.length > 0);
    assert.match(
      lines[0] ?? "",
      /^Changes of counts, sums and texts cannot be merged: .*"caseTexts".* violates check constraint/,
    );
    assert.equal(await countMatches(store, "garage"), 3);
    await pool.close();
  }, { note: (line) => lines.push(line) });
});

Deno.test("a build that fails with any error is noted, and starts again", async () => {
  await using schema = useTestSchema();
  const store = await openPostgresStore(schema.parsed);
  await putCases(store, 0, 1);
  await store.close();
  const pool = await schema.open();
  await run(pool, `DROP INDEX "textsByTrigram"`);
  const failures = [new TypeError("No certificate."), new TypeError("No certificate")];
  const lines: string[] = [];
  const open = async () => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return await schema.open();
  };
  const options = { open, note: (line: string) => void lines.push(line), retrySeconds: 0.01 };
  await using index = await pool.use((connection) => TextIndex.prepare(connection, options));
  await eventually("the index is built", () => index.isReady);
  const line = "The text index cannot be built: No certificate. The next attempt is in 0.01 s. " +
    "Until the index exists, text searches compare all cases.";
  assert.deepEqual(lines, [line, line]);
  await pool.close();
});

Deno.test("a store that closes stops building the index", async () => {
  await using schema = useTestSchema();
  const first = await openPostgresStore(schema.parsed);
  await putCases(first, 0, 1);
  const pool = await schema.open();
  await run(pool, `DROP INDEX "textsByTrigram"`);
  await pool.use(async (connection) => {
    await connection.run("BEGIN; LOCK TABLE cases IN SHARE ROW EXCLUSIVE MODE"); // The build waits for its end.
    const second = await openPostgresStore(schema.parsed);
    await second.close();
    await connection.run("COMMIT");
  });
  await Promise.all([first.close(), pool.close()]);
});

Deno.test("without the right to create the extension, texts are found by comparing all cases, and a line says why", async () => {
  await using server = await startPostgres();
  const administrator = await openPool(parseLocation(server.location, "test"), { applicationName: "test" });
  const { database } = parseLocation(server.location, "test");
  await run(administrator, `CREATE ROLE app LOGIN; GRANT CREATE ON DATABASE "${database}" TO app`);
  const location = { ...parseLocation(server.location, "test"), user: "app" };
  const lines: string[] = [];
  const open = () => openPostgresStore(location, { note: (line) => lines.push(line) });
  const first = await open();
  await putCases(first, 0, 3);
  await first.close();
  assert.deepEqual(lines, []);
  await run(administrator, `DROP EXTENSION pg_trgm CASCADE; REVOKE CREATE ON DATABASE "${database}" FROM app`);
  const second = await open();
  assert.equal(await countMatches(second, "GARAGE OF NUMBER 2"), 1);
  await second.close();
  assert.deepEqual(lines, [
    "Text searches use no index, because the extension pg_trgm cannot be created: permission denied to create extension " +
    "\"pg_trgm\". Ask an administrator to run 'CREATE EXTENSION pg_trgm' in this database, then restart the service.",
  ]);
  await administrator.close();
});
