/** Idempotency keys over HTTP: what a caller gets who repeats a request, and what the service holds afterwards. */
import assert from "node:assert/strict";
import { type CallSteps, KeyedCalls } from "../../../service/http/idempotency.ts";
import { openBytes } from "../../../service/store/bytes_on_disk.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import { OutcomeUnknown, type Store, StoreUnavailable } from "../../../service/store/store.ts";
import { ServiceClock } from "../../../service/store/service_clock.ts";
import { sweepRegularly } from "../../../service/server/run.ts";
import {
  type ApiAnswer,
  type ApiCallOptions,
  completion,
  openService,
  oracleApplication,
  readErrorDetails,
  requestToken,
  sendRequest,
  startModel,
  type TestService,
} from "../../harness/service.ts";
import { textAt, valueAt } from "../../harness/service_engine.ts";
import { makeFolder } from "../../harness/svc.ts";
import { eventually } from "../../harness/wait.ts";

const PERMIT = { caseTypeID: "City-Permit-Work-Permit", content: { Applicant: "Ada" } };

function keyed(key: string, options: ApiCallOptions = {}): ApiCallOptions {
  return { ...options, headers: { "idempotency-key": key, ...options.headers } };
}

/** A response as a client sees it, without the request ID. */
function seen({ status, headers, body }: ApiAnswer) {
  const shown = ["etag", "location", "expires", "content-type", "cache-control"].map((name) => headers.get(name));
  return { status, body, shown };
}

function isReplay({ headers }: ApiAnswer): boolean {
  return headers.get("idempotent-replayed") === "true";
}

async function countCases(svc: TestService): Promise<number> {
  return (await svc.rows("D_Permits", {})).length;
}

Deno.test("a repeated request changes nothing and receives the first response", async () => {
  await using svc = await openService();
  const first = await svc.call("POST", "/cases", keyed("k1", { body: PERMIT }));
  assert.equal(first.status, 201);
  assert.equal(isReplay(first), false);
  const id = textAt(first.body, "id");
  const path = `/cases/${encodeURIComponent(id)}/actions/pyUpdateCaseDetails`;
  const body = { content: { Applicant: "Bob" } };
  assert.equal((await svc.call("PATCH", path, { body })).status, 200);
  const again = await svc.call("POST", "/cases", keyed("k1", { body: PERMIT }));
  assert.deepEqual(seen(again), seen(first));
  assert.equal(isReplay(again), true);
  assert.notEqual(again.headers.get("x-request-id"), first.headers.get("x-request-id"));
  assert.equal(await countCases(svc), 1);
});

Deno.test("a repeated change receives its response regardless of the current entity tag", async () => {
  await using svc = await openService();
  const created = await svc.call("POST", "/cases", { body: PERMIT });
  const path = `/cases/${encodeURIComponent(textAt(created.body, "id"))}/actions/pyUpdateCaseDetails`;
  const options = {
    body: { content: { Applicant: "Bob" } },
    headers: { "if-match": created.headers.get("etag") ?? "" },
  };
  const first = await svc.call("PATCH", path, keyed("k1", options));
  assert.equal(first.status, 200);
  for (const tag of [options.headers["if-match"], first.headers.get("etag") ?? "", "another"]) {
    const again = await svc.call("PATCH", path, keyed("k1", { ...options, headers: { "if-match": tag } }));
    assert.deepEqual([isReplay(again), seen(again)], [true, seen(first)]);
  }
  assert.equal((await svc.call("PATCH", path, keyed("k2", options))).status, 412);
});

Deno.test("a change that was refused for its entity tag can be repeated with its key and the current tag", async () => {
  await using svc = await openService();
  const created = await svc.call("POST", "/cases", { body: PERMIT });
  const path = `/cases/${encodeURIComponent(textAt(created.body, "id"))}/actions/pyUpdateCaseDetails`;
  const tags = ["stale", created.headers.get("etag") ?? "", "stale"];
  const statuses: number[] = [];
  for (const tag of tags) {
    const options = { body: { content: { Applicant: "Bob" } }, headers: { "if-match": tag } };
    statuses.push((await svc.call("PATCH", path, keyed("k", options))).status);
  }
  assert.deepEqual(statuses, [412, 200, 200]);
});

