/** Idempotency keys when the service is killed: a change and its answer are both there afterwards, or neither. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "../../../utils/json.ts";
import { locateFiles } from "../../../service/server/directory.ts";
import { deleteExpiredResponses } from "../../../service/http/idempotency.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import type { StoredResponse } from "../../../service/store/store.ts";
import { holdResponse } from "../../harness/faults.ts";
import {
  leaveBulkJob,
  openService,
  oracleApplication,
  readErrorDetails,
  spawnService,
  startModel,
  type TestService,
} from "../../harness/service.ts";
import { textAt, valueAt } from "../../harness/service_engine.ts";
import { CHECKOUT, LimitedCommand, makeFolder, runCommand } from "../../harness/svc.ts";
import { eventually } from "../../harness/wait.ts";

const caseTypeID = "City-Permit-Work-Permit";
const DAY = 24 * 60 * 60 * 1000;

/** The history of a case, or its lines of a kind. */
async function linesOf(svc: TestService, caseId: string, kind?: string): Promise<JsonObject[]> {
  const lines = await svc.rows("D_pyWorkHistory", { dataViewParameters: { CaseInstanceKey: caseId } });
  return lines.filter(({ pyHistoryType }) => kind === undefined || pyHistoryType === kind);
}

Deno.test("after a kill during calls, repeating the calls with their keys applies each change once", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  const keys = Array.from({ length: 400 }, (_, index) => `run.${index}.1`);
  const create = (service: { call: typeof first.call }, key: string) =>
    service.call("POST", "/cases", {
      body: { caseTypeID, content: { Applicant: key } },
      headers: { "idempotency-key": key },
    });
  const first = await spawnService(data);
  let answered = 0;
  let killed: Promise<void> | undefined;
  const early = await Promise.allSettled(keys.map(async (key) => {
    const answer = await create(first, key);
    if (++answered === 60) killed = first.kill();
    return textAt(answer.body, "id");
  }));
  await killed;
  const second = await spawnService(data);
  for (const [index, key] of keys.entries()) {
    const { status, body } = await create(second, key);
    assert.equal(status, 201);
    const before = early[index];
    if (before?.status === "fulfilled") assert.equal(textAt(body, "id"), before.value, "the answer is durable");
  }
  const counted = await second.call("POST", "/data_views/D_Permits", {
    body: { paging: { maxResultsToFetch: 1, includeTotalCount: true } },
  });
  assert.equal(valueAt(counted.body, "totalCount"), keys.length, JSON.stringify(counted.body));
  await second.kill();
});

Deno.test("a call that was killed while it waited for a model reports that when it is repeated, and does not run again", async () => {
  await using model = startModel();
  await using folder = await makeFolder();
  const app = `${folder.path}/talk.yaml`;
  Deno.env.set("SVC_TEST_CRASH_MODEL", model.address);
  await Deno.writeTextFile(
    app,
    oracleApplication("SVC_TEST_CRASH_MODEL"),
  );
  const held = holdResponse();
  model.answer = held.answer;
  const path = "/ai-agents/@baseclass!Oracle/conversations";
  const first = await spawnService(`${folder.path}/data`, app);
  const started = await first.call("POST", path, { body: { executeStarterQuestion: false } });
  const conversation = `${path}/${textAt(started.body, "id")}`;
  const options = { body: { Request: "Why?" }, headers: { "idempotency-key": "m" } };
  const cut = assert.rejects(first.call("PATCH", conversation, options));
  await held.requested();
  await first.kill();
  await cut;
  held.release(new Response());
  const second = await spawnService(`${folder.path}/data`, app);
  for (let time = 0; time < 2; time++) {
    const { status, body, headers } = await second.call("PATCH", conversation, options);
    assert.equal(status, 424);
    assert.equal(headers.get("idempotent-replayed"), "true");
    assert.match(
      String(readErrorDetails(body)[0]?.message),
      /^The service ended while this call waited for another server\./,
    );
  }
  const messages = valueAt((await second.call("GET", conversation)).body, "messages");
  assert.equal(Array.isArray(messages) && messages.length, 1);
  assert.equal(model.asked.length, 1);
  await second.kill();
});

Deno.test("the rest of a bulk action runs when the service starts again", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  const before = await openService({ data });
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) {
    ids.push(textAt((await before.call("POST", "/cases", { body: { caseTypeID } })).body, "id"));
  }
  await before.service.close();

  await leaveBulkJob(data, [...ids, "none"], { done: 1 });
  for (let start = 0; start < 2; start++) {
    const after = await openService({ data });
    const performed = (id: string) => linesOf(after, id, "performed");
    await eventually("the last case is performed", async () => (await performed(ids.at(-1) ?? "")).length);
    for (const id of ids) assert.equal((await performed(id)).length, 1);
    assert.deepEqual(after.log, []);
    await after.service.close();
  }
});

