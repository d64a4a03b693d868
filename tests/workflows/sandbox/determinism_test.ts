/** Determinism of scripts: with the same input, results, times and random numbers, a script does the same again. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { SvcError } from "../../../lib/errors.ts";
import type { JsonValue } from "../../../utils/json.ts";
import type { CallAnswer, RunHandlers } from "../../../workflows/sandbox/host/sandbox.ts";
import { createCaseBody, runInSandbox, runText, scriptText } from "../../harness/workflow.ts";

const START = Date.UTC(2026, 0, 2, 3, 4, 5);

/** A script that does many things concurrently and records what it sees. */
const BUSY = scriptText(`
    const seen = [];
    const note = (what) => void seen.push([what, Date.now() - started, Math.random(), seen.length]);
    const started = Date.now();
    const file = () => new File([crypto.getRandomValues(new Uint8Array(5000))], crypto.randomUUID());
    const work = async (name) => {
      for (let i = 0; i < 3; i++) {
        const found = await svc.cases.get(name + i).catch(({ code }) => code);
        note([name, i, found.etag ?? found]);
        for (let k = 0; k < 100; k++) await null; // All of this happens before the next result.
        note([name, "next"]);
        if (i === 1) note(new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(100_000))).toHex());
      }
    };
    const upload = async () => note((await svc.attachments.upload({ file: file() })).ID);
    const tick = new Promise((go) => {
      let n = 0;
      const interval = setInterval(() => { note(["tick", n]); if (++n === 3) { clearInterval(interval); go(); } }, 5);
    });
    const wait = async () => { await sleep(3); note("slept"); };
    await Promise.all([work("a"), upload(), work("b"), tick, wait(), upload(), work("c")]);
    const given = AbortSignal.timeout(1);
    await new Promise((go) => given.addEventListener("abort", go));
    note([new Date().toISOString(), performance.now(), Temporal.Now.instant().toString(), String(given.reason.name)]);
    note([new Intl.DateTimeFormat("en", { timeStyle: "full", timeZone: "UTC" }).format(), new File([], "f").lastModified]);
    return seen;`);

interface Taken {
  readonly calls: Map<number, unknown>;
  readonly delivered: { readonly position: number; readonly at: number }[];
  readonly randomness: string[];
}

/** Creates handlers that return results after various delays and record what happens. */
function createRecorder(delays: readonly number[]): { readonly handlers: RunHandlers; readonly taken: Taken } {
  const taken: Taken = { calls: new Map(), delivered: [], randomness: [] };
  let at = START;
  const handlers: RunHandlers = {
    async call(request, position) {
      taken.calls.set(position, request.values);
      await new Promise((go) => setTimeout(go, delays[position % delays.length]));
      return createAnswer(position);
    },
    onDelivery(position) {
      taken.delivered.push({ position, at: at += 7 });
      return at;
    },
    onRandomBytes: (block) => void taken.randomness.push(block),
    onLog: () => {},
  };
  return { handlers, taken };
}

/** Creates handlers that return the recorded results in the same order, each as early as possible. */
function createReplay({ delivered }: Taken): { readonly handlers: RunHandlers; readonly calls: Map<number, unknown> } {
  const calls = new Map<number, unknown>();
  const waiting = new Map<number, () => void>();
  let next = 0;
  const proceed = () => waiting.get(delivered[next]?.position ?? 0)?.();
  const handlers: RunHandlers = {
    async call(request, position) {
      calls.set(position, request.values);
      await new Promise<void>((go) => {
        waiting.set(position, go);
        proceed();
      });
      return createAnswer(position);
    },
    onDelivery() {
      const { at = 0 } = delivered[next++] ?? {};
      queueMicrotask(proceed);
      return at;
    },
    onRandomBytes: () => assert.fail("It drew random numbers that are not recorded."),
    onLog: () => {},
  };
  return { handlers, calls };
}

function createAnswer(position: number): CallAnswer {
  if (position % 5 === 0) throw new SvcError("CONFLICT", "no");
  return { head: { etag: `tag ${position}` }, text: JSON.stringify({ ...createCaseBody("C"), ID: "F" }) };
}

