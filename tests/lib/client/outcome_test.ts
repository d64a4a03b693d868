/** Outcomes of failed calls: whether the service may have applied them, tested with faulty servers. */
import assert from "node:assert/strict";
import { type AttemptOptions, type Caller, createCaller } from "../../../lib/client/caller.ts";
import { readText } from "../../../lib/http/limits.ts";
import { type ErrorCode, SvcError } from "../../../lib/errors.ts";
import { createClient } from "../../../mod.ts";
import { toKebab } from "../../../lib/operation/operation.ts";
import { catchError, NO_SERVICE } from "../../harness/fake_service.ts";
import {
  type Behaviour,
  cutConnection,
  inOrder,
  listIdempotencyKeys,
  readHeader,
  sendJson,
  sendText,
  startUnrulyServer,
} from "../../harness/faults.ts";
import { operationByName } from "./_operation.ts";

const CREATE = await operationByName("cases", "create");
const DELETE = await operationByName("cases", "delete");
const GET = await operationByName("cases", "get");
const PERFORM = await operationByName("assignments", "perform");
const DONE = sendJson(201, { id: "C-1" });

function create(caller: Caller, options?: AttemptOptions) {
  return caller.call(CREATE, { type: "T" }, options);
}

const TABLE: { [what: string]: [behave: Behaviour, code: ErrorCode, unknown: boolean] } = {
  "cuts before the status": [cutConnection, "NETWORK_ERROR", true],
  "cuts within the status": [sendText("HTTP/1.1 20"), "NETWORK_ERROR", true],
  "cuts within the headers": [sendText("HTTP/1.1 201 Created\r\ncontent-le"), "NETWORK_ERROR", true],
  "cuts within the body": [sendText('HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\n{"id"'), "NETWORK_ERROR", true],
  "cuts within a chunk": [
    sendText('HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{"id"'),
    "NETWORK_ERROR",
    true,
  ],
  "speaks nonsense": [sendText("nonsense\r\n\r\n"), "NETWORK_ERROR", true],
  "is silent": [() => {}, "TIMEOUT", true],
  "is silent in the middle of the answer": [
    (connection) =>
      void connection.write(new TextEncoder().encode("HTTP/1.1 201 Created\r\ncontent-length: 9\r\n\r\n{")),
    "TIMEOUT",
    true,
  ],
  "answers 502": [sendJson(502, {}), "SERVER_ERROR", true],
  "answers 503": [sendJson(503, {}), "SERVER_ERROR", true],
  "answers 503 and says when to come back": [sendJson(503, {}, { "retry-after": "1" }), "SERVER_ERROR", false],
  "answers 504": [sendJson(504, {}), "SERVER_ERROR", true],
  "shows where the result is": [sendJson(303, {}, { location: "/x" }), "HTTP_ERROR", true],
  "switches to another protocol": [
    sendText("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n"),
    "HTTP_ERROR",
    true,
  ],
  "answers 424": [sendJson(424, {}), "FAILED_DEPENDENCY", true],
  "answers 500": [sendJson(500, {}), "INTERNAL_SERVER_ERROR", true],
  "answers 524": [sendJson(524, {}), "SERVER_ERROR", true],
  "answers 429": [sendJson(429, {}), "RATE_LIMITED", false],
  "answers 412": [sendJson(412, {}), "PRECONDITION_FAILED", false],
  "answers 408": [sendJson(408, {}), "TIMEOUT", true],
};

for (const [what, [behave, code, unknown]] of Object.entries(TABLE)) {
  Deno.test(`a change at a server that ${what} has an outcome that is ${unknown ? "unknown" : "known"}`, async () => {
    using server = startUnrulyServer(behave);
    const caller = createCaller({ ...server.options, timeoutSeconds: code === "TIMEOUT" && unknown ? 1 : 20 });
    const error = await catchError(create(caller));
    assert.deepEqual([error.code, error.outcomeUnknown === true, error.operation], [code, unknown, "cases.create"]);
    assert.equal(server.received.length, 1);
    assert.equal("outcomeUnknown" in error.toJSON(), false);
    const read = await catchError(caller.call(GET, { caseId: "C-1" }));
    assert.deepEqual([read.code, read.outcomeUnknown], [code, undefined], "a read has no outcome");
  });
}

