/** The service over HTTP: routes, refusals, headers, and that every identifier arrives. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { SvcError } from "../../../lib/errors.ts";
import { Tokens } from "../../../service/access/tokens.ts";
import { Forbidden } from "../../../service/errors.ts";
import { BytesUnavailable } from "../../../service/store/bytes.ts";
import { QueryTooSlow } from "../../../service/store/query.ts";
import { OutcomeUnknown, StoreBusy, StoreFull, StoreUnavailable } from "../../../service/store/store.ts";
import { loadServedApplication } from "../../../service/sample/served_application.ts";
import type { Outcome } from "../../../service/http/handler.ts";
import { handlers } from "../../../service/http/routes.ts";
import type { ServiceResponse } from "../../../service/connections/service_response.ts";
import { createApp } from "../../../service/http/app.ts";
import { openBytes } from "../../../service/store/bytes_on_disk.ts";
import { ServiceClock } from "../../../service/store/service_clock.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import { WireReader, writeToConnection } from "../../harness/faults.ts";
import { openService, openServiceOn, readErrorDetails, sendRequest } from "../../harness/service.ts";

function object(value: JsonValue | undefined): JsonObject {
  if (isJsonObject(value)) return value;
  throw new TypeError(`${JSON.stringify(value)} is not an object.`);
}

const PERMIT = "City-Permit-Work-Permit";

Deno.test("a case is created, read and found again with its tag, its place and a request ID", async () => {
  await using svc = await openService();
  const created = await svc.call("POST", "/cases", { body: { caseTypeID: PERMIT, content: { Applicant: "Ada" } } });
  const id = String(object(created.body).id);
  assert.equal(created.status, 201);
  assert.equal(created.headers.get("location"), "/dx-api/v2/cases/CITY-PERMIT-WORK%20P-1");
  const read = await svc.call("GET", `/cases/${encodeURIComponent(id)}`);
  assert.equal(read.status, 200);
  assert.equal(object(read.body).id, id);
  assert.match(read.headers.get("etag") ?? "", /^\d{8}T\d{6}\.\d{3} GMT$/);
  assert.equal(read.headers.get("cache-control"), "no-store");
  assert.match(read.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
  assert.equal(read.headers.get("content-type"), "application/json");
});

Deno.test("a calculation of an unknown property is refused", async () => {
  await using svc = await openService();
  await svc.call("POST", "/cases", { body: { caseTypeID: PERMIT, content: { Applicant: "Ada" } } });
  const path = `/cases/${encodeURIComponent("CITY-PERMIT-WORK P-1")}/views/pyDetails/calculated_fields`;
  for (const fields of [[{}], [null], [{ name: 1, context: "content" }]]) {
    const { status } = await svc.call("POST", path, { body: { calculations: { fields } } });
    assert.equal(status, 400, JSON.stringify(fields));
  }
});

Deno.test("members that no command sends are validated too, and null counts as missing", async () => {
  await using svc = await openService();
  const nothing = { parentCaseID: null, content: null, pageInstructions: null, attachments: null };
  const created = await svc.call("POST", "/cases", { body: { caseTypeID: PERMIT, ...nothing } });
  assert.equal(created.status, 201);
  const path = `/cases/${encodeURIComponent("CITY-PERMIT-WORK P-1")}/actions/pyUpdateCaseDetails/recalculate`;
  const calculations = { fields: [{ name: ".Fee", context: "content" }] };
  const answers = [
    await svc.call("POST", "/cases", { body: { caseTypeID: PERMIT, parentCaseID: 1 } }),
    await svc.call("PATCH", path, { body: { calculations, content: [{ Area: 2 }] } }),
    await svc.call("PATCH", path, { body: { calculations, pageInstructions: {} } }),
    await svc.call("PATCH", path, { body: { calculations, content: null } }),
  ];
  assert.deepEqual(answers.map(({ status, body }) => [status, readErrorDetails(body)[0]?.message]), [
    [400, "parentCaseID: must be text."],
    [400, "content: must be a JSON object."],
    [400, "pageInstructions: must be a JSON array."],
    [200, undefined],
  ]);
});

Deno.test("raw and encoded segments are the same, and are decoded once", async () => {
  await using svc = await openService();
  await svc.call("POST", "/cases", { body: { caseTypeID: PERMIT } });
  const open = "/assignments/" + encodeURIComponent("ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE");
  assert.equal((await svc.call("GET", open)).status, 200);
  assert.equal((await svc.call("GET", open.replace("!", "%21").replace("-WORK", "%2DWORK"))).status, 200);
  assert.equal((await svc.call("GET", open.replaceAll("%20", "%2520"))).status, 404);
  assert.equal((await svc.call("GET", open.replaceAll("%20", "%C3"))).status, 400);
});

Deno.test("any identifier of a record is decoded exactly", async () => {
  await using svc = await openService({ yaml: NOTES });
  const identifiers = fc.oneof(
    fc.constantFrom("a b", "a/b", "a%2Fb", "100%", "a?b", "a#b", "@x!y", "ä😀", "a+b", "a&b=c", "..", "%25"),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).filter((text) =>
      text.trim() !== "" && text.isWellFormed()
    ),
  );
  await fc.assert(
    fc.asyncProperty(identifiers, async (id) => {
      const created = await svc.call("POST", "/data/D_Notes", { body: { data: { ID: id } } });
      assert.equal(created.status, 200, JSON.stringify(created.body));
      const keys = encodeURIComponent(JSON.stringify({ ID: id }));
      const read = await svc.call("GET", `/data_views/D_Notes?dataViewParameters=${keys}`);
      assert.equal(object(read.body).ID, id);
      assert.equal((await svc.call("DELETE", `/data/D_Notes?ID=${encodeURIComponent(id)}`)).status, 200);
    }),
    { numRuns: 60 },
  );
});

Deno.test("a lone surrogate in the JSON of a query is refused instead of reading another record", async () => {
  const one =
    "D_One: { name: One, source: records, class: Org-Notes-Data-Note, structure: page, parameters: { ID: {} },";
  await using svc = await openService({ yaml: `${NOTES}  ${one} filter: [{ field: ID, parameter: ID }] }\n` });
  await svc.call("POST", "/data/D_Notes", { body: { data: { ID: "\ufffd" } } });
  const read = (keys: string) => svc.call("GET", `/data_views/D_One?dataViewParameters=${encodeURIComponent(keys)}`);
  assert.equal((await read(String.raw`{"ID":"\ufffd"}`)).status, 200);
  const { status, body } = await read(String.raw`{"ID":"\ud800"}`);
  assert.equal(status, 400);
  assert.match(String(readErrorDetails(body)[0]?.message), /^dataViewParameters: contains a lone surrogate/);
});

Deno.test("an unknown identifier in a path is a 404 in JSON that names only listed resources", async () => {
  await using svc = await openService();
  const { dataPages } = object((await svc.call("GET", "/data_pages")).body);
  assert.ok(Array.isArray(dataPages));
  const listed = dataPages.map((page) => String(object(page).id));
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }), async (id) => {
      fc.pre(id !== "." && id !== ".." && id.isWellFormed());
      const { status, body } = await svc.call("GET", `/data_views/${encodeURIComponent(id)}/metadata`);
      assert.equal(status, 404);
      const message = String(readErrorDetails(body)[0]?.message);
      const refusal = `Dataview not found: ${id}`;
      assert.equal(message.slice(0, refusal.length), refusal);
      const [, names = ""] = message.slice(refusal.length).match(/^; (?:available:|did you mean) (.*)$/) ?? [];
      const named = names.split(/, | or |\?|'/).filter((part) => part !== "");
      assert.ok(named.every((name) => listed.includes(name)), message);
    }),
    { numRuns: 60 },
  );
});

Deno.test("a fixed path takes precedence over a path with a variable", async () => {
  await using svc = await openService();
  assert.equal(
    readErrorDetails((await svc.call("GET", "/assignments/next")).body)[0]?.message,
    "Error_No_Assignment_Available",
  );
  assert.equal((await svc.call("POST", "/cases/bulk-actions", { body: {} })).status, 400);
});

Deno.test("an unknown path and an unsupported method are refused in JSON", async () => {
  await using svc = await openService();
  const nothing = await svc.call("GET", "/nothing/here");
  assert.equal(nothing.status, 404);
  assert.equal(object(nothing.body).errorClassification, "Resource not found");
  const method = await svc.call("PUT", "/cases/C-1");
  assert.equal(method.status, 405);
  assert.equal(method.headers.get("allow"), "DELETE, GET");
  assert.equal((await sendRequest("GET", svc.service.url + "/")).status, 404);
});

Deno.test("HEAD is refused for a GET that changes something, and is served like GET otherwise", async () => {
  await using svc = await openService();
  const created = await svc.call("POST", "/cases", { body: { caseTypeID: PERMIT } });
  const path = `/cases/${encodeURIComponent(String(object(created.body).id))}`;
  await svc.call("PUT", `${path}/stages/PRIM1`); // whose assignment is in a queue
  const before = await svc.call("GET", path);
  const head = await svc.call("HEAD", "/assignments/next");
  assert.deepEqual([head.status, head.headers.get("allow"), head.body], [405, "GET", undefined]);
  const after = await svc.call("HEAD", path);
  assert.equal(after.status, 200);
  assert.equal(after.headers.get("etag"), before.headers.get("etag"));
  assert.equal(after.headers.get("content-length"), before.headers.get("content-length"));
  assert.deepEqual((await svc.call("GET", path)).body, before.body);
  assert.equal((await svc.call("GET", "/assignments/next")).status, 200);
});

Deno.test("HEAD is refused like GET for a malformed Host header", async () => {
  await using svc = await openService();
  const { hostname, port } = new URL(svc.service.url);
  for (const host of ["a b", "[", "%"]) {
    const statuses = await Promise.all(["GET", "HEAD"].map(async (method) => {
      using connection = await Deno.connect({ hostname, port: Number(port) });
      await writeToConnection(connection, `${method} /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      return (await new WireReader(connection).read())?.head.split("\r\n")[0];
    }));
    assert.deepEqual(statuses, ["HTTP/1.1 403 Forbidden", "HTTP/1.1 403 Forbidden"], host);
  }
});

Deno.test("deleting a case deletes its messages, conversations, tags, participants and history", async () => {
  const data = await Deno.makeTempDir();
  try {
    await using svc = await openService({ data });
    const create = async () => {
      const { body } = await svc.call("POST", "/cases", { body: { caseTypeID: PERMIT } });
      return String(object(body).id);
    };
    const [id, other] = [await create(), await create()];
    const post = (path: string, body: JsonObject) => svc.call("POST", path, { body });
    const message = await post("/messages", { context: id, message: "Hello @Rosa #tag" });
    const answers = [
      message,
      await post("/messages", { context: String(object(message.body).ID), message: "A reply" }),
      await post(`/ai-agents/${encodeURIComponent("@baseclass!PermitGuide")}/conversations`, { contextID: id }),
      await post(`/cases/${encodeURIComponent(id)}/tags`, { tags: [{ Name: "hot" }] }),
      await post(`/cases/${encodeURIComponent(id)}/followers`, { users: [{ ID: "clerk@city" }] }),
      await post(`/cases/${encodeURIComponent(id)}/related_cases`, { cases: [{ ID: other, relationship: "twin" }] }),
      await post(`/cases/${encodeURIComponent(id)}/participants`, { participantRoleID: "Adviser", content: PERSON }),
      await post(`/cases/${encodeURIComponent(id)}/attachments`, { attachments: [LINK] }),
    ];
    assert.deepEqual(answers.map(({ status }) => status), [201, 201, 201, 207, 207, 207, 201, 201]);
    assert.equal((await svc.call("DELETE", `/cases/${encodeURIComponent(id)}`)).status, 200);
    await svc.service.close();
    using db = new DatabaseSync(`${data}/service.db`);
    const rows = (sql: string) => db.prepare(sql).all();
    assert.deepEqual(rows("SELECT kind, id FROM items WHERE kind NOT IN ('definition', 'initial-records')"), []);
    for (const table of ["assignments", "events"]) {
      assert.deepEqual(rows(`SELECT DISTINCT caseId FROM ${table}`).map(({ caseId }) => caseId), [other], table);
    }
  } finally {
    await Deno.remove(data, { recursive: true });
  }
});

const PERSON = { pyLastName: "Ray", Subject: "Heritage" };
const LINK = { type: "URL", category: "URL", name: "Map", url: "https://maps.example/1" };

Deno.test("a body with invalid JSON, invalid UTF-8, too many levels or too many bytes is refused", async () => {
  await using svc = await openService();
  const post = (text: BodyInit, headers = {}) => svc.call("POST", "/cases", { text, headers });
  assert.match(String(readErrorDetails((await post("{oops")).body)[0]?.message), /not JSON/);
  const latin = Buffer.from(JSON.stringify({ caseTypeID: PERMIT, content: { Applicant: "Ren\xe9" } }), "latin1");
  assert.equal(readErrorDetails((await post(latin)).body)[0]?.message, "The body is not UTF-8.");
  const deep = "The body nests objects and arrays more than 100 deep.";
  for (const text of ['{"caseTypeID":' + "[".repeat(100) + "]".repeat(100) + "}", "[".repeat(4_000_000)]) {
    const { status, body } = await post(text);
    assert.deepEqual([status, readErrorDetails(body)[0]?.message], [400, deep], "before the syntax is checked");
  }
  const long = '"' + "x".repeat(5 * 1024 * 1024) + '"';
  const declared = await post(long);
  assert.equal(declared.status, 413);
  assert.equal(object(declared.body).errorClassification, "Content too large");
  assert.equal((await post(new Blob([long]).stream())).status, 413);
});

Deno.test("a client that disconnects during a body is not logged as a failure of the service", async () => {
  const svc = await openService();
  const { hostname, port, pathname } = new URL(svc.api);
  const framings = [
    "Content-Length: 500\r\n\r\n{",
    "Transfer-Encoding: chunked\r\n\r\n500\r\n{",
    "Transfer-Encoding: chunked\r\n\r\nx",
  ];
  for (const path of [`${pathname}/cases`, svc.service.tokenPath]) {
    for (const framing of framings) {
      using connection = await Deno.connect({ hostname, port: Number(port) });
      const head = `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${svc.token}\r\n`;
      await connection.write(new TextEncoder().encode(head + framing));
      await connection.closeWrite();
      while (await connection.read(new Uint8Array(1000)).catch(() => null) !== null);
    }
  }
  await svc.service.close();
  assert.deepEqual(svc.log, []);
});

Deno.test("an empty body is valid if every member is optional", async () => {
  await using svc = await openService();
  await svc.call("POST", "/cases", { body: { caseTypeID: PERMIT } });
  assert.equal((await svc.call("POST", "/data_views/D_Permits")).status, 200);
  assert.equal((await svc.call("POST", "/data/D_Inspectors/actions", { text: "" })).status, 200);
  assert.equal(readErrorDetails((await svc.call("POST", "/cases")).body)[0]?.message, "caseTypeID: is required.");
});

/** Returns the response and the log of a call that throws. */
async function failing(failure: () => Outcome): Promise<{ response: ServiceResponse; log: string }> {
  const log: string[] = [];
  const store = openSqliteStore(":memory:");
  const tokens = new Tokens(store, 60);
  await store.transact((tx) => tx.putClient({ id: "c", secretHash: "", operator: "clerk@city", createdAt: "" }));
  const client = await store.read((tx) => tx.getClient("c"));
  const token = client && await tokens.issue(client);
  const answer = await createApp({
    app: await loadServedApplication(undefined),
    store,
    clock: await ServiceClock.open(store),
    bytes: openBytes(),
    maxFileBytes: 0,
    assets: { find: () => Promise.resolve(undefined), list: () => [] },
    tokens,
    handlers: {
      ...handlers,
      caseTypes: { ...handlers.caseTypes, list: failure },
    },
    apiRoot: "",
    tokenPath: "/token",
    runLater: () => {},
    runContinuation: (continuation) => continuation(new AbortController().signal),
    log: (line) => log.push(line),
  });
  const response = await answer({
    method: "GET",
    target: "/casetypes",
    header: (name) => name === "authorization" ? `Bearer ${token}` : undefined,
    body: null,
    bytes: () => Promise.resolve(new Uint8Array()),
    trust: () => {},
  });
  await store.close();
  return { response, log: log.join() };
}