Deno.test("a concurrent script takes the same path again with the same results", async () => {
  const delays = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 5, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(delays, async (delays) => {
      const first = createRecorder(delays);
      const seen = await runInSandbox({ "script.ts": BUSY }, first.handlers, { startedAt: START, randomness: [] });
      const again = createReplay(first.taken);
      const { randomness } = first.taken;
      const seenAgain = await runInSandbox({ "script.ts": BUSY }, again.handlers, { startedAt: START, randomness });
      assert.deepEqual(seenAgain, seen);
      assert.deepEqual(describeCalls(again.calls), describeCalls(first.taken.calls));
    }),
    { numRuns: 6 },
  );
});

function describeCalls(calls: ReadonlyMap<number, unknown>): unknown[] {
  return [...calls].toSorted(([a], [b]) => a - b).map(([position, values]) => {
    return JSON.stringify([position, values], (_, value) => value instanceof File ? [value.name, value.size] : value);
  });
}

const ANSWER: CallAnswer = { head: {}, text: JSON.stringify(createCaseBody("C")) };

/** Runs the body of a script. Each step returns at once, and its result sets the clock ten seconds ahead. */
async function runSteps(body: string, randomness: readonly string[] = []) {
  const asked: unknown[] = [];
  const logged: string[] = [];
  let at = START;
  const handlers: RunHandlers = {
    call: ({ operation, values }) => Promise.resolve(asked.push([operation, values])).then(() => ANSWER),
    onDelivery: () => at += 10_000,
    onRandomBytes: () => {},
    onLog: (text) => void logged.push(text),
  };
  const result = await runInSandbox({ "script.ts": scriptText(body) }, handlers, { startedAt: START, randomness });
  return { result, asked, logged };
}

Deno.test("the clock of a script stands still between results, by every function that reads it", async () => {
  const { result } = await runSteps(`
    const read = () => [
      Date.now(), new Date().getTime(), Date.parse(Date()), new (class extends Date {})().getTime(), +Reflect.construct(Date, []),
      performance.timeOrigin + performance.now(), Temporal.Now.instant().epochMilliseconds,
      Temporal.Now.zonedDateTimeISO("Asia/Tokyo").epochMilliseconds,
      Temporal.Now.plainDateTimeISO("UTC").toZonedDateTime("UTC").epochMilliseconds,
      Date.parse(new Intl.DateTimeFormat("en", { dateStyle: "short", timeStyle: "medium", timeZone: "UTC" }).format() + " UTC"),
      new (new Date(0).constructor)().getTime(), new Event("x").timeStamp + Date.now(), new File([], "f").lastModified,
    ];
    const first = read();
    for (let i = 0; i < 1e7; i++);
    const still = read();
    await svc.cases.get("C");
    return [first, still, read()].map((times) => [...new Set(times)]);`);
  assert.deepEqual(result, [[START], [START], [START + 10_000]]);
});

Deno.test("dates from arguments have their usual values", async () => {
  const { result } = await runSteps(`
    const date = new Date(2026, 5, 7);
    return [date instanceof Date, new Date("2026-01-01Z").getTime(), Date.UTC(2026, 0), new Date(date).getTime() - date,
      typeof Date(), Date.name, Date.length, new Intl.DateTimeFormat("en", { timeZone: "UTC" }).format(0)];`);
  const time = Date.UTC(2026, 0);
  assert.deepEqual(result, [true, time, time, 0, "string", "Date", 7, "1/1/1970"]);
});

Deno.test("recorded random bytes are used before new ones are drawn", async () => {
  const block = new Uint8Array(256).map((_, i) => i);
  const { result } = await runSteps(
    `const some = crypto.getRandomValues(new Uint16Array(2));
    const more = crypto.getRandomValues(new Uint8Array(300));
    return [[...some], crypto.randomUUID().length, [...more.subarray(0, 4)], new Set(more.subarray(252)).size > 8, Math.random() < 1];`,
    [block.toBase64()],
  );
  const [some, length, more, isNew, isNumber] = Array.isArray(result) ? result : [];
  assert.deepEqual([some, length, more], [[...new Uint16Array(block.slice(0, 4).buffer)], 36, [4, 5, 6, 7]]);
  assert.deepEqual([isNew, isNumber], [true, true]);
});

