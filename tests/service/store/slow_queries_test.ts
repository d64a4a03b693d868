/** Slow queries, and processes that lock the database, do not block other work. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type Filter, QueryTooSlow, type RowQuery } from "../../../service/store/query.ts";
import { QueryLanes } from "../../../service/store/sqlite/query_lanes.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import { type Store, StoreBusy } from "../../../service/store/store.ts";
import { nextTurn } from "../../../utils/async/next_turn.ts";
import { openServiceOn, readErrorDetails } from "../../harness/service.ts";
import { eventually, within } from "../../harness/wait.ts";

const HOUR = 3_600_000;

/** A query that ends only at its time limit. */
const ENDLESS = {
  sql: `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE within_time())
    SELECT max(n) AS n FROM numbers`,
  parameters: [],
};
const SHORT = { sql: "SELECT 1 AS n", parameters: [] };

async function withFile(work: (path: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await work(`${directory}/service.db`);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function withLanes(
  limits: { short: number; long: number; wait: number },
  work: (lanes: QueryLanes) => Promise<void>,
): Promise<void> {
  await withFile(async (path) => {
    const store = openSqliteStore(path);
    const lanes = new QueryLanes(path, limits);
    try {
      await work(lanes);
    } finally {
      await lanes.close();
      await store.close();
    }
  });
}

/** Notes when promises settle. */
function watch(promises: readonly Promise<unknown>[]): { readonly settled: number[] } {
  const settled: number[] = [];
  promises.forEach((promise, n) => promise.then(() => settled.push(n), () => settled.push(n)));
  return { settled };
}

function putRecords(store: Store, count: number, text: string): Promise<void> {
  return store.transact(async (tx) => {
    for (let n = 0; n < count; n++) {
      await tx.putRecord({ classId: "D", key: String(n), tag: "", content: { text } });
    }
  });
}

const TEXT = { content: ["text"] };
const RECORDS = { source: { kind: "records", classId: "D" }, columns: [{ name: "text", field: TEXT }] } as const;

/** A query that searches each of many long texts for hundreds of others. */
const SLOW: RowQuery = {
  ...RECORDS,
  filter: {
    or: Array.from({ length: 200 }, (_, n): Filter => {
      return { left: TEXT, comparator: "CONTAINS", right: { value: `${n}${"x".repeat(200)}` } };
    }),
  },
};

Deno.test("a query stops at its time limit, and the next one runs", () =>
  withLanes({ short: 20, long: 100, wait: HOUR }, async (lanes) => {
    await assert.rejects(lanes.run(ENDLESS, "ada"), QueryTooSlow);
    assert.deepEqual((await lanes.run(SHORT, "ada")).map(({ n }) => n), [1]);
  }));

Deno.test("a short query does not wait for the long queries of any operator", () =>
  withLanes({ short: 20, long: HOUR, wait: HOUR }, async (lanes) => {
    const long = ["ada", "ada", "ada", "ben"].map((operator) => lanes.run(ENDLESS, operator));
    const { settled } = watch(long);
    for (const operator of ["ada", "ben", "cem"]) await within("the short query ends", lanes.run(SHORT, operator));
    assert.deepEqual(settled, []);
    await lanes.close();
    for (const result of await Promise.allSettled(long)) assert.ok(result.status === "rejected");
  }));

Deno.test("the long queries of operators take turns", () =>
  withLanes({ short: 1, long: 100, wait: HOUR }, async (lanes) => {
    const long = ["ada", "ada", "ada", "ada", "ben"].map((operator) => lanes.run(ENDLESS, operator));
    const { settled } = watch(long);
    await within("the queries end", Promise.allSettled(long));
    assert.ok(settled.indexOf(4) < settled.indexOf(3), settled.join());
  }));

Deno.test("a query that waits too long for others is refused as busy", () =>
  withLanes({ short: 1, long: 3000, wait: 500 }, async (lanes) => {
    const first = assert.rejects(lanes.run(ENDLESS, "ada"), QueryTooSlow);
    await assert.rejects(lanes.run(ENDLESS, "ada"), StoreBusy);
    await first;
  }));

Deno.test("no query starts during a pause, which begins when the running ones have ended", () =>
  withLanes({ short: 100, long: 100, wait: HOUR }, async (lanes) => {
    const running = lanes.run(ENDLESS, "ada");
    const { settled } = watch([running.catch(() => {}), lanes.pause(), lanes.run(SHORT, "ben")]);
    await eventually("the pause begins", () => settled.includes(1));
    assert.ok(!settled.includes(2));
    lanes.resume();
    await eventually("the other query ends", () => settled.includes(2));
    await assert.rejects(running, QueryTooSlow);
  }));

Deno.test("units that read or change data do not wait for a slow query, and closing stops it", () =>
  withFile(async (path) => {
    const store = openSqliteStore(path);
    await putRecords(store, 4000, "x".repeat(2000));
    const slow = store.read((tx) => tx.countRows(SLOW), "ada");
    const { settled } = watch([slow]);
    await store.transact((tx) => tx.putRecord({ classId: "E", key: "1", tag: "", content: {} }));
    assert.ok(await store.read((tx) => tx.getRecord("E", "1")));
    assert.equal(await store.read((tx) => tx.countRows({ ...RECORDS, source: { kind: "records", classId: "E" } })), 1);
    assert.deepEqual(settled, []);
    await Promise.all([assert.rejects(slow, StoreBusy), within("the store closes", store.close())]);
  }));

Deno.test("a unit that reads many pages of items lets other units read between them", () =>
  withFile(async (path) => {
    const store = openSqliteStore(path);
    await store.transact(async (tx) => {
      for (let n = 0; n < 100; n++) {
        await tx.putItem({ kind: "message", id: String(n), owner: "C", at: String(n).padStart(3, "0"), content: {} });
      }
    });
    const pages = store.read(async (tx) => {
      let before: string | undefined;
      do before = (await tx.listItems("message", undefined, { ...(before && { before }), limit: 1 })).at(-1)
        ?.at; while (before !== undefined);
    });
    const { settled } = watch([pages]);
    assert.ok(await store.read((tx) => tx.getItem("message", "0")));
    assert.deepEqual(settled, []);
    await within("all pages are read", pages);
    await store.close();
  }));

Deno.test("a query and the reads after it see what was durable when their unit began", () =>
  withFile(async (path) => {
    const store = openSqliteStore(path);
    for (let n = 1; n <= 20; n++) {
      await store.transact((tx) => tx.putRecord({ classId: "D", key: String(n), tag: "", content: {} }));
      await store.read(async (tx) => {
        assert.ok(await tx.getRecord("D", String(n)));
        assert.equal(await tx.countRows(RECORDS), n);
        assert.ok(await tx.getRecord("D", String(n)));
      });
    }
    await store.close();
  }));

Deno.test("the reads of a unit see one state between two queries", () =>
  withFile(async (path) => {
    const store = openSqliteStore(path);
    const put = (n: number) =>
      store.transact(async (tx) => {
        for (const key of ["a", "b"]) await tx.putRecord({ classId: "D", key, tag: String(n), content: {} });
      });
    await put(0);
    const writes = Array.from({ length: 50 }, (_, n) => put(n + 1));
    const reads = writes.map(() =>
      store.read(async (tx) => {
        const first = await tx.getRecord("D", "a");
        for (let n = 0; n < 20; n++) await Promise.resolve();
        assert.equal((await tx.getRecord("D", "b"))?.tag, first?.tag);
      })
    );
    await Promise.all([...writes, ...reads]);
    await store.close();
  }));

Deno.test("while another process writes, reads succeed, and waiting changes do not block them", () =>
  withFile(async (path) => {
    const store = openSqliteStore(path, false, { patience: HOUR });
    await putRecords(store, 1, "");
    using other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const change = putRecords(store, 2, "");
    const { settled } = watch([change]);
    for (let n = 0; n < 3; n++) assert.equal(await store.read((tx) => tx.countRows(RECORDS)), 1);
    assert.ok(await store.read((tx) => tx.getRecord("D", "0")));
    assert.deepEqual(settled, []);
    other.exec("ROLLBACK");
    await within("the change is made", change);
    assert.equal(await store.read((tx) => tx.countRows(RECORDS)), 2);
    await store.close();
  }));

Deno.test("a change that is not awaited leaves no transaction open when another process has released the lock", () =>
  withFile(async (path) => {
    const store = openSqliteStore(path);
    using other = new DatabaseSync(path, { timeout: 0 });
    other.exec("BEGIN IMMEDIATE");
    const unit = store.transact((tx) => {
      tx.putRecord({ classId: "D", key: "1", tag: "", content: {} }).catch(() => {});
      return Promise.resolve();
    });
    const { settled } = watch([unit]);
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    assert.deepEqual(settled, []);
    other.exec("COMMIT");
    await within("the unit ends", unit);
    other.exec("BEGIN IMMEDIATE; ROLLBACK");
    await store.close();
  }));

Deno.test("while another process keeps the lock, the service serves reads, and refuses changes with 503", () =>
  withFile(async (path) => {
    const store = openSqliteStore(path, false, { patience: 100 });
    await using svc = await openServiceOn({ store });
    const create = () => svc.call("POST", "/cases", { body: { caseTypeID: "City-Permit-Work-Permit" } });
    assert.equal((await create()).status, 201);
    using other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const refused = await Promise.all([create(), create(), create()]);
    assert.deepEqual(refused.map(({ status, headers }) => [status, headers.get("retry-after")]), [
      [503, "1"],
      [503, "1"],
      [503, "1"],
    ]);
    assert.equal(readErrorDetails(refused[0]?.body)[0]?.message, "Another process has locked the database.");
    assert.equal((await svc.call("GET", `/cases/${encodeURIComponent("CITY-PERMIT-WORK P-1")}`)).status, 200);
    assert.equal((await svc.call("POST", "/data_views/D_Permits")).status, 200);
    other.exec("ROLLBACK");
    assert.equal((await create()).status, 201);
  }));

Deno.test("a query that takes too long is refused with a hint, and not repeated", () =>
  withFile(async (path) => {
    const store = openSqliteStore(path, false, { short: 0, long: 0 });
    await using svc = await openServiceOn({ store });
    const body = { caseTypeID: "City-Permit-Work-Permit" };
    for (let n = 0; n < 64; n++) assert.equal((await svc.call("POST", "/cases", { body })).status, 201);
    const refused = await svc.call("POST", "/data_views/D_Permits");
    assert.equal(refused.status, 400);
    assert.match(String(readErrorDetails(refused.body)[0]?.message), /^The query takes too long\. Add conditions/);
    assert.equal((await svc.call("GET", `/cases/${encodeURIComponent("CITY-PERMIT-WORK P-1")}`)).status, 200);
  }));

Deno.test("the log is emptied when the service is idle, and after another process has read for a long time", () =>
  withFile(async (path) => {
    const store = openSqliteStore(path, false, { copiedLog: 32 * 1024, maxLog: 64 * 1024 });
    const readSize = async () => (await Deno.stat(`${path}-wal`)).size;
    await putRecords(store, 20, "x".repeat(10_000));
    await eventually("the log is empty", async () => await readSize() === 0);
    const other = new DatabaseSync(path, { readOnly: true });
    other.exec("BEGIN");
    assert.equal(other.prepare("SELECT count(*) AS n FROM records").get()?.n, 20);
    await putRecords(store, 40, "x".repeat(10_000));
    assert.equal(await store.read((tx) => tx.countRows(RECORDS)), 40);
    other.close();
    await eventually("the log is empty again", async () => await readSize() === 0);
    await store.close();
    assert.deepEqual([...Deno.readDirSync(path.replace(/[^/]*$/, ""))].map(({ name }) => name), ["service.db"]);
  }));

Deno.test("a change of 20 MB is durable in the log, and does not wait until the log is copied", () =>
  withFile(async (path) => {
    const store = openSqliteStore(path, false, { copiedLog: 2 ** 40, maxLog: 2 ** 40 });
    const { size } = Deno.statSync(path);
    await putRecords(store, 10_000, "x".repeat(2000));
    assert.ok(Deno.statSync(`${path}-wal`).size > 20_000_000);
    assert.equal(Deno.statSync(path).size, size);
    await store.close();
  }));

/** Makes changes without a break until the log becomes shorter. */
async function changeUntilShorter(store: Store, path: string): Promise<void> {
  let [last, changes] = [0, 0];
  await eventually("the log becomes shorter", async () => {
    await putRecords(store, 5, String(++changes).repeat(1000));
    const { size } = await Deno.stat(`${path}-wal`);
    const isShorter = size < last;
    last = size;
    return isShorter;
  });
}

Deno.test("the log becomes shorter while changes follow each other without a break", () =>
  withFile(async (path) => {
    const store = openSqliteStore(path, false, { copiedLog: 32 * 1024, maxLog: 2 ** 40 });
    await changeUntilShorter(store, path);
    await store.close();
  }));

Deno.test("a long log is emptied while changes and slow queries follow each other without a break", () =>
  withFile(async (path) => {
    const store = openSqliteStore(path, false, { short: 20, long: 200, copiedLog: 2 ** 40, maxLog: 2 ** 20 });
    await putRecords(store, 4000, "x".repeat(2000));
    let isDone = false;
    const readers = ["ada", "ben"].map(async (operator) => {
      while (!isDone) {
        const slow = store.read((tx) => tx.countRows(SLOW), operator);
        await slow.catch((error) => assert.ok(error instanceof QueryTooSlow));
      }
    });
    await changeUntilShorter(store, path);
    isDone = true;
    await within("the queries end", Promise.all(readers));
    assert.ok(await store.read((tx) => tx.countRows(RECORDS)) > 0);
    await store.close();
  }));
