/** Calls to an unavailable service: they wait, while one probe at a time finds out whether it is available again. */
import assert from "node:assert/strict";
import { Availability, isOutageTooLong, type Outage } from "../../../lib/client/availability.ts";
import { type Caller, createCaller } from "../../../lib/client/caller.ts";
import { RetryBudget, retrying } from "../../../lib/client/retry.ts";
import { SvcError } from "../../../lib/errors.ts";
import { findFreePort } from "../../../tasks/support/free_port.ts";
import { delay } from "../../../utils/async/abort.ts";
import { catchError } from "../../harness/fake_service.ts";
import { type Behaviour, cutConnection, sendJson, startUnrulyServer, type UnrulyServer } from "../../harness/faults.ts";
import { operationByName } from "./_operation.ts";

const CREATE = await operationByName("cases", "create");
const GET = await operationByName("cases", "get");
const CASE = sendJson(200, { id: "C-1" });
const CASE_TYPES = sendJson(200, { caseTypes: [] });
const KEY = { idempotencyKey: "k" };

/** A server that is unavailable until it has received a number of probes. */
interface UnavailableServer extends Disposable {
  readonly server: UnrulyServer;
  readonly caller: Caller;
  /** Delays before the probes, in milliseconds. */
  readonly waits: number[];
  readonly outages: Outage[];
  /** Number of probes. */
  probes(): number;
}

/** Starts a server that reacts with `fail` until it has received `probes` probes, and with the behaviours of a service after that. */
function startUnavailable(
  fail: Behaviour,
  { probes = 3, maxOutageSeconds = 600, random = 1, idempotencyKeys = true, timeoutSeconds = 5 } = {},
): UnavailableServer {
  let received = 0;
  const server = startUnrulyServer((connection, request) => {
    const isProbe = request.head.startsWith("GET /dx-api/v2/casetypes ");
    if (isProbe) received++;
    if (received < probes) return fail(connection, request);
    return (isProbe ? CASE_TYPES : CASE)(connection, request);
  });
  const waits: number[] = [];
  const outages: Outage[] = [];
  const chance = {
    random: () => random,
    now: () => Date.now(),
    wait: (milliseconds: number) => Promise.resolve(void waits.push(milliseconds)),
  };
  const availability = new Availability(server.options.baseUrl ?? "", chance);
  availability.listen((outage) => void outages.push(outage));
  const once = createCaller({ ...server.options, idempotencyKeys, timeoutSeconds });
  const caller = retrying(once, { ...chance, availability, budget: new RetryBudget(), maxOutageSeconds });
  return { server, caller, waits, outages, probes: () => received, [Symbol.dispose]: () => server[Symbol.dispose]() };
}

const FAILURES: Readonly<Record<string, Behaviour>> = {
  "cuts connections": cutConnection,
  "answers 502": sendJson(502, {}),
  "answers 503": sendJson(503, {}),
  "answers 504": sendJson(504, {}),
};

for (const [what, fail] of Object.entries(FAILURES)) {
  Deno.test(`no call fails while a service ${what}, and only one call at a time probes`, async () => {
    using outage = startUnavailable(fail, { probes: 12 });
    const reads = Array.from({ length: 20 }, () => outage.caller.call(GET, { caseId: "C-1" }));
    const changes = Array.from({ length: 20 }, () => outage.caller.call(CREATE, { type: "T" }, KEY));
    await Promise.all([...reads, ...changes]);
    // Deno itself sends a read again when a reused connection breaks.
    assert.ok(outage.probes() >= 12 && outage.probes() <= 14);
    assert.ok(outage.server.received.length - outage.probes() <= 40 + 40 + 4);
    assert.deepEqual(outage.outages.map(({ isOver }) => isOver), [false, true]);
    assert.equal(outage.outages[0]?.baseUrl, outage.server.options.baseUrl);
  });
}

Deno.test("calls that start during an outage are sent after it", async () => {
  using outage = startUnavailable(sendJson(503, {}), { probes: 5 });
  const first = outage.caller.call(GET, { caseId: "C-1" });
  const later: Promise<unknown>[] = [];
  const started = Promise.withResolvers<void>();
  const listening = setInterval(() => {
    if (outage.outages.length === 0) return;
    clearInterval(listening);
    later.push(...Array.from({ length: 10 }, () => outage.caller.call(GET, { caseId: "C-1" })));
    started.resolve();
  }, 1);
  await started.promise;
  await Promise.all([first, ...later]);
  assert.ok(outage.server.received.length <= 1 + 5 + 11 + 10);
});