Deno.test("an invalid response to a change is an error with an unknown outcome that names the operation", async () => {
  for (const text of ['{"id"', "<html>", "[]"]) {
    const length = `content-length: ${text.length}`;
    using server = startUnrulyServer(
      sendText(`HTTP/1.1 201 Created\r\ncontent-type: application/json\r\n${length}\r\n\r\n${text}`),
    );
    const svc = createClient(server.options);
    const error = await catchError(svc.cases.create({ type: "T" }));
    assert.deepEqual([error.code, error.outcomeUnknown], ["INVALID_RESPONSE", true], text);
    const read = await catchError(svc.cases.get("C-1"));
    assert.deepEqual([read.code, read.outcomeUnknown], ["INVALID_RESPONSE", undefined], text);
    assert.deepEqual([error, read].map(({ operation, status }) => [operation, status]), [
      ["cases.create", 201],
      ["cases.get", 201],
    ]);
  }
});

Deno.test("a change that was never sent has a known outcome: closed port, unknown host, no token", async () => {
  const client = { clientId: "id", clientSecret: "secret", noCache: true };
  const server = startUnrulyServer(DONE);
  const caller = createCaller(server.options);
  await create(caller); // It has its token now.
  server[Symbol.dispose]();
  let refused = await catchError(create(caller));
  // Each may find a connection of before still open, and there are few.
  for (let left = 5; refused.outcomeUnknown && left > 0; left--) refused = await catchError(create(caller));
  assert.deepEqual([refused.code, refused.outcomeUnknown], ["NETWORK_ERROR", undefined], refused.message);

  for (const baseUrl of [NO_SERVICE.baseUrl, "https://nothing.invalid"]) {
    const error = await catchError(create(createCaller({ ...client, baseUrl })));
    assert.deepEqual([error.code, error.outcomeUnknown], ["NETWORK_ERROR", undefined], error.message);
  }
  const half = sendText('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"access');
  const silent = () => {};
  for (const token of [cutConnection, half, silent, sendJson(503, {}), sendJson(401, {})]) {
    using tokenless = startUnrulyServer(DONE);
    tokenless.token = token;
    const timeoutSeconds = token === silent ? 0.1 : 20;
    const error = await catchError(create(createCaller({ ...tokenless.options, timeoutSeconds })));
    assert.equal(error.code === "NETWORK_ERROR", token === cutConnection || token === half, error.message);
    assert.equal(error.outcomeUnknown, undefined, error.message);
    assert.equal(tokenless.received.length, 0);
  }
});

Deno.test("a timeout tells whether the token or the response is missing", async () => {
  for (const options of [{ timeoutSeconds: 0.1 }, { retries: 1, timeoutSeconds: 0.1 }]) {
    using server = startUnrulyServer(DONE);
    server.token = () => {};
    const svc = createClient({ ...server.options, ...options });
    const { baseUrl } = server.options;
    for (const call of [() => svc.cases.get("C-1"), () => svc.cases.create({ type: "T" })]) {
      const { code, message } = await catchError(call());
      assert.equal(code, "TIMEOUT");
      assert.match(message, new RegExp(`: The token exchange with ${baseUrl} did `));
    }
    assert.equal(server.received.length, 0);
  }
  using server = startUnrulyServer(() => {});
  const { message } = await catchError(createClient({ ...server.options, timeoutSeconds: 1 }).cases.get("C-1"));
  assert.match(message, /: GET .*C-1 did not respond within 1 s\.$/);
});

Deno.test("a change whose token was rejected and cannot be renewed has a known outcome", async () => {
  using server = startUnrulyServer(DONE);
  const caller = createCaller(server.options);
  await create(caller);
  server.behave = sendJson(401, {});
  server.token = cutConnection;
  const error = await catchError(create(caller));
  assert.deepEqual([error.code, error.outcomeUnknown], ["NETWORK_ERROR", undefined], error.message);
});

Deno.test("the outcome of a cancelled call is unknown only after it was sent", async () => {
  const sent = Promise.withResolvers<void>();
  using server = startUnrulyServer(() => sent.resolve());
  const caller = createCaller(server.options);
  const before = await catchError(create(caller, { signal: AbortSignal.abort() }));
  assert.deepEqual([before.code, before.outcomeUnknown], ["INTERRUPTED", undefined]);
  const abort = new AbortController();
  const call = catchError(create(caller, { signal: abort.signal }));
  await sent.promise;
  abort.abort();
  const after = await call;
  assert.deepEqual([after.code, after.outcomeUnknown], ["INTERRUPTED", true]);
});

