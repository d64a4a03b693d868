/** Runs that are interrupted at any time: their journal holds everything that is needed to repeat no change. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { SvcError } from "../../../lib/errors.ts";
import { retrying } from "../../../lib/client/retry.ts";
import type { JsonObject } from "../../../utils/json.ts";
import { GrantedCalls } from "../../../workflows/engine/live_calls.ts";
import { reopenFailed } from "../../../workflows/engine/reopen.ts";
import { type InputOutcome, Runner } from "../../../workflows/runs/runner.ts";
import { finishSleep } from "../../../workflows/engine/live_calls.ts";
import type { EventRecord, Journal } from "../../../workflows/journal/journal.ts";
import { openJournal } from "../../../workflows/journal/sqlite/sqlite_journal.ts";
import { InputRun, type InputRunOptions } from "../../../workflows/engine/input_run.ts";
import type { OpenWorkflow } from "../../../workflows/scripts/open_workflow.ts";
import { holdResponse } from "../../harness/faults.ts";
import { makeFolder } from "../../harness/svc.ts";
import { createCaseBody, newRun, openScript, scriptText, TinyApi, writeInput } from "../../harness/workflow.ts";

const RUN = "r1";
const INPUT = { number: 1, place: "input" };

/** A script, a journal, and an API that applies every request. */
interface TestRun extends AsyncDisposable {
  readonly api: TinyApi;
  readonly journal: Journal;
  readonly path: string;
  readonly workflow: OpenWorkflow;
  runner(force?: boolean): Runner;
  changes(): string[];
  happened(...events: Partial<EventRecord>[]): Promise<void>;
}