Deno.test("a change that was refused because of a lock can be made with its key when the lock is released", async () => {
  await using svc = await openService();
  const token = await requestToken(svc.service, await svc.service.addClient("reviewer@city"));
  const created = await svc.call("POST", "/cases", { body: PERMIT });
  const path = `/cases/${encodeURIComponent(textAt(created.body, "id"))}`;
  const intake = `/assignments/${
    encodeURIComponent(textAt(created.body, "nextAssignmentInfo.ID"))
  }/actions/Register/save`;
  assert.equal((await svc.call("PATCH", intake, { body: { content: { Applicant: "Bob" } } })).status, 200);
  const go = () =>
    svc.call("POST", `${path}/stages/next`, keyed("k", { headers: { authorization: `Bearer ${token}` } }));
  assert.equal((await go()).status, 423);
  assert.equal((await svc.call("DELETE", `${path}/updates`)).status, 200);
  const answers = [await go(), await go()];
  assert.deepEqual(answers.map((answer) => [answer.status, isReplay(answer)]), [[200, false], [200, true]]);
});

Deno.test("a change that was refused because of a missing permission or entity tag can be made with its key afterwards", async () => {
  await using svc = await openService();
  const reviewer = await requestToken(svc.service, await svc.service.addClient("reviewer@city"));
  const { body } = await svc.call("POST", "/cases", { body: PERMIT });
  const path = `/cases/${encodeURIComponent(textAt(body, "id"))}`;
  const review = () => svc.call("PUT", `${path}/stages/Review`);
  const id = textAt((await review()).body, "data.caseInfo.assignments.0.ID");
  const perform = async (headers = {}) => {
    const target = `/assignments/${encodeURIComponent(id)}/actions/CheckApplication`;
    return (await svc.call("PATCH", target, keyed("k", { headers, body: { content: { Address: "Dam 1" } } }))).status;
  };
  await svc.call("GET", "/assignments/next", { headers: { authorization: `Bearer ${reviewer}` } });
  assert.equal(await perform({ "if-match": "*" }), 403, "the reviewer has taken it");
  await review();
  assert.deepEqual([await perform(), await perform({ "if-match": "*" })], [428, 200]);
});

Deno.test("concurrent requests with one key run once and receive the same response", async () => {
  await using svc = await openService();
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => svc.call("POST", "/cases", keyed("same", { body: PERMIT }))),
  );
  assert.equal(new Set(answers.map(({ body }) => textAt(body, "id"))).size, 1);
  assert.equal(answers.filter(isReplay).length, 39);
  assert.equal(await countCases(svc), 1);
});

Deno.test("a key that was used for another request is refused, and the first answer stays", async () => {
  await using svc = await openService();
  const created = await svc.call("POST", "/cases", { body: PERMIT });
  const path = `/cases/${encodeURIComponent(textAt(created.body, "id"))}`;
  const first = await svc.call("POST", `${path}/stages/next`, keyed("k"));
  const others: [string, string, ApiCallOptions][] = [
    ["PUT", `${path}/stages/next`, {}],
    ["PUT", `${path}/stages/PRIM1`, {}],
    ["POST", `${path}/stages/next?cleanupProcesses=false`, {}],
    ["POST", `${path}/stages/next`, { body: {} }],
  ];
  for (const [method, other, options] of others) {
    const { status, body } = await svc.call(method, other, keyed("k", options));
    assert.equal(status, 422, `${method} ${other}`);
    const sentence = "The Idempotency-Key k was used for another request. Use a new one.";
    assert.deepEqual(readErrorDetails(body), [{ message: sentence, localizedValue: sentence }]);
  }
  assert.deepEqual(seen(await svc.call("POST", `${path}/stages/next`, keyed("k"))), seen(first));
});

Deno.test("a key belongs to an operator, regardless of the client or token", async () => {
  await using svc = await openService();
  const [clerk = "", other = ""] = svc.service.operators;
  const first = await svc.call("POST", "/cases", keyed("k", { body: PERMIT }));
  for (const [operator, expected] of [[clerk, true], [other, false]] as const) {
    const token = await requestToken(svc.service, await svc.service.addClient(operator));
    const answer = await svc.call(
      "POST",
      "/cases",
      keyed("k", { body: PERMIT, headers: { authorization: `Bearer ${token}` } }),
    );
    assert.equal(answer.status, 201);
    assert.equal(isReplay(answer), expected);
    assert.equal(textAt(answer.body, "id") === textAt(first.body, "id"), expected);
  }
});