Deno.test("the error of a cancelled call has the reason of its signal as cause, before and after it was sent", async () => {
  const sent = Promise.withResolvers<void>();
  using server = startUnrulyServer(() => sent.resolve());
  const caller = createCaller(server.options);
  const reason = new Error("It is closing time.");
  const before = await catchError(create(caller, { signal: AbortSignal.abort(reason) }));
  const abort = new AbortController();
  const call = catchError(create(caller, { signal: abort.signal }));
  await sent.promise;
  abort.abort(reason);
  for (const error of [before, await call]) assert.deepEqual([error.code, error.cause], ["INTERRUPTED", reason]);
});

Deno.test("a change is sent once, even if a reused connection breaks", async () => {
  for (const [ref, values] of [[CREATE, { type: "T" }], [DELETE, { caseId: "C-1" }]] as const) {
    for (const idempotencyKey of [undefined, "run.1.1"]) {
      using server = startUnrulyServer(DONE);
      const caller = createCaller(server.options);
      await caller.call(ref, values, { idempotencyKey });
      server.behave = inOrder(cutConnection, sendJson(429, {}));
      const error = await catchError(caller.call(ref, values, { idempotencyKey: idempotencyKey && "run.1.2" }));
      assert.deepEqual(
        [error.code, error.outcomeUnknown],
        ["NETWORK_ERROR", true],
        `${ref.name}: ${error.message}`,
      );
      assert.equal(server.received.length, 2, ref.name);
    }
  }
});

Deno.test("the outcome of a change with a key is unknown if its connection breaks and no other can be opened", async () => {
  for (const [ref, values] of [[CREATE, { type: "T" }], [DELETE, { caseId: "C-1" }]] as const) {
    const server = startUnrulyServer(DONE);
    const caller = createCaller(server.options);
    await caller.call(ref, values, { idempotencyKey: "run.1.1" });
    server.behave = () => server[Symbol.dispose]();
    const error = await catchError(caller.call(ref, values, { idempotencyKey: "run.1.2" }));
    assert.deepEqual(
      [error.code, error.outcomeUnknown],
      ["NETWORK_ERROR", true],
      `${ref.name}: ${error.message}`,
    );
  }
});

Deno.test("the key is sent with changes, but not with reads nor to a service that does not support keys", async () => {
  using server = startUnrulyServer(sendJson(200, { id: "C-1" }, { etag: '"1"' }));
  const caller = createCaller(server.options);
  assert.equal(caller.supportsIdempotencyKeys(), true);
  const options = { idempotencyKey: "run.1.2" };
  await create(caller, options);
  await caller.call(GET, { caseId: "C-1" }, options);
  await caller.call(PERFORM, { assignmentId: "A", action: "B" }, options);
  const keyless = createCaller({ ...server.options, idempotencyKeys: false });
  assert.equal(keyless.supportsIdempotencyKeys(), false);
  await create(keyless, options);
  assert.deepEqual(listIdempotencyKeys(server), ["run.1.2", undefined, undefined, "run.1.2", undefined]);
  for (const idempotencyKey of ["", "ä", "x".repeat(256), "a\nb"]) {
    const error = await catchError(create(caller, { idempotencyKey }));
    assert.equal(error.message, "idempotencyKey must be 1 to 255 printable ASCII characters.");
  }
});

Deno.test("a prepared call has its entity tag before it is sent, and a known tag is sent again", async () => {
  using server = startUnrulyServer(sendJson(200, { id: "A" }, { etag: '"1"' }));
  const caller = createCaller(server.options);
  const values = { assignmentId: "A", action: "B" };
  const calls = [
    () => caller.prepare(PERFORM, values),
    () => caller.prepare(PERFORM, values, { knownTag: '"0"' }),
    () => caller.prepare(PERFORM, { ...values, ifMatch: '"x"' }, { knownTag: '"0"' }),
    () => caller.prepare(CREATE, { type: "T" }),
    () => caller.prepare(GET, { caseId: "C-1" }),
  ];
  const prepared: unknown[] = [];
  for (const prepare of calls) {
    const { ifMatch, send } = await prepare();
    prepared.push([ifMatch, server.received.length]);
    await send();
  }
  assert.deepEqual(prepared, [['"1"', 1], ['"0"', 2], ['"x"', 3], [undefined, 4], [undefined, 5]]);
  const tags = server.received.map(({ head }) => readHeader(head, "if-match"));
  assert.deepEqual(tags, [undefined, '"1"', '"0"', '"x"', undefined, undefined]);
});