Deno.test("random numbers are distributed uniformly", async () => {
  const { result } = await runSteps(`
    const counts = Array(10).fill(0);
    for (let i = 0; i < 100_000; i++) counts[Math.floor(Math.random() * 10)]++;
    return [counts.every((count) => Math.abs(count - 10_000) < 600), new Set(Array.from({ length: 100 }, () => crypto.randomUUID())).size];`);
  assert.deepEqual(result, [true, 100]);
});

/** Asynchronous code that takes no step. */
const ASYNCHRONOUS: readonly string[] = [
  "key.then((key) => crypto.subtle.decapsulateBits('ML-KEM-768', key, new Uint8Array(1088)))",
  "key.then((key) => crypto.subtle.decapsulateKey('ML-KEM-768', key, new Uint8Array(1088), 'AES-GCM', true, ['encrypt']))",
  "key.then((key) => crypto.subtle.getPublicKey(key, ['encapsulateBits']))",
  "crypto.subtle.digest('SHA-256', new Uint8Array(1000))",
  "new Blob([new Uint8Array(1e5), new Uint8Array(1e5)]).text()",
  "new Response(new Blob([new Uint8Array(1e6)]).stream().pipeThrough(new CompressionStream('gzip'))).bytes()",
  "createImageBitmap(new ImageData(20, 20))",
  "Deno.permissions.query({ name: 'read' })",
  "fetch('data:,text')",
];

Deno.test("asynchronous code without steps ends before the next result, however early that arrives", async (t) => {
  const pieces = ASYNCHRONOUS.map((code) => `() => ${code}`);
  const { result } = await runSteps(`
    const abilities = ["decapsulateBits", "decapsulateKey"];
    const key = crypto.subtle.importKey("raw-seed", new Uint8Array(64), "ML-KEM-768", true, abilities);
    const orders = [];
    for (const piece of [${pieces.join(", ")}]) {
      let order = "";
      const repeat = async (name, act) => {
        for (let i = 0; i < 20; i++) await act().then(() => order += name, (error) => order += error.message);
      };
      await Promise.all([repeat("call ", () => svc.cases.get("C")), repeat("piece ", piece)]);
      orders.push(order);
    }
    return orders;`);
  for (const [i, code] of ASYNCHRONOUS.entries()) {
    const order = Array.isArray(result) ? result[i] : result;
    await t.step(code, () => assert.equal(order, "piece ".repeat(20) + "call ".repeat(20)));
  }
});

/** Code that is not deterministic, with its error. */
const REJECTED: Readonly<Record<string, RegExp>> = {
  "new WeakRef({})": /WeakRef is not defined/,
  "new FinalizationRegistry(() => {})": /FinalizationRegistry is not defined/,
  "new MessageChannel()": /MessageChannel is not defined/,
  "new BroadcastChannel('a')": /BroadcastChannel is not defined/,
  "new Worker('data:text/javascript,')": /Worker is not defined/,
  "await navigator.locks.request('a', () => {})": /undefined/,
  "new FileReader()": /FileReader is not defined/,
  "await new Promise((go) => new EventSource('http://a/').onerror = go)": /EventSource is not defined/,
  "Deno.addSignalListener('SIGWINCH', () => {})": /not a function/,
  "performance.mark('a')": /performance.mark is not a function/,
  "new PerformanceMark('a').startTime": /PerformanceMark is not defined/,
  "PerformanceMeasure.name": /PerformanceMeasure is not defined/,
  "PerformanceEntry.name": /PerformanceEntry is not defined/,
  "new Response(new FormData()).text()": /FormData is not defined/,
  "await new Response('a=1', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }).formData()":
    /formData is not a function/,
  "await (await fetch('data:application/x-www-form-urlencoded,a=1')).formData()": /formData is not a function/,
  "await new Request('http://a', { method: 'POST', body: new URLSearchParams('a=1') }).formData()":
    /formData is not a function/,
  "Deno.pid.toFixed()": /undefined/,
  "Deno.cwd()": /not a function/,
  "Deno.mainModule.length": /undefined/,
  "Deno.memoryUsage()": /not a function/,
  "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)": /not a function/,
  "Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0)": /not a function/,
  "URL.createObjectURL(new Blob())": /not a function/,
  "await crypto.subtle.generateKey('Ed25519', true, ['sign'])": /not a function/,
  "await crypto.subtle.encapsulateBits('ML-KEM-768', {})": /not a function/,
  "await crypto.subtle.encapsulateKey('ML-KEM-768', {}, 'AES-GCM', true, ['encrypt'])": /not a function/,
  "crypto.getRandomValues(new Float32Array(1))": /type|integer/i,
  "crypto.getRandomValues(new Uint8Array(65537))": /65536|quota/i,
};