Deno.test("an unexpected error is a 500 without its reason, and the log has the reason", async () => {
  const { response, log } = await failing(() => {
    throw new Error("the password is x");
  });
  assert.equal(response.status, 500);
  assert.doesNotMatch(String(response.body), /password|\.ts/);
  assert.match(log, /the password is x/);
  assert.ok(log.includes(response.headers["x-request-id"] ?? "nothing"));
});

Deno.test("a call that fails because the disk is full reports that", async () => {
  using db = new DatabaseSync(":memory:");
  db.exec("CREATE TABLE t (x); PRAGMA max_page_count = 2");
  const { response } = await failing(() => {
    db.prepare("INSERT INTO t VALUES (zeroblob(9999))").run();
    throw new Error("There was room.");
  });
  assert.equal(response.status, 507);
  assert.equal(
    readErrorDetails(JSON.parse(String(response.body)))[0]?.message,
    "The disk of the service is full. Free some space on it.",
  );
});

Deno.test("a failure of the store is reported with the time after which the call can be repeated, if there is one", async () => {
  const failures: readonly [error: Error, status: number, retryAfter: string | undefined, message: RegExp][] = [
    [new StoreBusy("The store is busy."), 503, "1", /^The store is busy\.$/],
    [new StoreUnavailable("x"), 503, "1", /^The database of the service cannot be reached\.$/],
    [new BytesUnavailable("x"), 503, "1", /^The file storage of the service cannot be reached\.$/],
    [new Error("EMFILE: x"), 503, "1", /^The service has too many open files\.$/],
    [new OutcomeUnknown("The outcome is unknown."), 503, undefined, /^The outcome is unknown\.$/],
    [new StoreFull("x"), 507, undefined, /^The disk of the service is full/],
    [new SvcError("STORE_DAMAGED", "A row is damaged."), 500, undefined, /^A row is damaged\.$/],
    [new SvcError("INTERNAL_ERROR", "x"), 500, undefined, /^The service failed\./],
    [new QueryTooSlow("x"), 400, undefined, /^The query takes too long\./],
    [new Forbidden("You may not."), 403, undefined, /^You may not\.$/],
  ];
  for (const [error, status, retryAfter, message] of failures) {
    const { response } = await failing(() => {
      throw error;
    });
    assert.deepEqual([response.status, response.headers["retry-after"]], [status, retryAfter], error.message);
    assert.match(String(readErrorDetails(JSON.parse(String(response.body)))[0]?.message), message);
  }
});