Deno.test("a failure of an operation is stored, even if its cause is resolved later", async () => {
  await using svc = await openService();
  const created = await svc.call("POST", "/cases", { body: PERMIT });
  const path = `/cases/${encodeURIComponent(textAt(created.body, "id"))}/actions/none`;
  const options = { body: { content: {} }, headers: { "if-match": created.headers.get("etag") ?? "" } };
  for (const [target, status] of [[path, 409], ["/cases/none/actions/a", 404]] as const) {
    const first = await svc.call("PATCH", target, keyed(target, options));
    const again = await svc.call("PATCH", target, keyed(target, options));
    assert.equal(first.status, status);
    assert.deepEqual([isReplay(first), isReplay(again)], [false, true]);
    assert.deepEqual(seen(again), seen(first));
  }
});

Deno.test("a request without a valid token leaves no trace of its key", async () => {
  await using svc = await openService();
  const headers = { authorization: "Bearer nothing" };
  assert.equal((await svc.call("POST", "/cases", keyed("k", { body: PERMIT, headers }))).status, 401);
  const answer = await svc.call("POST", "/cases", keyed("k", { body: PERMIT }));
  assert.deepEqual([answer.status, isReplay(answer)], [201, false]);
});

Deno.test("a key has 1 to 255 printable ASCII characters, and reads ignore it", async () => {
  await using svc = await openService();
  for (const key of ["", "x".repeat(256), "ä", "a\tb"]) {
    const { status, body } = await svc.call("POST", "/cases", keyed(key, { body: PERMIT }));
    assert.equal(status, 400, JSON.stringify(key));
    assert.equal(readErrorDetails(body)[0]?.message, "Idempotency-Key must be 1 to 255 printable ASCII characters.");
  }
  const longest = `${"~!".repeat(127)} x`.slice(-255);
  assert.equal((await svc.call("POST", "/cases", keyed(longest, { body: PERMIT }))).status, 201);
  for (let time = 0; time < 2; time++) {
    assert.equal(isReplay(await svc.call("POST", "/data_views/D_Permits", keyed("r", { body: {} }))), false);
  }
});

Deno.test("a response is stored for a day, after which a repeated request runs again", async () => {
  const store = openSqliteStore(":memory:");
  const calls = new KeyedCalls(store, await ServiceClock.open(store));
  const hour = 60 * 60 * 1000;
  const kept = { status: 200, headers: {}, body: "kept" };
  const ages = [23.9, 24.1].map((hours) => ({
    key: `${hours}`,
    at: new Date(Date.now() - hours * hour).toISOString(),
  }));
  const given: [string, boolean][] = [];
  for (const { key, at } of ages) {
    await store.transact((tx) => tx.putResponse({ ...kept, caller: "ada", key, request: "r", at }));
    const { response, isReplay } = await calls.perform({ caller: "ada", key, request: "r" }, {
      start: () => Promise.resolve({ text: "done" }),
      complete: (outcome) => Promise.resolve(outcome),
      prepare: ({ text = "" }) => ({ status: 200, headers: {}, body: text }),
    });
    given.push([response.body, isReplay]);
  }
  assert.deepEqual(given, [["kept", true], ["done", false]]);
  await store.close();
});

/** The keyed calls of two processes on one database. */
interface Processes extends AsyncDisposable {
  readonly first: KeyedCalls;
  readonly second: KeyedCalls;
  /** Resolves when the second process has ended its first unit of work. */
  readonly looked: Promise<void>;
}

/** Opens the calls of two processes. The clock of the second one is ahead by some seconds. */
async function openProcesses(seconds: number): Promise<Processes> {
  const store = openSqliteStore(":memory:");
  const looked = Promise.withResolvers<void>();
  const open = async (ahead: number, parts: Partial<Store> = {}) => {
    const server = { files: openBytes(), readTime: () => Promise.resolve(new Date(Date.now() + ahead)) };
    const shared = { ...store, server, ...parts };
    return new KeyedCalls(shared, await ServiceClock.open(shared));
  };
  return {
    first: await open(0),
    second: await open(1000 * seconds, { transact: (work) => store.transact(work).finally(looked.resolve) }),
    looked: looked.promise,
    [Symbol.asyncDispose]: () => store.close(),
  };
}