Deno.test("code that is not deterministic is rejected", async (t) => {
  const attempts = Object.keys(REJECTED).map((code) => `async () => ${code}`);
  const { result } = await runSteps(`
    return await Promise.all([${
    attempts.join(", ")
  }].map((act) => act().then(() => "done", (error) => error.message)));`);
  for (const [i, [code, refusal]] of Object.entries(REJECTED).entries()) {
    await t.step(code, () => assert.match(String(Array.isArray(result) ? result[i] : result), refusal));
  }
});

Deno.test("an error names the line that reads the clock or draws random numbers while the script is being loaded", async () => {
  for (
    const [code, does] of [
      ["Date.now();", "reads the clock"],
      ["new Date();", "reads the clock"],
      ["Math.random();", "draws random numbers"],
      ["crypto.randomUUID();", "draws random numbers"],
      ["setTimeout(() => {}, 5);", "starts a timer"],
    ]
  ) {
    const { error } = await runText(scriptText("return 1;", [], `\n${code}`));
    assert.equal(error?.code, "WORKFLOW_FAILED");
    assert.equal(error.message, `The script ${does} while it is being loaded.`);
    assert.match(JSON.stringify(error.details), /"file":"script.ts","line":3,/);
  }
});

Deno.test("timers are steps that fire in the order of their results, and cleared timers do not fire", async () => {
  const { result, asked } = await runSteps(`
    const fired = [];
    const cleared = setTimeout(() => fired.push("cleared"), 1);
    clearTimeout(cleared);
    setTimeout((...args) => fired.push(args), 20, "a", "b");
    setImmediate(() => fired.push("now"));
    await new Promise((go) => setTimeout(go, 5));
    setTimeout(() => fired.push("too late"), 1);
    return fired;`);
  assert.deepEqual(result, [["a", "b"], "now"]);
  const times = [1, 20, 0, 5, 1];
  assert.deepEqual(asked, times.map((milliseconds) => ["sleep", { milliseconds }]));
});

Deno.test("a timer with an invalid or too long delay fires at once", async () => {
  const { result, asked } = await runSteps(`
    const fired = [];
    for (const delay of [Infinity, 1e400, NaN, -1, "x", undefined, null, 2 ** 31, 2 ** 31 - 1, "7", 0.5]) {
      setTimeout(() => fired.push(String(delay)), delay);
    }
    const interval = setInterval(() => clearInterval(interval), Infinity);
    const given = AbortSignal.timeout(2 ** 31);
    for (const time of [Infinity, NaN, -1, "x"]) {
      try { AbortSignal.timeout(time); } catch (error) { fired.push(error.name); }
    }
    await sleep(1);
    return [fired, given.aborted];`);
  const errors = Array(4).fill("TypeError");
  const delays = [Infinity, Infinity, NaN, -1, "x", undefined, null, 2 ** 31, 2 ** 31 - 1, "7", 0.5];
  assert.deepEqual(result, [[...errors, ...delays.map(String)], true]);
  const times = [0, 0, 0, 0, 0, 0, 0, 0, 2 ** 31 - 1, 7, 0.5, 1, 0, 1];
  assert.deepEqual(asked, times.map((milliseconds) => ["sleep", { milliseconds }]));
});

Deno.test("a call that is cancelled before it is sent fails at once and does not become a step", async () => {
  const { result, asked } = await runSteps(`
    const controller = new AbortController();
    const { signal } = controller;
    const order = [];
    const open = Array.from({ length: 64 }, (_, i) => svc.cases.get("open" + i).then(() => order.push(i)));
    const waiting = ["a", "b"].map((id) => svc.cases.get(id, { signal }).catch(({ code }) => order.push(code)));
    const file = new File(["x"], "f");
    waiting.push(svc.attachments.upload({ file }, { signal }).catch(({ code }) => order.push(code)));
    open.push(svc.cases.get("after"));
    controller.abort();
    waiting.push(svc.cases.get("too late", { signal }).catch(({ code }) => order.push(code)));
    await Promise.all([...open, ...waiting]);
    return order.slice(0, 5);`);
  assert.deepEqual(result, [...Array(4).fill("INTERRUPTED"), 0]);
  const ids = [...Array.from({ length: 64 }, (_, i) => `open${i}`), "after"];
  assert.deepEqual(asked, ids.map((caseId) => ["cases.get", { caseId }]));
});

