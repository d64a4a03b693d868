/** Sums of cases: they are exact, and give the same groups as reading all cases. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { startService } from "../../../service/mod.ts";
import { verify } from "../../../service/backup/backup.ts";
import { locateFiles } from "../../../service/server/directory.ts";
import { listSums } from "../../../service/store/case_sums.ts";
import type { Column, Filter, RowQuery } from "../../../service/store/query.ts";
import { MERGE_SUMS } from "../../../service/store/postgres/indexes/case_sums.ts";
import { openPostgresStore } from "../../../service/store/postgres/postgres_store.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import type { Store, StoredCase, Transaction } from "../../../service/store/store.ts";
import { DecimalSum, isPlainDecimal } from "../../../utils/decimal.ts";
import { ExactNumber } from "../../../utils/exact_number.ts";
import { isNumber, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { runAll, useTestSchema } from "../../harness/postgres_schema.ts";
import { newStoredCase, testStores } from "../../harness/stores.ts";
import { makeFolder } from "../../harness/svc.ts";
import { eventually } from "../../harness/wait.ts";

/** A condition that every case meets. With it, the store reads the cases. */
const EVERY: Filter = { left: { property: "id" }, comparator: "GTE", right: { value: "" } };

const CHANNEL = { content: ["Channel"] };
const FEE = { content: ["Fee"] };
const NESTED = { content: ["Page", "Area"] };

const SUMMARIES: readonly Column[] = [
  { name: "cases", field: { property: "id" }, summary: "COUNT" },
  { name: "fees", field: FEE, summary: "COUNT" },
  { name: "sum", field: FEE, summary: "SUM" },
  { name: "mean", field: FEE, summary: "AVG" },
  { name: "sumOfAreas", field: NESTED, summary: "SUM" },
  { name: "least", field: NESTED, summary: "MIN" },
  { name: "greatest", field: NESTED, summary: "MAX" },
  { name: "channels", field: CHANNEL, summary: "DISTINCT_COUNT" },
];

function askFor(groups: readonly Column[], summaries: readonly Column[], filter?: Filter): RowQuery {
  return {
    source: { kind: "cases", typeIds: ["T", "U"] },
    columns: [...groups, ...summaries],
    ...(filter && { filter }),
    sort: groups.map(({ name }, index) => ({ column: name, descending: index % 2 === 1 })),
  };
}

const BY_CHANNEL: Column = { name: "channel", field: CHANNEL };
const BY_STATUS: Column = { name: "status", field: { property: "status" } };
const SUMS = listSums([askFor([BY_CHANNEL], SUMMARIES), askFor([], SUMMARIES.slice(0, 4))]);

const FILTERS: readonly Filter[] = [
  { and: [] },
  { left: { property: "status" }, comparator: "STARTS_WITH", right: { value: "re" }, ignoreCase: true },
  { not: { field: CHANNEL, in: ["Desk"] } },
  { isNull: CHANNEL },
];

/** Rounds numbers, because SQLite adds the decimal fractions of all cases as binary ones. */
function round(row: JsonObject): unknown[] {
  return Object.values(row).map((value) => isNumber(value) ? Math.round(Number(value) * 1e9) / 1e9 || 0 : value);
}

async function compareSums(store: Store): Promise<void> {
  for (const filter of FILTERS) {
    for (const groups of [[BY_CHANNEL], [], [BY_STATUS], [BY_STATUS, BY_CHANNEL]]) {
      const queries = [askFor(groups, SUMMARIES, filter), askFor(groups, SUMMARIES.slice(1, 4), filter)];
      const [sum] = queries;
      if (sum && groups.length > 0) queries.push({ ...sum, sort: [{ column: "sum", descending: true }] });
      for (const query of queries) {
        const read = async (query: RowQuery) =>
          (await store.read((tx) => tx.queryRows(query, { offset: 0, limit: 10 }))).map(round);
        const expected = await read({ ...query, filter: { and: [filter, EVERY] } });
        assert.deepEqual(await read(query), expected, JSON.stringify(query));
      }
    }
  }
}