/** Returns the steps of a call that waits for an answer, and a promise that resolves when it waits. */
function waitFor(answer: Promise<string>): { steps: CallSteps; waits: Promise<void> } {
  const waits = Promise.withResolvers<void>();
  const steps: CallSteps = {
    start: () => Promise.resolve({ afterCommit: () => Promise.reject(new TypeError("The steps complete the call.")) }),
    async complete(_first, transact) {
      waits.resolve();
      const text = await answer;
      return await transact(() => Promise.resolve({ text }));
    },
    prepare: ({ text = "", failure }) => ({ status: failure ? 424 : 200, headers: {}, body: failure?.message ?? text }),
  };
  return { steps, waits: waits.promise };
}

const CALL = { caller: "ada", key: "k", request: "r" };

Deno.test("a repeated call waits while another process performs the first one, and receives its response", async () => {
  await using processes = await openProcesses(0);
  const answer = Promise.withResolvers<string>();
  const { steps, waits } = waitFor(answer.promise);
  const first = processes.first.perform(CALL, steps);
  await waits;
  const second = processes.second.perform(CALL, { ...steps, start: () => assert.fail("It runs again.") });
  await processes.looked;
  answer.resolve("done");
  const results = [await first, await second];
  assert.deepEqual(results.map(({ response, isReplay }) => [response.body, isReplay]), [["done", false], [
    "done",
    true,
  ]]);
});

Deno.test("a call whose process stands still is reported as interrupted, and cannot change anything afterwards", async () => {
  await using processes = await openProcesses(16);
  const answer = Promise.withResolvers<string>();
  const { steps, waits } = waitFor(answer.promise);
  const first = processes.first.perform(CALL, steps);
  await waits;
  const { response } = await processes.second.perform(CALL, steps);
  assert.match(response.body, /^The service ended while this call waited for another server\./);
  answer.resolve("done");
  await assert.rejects(first, /^Error: The service ended while this call waited/);
  assert.equal((await processes.first.perform(CALL, steps)).response.body, response.body);
});

Deno.test("an embedded database stores no lease, because it has no other process", async () => {
  const store = openSqliteStore(":memory:");
  const answer = Promise.withResolvers<string>();
  const { steps, waits } = waitFor(answer.promise);
  const performed = new KeyedCalls(store, await ServiceClock.open(store)).perform(CALL, steps);
  await waits;
  assert.deepEqual(await store.read((tx) => tx.listItems("call-lease")), []);
  answer.resolve("done");
  assert.equal((await performed).response.body, "done");
  await store.close();
});

Deno.test("a call whose outcome is unknown looks for its response, and stays unknown while the store is unavailable", async () => {
  const store = openSqliteStore(":memory:");
  const unknown = new OutcomeUnknown("The connection was lost.");
  const steps: CallSteps = {
    start: () => Promise.resolve({ text: "done" }),
    complete: (outcome) => Promise.resolve(outcome),
    prepare: ({ text = "" }) => ({ status: 200, headers: {}, body: text }),
  };
  const perform = async (...failures: Error[]) => {
    const transact: Store["transact"] = (work) => {
      const failure = failures.shift();
      return failure === undefined ? store.transact(work) : Promise.reject(failure);
    };
    return await new KeyedCalls({ ...store, transact }, await ServiceClock.open(store)).perform(CALL, steps);
  };
  await assert.rejects(perform(unknown, new StoreUnavailable("lost")), unknown);
  const defect = new TypeError("A defect.");
  await assert.rejects(perform(unknown, defect), defect);
  await assert.rejects(perform(defect), defect);
  assert.deepEqual(await perform(unknown), {
    response: { status: 200, headers: {}, body: "done" },
    isReplay: false,
  });
  await store.close();
});