Deno.test("a run ends if its last call is cancelled while its message is being created", async () => {
  const { result, asked } = await runSteps(`
    const controller = new AbortController();
    const file = new File(["x"], "f");
    svc.attachments.upload({ file }, { signal: controller.signal }).catch(() => {});
    queueMicrotask(() => queueMicrotask(() => controller.abort()));
    return "ended";`);
  assert.deepEqual([result, asked], ["ended", []]);
});

Deno.test("waitFor repeats a call after increasing delays, until its timeout", async () => {
  const { result, asked } = await runSteps(`
    let count = 0;
    const found = await waitFor(() => svc.cases.get("C"), () => ++count === 4, { everySeconds: 10, timeoutSeconds: 1000 });
    const late = await waitFor(() => svc.cases.get("D"), () => false, { everySeconds: 60, timeoutSeconds: 45 })
      .catch(({ code, message }) => [code, message]);
    return [found.id, late];`);
  assert.deepEqual(result, ["C", ["TIMEOUT", "The condition of waitFor did not hold within 45 s."]]);
  const get = (caseId: string) => ["cases.get", { caseId }];
  const sleep = (seconds: number) => ["sleep", { milliseconds: seconds * 1000 }];
  assert.deepEqual(asked.slice(0, 7), [get("C"), sleep(10), get("C"), sleep(15), get("C"), sleep(22.5), get("C")]);
  assert.deepEqual(asked.slice(7), [get("D"), sleep(45), get("D"), sleep(25), get("D"), sleep(5), get("D")]);
});

Deno.test("an input ends when run has returned, although a sleep and a waitFor are still open", async () => {
  const started = performance.now();
  const { result } = await runText(scriptText(`
    const late = waitFor(async () => "never", () => false, { everySeconds: 60 });
    return await Promise.race([late, sleep(60_000), sleep(1).then(() => "first")]);`));
  assert.equal(result, "first");
  assert.ok(performance.now() - started < 30_000);
});

Deno.test("a signal ends sleep and waitFor early", async () => {
  const { result } = await runText(scriptText(`
    const code = (error) => error.code;
    const controller = new AbortController();
    const { signal } = controller;
    const open = [sleep(60_000, { signal }), waitFor(async () => 0, () => false, { everySeconds: 60, signal })];
    sleep(20).then(() => controller.abort());
    const ended = await Promise.all(open.map((one) => one.catch(code)));
    return [...ended, await sleep(60_000, { signal }).catch(code), await sleep(1, { signl: 1 }).catch(code)];`));
  assert.deepEqual(result, ["INTERRUPTED", "INTERRUPTED", "INTERRUPTED", "INVALID_ARGS"]);
});

Deno.test("a sleep does not count against the time limit, but a loop after it does", async () => {
  const text = scriptText(`await sleep(4500); log("awake"); if (input) for (;;); return 1;`);
  const lines: string[] = [];
  // A busy machine may need seconds to load the script.
  const options = { limits: { timeoutSeconds: 4 }, onLog: (line: string) => void lines.push(line) };
  const [ended, looping] = await Promise.all([runText(text, options), runText(text, options, true)]);
  assert.deepEqual([ended.result, looping.error?.code, lines], [1, "TIMEOUT", ["awake", "awake"]]);
});

Deno.test("a script can load a module while a result takes long", async () => {
  const loaded = Promise.withResolvers<CallAnswer>();
  const handlers: RunHandlers = {
    call: () => loaded.promise,
    onDelivery: () => START,
    onRandomBytes: () => {},
    onLog: () => loaded.resolve(ANSWER),
  };
  const body =
    `const call = svc.cases.get("C"); const { two } = await import("./two.ts"); log(two); return (await call).id;`;
  const files = { "script.ts": scriptText(body), "two.ts": "export const two = 2;" };
  const result: JsonValue | undefined = await runInSandbox(files, handlers, { startedAt: START, randomness: [] });
  assert.equal(result, "C");
});