async function openRun(body: string, answer?: (call: string) => Promise<Response> | Response): Promise<TestRun> {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(
    await makeFolder({ "script.ts": scriptText(body) }),
  );
  const api = stack.use(new TinyApi(answer));
  const path = `${folder.path}/journal.db`;
  const journal = stack.use(await openJournal(path));
  const workflow = stack.use(await openScript({ script: `${folder.path}/script.ts`, allowDeclared: true }));
  const caller = retrying(api.caller);
  await journal.createRun(newRun(RUN));
  return {
    api,
    journal,
    path,
    workflow,
    runner: (force) => new Runner({ workflow, live: new GrantedCalls(caller, workflow), journal, id: RUN, force }),
    changes: () => api.received.map(({ call }) => call).filter((call) => !call.startsWith("GET")),
    async happened(...events) {
      await writeInput(journal, RUN, 1, (input) => {
        input.begin({ ...INPUT, startedAt: Date.now(), generation: 0 });
        for (const event of events) {
          input.append({ kind: "call", position: 1, at: Date.now(), content: "", ...event });
        }
      });
      await journal.durable();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function codeOf(outcome: InputOutcome): unknown {
  return "failure" in outcome ? outcome.failure.code : outcome.result;
}

const NOTHING_LEFT: EventRecord = { kind: "left", position: 0, at: 0, content: `{"positions":[],"logs":0}` };

const CREATE = `await svc.cases.create({ type: "T" });`;

Deno.test("retry does not repeat the steps after an error that the script caught", async () => {
  await using run = await openRun(`try { await svc.cases.get("missing"); } catch { log("none yet"); }
    ${CREATE}
    throw new Error("oops");`);
  assert.equal(codeOf(await run.runner().run(INPUT)), "WORKFLOW_FAILED");
  assert.equal(await reopenFailed(run.journal, RUN), 1);
  assert.equal(codeOf(await run.runner().run(INPUT)), "WORKFLOW_FAILED");
  assert.deepEqual(run.changes(), ["POST /cases"]);
});

Deno.test("an interruption records the responses of calls in flight", async () => {
  const held = holdResponse();
  await using run = await openRun(`${CREATE} ${CREATE}`, held.answer);
  const runner = run.runner();
  const outcome = runner.run(INPUT);
  await held.requested();
  const interrupted = runner.interrupt();
  held.release(Response.json({ ID: "T C-1" }));
  await interrupted;
  assert.equal(codeOf(await outcome), "INTERRUPTED");
  const kinds = (await run.journal.events(RUN, 1)).map(({ kind, position }) => `${kind} ${position}`);
  assert.deepEqual(kinds, ["call 1", "sent 1", "answer 1"]);
});

Deno.test("an open input must be unchanged", async () => {
  await using run = await openRun("return input;");
  const recorded = { ...INPUT, value: 1, startedAt: 0, generation: 0 };
  await writeInput(run.journal, RUN, 1, (input) => input.begin(recorded));
  await run.journal.durable();
  await assert.rejects(run.runner().run({ ...INPUT, value: 2 }), /input has changed since the run started/);
  assert.equal(codeOf(await run.runner().run({ ...INPUT, value: 1 })), 1);
});

Deno.test("a sleep that is longer than the maximum of a timer uses several timers", async () => {
  assert.deepEqual(await getFirstDelays(Date.now(), 30 * 24 * 3600 * 1000), [2 ** 31 - 1]);
});

Deno.test("a sleep takes no longer if the clock is set back", async () => {
  assert.deepEqual(await getFirstDelays(Date.now() + 3600_000, 5000), [5000]);
});

/** Returns the delays of the timers that a sleep starts. `since` is its start, in milliseconds since 1970. */
async function getFirstDelays(since: number, milliseconds: number): Promise<unknown[]> {
  const start = globalThis.setTimeout;
  const delays: unknown[] = [];
  globalThis.setTimeout = Object.assign((act: () => void, delay?: number) => {
    delays.push(delay);
    return start(act, delay);
  }, start);
  try {
    const controller = new AbortController();
    const asleep = finishSleep(since, { operation: "sleep", values: { milliseconds } }, controller.signal);
    controller.abort();
    await assert.rejects(asleep, /The sleep was cancelled/);
  } finally {
    globalThis.setTimeout = start;
  }
  return delays;
}

Deno.test("a change and the steps before it are recorded before it is sent, even if its entity tag is read first", async () => {
  let path = "";
  const written: Record<string, unknown> = {};
  const perform = `await svc.assignments.perform("A",`;
  await using run = await openRun(
    `${perform} { action: "b" }); ${perform} { action: "c" }, { ifMatch: "2" });`,
    (call) => {
      using db = new DatabaseSync(path, { readOnly: true });
      const events = db.prepare("SELECT kind || ' ' || position AS event FROM events ORDER BY seq").all();
      if (!call.startsWith("GET")) written[call] = events.map(({ event }) => event);
      return Response.json(createCaseBody("C-1"), { headers: { etag: "1" } });
    },
  );
  path = run.path;
  assert.equal(codeOf(await run.runner().run(INPUT)), undefined);
  assert.deepEqual(written, {
    "PATCH /assignments/A/actions/b": ["call 1", "sent 1"],
    "PATCH /assignments/A/actions/c": ["call 1", "sent 1", "answer 1", "call 2", "sent 2"],
  });
});

// Keys of a service expire after 24 hours of its own clock.
for (const [when, hours] of [["long ago", -23.5], ["in the future", 23.5]] as const) {
  Deno.test(`a change that was sent ${when} is not sent again, because its key may have expired`, async () => {
    await using run = await openRun(`return ${CREATE}`);
    const at = Date.now() + hours * 3600 * 1000;
    const content = JSON.stringify({ operation: "cases.create", values: { type: "T" } });
    await run.happened({ at, content }, { kind: "sent", at, content: JSON.stringify({ key: "r1.1.1" }) });
    assert.equal(codeOf(await run.runner().run(INPUT)), "OUTCOME_UNKNOWN");
    assert.deepEqual(run.changes(), []);
  });
}

Deno.test("a deleted run leaves no data in the file, and other runs are unchanged", async () => {
  await using run = await openRun("return 1");
  const { journal, path } = run;
  const kept = await journal.findRun(RUN);
  assert(kept);
  await journal.createRun({ ...kept, id: "other" });
  await writeInput(journal, "other", 1, (input) => {
    input.begin({ ...INPUT, startedAt: 0, generation: 0 });
    input.append({ kind: "log", position: 0, at: 0, content: "theirs" });
  });
  await run.happened(...Array.from({ length: 6000 }, () => ({ kind: "log", position: 0, content: "ours" }) as const));
  await journal.deleteRun(RUN);
  assert((await Deno.stat(path)).size < 100_000, "The file still contains the events.");
  assert.deepEqual((await journal.listRuns()).map(({ id }) => id), ["other"]);
  assert.deepEqual((await journal.events("other", 1)).map(({ content }) => content), ["theirs"]);
  for (const file of [path, `${path}-wal`]) {
    assert(!new TextDecoder("latin1").decode(await Deno.readFile(file)).includes("ours"), file);
  }
});

Deno.test("retry does not repeat changes of independent branches", async () => {
  await using run = await openRun(`const post = (type) => svc.cases.create({ type });
    const [read] = await Promise.allSettled([svc.cases.get("missing"), post("A").then(() => post("B"))]);
    await post("B");
    if (read.reason) throw read.reason;`);
  assert.equal(codeOf(await run.runner().run(INPUT)), "NOT_FOUND");
  assert.equal(await reopenFailed(run.journal, RUN), 1);
  assert.equal(codeOf(await run.runner().run(INPUT)), "NOT_FOUND");
  assert.equal(await reopenFailed(run.journal, RUN), 1);
  assert.equal(codeOf(await run.runner().run(INPUT)), "NOT_FOUND");
  assert.deepEqual(run.changes(), ["POST /cases", "POST /cases", "POST /cases"]);
});

Deno.test("--force continues if the first of several concurrent steps differs", async () => {
  await using run = await openRun(
    `const found = await Promise.all(["C-9", "C-1"].map((id) => svc.cases.get(id)));
    return found.map(({ id }) => id);`,
  );
  const event = (kind: "call" | "answer", position: number, content: unknown) => {
    return { kind, position, content: (kind === "answer" ? "{}\n" : "") + JSON.stringify(content) };
  };
  const get = (caseId: string) => ({ operation: "cases.get", values: { caseId } });
  await run.happened(
    event("call", 1, get("C-0")),
    event("call", 2, get("C-1")),
    event("answer", 1, createCaseBody("C-0")),
    event("answer", 2, createCaseBody("C-1")),
  );
  assert.deepEqual(codeOf(await run.runner(true).run(INPUT)), ["C-9", "C-1"]);
});

Deno.test("a script with --force does not get the error of a journal that cannot be written", async () => {
  const held = holdResponse();
  await using run = await openRun(
    `const other = svc.cases.get("C-0");
    await svc.cases.get("C-9").catch(({ code }) => log("caught", code));
    await other;`,
    (call) => call.endsWith("C-0") ? held.answer() : Response.json(createCaseBody("C-9")),
  );
  const get = (caseId: string) => ({ content: JSON.stringify({ operation: "cases.get", values: { caseId } }) });
  const given = { kind: "answer", content: `{}\n${JSON.stringify(createCaseBody("C-1"))}` } as const;
  await run.happened(get("C-0"), { position: 2, ...get("C-1") }, { position: 2, ...given });
  using db = new DatabaseSync(run.path);
  db.exec("CREATE TRIGGER broken BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no'); END");
  const giveOther = () => held.release(Response.json(createCaseBody("C-0")));
  const said: string[] = [];
  const outcome = await run.runner(true).run(INPUT, (text) => {
    said.push(text);
    giveOther();
  });
  giveOther();
  assert.deepEqual([codeOf(outcome), outcome.isOpen, said], ["INTERRUPTED", true, []]);
});

/** Creates an input without a sandbox and without a journal. */
function createInputRun(options: Partial<InputRunOptions>): InputRun {
  return new InputRun({
    events: [],
    sink: { append: () => {}, durable: () => Promise.resolve(), rewind: () => Promise.resolve(1) },
    live: { call: () => Promise.resolve({ head: {}, text: "" }) },
    keyPrefix: "key",
    generation: 0,
    force: false,
    onLog: () => {},
    stop: () => {},
    ...options,
  });
}

Deno.test("a disposed input records and sends nothing more", async () => {
  const written: string[] = [];
  const called = Promise.withResolvers<() => Promise<void>>();
  const run = createInputRun({
    sink: {
      append: ({ kind }) => void written.push(kind),
      durable: () => Promise.resolve(),
      rewind: () => Promise.resolve(1),
    },
    live: {
      call(_, { commit }) {
        called.resolve(() => commit(undefined, true));
        return new Promise(() => {});
      },
    },
  });
  const { signal } = new AbortController();
  void run.call({ operation: "cases.create", values: {} }, 1, signal);
  const send = await called.promise;
  void run.call({ operation: "attachments.upload", values: { file: new Blob(["x".repeat(1_000_000)]) } }, 2, signal);
  const paused = run.pause();
  run.dispose();
  await assert.rejects(send(), /has ended/);
  await crypto.subtle.digest("SHA-256", new Uint8Array(2_000_000));
  await paused;
  assert.deepEqual(written, ["call"]);
});

const HOUR = 3600 * 1000;

/** Creates events from an hour ago: a call, and a timer that would abort it. */
function createGuarded(
  operation: string,
  values: JsonObject,
  ...events: Partial<EventRecord>[]
): Partial<EventRecord>[] {
  const call = (position: number, content: unknown) => ({ position, content: JSON.stringify(content) });
  const calls = [call(1, { operation: "sleep", values: { milliseconds: 5000 } }), call(2, { operation, values })];
  return [...calls, ...events.map((event) => ({ position: 2, ...event }))]
    .map((event) => ({ ...event, at: Date.now() - HOUR }));
}

Deno.test("a timer does not abort an open call because the run was stopped for long", async () => {
  await using run = await openRun(
    `await svc.cases.create({ type: "T" }, { signal: AbortSignal.timeout(5000) }); return "done";`,
  );
  const sent = { kind: "sent", content: JSON.stringify({ key: "r1.1.1" }) } as const;
  await run.happened(...createGuarded("cases.create", { type: "T" }, sent));
  assert.equal(codeOf(await run.runner().run(INPUT)), "done");
  assert.deepEqual(run.changes(), ["POST /cases"]);
});

Deno.test("a timer does not abort a retried call because the script failed long ago", async () => {
  await using run = await openRun(
    `await svc.cases.get("C-1", { signal: AbortSignal.timeout(5000) }); return "done";`,
  );
  const error = { code: "NOT_FOUND", message: "Not found.", operation: "cases.get" } as const;
  const refusal = { kind: "refusal", content: JSON.stringify({ error }) } as const;
  await run.happened(...createGuarded("cases.get", { caseId: "C-1" }, refusal));
  await writeInput(run.journal, RUN, 1, (input) => input.end({ state: "failed", error }));
  assert.equal(await reopenFailed(run.journal, RUN), 1);
  assert.equal(codeOf(await run.runner().run(INPUT)), "done");
});

Deno.test("the time between two runs counts for a sleep, but not for a timer", async () => {
  const now = Date.now();
  const begun = new Map<number, number>();
  const content = JSON.stringify({ operation: "sleep", values: { milliseconds: 60_000 } });
  const asked = [1, 2].map((position) => ({ kind: "call", position, at: now - HOUR, content, seq: position }) as const);
  const printed = { kind: "log", position: 0, at: now - HOUR + 20_000, content: "on", seq: 3 } as const;
  const run = createInputRun({
    events: [...asked, printed],
    live: {
      call: ({ isTimer }, { calledAt }) => {
        begun.set(isTimer ? 1 : 2, calledAt);
        return Promise.resolve({ head: {}, text: "" });
      },
    },
  });
  const request = { operation: "sleep", values: { milliseconds: 60_000 } };
  const { signal } = new AbortController();
  await Promise.all([run.call({ ...request, isTimer: true }, 1, signal), run.call(request, 2, signal)]);
  run.dispose();
  const passed = now - (begun.get(1) ?? 0);
  assert(passed > 10_000 && passed <= 20_000, `${passed} ms`);
  assert.equal(begun.get(2), now - HOUR);
});

Deno.test("a script that computes between two steps is not stalled, but one that waits is", async () => {
  const stopped = Promise.withResolvers<SvcError>();
  const content = JSON.stringify({ operation: "cases.get", values: {} });
  const call = (position: number) => ({ kind: "call", position, at: 0, content, seq: 2 * position }) as const;
  const answer = (position: number) =>
    ({ kind: "answer", position, at: 0, content: "{}\n", seq: 2 * position + 1 }) as const;
  const events = [call(1), answer(1), call(2), call(3), answer(3)];
  const run = createInputRun({ events, stop: stopped.resolve, stallMilliseconds: 1 });
  const request = { operation: "cases.get", values: {} };
  const { signal } = new AbortController();
  let isWaiting = false;
  void run.call(request, 1, signal);
  run.onDelivery(1);
  setTimeout(() => {
    isWaiting = true;
    void run.call(request, 2, signal); // It has no recorded result, and the new one comes after that of step 3.
  }, 10);
  assert.match((await stopped.promise).message, /^Step 3 was cases.get .*no longer makes this call/);
  run.dispose();
  assert(isWaiting, "The script was stopped before it waited.");
});

Deno.test("a script gets the attempts of a failed call, also in a replay", async () => {
  await using run = await openRun(
    `throw new Error("saw " + await svc.cases.get("C-1").catch((error) => error.attempts.length));`,
    () => new Response("", { status: 503 }),
  );
  for (const generation of [1, 2]) {
    const outcome = await run.runner().run(INPUT);
    assert("failure" in outcome);
    assert.match(outcome.failure.message, /saw 3/);
    await writeInput(run.journal, RUN, 1, (input) => input.reopen(NOTHING_LEFT, generation));
  }
  assert.equal(run.api.received.length, 3);
});