Deno.test("the outcome of a call that loses the store after its first unit of work is unknown", async () => {
  const failures: readonly [error: Error, status: number, retryAfter: string | undefined][] = [
    [new StoreBusy("busy"), 503, undefined],
    [new StoreUnavailable("lost"), 503, undefined],
    [new BytesUnavailable("lost"), 503, "1"],
    [new Forbidden("You may not."), 403, undefined],
  ];
  for (const [error, status, retryAfter] of failures) {
    const { response } = await failing(() => ({
      afterCommit: () =>
        Promise.resolve(() => {
          throw error;
        }),
    }));
    assert.deepEqual([response.status, response.headers["retry-after"]], [status, retryAfter], error.message);
  }
});

Deno.test("the service closes after running calls, and its port is free again", async () => {
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const bytes = openBytes();
  const write: typeof bytes.write = async (pieces, limit) => {
    asked.resolve();
    await held.promise;
    return await bytes.write(pieces, limit);
  };
  const svc = await openServiceOn({ bytes: { ...bytes, write } });
  const body = new FormData();
  body.append("file", new File(["abc"], "a.txt"));
  const headers = { authorization: `Bearer ${svc.token}` };
  const upload = sendRequest("POST", `${svc.api}/attachments/upload`, { body, headers });
  await asked.promise;
  const closed = svc[Symbol.asyncDispose]();
  held.resolve();
  assert.equal((await upload).status, 201);
  await closed;
  await assert.rejects(fetch(svc.api));
});

