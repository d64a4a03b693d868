/** Bulk actions in the background: each case once, jobs in turn, and a service that stops in the middle of them. */
import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "../../../utils/json.ts";
import { openBytes } from "../../../service/store/bytes_on_disk.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import type { Store, StoredItem } from "../../../service/store/store.ts";
import {
  type ApiCaller,
  leaveBulkJob,
  leaveBulkJobIn,
  openService,
  openServiceOn,
  readErrorDetails,
  type TestService,
} from "../../harness/service.ts";
import { PERMIT_FILE, textAt, valueAt } from "../../harness/service_engine.ts";
import { makeFolder } from "../../harness/svc.ts";
import { openStoreOf } from "../../harness/test_store.ts";
import { eventually } from "../../harness/wait.ts";

const BULK = "/cases?actionID=pyUpdateCaseDetails";
const ASYNC = `${BULK}&runningMode=async`;

async function createPermit(svc: ApiCaller): Promise<string> {
  const { body } = await svc.call("POST", "/cases", { body: { caseTypeID: "City-Permit-Work-Permit" } });
  return textAt(body, "id");
}

/** Many cases that do not exist, which still take time, followed by one that exists. */
function asked(missing: number, last: string): JsonObject {
  const ids = Array.from({ length: missing }, (_, n) => `CITY-PERMIT-WORK P-${n + 1000}`);
  return { cases: [...ids, last].map((ID) => ({ ID })), content: { Channel: "Post" } };
}

/** How often an action was performed on a case. */
async function performed(svc: ApiCaller, caseId: string): Promise<number> {
  const body = { dataViewParameters: { CaseInstanceKey: caseId } };
  const rows = valueAt((await svc.call("POST", "/data_views/D_pyWorkHistory", { body })).body, "data");
  assert.ok(Array.isArray(rows));
  return rows.filter((row) => valueAt(row, "pyHistoryType") === "performed").length;
}

Deno.test("a duplicate case and a job with too many cases are refused, and nothing is changed", async () => {
  await using svc = await openService();
  const ID = await createPermit(svc);
  const refused = async (path: string, body: JsonValue) => {
    const answer = await svc.call("PATCH", path, { body });
    assert.equal(answer.status, 400);
    return readErrorDetails(answer.body)[0]?.message;
  };
  for (const path of [BULK, ASYNC]) {
    const body = { cases: [{ ID }, { ID: "CITY-PERMIT-WORK P-99" }, { ID }], content: {} };
    assert.equal(await refused(path, body), `The case ${ID} is named more than once`);
  }
  assert.equal(await refused(ASYNC, asked(10_000, ID)), "A call may have at most 10000 cases, not 10001");
  assert.equal(await performed(svc, ID), 0);
});

Deno.test("a job in the background does not wait for the last case of another job", async () => {
  await using svc = await openService();
  const [last, only] = [await createPermit(svc), await createPermit(svc)];
  await svc.call("PATCH", ASYNC, { body: asked(2000, last) });
  await svc.call("PATCH", ASYNC, { body: asked(0, only) });
  await eventually("the case of the short job is performed", () => performed(svc, only));
  assert.equal(await performed(svc, last), 0);
});

Deno.test("a job is scheduled once when the store repeats the unit of work that creates it", async () => {
  await using svc = await openServiceOn({});
  const [ID, last] = [await createPermit(svc), await createPermit(svc)];
  await svc.call("PATCH", ASYNC, { body: { cases: [{ ID }, { ID: last }], content: { Channel: "Post" } } });
  await eventually("the job is done", () => performed(svc, last));
  assert.deepEqual([await performed(svc, ID), await performed(svc, last)], [1, 1]);
});

/** Opens a store that several services of this process serve, as processes serve a database server. */
function openSharedStore(): Store & AsyncDisposable {
  const { close, ...store } = openSqliteStore(":memory:");
  const server = { files: openBytes(), readTime: () => Promise.resolve(new Date()) };
  return { ...store, server, close: () => Promise.resolve(), [Symbol.asyncDispose]: close };
}

Deno.test("services that start on the same database perform each case of a job once", async () => {
  await using store = openSharedStore();
  await using first = await openServiceOn({ store });
  const ids: string[] = [];
  while (ids.length < 20) ids.push(await createPermit(first));
  await leaveBulkJobIn(store, ids, { done: 3 });
  const others = await Promise.all([openServiceOn({ store }), openServiceOn({ store })]);
  await eventually("the last case is performed", () => performed(first, ids.at(-1) ?? ""));
  for (const id of ids) assert.equal(await performed(first, id), 1, id);
  for (const other of others) await other[Symbol.asyncDispose]();
});

