/** Retries: which calls are repeated, after which delay, and with which final error. */
import assert from "node:assert/strict";
import { createClient } from "../../../mod.ts";
import { type Caller, createCaller } from "../../../lib/client/caller.ts";
import { RetryBudget, retrying, type RetryOptions } from "../../../lib/client/retry.ts";
import { getRetryDelay, SvcError } from "../../../lib/errors.ts";
import { delay } from "../../../utils/async/abort.ts";
import { catchError } from "../../harness/fake_service.ts";
import {
  type Behaviour,
  cutConnection,
  inOrder,
  listIdempotencyKeys,
  readHeader,
  sendJson,
  sendNoBackend,
  sendText,
  startUnrulyServer,
  type UnrulyServer,
} from "../../harness/faults.ts";
import { operationByName } from "./_operation.ts";

const CREATE = await operationByName("cases", "create");
const GET = await operationByName("cases", "get");
const PERFORM = await operationByName("assignments", "perform");
const DONE = sendJson(200, { id: "C-1" }, { etag: '"1"' });
const KEY = { idempotencyKey: "k" };

/** A caller that records its delays instead of waiting. */
function patient(
  server: UnrulyServer,
  { timeoutSeconds = 20, ...options }: RetryOptions & { timeoutSeconds?: number } = {},
): { caller: Caller; waits: number[] } {
  const waits: number[] = [];
  const caller = retrying(createCaller({ ...server.options, timeoutSeconds }), {
    budget: new RetryBudget(),
    random: () => 1,
    now: () => Date.parse("2026-01-02T03:04:05Z"),
    wait: (milliseconds) => Promise.resolve(void waits.push(milliseconds)),
    ...options,
  });
  return { caller, waits };
}

function create(caller: Caller, options = {}): Promise<unknown> {
  return caller.call(CREATE, { type: "T" }, options);
}

const silent: Behaviour = () => {};
/**
 * Time limit of calls to a server that stays silent. The calls that it does answer, e.g. for a token, must also keep to
 * it.
 */
const SILENCE_SECONDS = 1;
const halfAnswer = sendText('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"id"');
const busy = sendJson(503, {}, { "retry-after": "2" });

/** Which calls are repeated: reads, changes with a key, changes without one. */
const TABLE: { [what: string]: [behave: Behaviour, read: boolean, keyed: boolean, keyless: boolean] } = {
  "cuts before the status": [cutConnection, true, true, false],
  "cuts within the answer": [halfAnswer, true, true, false],
  "is silent": [silent, true, true, false],
  "answers 408": [sendJson(408, {}), true, true, false],
  "answers 429": [sendJson(429, {}), true, true, true],
  "answers 500": [sendJson(500, {}), true, false, false],
  "answers 502": [sendJson(502, {}), true, true, false],
  "answers 503": [sendJson(503, {}), true, true, false],
  "answers 503 with a time": [busy, true, true, true],
  "answers 504": [sendJson(504, {}), true, true, false],
  "answers 400": [sendJson(400, {}), false, false, false],
  "answers 404": [sendJson(404, {}), false, false, false],
  "answers 409": [sendJson(409, {}), false, false, false],
  "answers 412": [sendJson(412, {}), false, false, false],
  "answers 422": [sendJson(422, {}), false, false, false],
};

for (const [what, [behave, read, keyed, keyless]] of Object.entries(TABLE)) {
  const repeated = [read && "reads", keyed && "changes with a key", keyless && "changes without"].filter(Boolean);
  Deno.test(`at a server that ${what} there is another attempt of: ${repeated.join(", ") || "nothing"}`, async () => {
    const calls = [
      [read, (caller: Caller) => caller.call(GET, { caseId: "C-1" })],
      [keyed, (caller: Caller) => create(caller, KEY)],
      [keyless, (caller: Caller) => create(caller)],
    ] as const;
    for (const [isRepeated, call] of calls) {
      using server = startUnrulyServer(inOrder(behave, DONE));
      const outcome = call(patient(server, behave === silent ? { timeoutSeconds: SILENCE_SECONDS } : {}).caller);
      if (isRepeated) await outcome;
      else assert.equal((await catchError(outcome)).attempts, undefined);
      assert.equal(server.received.length, isRepeated ? 2 : 1);
    }
  });
}