const channels = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom<JsonValue>("Desk", "Post", "é\0\"'") },
  fc.constantFrom<JsonValue | undefined>(undefined, null, 1, true, "1", "", [1], { a: 1 }),
);
const fees = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -9999, max: 9999 }).map((n) => n / 100) },
  { weight: 1, arbitrary: fc.constantFrom<JsonValue | undefined>(undefined, null, 0, 0.1, 0.2, -0.3) },
);
const oddFees = fc.oneof(
  { weight: 8, arbitrary: fees },
  fc.constantFrom<JsonValue>(
    "5",
    "x",
    true,
    [2],
    { a: "{" },
    "2026-01-01",
    1e21,
    1e-9,
    new ExactNumber("9007199254740993"),
  ),
);

function changesOf(fees: fc.Arbitrary<JsonValue | undefined>) {
  return fc.array(
    fc.record({
      number: fc.integer({ min: 0, max: 6 }),
      kind: fc.constantFrom("put", "put", "put", "put", "delete", "failed part", "failed unit", "rename"),
      status: fc.constantFrom("Open", "Resolved-A"),
      stageId: fc.constantFrom("S", "S", "T"),
      channel: channels,
      fee: fees,
      area: fees,
    }),
    { maxLength: 20 },
  );
}

async function checkChanges(store: Store, fees: fc.Arbitrary<JsonValue | undefined>): Promise<void> {
  await store.indexFields([], SUMS);
  await fc.assert(
    fc.asyncProperty(changesOf(fees), async (steps) => {
      for (let n = 0; n <= 6; n++) await store.transact((tx) => tx.deleteCase(newStoredCase(n).id));
      for (const { number, kind, channel, fee, area, ...change } of steps) {
        const stored = newStoredCase(number, {
          ...change,
          typeId: number % 3 === 0 ? "U" : "T",
          content: {
            ...(channel !== undefined && { Channel: channel }),
            ...(fee !== undefined && { Fee: fee }),
            ...(area !== undefined && { Page: { Area: area } }),
          },
        });
        const put = (tx: Transaction) => tx.putCase(stored);
        const fail = () => Promise.reject(new Error("failed"));
        await store.transact(async (tx) => {
          if (kind === "put") await put(tx);
          if (kind === "delete") await tx.deleteCase(stored.id);
          if (kind === "failed part") await tx.attempt(() => put(tx).then(fail)).catch(() => {});
          if (kind === "failed unit") await put(tx).then(fail);
          if (kind === "rename") {
            await tx.rename({ kind: "stage", owner: "T", from: change.stageId, to: "N" });
            await tx.rename({ kind: "field", owner: "T", from: number % 2 ? "Fee" : "Channel", to: "Other" });
          }
        }).catch(() => {});
      }
      await compareSums(store);
    }),
    { numRuns: 15 },
  );
}

testStores(
  "sums equal those of all cases after changes, failed units and renames",
  (store) => checkChanges(store, fees),
);

testStores("values that cannot be added are read from the cases", (store) => checkChanges(store, oddFees));

testStores("a query for the least value of a field reads the cases if sums do not contain it", async (store) => {
  const count: Column = { name: "channels", field: CHANNEL, summary: "COUNT" };
  await store.indexFields([], listSums([askFor([BY_CHANNEL], [count])]));
  await store.transact(async (tx) => {
    for (const [n, Channel] of [3, 1, 2].entries()) await tx.putCase(newStoredCase(n, { content: { Channel } }));
  });
  const ask = (summaries: readonly Column[]) =>
    store.read((tx) => tx.queryRows(askFor([], summaries), { offset: 0, limit: 1 }));
  assert.deepEqual(await ask([{ name: "least", field: CHANNEL, summary: "MIN" }]), [{ least: 1 }]);
  assert.deepEqual(await ask([count]), [{ channels: 3 }]);
});

testStores("sums of decimal fractions stay exact after many changes", async (store) => {
  await store.indexFields([], SUMS);
  const expected = new DecimalSum();
  const last = new Map<number, string>();
  for (let batch = 0; batch < 20; batch++) {
    await store.transact(async (tx) => {
      for (let step = 0; step < 50; step++) {
        const n = (batch * 31 + step * 7) % 40;
        const fee = ((batch * 50 + step) * 7919 % 10_007 - 5000) / (step % 3 === 0 ? 1000 : 100);
        expected.subtract(last.get(n) ?? "0");
        expected.add(String(fee));
        last.set(n, String(fee));
        await tx.putCase(newStoredCase(n, { status: step % 2 ? "Open" : "Closed", content: { Fee: fee } }));
      }
    });
  }
  const read = () => store.read((tx) => tx.queryRows(askFor([], SUMMARIES.slice(2, 3)), { offset: 0, limit: 1 }));
  assert.deepEqual(await read(), [{ sum: Number(expected.toString()) }]);
  await store.transact(async (tx) => {
    for (const [n] of last) {
      await tx.putCase(newStoredCase(n, { content: { Fee: n < 3 ? [0.1, 0.2, -0.3][n] ?? 0 : 0 } }));
    }
  });
  assert.deepEqual(await read(), [{ sum: 0 }]);
});

