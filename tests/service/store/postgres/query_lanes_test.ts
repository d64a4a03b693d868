/** Slow queries do not block other work on PostgreSQL. */
import assert from "node:assert/strict";
import { QueryLanes } from "../../../../service/store/postgres/query_lanes.ts";
import { openPostgresStore } from "../../../../service/store/postgres/postgres_store.ts";
import { QueryTooSlow, type RowQuery } from "../../../../service/store/query.ts";
import { StoreBusy } from "../../../../service/store/store.ts";
import { delay } from "../../../../utils/async/abort.ts";
import { type TestSchema, useTestSchema } from "../../../harness/postgres_schema.ts";
import { eventually, within } from "../../../harness/wait.ts";

const HOUR = 3_600_000;
const ENDLESS = { sql: "SELECT pg_sleep($1::float8)", parameters: [3600] };
const SHORT = { sql: "SELECT 1 AS n", parameters: [] };

/** Seconds that a query on the connection for short queries may take. */
const SHORT_SECONDS = 0.5;

/** Runs a test with two connections for any queries, and one for short ones. */
async function withLanes(
  { seconds = Infinity, wait = HOUR }: { seconds?: number; wait?: number },
  work: (lanes: QueryLanes, schema: TestSchema) => Promise<void>,
): Promise<void> {
  await using schema = useTestSchema();
  const any = await schema.open({ maxConnections: 2, statementSeconds: seconds });
  const short = await schema.open({ maxConnections: 1, statementSeconds: SHORT_SECONDS });
  const lanes = new QueryLanes({ pool: any, size: 2 }, { pool: short, size: 1 }, wait);
  try {
    await work(lanes, schema);
  } finally {
    lanes.close();
    let haveEnded = false;
    const closing = Promise.all([any.close(), short.close()]).then(() => haveEnded = true);
    await eventually("the endless queries have ended", async () => { // Some may not have reached the server yet.
      await cancelAll(schema);
      return haveEnded;
    });
    await closing;
  }
}

/** Ends the endless queries that run, and returns their number. */
async function cancelAll(schema: TestSchema): Promise<number> {
  const pool = await schema.open();
  const sql = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query = $1 AND state = 'active'";
  const { count } = await pool.use((connection) => connection.run(sql, [ENDLESS.sql])).finally(() => pool.close());
  return count;
}

Deno.test("a short query does not wait for the long queries of any operator", () =>
  withLanes({}, async (lanes) => {
    const long = ["ada", "ada", "ada", "ben", "ben"].map((operator) => lanes.run(ENDLESS, operator).catch(() => {}));
    let ended = 0;
    long.forEach((query) => void query.then(() => ended++));
    for (const operator of ["ada", "ben", "cem"]) {
      const { rows } = await within("the short query ends", lanes.run(SHORT, operator));
      assert.deepEqual(rows, [{ n: 1 }]);
    }
    assert.equal(ended, 0);
  }));

Deno.test("an operator cannot use all connections for long queries", () =>
  withLanes({}, async (lanes) => {
    for (let n = 0; n < 4; n++) lanes.run(ENDLESS, "ada").catch(() => {});
    const { rows } = await within(
      "the query ends",
      lanes.run({ sql: "SELECT pg_sleep($1::float8), 1 AS n", parameters: [2 * SHORT_SECONDS] }, "ben"),
    );
    assert.equal(rows[0]?.n, 1);
  }));

Deno.test("a query stops at its time limit, and the next one runs", () =>
  withLanes({ seconds: 0.5 }, async (lanes) => {
    await assert.rejects(lanes.run(ENDLESS, "ada"), QueryTooSlow);
    assert.deepEqual((await lanes.run(SHORT, "ada")).rows, [{ n: 1 }]);
  }));

Deno.test("a query that waits too long for others is refused as busy when its turn comes", () =>
  withLanes({ wait: 100 }, async (lanes, schema) => {
    const first = assert.rejects(lanes.run(ENDLESS, "ada"), QueryTooSlow); // A cancelled query ends as a slow one.
    const second = assert.rejects(lanes.run(ENDLESS, "ada"), StoreBusy);
    await eventually("the second query waits for the first one", () => lanes.readLoad().waitingLong === 1);
    await delay(200); // Longer than a query may wait.
    await eventually("the first query is cancelled", async () => await cancelAll(schema) > 0);
    await within("both queries end", Promise.all([first, second]));
    assert.deepEqual((await lanes.run(SHORT, "ada")).rows, [{ n: 1 }]);
  }));

Deno.test("eight slow queries of one operator block neither units that change data nor other reads", async () => {
  await using schema = useTestSchema();
  const store = await openPostgresStore(schema.parsed, { lockSeconds: 60, querySeconds: 60 });
  const columns = [{ name: "key", field: { property: "key" } }];
  const slow: RowQuery = { source: { kind: "records", classId: "D" }, columns };
  const fast: RowQuery = { source: { kind: "events" }, columns: [{ name: "at", field: { property: "at" } }] };
  const other = await schema.open();
  let ended = 0;
  const queries = await other.use(async (connection) => {
    await connection.run("BEGIN; LOCK TABLE records");
    const queries = Array.from(
      { length: 8 },
      () => store.read((tx) => tx.countRows(slow), "ada").finally(() => ended++),
    );
    const isWaiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'records'::regclass";
    await eventually("the queries wait for the table", async () => (await connection.run(isWaiting)).count >= 3);
    await store.transact((tx) => tx.putItem({ kind: "k", id: "1", owner: "o", at: "1", content: {} }));
    for (const operator of ["ada", "ben"]) {
      await store.read(async (tx) => {
        assert.ok(await tx.getItem("k", "1"));
        assert.equal(await tx.countRows(fast), 0);
        assert.ok(await tx.getItem("k", "1"));
      }, operator);
    }
    assert.equal(ended, 0);
    await connection.run("COMMIT");
    return queries;
  });
  assert.deepEqual(await Promise.all(queries), Array(8).fill(0));
  await Promise.all([other.close(), store.close()]);
});