Deno.test("a key has no effect if the service does not support keys", async () => {
  using server = startUnrulyServer(inOrder(cutConnection, DONE));
  const caller = retrying(createCaller({ ...server.options, idempotencyKeys: false }));
  assert.equal(caller.supportsIdempotencyKeys(), false);
  assert.equal((await catchError(create(caller, KEY))).outcomeUnknown, true);
  assert.equal(server.received.length, 1);
});

Deno.test("every call that was never sent is retried", async () => {
  using server = startUnrulyServer(DONE);
  server.token = inOrder(cutConnection, sendJson(503, {}), sendJson(200, { access_token: "t", token_type: "Bearer" }));
  const { caller, waits } = patient(server);
  await create(caller);
  assert.deepEqual([server.received.length, waits], [1, [50, 100]]);
});

Deno.test("a rejected token is renewed once, and not again by retries", async () => {
  using server = startUnrulyServer(inOrder(DONE, sendJson(401, {})));
  const { caller } = patient(server);
  await create(caller, KEY);
  const error = await catchError(create(caller, KEY));
  assert.deepEqual([error.code, error.attempts], ["UNAUTHORIZED", undefined]);
  assert.equal(server.received.length, 3);
});

Deno.test("delays grow from 50 ms to 20 s, from 1 s if the service is busy, and are shortened at random", async () => {
  const cases = [
    [cutConnection, 12, () => 1, [50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 20_000, 20_000]],
    [sendJson(429, {}), 4, () => 1, [1000, 2000, 4000]],
    [sendJson(429, {}), 3, () => 0.25, [250, 500]],
    [cutConnection, 3, () => 0, [0, 0]],
  ] as const;
  for (const [behave, attempts, random, expected] of cases) {
    using server = startUnrulyServer(behave);
    const { caller, waits } = patient(server, { attempts, random });
    await catchError(create(caller, KEY));
    assert.deepEqual(waits, expected);
    assert.equal(server.received.length, attempts);
  }
});

Deno.test("Retry-After is honored in both forms, and a long one ends the call", async () => {
  const cases = [
    ["3", [3000, 3000]],
    ["3.5", [4000, 4000]],
    ["Fri, 02 Jan 2026 03:04:15 GMT", [10_000, 10_000]],
    ["Fri, 02 Jan 2026 03:04:00 GMT", [0, 0]],
    ["soon", [0, 0]],
    ["-1", [0, 0]],
    ["61", []],
  ] as const;
  for (const [retryAfter, expected] of cases) {
    using server = startUnrulyServer(sendJson(429, {}, { "retry-after": retryAfter }));
    const { caller, waits } = patient(server, { random: () => 0 });
    await catchError(create(caller));
    assert.deepEqual(waits, expected, retryAfter);
  }
  assert.equal(getRetryDelay("0", 0), 0);
});

Deno.test("all attempts carry the entity tag and the key of the first", async () => {
  let tag = 0;
  const changing = sendJson(200, { id: "A" });
  using server = startUnrulyServer((connection, request) => {
    if (request.head.startsWith("GET")) return sendJson(200, {}, { etag: `"${++tag}"` })(connection, request);
    return server.received.length < 4 ? cutConnection(connection, request) : changing(connection, request);
  });
  const { caller } = patient(server);
  await caller.call(PERFORM, { assignmentId: "A", action: "B" }, KEY);
  assert.deepEqual(listIdempotencyKeys(server), [undefined, "k", "k", "k"]);
  const tags = server.received.map(({ head }) => readHeader(head, "if-match"));
  assert.deepEqual(tags, [undefined, '"1"', '"1"', '"1"']);
});