Deno.test("a sum of decimals has all digits", () => {
  const numbers = fc.tuple(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), fc.integer({ min: 0, max: 6 }))
    .map(([units, places]) => ({ units: units * 10n ** BigInt(6 - places), text: toText(units, places) }));
  fc.assert(fc.property(fc.array(numbers), (list) => {
    const sum = new DecimalSum();
    for (const { text } of list) sum.add(text);
    const exact = list.reduce((sum, { units }) => sum + units, 0n);
    const restored = new DecimalSum();
    restored.add(sum.toString());
    assert.equal(restored.toString(), sum.toString());
    sum.subtract(toText(exact, 6));
    assert.equal(sum.toString(), "0");
  }));
  assert.deepEqual(["1", "-0.5", "1e3", "x", `${"9".repeat(21)}`].map(isPlainDecimal), [
    true,
    true,
    false,
    false,
    false,
  ]);
});

function toText(units: bigint, places: number): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, "0");
  const point = digits.length - places;
  return (units < 0n ? "-" : "") + digits.slice(0, point) + (places > 0 ? `.${digits.slice(point)}` : "");
}

/** Fills a file with cases, and maintains their sums. */
async function fill(database: string): Promise<readonly StoredCase[]> {
  const store = openSqliteStore(database);
  const cases = Array.from(
    { length: 60 },
    (_, n) => newStoredCase(n, { content: { Channel: n % 2 ? "Desk" : "Post", Fee: n / 10, Page: { Area: n } } }),
  );
  await store.transact(async (tx) => {
    for (const one of cases) await tx.putCase(one);
  });
  await store.indexFields([], SUMS);
  await store.close();
  return cases;
}

Deno.test("a changed definition computes new sums, and queries do not read the cases", async () => {
  await using folder = await makeFolder();
  const database = `${folder.path}/service.db`;
  await fill(database);
  const store = openSqliteStore(database);
  const read = () => store.read((tx) => tx.queryRows(askFor([BY_CHANNEL], SUMMARIES), { offset: 0, limit: 9 }));
  const before = await read();
  await store.indexFields([], SUMS);
  using db = new DatabaseSync(database);
  assert.deepEqual(await read(), before);
  assert.deepEqual(before.map(({ channel, sum, greatest }) => [channel, sum, greatest]), [["Desk", 90, 59], [
    "Post",
    87,
    58,
  ]]);
  db.exec(`UPDATE caseSums SET parts = json_set(parts, '$[0][0]', '7.5')`);
  assert.deepEqual((await read()).map(({ sum }) => sum), [7.5, 7.5]);
  await store.indexFields([], []);
  assert.deepEqual(await read(), before);
  assert.equal(db.prepare("SELECT COUNT(*) AS count FROM caseSums").get()?.count, 0);
  await store.indexFields([], SUMS);
  assert.deepEqual(await read(), before);
  await store.close();
});

Deno.test("changes that SQLite has rolled back by itself do not change sums", async () => {
  await using folder = await makeFolder();
  const database = `${folder.path}/service.db`;
  await fill(database);
  using db = new DatabaseSync(database);
  db.exec(`CREATE TRIGGER full BEFORE UPDATE ON cases WHEN NEW.status = 'Full'
    BEGIN SELECT RAISE(ROLLBACK, 'database or disk is full'); END`);
  const store = openSqliteStore(database);
  await store.indexFields([], SUMS);
  const query = askFor([], SUMMARIES.slice(0, 4));
  const read = (tx: Transaction) => tx.queryRows(query, { offset: 0, limit: 1 });
  const before = await store.read(read);
  const change = store.transact(async (tx) => {
    await tx.putCase(newStoredCase(1, { content: { Fee: 1000 } }));
    await assert.rejects(tx.putCase(newStoredCase(2, { status: "Full", content: {} })));
    assert.deepEqual(await read(tx), before); // Not outside of the transaction.
    await tx.putCase(newStoredCase(3, { status: "Full", content: {} }));
  });
  await assert.rejects(change, { message: "The disk of the database is full." });
  assert.deepEqual(await store.transact(read), before);
  assert.deepEqual(await store.read(read), before);
  assert.equal(db.prepare("SELECT SUM(number) AS number FROM caseSums").get()?.number, SUMS.length * 60);
  await store.close();
});