Deno.test("the paths of the API and of the token endpoint can be changed", async () => {
  await using svc = await openService({
    apiRoot: "/prweb/api/application/v2",
    tokenPath: "/prweb/PRRestService/oauth2/v1/token",
  });
  assert.equal((await svc.call("GET", "/casetypes")).status, 200);
  assert.equal((await sendRequest("GET", svc.service.url + "/dx-api/v2/casetypes")).status, 404);
});

Deno.test("a service does not have the operations of the other variant", async () => {
  await using svc = await openService({ yaml: NOTES });
  const { status, body } = await svc.call("GET", "/casetypes/Org-Notes-Work-Note/bulk-actions");
  assert.equal(status, 404);
  assert.match(String(readErrorDetails(body)[0]?.message), /hosted/);
});

const NOTES = `
application: { id: Notes, name: Notes, organisation: Org, variant: on-premises, platformVersion: 24 }
operators: { "ada@notes": { name: Ada, queues: [] } }
queues: {}
caseTypes: {}
dataTypes:
  Org-Notes-Data-Note:
    name: Note
    key: [ID]
    savable: D_Notes
    fields: { ID: { type: Text }, Text: { type: TextArea } }
dataViews:
  D_Notes: { name: Notes, source: records, class: Org-Notes-Data-Note }
`;