Deno.test("an entity tag whose read failed is read again", async () => {
  using server = startUnrulyServer(inOrder(cutConnection, sendJson(500, {}), DONE));
  const { caller } = patient(server, { attempts: 4 });
  const error = await catchError(caller.call(PERFORM, { assignmentId: "A", action: "B" }));
  assert.equal(error.code, "INTERNAL_SERVER_ERROR", "a 500 is repeated for reads alone");
  server.behave = inOrder(cutConnection, DONE);
  await caller.call(PERFORM, { assignmentId: "A", action: "B" });
});

Deno.test("the budget is shared: many failures use it up, successes fill it again", async () => {
  using server = startUnrulyServer(cutConnection);
  const budget = new RetryBudget(20);
  const { caller } = patient(server, { budget });
  const attemptsOf = async () => {
    const before = server.received.length;
    await catchError(create(caller, KEY));
    return server.received.length - before;
  };
  assert.deepEqual([await attemptsOf(), await attemptsOf(), await attemptsOf()], [3, 3, 1]);
  server.behave = DONE;
  for (let n = 0; n < 4; n++) await create(caller, KEY);
  server.behave = cutConnection;
  assert.equal(await attemptsOf(), 1);
  server.behave = DONE;
  await create(caller, KEY);
  server.behave = inOrder(cutConnection, DONE);
  await create(caller, KEY); // The price of an attempt that succeeds is given back.
  server.behave = cutConnection;
  assert.equal(await attemptsOf(), 2);
});

Deno.test("successes do not raise the budget above its capacity", async () => {
  using server = startUnrulyServer(DONE);
  const { caller } = patient(server, { budget: new RetryBudget(5) });
  for (let n = 0; n < 10; n++) await create(caller, KEY);
  server.behave = cutConnection;
  await catchError(create(caller, KEY));
  assert.equal(server.received.length, 12);
});

Deno.test("a timeout costs twice as much of the budget", async () => {
  using server = startUnrulyServer(silent);
  const { caller } = patient(server, { budget: new RetryBudget(19), timeoutSeconds: SILENCE_SECONDS });
  await catchError(create(caller, KEY));
  assert.equal(server.received.length, 2);
});

Deno.test("the final error is the last one, with all attempts and one sentence", async () => {
  using server = startUnrulyServer(inOrder(cutConnection, busy, sendJson(503, { localizedValue: "Too busy." })));
  let time = 0;
  const { caller } = patient(server, { now: () => time, wait: (ms) => Promise.resolve(void (time += ms)) });
  const error = await catchError(create(caller, KEY));
  assert.equal(error.message, "Too busy, after 3 attempts.");
  assert.deepEqual([error.code, error.status, error.operation], ["SERVER_ERROR", 503, "cases.create"]);
  const [first, second, third] = error.toJSON().attempts ?? [];
  assert.match(String(first?.message), /connection closed before message completed\.$/);
  assert.deepEqual([first?.code, first?.status, first?.afterMilliseconds], ["NETWORK_ERROR", undefined, 0]);
  assert.deepEqual([second?.code, second?.status, second?.afterMilliseconds], ["SERVER_ERROR", 503, 50]);
  assert.deepEqual([third?.message, third?.afterMilliseconds], ["Too busy.", 4050]);
});