Deno.test("all expired responses are deleted, and no others", async () => {
  const [store, bytes] = [openSqliteStore(":memory:"), openBytes()];
  const old = new Date(Date.now() - 25 * 60 * 60 * 1000).toISOString();
  const keys = Array.from({ length: 250 }, (_, i) => `old ${i}`);
  await store.transact(async (tx) => {
    const kept = { caller: "ada", request: "r", status: 200, headers: {}, body: "" };
    for (const key of keys) await tx.putResponse({ ...kept, key, at: old });
    await tx.putResponse({ ...kept, key: "new", at: new Date().toISOString() });
  });
  await sweepRegularly({ store, bytes, clock: await ServiceClock.open(store) }, assert.fail)[Symbol.asyncDispose]();
  const left = await store.read(async (tx) => {
    const answers = await Promise.all([...keys, "new"].map((key) => tx.getResponse("ada", key)));
    return answers.flatMap((answer) => answer?.key ?? []);
  });
  assert.deepEqual(left, ["new"]);
  await Promise.all([store.close(), bytes.close()]);
});

Deno.test("responses without a body and responses with text are repeated unchanged", async () => {
  await using svc = await openService();
  const { api, token } = svc;
  const raw = async (method: string, path: string, key: string, body?: string) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key };
    const response = await fetch(api + path, { method, headers, body });
    return [response.status, response.headers.get("content-type"), await response.text()];
  };
  const id = textAt((await svc.call("POST", "/cases", { body: PERMIT })).body, "id");
  const attachments = [{ type: "URL", category: "URL", name: "Site", url: "https://site.example" }];
  const added = [`/cases/${encodeURIComponent(id)}/attachments`, "a", JSON.stringify({ attachments })] as const;
  assert.deepEqual(await raw("POST", ...added), await raw("POST", ...added));
  const list = await svc.call("GET", `/cases/${encodeURIComponent(id)}/attachments`);
  assert.equal(valueAt(list.body, "attachments.1"), undefined);
  const attachment = `/attachments/${encodeURIComponent(textAt(list.body, "attachments.0.ID"))}`;
  const renamed = await raw("PATCH", attachment, "p", JSON.stringify({ name: "Page" }));
  assert.deepEqual(renamed, [200, "text/plain; charset=utf-8", "Attachment edited successfully"]);
  assert.deepEqual(await raw("PATCH", attachment, "p", JSON.stringify({ name: "Page" })), renamed);
  const deleted = await raw("DELETE", attachment, "d");
  assert.deepEqual(await raw("DELETE", attachment, "d"), deleted);
  assert.equal((await svc.call("DELETE", attachment)).status, 404);
});

Deno.test("an upload that is repeated with another boundary is the same request, and its bytes are stored once", async () => {
  await using folder = await makeFolder();
  await using svc = await openService({ data: `${folder.path}/data`, store: "sqlite" });
  const upload = async (content: string, name: string, key = "u") => {
    const body = new FormData();
    body.append("appendUniqueIdToFileName", "false");
    body.append("file", new File([content], name, { type: "text/plain" }));
    const headers = { authorization: `Bearer ${svc.token}`, "idempotency-key": key };
    return await sendRequest("POST", `${svc.api}/attachments/upload`, { body, headers });
  };
  const files = async () => (await Array.fromAsync(Deno.readDir(`${folder.path}/data/files`))).map(({ name }) => name);
  const first = await upload("abc", "a.txt");
  assert.equal(first.status, 201);
  const repeats = await Promise.all([upload("abc", "a.txt"), upload("abc", "a.txt")]);
  for (const again of repeats) assert.deepEqual([isReplay(again), seen(again)], [true, seen(first)]);
  assert.equal((await upload("abd", "a.txt")).status, 422);
  assert.equal((await upload("abc", "b.txt")).status, 422);
  assert.equal((await upload("", "a.txt", "empty")).status, 400);
  const refused = await upload("", "a.txt", "empty");
  assert.deepEqual([refused.status, isReplay(refused)], [400, true]);
  assert.deepEqual(await files(), [textAt(first.body, "ID")]);
});