Deno.test("probes start at once, and their intervals grow from 0.5 s to 30 s with jitter", async () => {
  const cases = [
    [1, [500, 750, 1125, 30_000, 30_000]],
    [0, [250, 375, 563, 15_000, 15_000]],
  ] as const;
  for (const [random, expected] of cases) {
    using outage = startUnavailable(sendJson(502, {}), { probes: 14, random });
    await outage.caller.call(GET, { caseId: "C-1" });
    const rounded = outage.waits.map(Math.round);
    assert.deepEqual([...rounded.slice(0, 3), ...rounded.slice(-2)], expected);
  }
});

Deno.test("Retry-After of a 503 delays the probe", async () => {
  using outage = startUnavailable(sendJson(503, {}, { "retry-after": "7" }), { probes: 2 });
  await outage.caller.call(CREATE, { type: "T" });
  assert.deepEqual(outage.waits, [7000, 7000]);
  assert.deepEqual(outage.outages.map(({ isOver }) => isOver), [false, true]);
});

Deno.test("a call fails without a wait if the service will be unavailable for too long", async () => {
  using outage = startUnavailable(sendJson(503, {}, { "retry-after": "601" }));
  const error = await catchError(outage.caller.call(CREATE, { type: "T" }));
  assert.ok(isOutageTooLong(error));
  assert.match(error.message, /^The service at http:\S+ will be unavailable for longer than 10 min: /);
  assert.equal(outage.server.received.length, 1);
});

Deno.test("a call fails when the service has been unavailable for too long", async () => {
  using server = startUnrulyServer(sendJson(502, {}));
  const availability = new Availability("http://x", { random: () => 1, now: Date.now, wait: delay });
  const caller = retrying(createCaller(server.options), { availability, maxOutageSeconds: 0.2 });
  const error = await catchError(caller.call(GET, { caseId: "C-1" }));
  assert.ok(isOutageTooLong(error));
  assert.equal(error.status, 502);
  assert.match(error.message, /^The service at http:\/\/x has been unavailable for 200 ms: /);
  assert.equal(availability.outage, undefined, "the next call starts again");
});

Deno.test("a call that starts during an outage that lasts too long fails with one message", async () => {
  using server = startUnrulyServer(sendJson(502, {}));
  const availability = new Availability("http://x", { random: () => 1, now: Date.now, wait: delay });
  // The first probe must fail before this limit. Only then is there an outage.
  const caller = retrying(createCaller(server.options), { availability, maxOutageSeconds: 1 });
  const later = Promise.withResolvers<SvcError>();
  availability.listen(({ isOver }) => isOver || later.resolve(catchError(caller.call(GET, { caseId: "C-2" }))));
  for (const error of await Promise.all([catchError(caller.call(GET, { caseId: "C-1" })), later.promise])) {
    assert.ok(isOutageTooLong(error));
    assert.equal(error.message.match(/The service at/g)?.length, 1, error.message);
    assert.match(error.message, / has been unavailable for 1\.0 s: /);
  }
});

Deno.test("a change without a key is repeated only if it was not sent", async () => {
  for (const status of [502, 503, 408]) {
    using outage = startUnavailable(sendJson(status, {}), { idempotencyKeys: false });
    const error = await catchError(outage.caller.call(CREATE, { type: "T" }, KEY));
    assert.equal(error.outcomeUnknown, true, String(status));
    assert.equal(outage.server.received.length, 1);
  }
  using outage = startUnavailable(sendJson(503, {}, { "retry-after": "0" }), { idempotencyKeys: false });
  await outage.caller.call(CREATE, { type: "T" });
});

Deno.test("a service that refuses connections is unavailable, and nothing was sent", async () => {
  const port = findFreePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  let server: Deno.HttpServer | undefined;
  const received: string[] = [];
  const start = () => {
    server ??= Deno.serve({ hostname: "127.0.0.1", port, onListen() {} }, (request) => {
      const { pathname } = new URL(request.url);
      received.push(pathname);
      if (pathname === "/oauth2/token") return Response.json({ access_token: "token", token_type: "Bearer" });
      return Response.json(pathname.endsWith("casetypes") ? { caseTypes: [] } : { id: "C-1" });
    });
  };
  const waits: number[] = [];
  const wait = (milliseconds: number) => {
    if (waits.push(milliseconds) === 3) start();
    return Promise.resolve();
  };
  const availability = new Availability(baseUrl, { random: () => 1, now: Date.now, wait });
  const once = createCaller({ baseUrl, clientId: "id", clientSecret: "s", noCache: true, idempotencyKeys: false });
  const caller = retrying(once, { availability, maxOutageSeconds: 600 });
  await Promise.all([1, 2, 3].map(() => caller.call(CREATE, { type: "T" })));
  assert.deepEqual(received.slice(0, 2), ["/oauth2/token", "/dx-api/v2/casetypes"]);
  assert.equal(received.filter((path) => path.endsWith("/cases")).length, 3);
  await server?.shutdown();
});