Deno.test("one attempt with an unknown outcome makes the outcome of the call unknown, until the service rejects the call", async () => {
  const cases = [
    [[cutConnection, busy, busy], true],
    [[busy, cutConnection, busy], true],
    [[busy, busy, busy], false],
    ...[400, 404, 410, 412, 415, 422, 428].map((status) => [[cutConnection, sendJson(status, {})], false] as const),
    [[cutConnection, sendJson(409, {})], true],
    [[cutConnection, sendJson(409, {}, { "idempotent-replayed": "true" })], false],
    [[sendJson(409, {})], false],
    // No gateway knows entity tags.
    [[cutConnection, sendText("HTTP/1.1 412 Precondition Failed\r\ncontent-length: 0\r\n\r\n")], false],
    ...[401, 403].map((status) => [[cutConnection, sendJson(status, {})], true] as const),
    // These may come from who stands before the service, or before it looks for the key.
    ...[423, 424, 425, 499].map((status) => [[cutConnection, sendJson(status, {})], true] as const),
    [[cutConnection, sendNoBackend], true],
  ] as const;
  for (const [[first, ...rest], expected] of cases) {
    using server = startUnrulyServer(inOrder(first, ...rest));
    const { outcomeUnknown = false } = await catchError(create(patient(server).caller, KEY));
    assert.equal(outcomeUnknown, expected);
  }
});

Deno.test("while the first request with a key is in progress, the call waits for its response", async () => {
  const outstanding = sendJson(409, { title: "A request is outstanding for this Idempotency-Key" });
  using server = startUnrulyServer(inOrder(cutConnection, outstanding, DONE));
  await create(patient(server).caller, KEY);
  assert.deepEqual(new Set(listIdempotencyKeys(server)), new Set(["k"]));
});

Deno.test("a conflict allows another attempt if another process may have sent the change", async () => {
  using server = startUnrulyServer(DONE);
  const { caller } = patient(server);
  const conflict = new SvcError("CONFLICT", "outstanding", { status: 409, rejectedByService: true });
  for (const mayHaveArrived of [true, false]) {
    const attempts = caller.startAttempts(CREATE, { isIdempotent: () => true, mayHaveArrived });
    if (mayHaveArrived) await attempts.next(conflict);
    else await assert.rejects(attempts.next(conflict), conflict);
  }
});

Deno.test("a rejected read of the entity tag does not settle the change of an earlier attempt", async () => {
  for (const status of [400, 404, 409]) {
    using server = startUnrulyServer(
      inOrder(sendJson(404, {}), cutConnection, sendJson(status, {}), sendJson(429, {})),
    );
    const error = await catchError(patient(server).caller.call(PERFORM, { assignmentId: "A", action: "B" }, KEY));
    assert.equal(error.outcomeUnknown, true, `${status}: ${error.message}`);
  }
});

Deno.test("a cancelled call does not wait for its next attempt", async () => {
  using server = startUnrulyServer(cutConnection);
  const abort = new AbortController();
  const { caller } = patient(server, {
    wait: (_, signal) => {
      const waiting = delay(60_000, signal);
      abort.abort();
      return waiting;
    },
  });
  const error = await catchError(create(caller, { ...KEY, signal: abort.signal }));
  assert.deepEqual([error.code, error.outcomeUnknown, error.attempts?.length], ["INTERRUPTED", true, 1]);
  assert.equal(error.cause, abort.signal.reason);
  assert.equal(server.received.length, 1);
});

Deno.test("a client retries only if the option is set", async () => {
  using server = startUnrulyServer(inOrder(cutConnection, cutConnection, sendJson(202, { jobID: "J-1" })));
  const svc = createClient({ ...server.options, retries: 2 });
  await svc.cases.bulkPerform({ action: "A", cases: ["C-1"] }, { idempotencyKey: "k" });
  assert.deepEqual(listIdempotencyKeys(server), ["k", "k", "k"]);
  server.behave = cutConnection;
  const error = await catchError(createClient(server.options).cases.get("C-1"));
  assert.equal(error.attempts, undefined);
  using failing = startUnrulyServer(sendJson(502, {}));
  const caller = retrying(createCaller({ ...failing.options, retries: 1 }), { wait: () => Promise.resolve() });
  await catchError(caller.call(GET, { caseId: "C-1" }));
  assert.equal(failing.received.length, 2);
  for (const retries of [-1, 1.5, NaN]) {
    assert.throws(() => createClient({ retries }), /retries must be a whole number/);
  }
});