Deno.test("a case of a background bulk action that could not be written is retried", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  const made = await openService({ data });
  const ids: string[] = [];
  while (ids.length < 3) ids.push(textAt((await made.call("POST", "/cases", { body: { caseTypeID } })).body, "id"));
  await made.service.close();
  await leaveBulkJob(data, ids);
  using database = new DatabaseSync(locateFiles(data).database);
  database.exec(`CREATE TRIGGER full BEFORE UPDATE ON cases WHEN NEW.id = '${ids[1]}'
    BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`);
  const log: string[] = [];
  await using after = await openService({
    data,
    log: (line) => {
      log.push(line);
      database.exec("DROP TRIGGER full");
    },
  });
  await eventually(
    "the last case is performed",
    async () => (await linesOf(after, ids.at(-1) ?? "", "performed")).length,
  );
  for (const id of ids) assert.equal((await linesOf(after, id, "performed")).length, 1);
  assert.deepEqual(log.map((line) => line.split("\n")[0]), [
    "A background job failed. It will be retried in 1 s or at the next start: Error: The disk of the database is full.",
  ]);
});

Deno.test("a bulk action in the background uses the time of its execution", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  const before = await openService({ data });
  const id = textAt((await before.call("POST", "/cases", { body: { caseTypeID } })).body, "id");
  await before.service.close();
  await leaveBulkJob(data, [id], { promised: new Date(Date.now() - 60_000) });
  await using after = await openService({ data });
  await eventually("the case is performed", async () => (await linesOf(after, id, "performed")).length);
  const lines = await linesOf(after, id);
  const times = lines.map(({ pxTimeCreated }) => String(pxTimeCreated));
  assert.equal(lines.at(-1)?.pyHistoryType, "performed");
  assert.deepEqual(times, times.toSorted());
  const [row] = await after.rows("D_Permits", {});
  assert.ok(String(row?.pxUpdateDateTime) >= String(row?.pxCreateDateTime));
});

Deno.test("a response is stored for a day", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  const call = async (at?: number) => {
    await using svc = await openService({ data });
    const options = { body: { caseTypeID }, headers: { "idempotency-key": "k" } };
    const { body } = await svc.call("POST", "/cases", options);
    await svc.service.close();
    const store = openSqliteStore(locateFiles(data).database);
    await store.transact(async (tx) => {
      const kept = await tx.getResponse("clerk@city", "k");
      assert.ok(kept);
      if (at === undefined) return;
      await tx.putResponse({ ...kept, at: new Date(at).toISOString() });
      await tx.putResponse({ ...kept, key: "newer", at: new Date().toISOString() });
    });
    await store.close();
    return textAt(body, "id");
  };
  const first = await call(Date.now() - DAY + 60_000);
  assert.equal(await call(Date.now() - DAY - 1), first);
  assert.notEqual(await call(), first);
});

Deno.test("expired responses are deleted in small batches, and the others stay", async () => {
  const store = openSqliteStore(":memory:");
  const now = Date.now();
  const answer = (key: string, at: number): StoredResponse => {
    return { caller: "ada", key, request: "", at: new Date(at).toISOString(), status: 200, headers: {}, body: "" };
  };
  for (let n = 0; n < 250; n++) await store.transact((tx) => tx.putResponse(answer(`old ${n}`, now - DAY - 1)));
  for (let n = 0; n < 10; n++) await store.transact((tx) => tx.putResponse(answer(`new ${n}`, now - DAY)));
  await store.transact((tx) => tx.putResponse(answer("old 0", now)));
  assert.equal(await store.transact((tx) => tx.deleteResponses(new Date(now - DAY).toISOString(), 20)), 20);
  await deleteExpiredResponses(store, new Date(now));
  await store.read(async (tx) => {
    for (let n = 1; n < 250; n++) assert.equal(await tx.getResponse("ada", `old ${n}`), undefined);
    for (let n = 0; n < 10; n++) assert.ok(await tx.getResponse("ada", `new ${n}`));
    assert.ok(await tx.getResponse("ada", "old 0"), "one that was replaced is young again");
  });
  await store.close();
});

Deno.test("a start with the system time a day ahead deletes no response and no upload", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  const program = `
    const day = 25 * 60 * 60 * 1000;
    const RealDate = Date;
    globalThis.Date = class extends RealDate {
      constructor(...args) { args.length === 0 ? super(RealDate.now() + day) : super(...args); }
      static now() { return RealDate.now() + day; }
    };
    const { startService } = await import(${JSON.stringify(import.meta.resolve("../../../service/mod.ts"))});
    const service = await startService({ data: Deno.args[0] });
    await service.close();`;
  const create = async (svc: TestService) => {
    const options = { body: { caseTypeID }, headers: { "idempotency-key": "k" } };
    return textAt((await svc.call("POST", "/cases", options)).body, "id");
  };
  const upload = new FormData();
  upload.append("file", new File(["abc"], "a.txt"));
  let first: string;
  let file: string;
  {
    await using svc = await openService({ data });
    first = await create(svc);
    const headers = { authorization: `Bearer ${svc.token}` };
    const response = await fetch(`${svc.api}/attachments/upload`, { method: "POST", body: upload, headers });
    file = textAt(await response.json(), "ID");
  }
  const args = ["eval", "--config", `${CHECKOUT}/deno.json`, program, data];
  const ahead = await runCommand(new LimitedCommand(Deno.execPath(), { args, stdout: "piped", stderr: "piped" }));
  assert.deepEqual([ahead.code, ahead.stderr], [0, ""]);
  await using svc = await openService({ data });
  assert.equal(await create(svc), first);
  const attachments = [{ type: "File", category: "File", ID: file }];
  const path = `/cases/${encodeURIComponent(first)}/attachments`;
  assert.equal((await svc.call("POST", path, { body: { attachments } })).status, 201);
});