Deno.test("a running service continues the job of a process that has ended", async () => {
  await using store = openSharedStore();
  await using svc = await openServiceOn({ store });
  const [ID, last] = [await createPermit(svc), await createPermit(svc)];
  await leaveBulkJobIn(store, [ID, last], { done: 1 });
  await eventually("the last case is performed", () => performed(svc, last));
  assert.deepEqual([await performed(svc, ID), await performed(svc, last)], [1, 1]);
});

Deno.test("the next start completes unfinished jobs, and repeats nothing", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  const first = await openService({ data });
  const [begin, last] = [await createPermit(first), await createPermit(first)];
  const tags = [await tagOf(first, begin), await tagOf(first, last)];
  const changed = await createPermit(first);
  await first.call("PATCH", BULK, { body: asked(0, changed) });
  const body = asked(1000, last);
  const store = await openStoreOf(data); // Now: opened later, it might miss the job.
  const { status } = await first.call("PATCH", ASYNC, {
    headers: { "if-match": tags.join(", ") },
    body: {
      ...body,
      cases: [{ ID: begin }, ...cases(body).toSpliced(-1, 0, { ID: changed })],
      pageInstructions: [{ instruction: "APPEND", target: ".Documents", content: { Title: "Plan" } }],
      attachments: [{ type: "URL", category: "URL", name: "Letter", url: "https://city.example" }],
    },
  });
  assert.equal(status, 202);
  // Not by a query of the service: its thread would have to start first.
  await eventually("the job has made progress", () => readProgress(store));
  await store.close();
  await first.service.close();

  const done = await readStored(data, readProgress);
  assert.ok(done > 0 && done < 1000, `${done} of 1003 cases`);

  const second = await openService({ data });
  await eventually("the last case is performed", () => performed(second, last));
  for (const id of [begin, last, changed]) assert.equal(await performed(second, id), 1, id);
  const path = `/cases/${encodeURIComponent(last)}`;
  assert.equal(valueAt((await second.call("GET", path)).body, "data.caseInfo.content.Documents.0.Title"), "Plan");
  assert.equal(valueAt((await second.call("GET", `${path}/attachments`)).body, "attachments.0.name"), "Letter");
  await second.service.close();
  assert.deepEqual([...first.log, ...second.log], []);
  for (const kind of ["bulk-job", "bulk-progress"]) {
    assert.deepEqual(await readStored(data, (store) => readItems(store, kind)), []);
  }
});

Deno.test("unfinished jobs continue in the order in which they were created", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  const first = await openService({ data });
  const ID = await createPermit(first);
  await first.service.close();
  await leaveBulkJob(data, [ID], { id: "2", channel: "Desk", promised: new Date(Date.now() - 1000) });
  await leaveBulkJob(data, [ID], { id: "1", channel: "Post" });
  await using second = await openService({ data });
  await eventually("both jobs are performed", async () => await performed(second, ID) >= 2);
  assert.equal(
    valueAt((await second.call("GET", `/cases/${encodeURIComponent(ID)}`)).body, "data.caseInfo.content.Channel"),
    "Post",
  );
});

Deno.test("a job of an operator who no longer exists is dropped, and changes nothing", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  const first = await openService({ data });
  const ID = await createPermit(first);
  await first.service.close();
  await leaveBulkJob(data, [ID, "another"]);
  const yaml = (await Deno.readTextFile(PERMIT_FILE)).replaceAll("clerk@city", "clara@city");
  await using second = await openService({ data, yaml, acceptMismatch: true });
  await readStored(data, (store) =>
    eventually("the job is dropped, or an error is logged", async () => {
      return second.log.length > 0 || (await readItems(store, "bulk-job")).length === 0;
    }));
  assert.deepEqual([await performed(second, ID), second.log], [0, []]);
});

async function tagOf(svc: TestService, caseId: string): Promise<string> {
  return (await svc.call("GET", `/cases/${encodeURIComponent(caseId)}`)).headers.get("etag") ?? "";
}

/** Reads from the store of a data directory. */
async function readStored<T>(data: string, read: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStoreOf(data);
  return await read(store).finally(() => store.close());
}

/** Reads how many cases of the only job are done. */
async function readProgress(store: Store): Promise<number> {
  const [progress] = await readItems(store, "bulk-progress");
  return Number(valueAt(progress?.content, "done") ?? 0);
}

function readItems(store: Store, kind: string): Promise<StoredItem[]> {
  return store.read((tx) => tx.listItems(kind));
}

function cases({ cases }: JsonObject): JsonValue[] {
  return Array.isArray(cases) ? cases : [];
}