Deno.test("a repeated bulk action in the background runs once", async () => {
  await using svc = await openService();
  const ID = textAt((await svc.call("POST", "/cases", { body: PERMIT })).body, "id");
  const body = { cases: [{ ID }], content: { Channel: "Post" } };
  const path = "/cases?actionID=pyUpdateCaseDetails&runningMode=async";
  const answers = await Promise.all([1, 2, 3].map(() => svc.call("PATCH", path, keyed("b", { body }))));
  assert.deepEqual(answers.map(({ status }) => status), [202, 202, 202]);
  assert.equal(new Set(answers.map(({ body }) => textAt(body, "jobID"))).size, 1);
  const performed = async () => {
    const rows = await svc.rows("D_pyWorkHistory", { dataViewParameters: { CaseInstanceKey: ID } });
    return rows.filter(({ pyHistoryType }) => pyHistoryType === "performed").length;
  };
  await eventually("the bulk action is performed", performed);
  assert.equal(await performed(), 1);
});

Deno.test("the submission of a background bulk action is written once, not once per case", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  await using svc = await openService({ data, store: "sqlite" });
  const cases = Array.from({ length: 200 }, (_, i) => ({ ID: `CITY-PERMIT-WORK P-${i}` }));
  const body = { cases, content: { Advice: "x".repeat(1_000_000) } };
  const path = "/cases?actionID=pyUpdateCaseDetails&runningMode=async";
  assert.equal((await svc.call("PATCH", path, { body })).status, 202);
  let written = 0;
  for await (const { name, isFile } of Deno.readDir(data)) {
    if (isFile) written += (await Deno.stat(`${data}/${name}`)).size;
  }
  assert.ok(written < 20_000_000, `${written} bytes`);
});

Deno.test("a bulk action on too many cases is refused, and the error suggests the background", async () => {
  await using svc = await openService();
  const body = { cases: Array.from({ length: 1001 }, () => ({ ID: "CITY-PERMIT-WORK P-1" })), content: {} };
  const refused = await svc.call("PATCH", "/cases?actionID=pyUpdateCaseDetails", { body });
  assert.equal(refused.status, 400);
  assert.match(JSON.stringify(refused.body), /at most 1000 cases unless it is done in the background, not 1001/);
  assert.equal((await svc.call("POST", "/cases/bulk-actions", { body: { cases: body.cases } })).status, 400);
});

Deno.test("a call during a background bulk action does not wait for all of it", async () => {
  await using svc = await openService();
  const ID = textAt((await svc.call("POST", "/cases", { body: PERMIT })).body, "id");
  const missing = Array.from({ length: 2000 }, (_, n) => ({ ID: `CITY-PERMIT-WORK P-${n + 1000}` }));
  const body = { cases: [...missing, { ID }], content: { Channel: "Post" } };
  await svc.call("PATCH", "/cases?actionID=pyUpdateCaseDetails&runningMode=async", { body });
  const lines = await svc.rows("D_pyWorkHistory", { dataViewParameters: { CaseInstanceKey: ID } });
  const performed = lines.filter(({ pyHistoryType }) => pyHistoryType === "performed");
  assert.deepEqual(performed, [], "all were done before anybody else had a turn");
});

Deno.test("a message that is repeated while a model answers waits for the same response", async () => {
  await using model = startModel();
  Deno.env.set("SVC_TEST_ONCE_MODEL", model.address);
  await using svc = await openService({
    yaml: oracleApplication("SVC_TEST_ONCE_MODEL"),
  });
  const path = "/ai-agents/@baseclass!Oracle/conversations";
  const started = await svc.call("POST", path, { body: { executeStarterQuestion: false } });
  const conversation = `${path}/${textAt(started.body, "id")}`;
  const asked = Promise.withResolvers<void>();
  const thought = Promise.withResolvers<void>();
  model.answer = async (question) => {
    asked.resolve();
    await thought.promise;
    return completion(`You said: ${question}`);
  };
  const say = () => svc.call("PATCH", conversation, keyed("m", { body: { Request: "Why?" } }));
  const first = say();
  await asked.promise;
  const second = say();
  thought.resolve();
  assert.deepEqual(seen(await second), seen(await first));
  assert.deepEqual([(await first).status, isReplay(await second)], [200, true]);
  assert.equal(model.asked.length, 1);
  const messages = valueAt((await svc.call("GET", conversation)).body, "messages");
  assert.equal(Array.isArray(messages) && messages.length, 2);
});