Deno.test("a change that needs an entity tag is not sent if the service returns no tag or an empty one", async () => {
  for (const headers of [undefined, { etag: "" }]) {
    using server = startUnrulyServer(sendJson(200, { id: "A" }, headers));
    const error = await catchError(createCaller(server.options).call(PERFORM, { assignmentId: "A", action: "B" }));
    assert.deepEqual([error.code, error.outcomeUnknown], ["MISSING_ETAG", undefined]);
    assert.equal(error.message, "The response of GET /assignments/A has no entity tag.");
    assert.equal(error.hint, "Pass ifMatch to send the entity tag that you last read.");
    const flags = error.with({ status: 200 }).renderHint((name) => `--${toKebab(name)}`);
    assert.equal(flags, "Pass --if-match to send the entity tag that you last read.");
    assert.equal(server.received.length, 1);
  }
});

Deno.test("a change with a key is sent even if the resource with its entity tag no longer exists", async () => {
  const gone = sendJson(404, { localizedValue: "The resource cannot be found." });
  using server = startUnrulyServer(inOrder(gone, DONE, gone, gone, gone));
  const caller = createCaller(server.options);
  const values = { assignmentId: "A", action: "B" };
  const reply = await caller.call(PERFORM, values, { idempotencyKey: "k" });
  assert.deepEqual(reply.body, { id: "C-1" });
  assert.equal((await catchError(caller.call(PERFORM, values, { idempotencyKey: "l" }))).code, "NOT_FOUND");
  assert.equal((await catchError(caller.call(PERFORM, values))).code, "NOT_FOUND");
  assert.deepEqual(listIdempotencyKeys(server), [undefined, "k", undefined, "l", undefined]);
});

Deno.test("an error without JSON quotes its text, or the title of a web page", async () => {
  const page = "<html><head><title>Gateway\n  down</title></head><body>Sorry</body></html>";
  const messages: [type: string, text: string, message: string][] = [
    ["text/plain", "Database  offline.\nTry later\n", "responded with 500: Database offline. Try later"],
    ["text/html; charset=utf-8", page, "responded with 500: Gateway down"],
    ["text/html", "<p>none</p>", "responded with 500."],
    ["application/json", "{}", "responded with 500."],
    ["text/plain", "x".repeat(5000), `responded with 500: ${"x".repeat(199)}…`],
  ];
  for (const [type, text, message] of messages) {
    const fetch = (url: string | URL | Request) =>
      Promise.resolve(
        String(url).endsWith("/token")
          ? Response.json({ access_token: "token", token_type: "Bearer" })
          : new Response(text, { status: 500, headers: { "content-type": type } }),
      );
    const client = { baseUrl: "https://svc.example", clientId: "id", clientSecret: "secret", noCache: true };
    const svc = createClient({ ...client, fetch });
    assert.equal((await catchError(svc.cases.get("C-1"))).message, `cases.get("C-1"): The service ${message}`);
  }
});

Deno.test("the stack of an error shows where it was thrown, even if members are added later", () => {
  function thrower() {
    return new SvcError("NOT_FOUND", "Missing: $&.");
  }
  const later = thrower().withOperation("cases.get").with({ status: 404 }, "Missing, after 3 attempts.");
  assert.match(later.stack ?? "", /^SvcError: Missing, after 3 attempts\.\n\s+at thrower /);
});

Deno.test("an error that onReply throws is not a failure of the network and leaves the outcome of a change unknown", async () => {
  using server = startUnrulyServer(DONE);
  const fault = new Error("The log is full.");
  const onReply = () => {
    throw fault;
  };
  const caller = createCaller({ ...server.options, onReply });
  const changed = await catchError(create(caller));
  assert.deepEqual([changed.code, changed.cause, changed.outcomeUnknown], ["INVALID_ARGS", fault, true]);
  assert.equal(changed.message, "onReply threw: The log is full.");
  assert.equal(changed.hint, "The service responded with 201. Catch errors inside onReply.");
  assert.equal((await catchError(caller.call(GET, { caseId: "C-1" }))).outcomeUnknown, undefined);
});

Deno.test("a chunked response is read completely, whatever length it claims", async () => {
  const chunks = "7d0\r\n" + "a".repeat(2000) + "\r\n0\r\n\r\n";
  for (const headers of ["content-length: 9\r\ntransfer-encoding: chunked", "transfer-encoding: chunked"]) {
    using server = startUnrulyServer(sendText(`HTTP/1.1 200 OK\r\n${headers}\r\nconnection: close\r\n\r\n${chunks}`));
    const read = async (limit: number) => await readText(await fetch(`${server.options.baseUrl}/`), { limit });
    await assert.rejects(read(1999), { message: "The response of the service is longer than 1999 bytes." });
    assert.equal((await read(2000)).length, 2000);
  }
});