Deno.test("time-outs are an outage only if the probe fails, too", async () => {
  const silent: Behaviour = () => {};
  using outage = startUnavailable(silent, { probes: 3, timeoutSeconds: 0.2 });
  await Promise.all(Array.from({ length: 5 }, () => outage.caller.call(GET, { caseId: "C-1" })));
  assert.deepEqual(outage.outages.map(({ isOver }) => isOver), [false, true]);

  using slow = startUnrulyServer((connection, request) => {
    if (request.head.includes("casetypes")) return CASE_TYPES(connection, request);
  });
  const availability = new Availability("http://x");
  const outages: Outage[] = [];
  using _listening = availability.listen((outage) => outages.push(outage));
  const caller = retrying(createCaller(slow.options), { availability, maxOutageSeconds: 60 });
  // Only the call has a short time limit, so that a busy machine still answers the probes in time.
  const error = await catchError(caller.call(GET, { caseId: "C-1" }, { timeoutSeconds: 0.1 }));
  assert.deepEqual([error.code, error.attempts?.length, outages], ["TIMEOUT", 3, []]);
});

Deno.test("a name that cannot be resolved is an outage only after the service has answered", () => {
  const cause = new TypeError("fetch failed", { cause: new Error("client error (Connect): dns error: no such host") });
  const error = new SvcError("NETWORK_ERROR", "no such host", { cause });
  const availability = new Availability("http://x");
  assert.equal(availability.mayBeOutage(error), false);
  availability.noteAnswer();
  assert.equal(availability.mayBeOutage(error), true);
  assert.equal(availability.mayBeOutage(new SvcError("CONFLICT", "", { status: 409 })), false);
});

Deno.test("a cancelled call does not wait for the service", async () => {
  using server = startUnrulyServer(sendJson(502, {}));
  const availability = new Availability("http://x");
  const cancelled = new AbortController();
  using _listening = availability.listen(() => cancelled.abort());
  const caller = retrying(createCaller(server.options), { availability, maxOutageSeconds: 600 });
  const error = await catchError(caller.call(CREATE, { type: "T" }, { ...KEY, signal: cancelled.signal }));
  assert.deepEqual([error.code, error.outcomeUnknown], ["INTERRUPTED", true]);
  assert.equal(availability.outage, undefined, "there are no further probes");
});

Deno.test("a service that fails again and again does not delay a call forever", async () => {
  let isProbeNext = false;
  using server = startUnrulyServer((connection, request) => {
    if (!request.head.includes("casetypes")) return sendJson(502, {})(connection, request);
    isProbeNext = !isProbeNext;
    return (isProbeNext ? sendJson(502, {}) : CASE_TYPES)(connection, request);
  });
  let now = 0;
  const chance = {
    random: () => 1,
    now: () => now,
    wait: (milliseconds: number) => Promise.resolve(void (now += milliseconds)),
  };
  const availability = new Availability("http://x", chance);
  const caller = retrying(createCaller(server.options), { ...chance, availability, maxOutageSeconds: 60 });
  const error = await catchError(caller.call(GET, { caseId: "C-1" }));
  assert.equal(error.status, 502);
});

Deno.test("the retries of one service do not use up those of another", async () => {
  using down = startUnrulyServer(sendJson(502, {}));
  const failing = retrying(createCaller(down.options), { wait: () => Promise.resolve(), attempts: 200 });
  await catchError(failing.call(GET, { caseId: "C-1" }));
  assert.equal(down.received.length, 101, "the budget of the first service is used up");
  let count = 0;
  using up = startUnrulyServer((connection, request) => (count++ === 0 ? cutConnection : CASE)(connection, request));
  await retrying(createCaller(up.options), { wait: () => Promise.resolve() }).call(GET, { caseId: "C-1" });
  assert.equal(up.received.length, 2);
});