Deno.test("verify finds sums that do not match the cases, and repairs them", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  await (await startService({ data, log: () => {} })).close();
  const { database } = locateFiles(data);
  await fill(database);
  assert.equal((await verify({ data })).cases, 60);
  using db = new DatabaseSync(database);
  for (const damage of ["UPDATE caseSums SET number = number + 1", "DELETE FROM caseSums"]) {
    assert.ok(db.prepare(damage).run().changes > 0);
    await assert.rejects(verify({ data }), { code: "STORE_DAMAGED" });
    assert.deepEqual((await verify({ data, repair: true })).repaired, ["caseSums"]);
    assert.equal((await verify({ data })).cases, 60);
  }
});

Deno.test("sums on PostgreSQL are computed while other processes change cases, and replaced by another definition", async () => {
  await using schema = useTestSchema();
  const [store, other] = [await openPostgresStore(schema.parsed), await openPostgresStore(schema.parsed)];
  const pool = await schema.open();
  const put = (n: number) =>
    other.transact(async (tx) => {
      const content = { Channel: n % 3 ? "Desk" : "Post", Fee: n / 100, Page: { Area: n % 97 } };
      await tx.putCase(newStoredCase(n % 150, { content, status: n % 5 ? "Open" : "Resolved-A" }));
      if (n % 7 === 0) await tx.deleteCase(newStoredCase(n % 50).id);
    });
  for (let n = 0; n < 150; n++) await put(n);
  await store.indexFields([], SUMS);
  const isReady = async () =>
    (await pool.use((connection) => connection.run('SELECT 1 FROM "maintainedSums" WHERE "isReady"'))).count ===
      SUMS.length;
  let changes = 150;
  while (!await isReady() || changes < 300) await put(changes++);
  await compareSums(store);
  await Promise.all([runAll(pool, [MERGE_SUMS]), runAll(pool, [MERGE_SUMS]), put(changes++), put(changes++)]);
  await compareSums(store);
  await runAll(pool, [MERGE_SUMS]);
  await compareSums(store);

  const read = () => store.read((tx) => tx.queryRows(askFor([], SUMMARIES.slice(2, 3)), { offset: 0, limit: 1 }));
  const before = await read();
  await runAll(pool, ['UPDATE "caseSums" SET sum = 0']);
  await eventually("the sums are used", async () => (await read())[0]?.sum === 0);
  await other.indexFields([], []);
  await eventually("no sums remain", async () => !await isReady());
  assert.deepEqual(await read(), before);
  await Promise.all([store.close(), other.close(), pool.close()]);
});

Deno.test("the space of merged counts and sums is freed on PostgreSQL", async () => {
  await using schema = useTestSchema();
  const sql = "SELECT relname FROM pg_stat_user_tables WHERE schemaname = $1 AND vacuum_count > 0 ORDER BY relname";
  // `vacuum_count` leaves out what the server does by itself.
  await eventually("the tables are vacuumed", async () => {
    const store = await openPostgresStore(schema.parsed);
    await store.transact((tx) => tx.putCase(newStoredCase(1))); // The first change of a process starts a merge.
    await store.close();
    const pool = await schema.open();
    const { rows } = await pool.use((connection) => connection.run(sql, [schema.parsed.schema]));
    await pool.close();
    return rows.map(({ relname }) => relname).join(" ") === "caseCounts caseSums staleTexts textCounts";
  });
});

Deno.test("counts are merged after a unit that changes many cases on PostgreSQL", async () => {
  await using schema = useTestSchema();
  const store = await openPostgresStore(schema.parsed);
  const pool = await schema.open();
  await store.transact((tx) => tx.putCase(newStoredCase(0))); // Starts the first merge.
  await store.transact(async (tx) => {
    for (let n = 1; n <= 600; n++) await tx.putCase(newStoredCase(n));
  });
  await eventually("the counts are merged", async () => {
    const { rows } = await pool.use((connection) => connection.run('SELECT number FROM "caseCounts"'));
    return rows.length === 1 && rows[0]?.number === 601;
  });
  await Promise.all([store.close(), pool.close()]);
});
