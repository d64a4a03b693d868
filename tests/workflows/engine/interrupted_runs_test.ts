/** What a journal must hold of a run that anything may end at any moment: nothing is lost, nothing is done twice. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { SvcError } from "../../../lib/errors.ts";
import { retrying } from "../../../lib/client/retry.ts";
import type { JsonObject } from "../../../utils/json.ts";
import { GrantedCalls } from "../../../workflows/engine/live_calls.ts";
import { reopenFailed } from "../../../workflows/runs/reopen.ts";
import { type InputOutcome, Runner } from "../../../workflows/runs/runner.ts";
import { finishSleep } from "../../../workflows/engine/sleeping.ts";
import { WriteBuffer } from "../../../workflows/journal/sqlite/write_buffer.ts";
import type { EventRecord, Journal } from "../../../workflows/journal/journal.ts";
import { openJournal } from "../../../workflows/journal/sqlite/sqlite_journal.ts";
import { InputRun, type InputRunOptions } from "../../../workflows/engine/input_run.ts";
import type { OpenWorkflow } from "../../../workflows/runs/open_workflow.ts";
import { holdResponse } from "../../harness/faults.ts";
import { makeFolder } from "../../harness/svc.ts";
import { createCaseBody, newRun, openScript, scriptText, TinyApi } from "../../harness/workflow.ts";

const RUN = "r1";
const INPUT = { number: 1, place: "input" };

/** A script, a journal and an API that does what it is asked as often as it is asked. */
interface Desk extends AsyncDisposable {
  readonly api: TinyApi;
  readonly journal: Journal;
  readonly path: string;
  readonly workflow: OpenWorkflow;
  runner(force?: boolean): Runner;
  changes(): string[];
  happened(...events: Partial<EventRecord>[]): Promise<void>;
}

async function openDesk(body: string, answer?: (call: string) => Promise<Response> | Response): Promise<Desk> {
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
      journal.beginInput(RUN, { ...INPUT, startedAt: Date.now(), generation: 0 });
      for (const event of events) {
        journal.append(RUN, 1, { kind: "call", position: 1, at: Date.now(), content: "", ...event });
      }
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

Deno.test("retry does not do again what followed an error that the script had caught", async () => {
  await using desk = await openDesk(`try { await svc.cases.get("missing"); } catch { log("none yet"); }
    ${CREATE}
    throw new Error("oops");`);
  assert.equal(codeOf(await desk.runner().run(INPUT)), "WORKFLOW_FAILED");
  assert.equal(await reopenFailed(desk.journal, RUN), 1);
  assert.equal(codeOf(await desk.runner().run(INPUT)), "WORKFLOW_FAILED");
  assert.deepEqual(desk.changes(), ["POST /cases"]);
});

Deno.test("an interruption writes the answers of the calls in flight", async () => {
  const held = holdResponse();
  await using desk = await openDesk(`${CREATE} ${CREATE}`, held.answer);
  const runner = desk.runner();
  const outcome = runner.run(INPUT);
  await held.requested();
  const interrupted = runner.interrupt();
  held.release(Response.json({ ID: "T C-1" }));
  await interrupted;
  assert.equal(codeOf(await outcome), "INTERRUPTED");
  const kinds = (await desk.journal.events(RUN, 1)).map(({ kind, position }) => `${kind} ${position}`);
  assert.deepEqual(kinds, ["call 1", "sent 1", "answer 1"]);
});

Deno.test("an input that is still open must be what it began as: only one that failed may be mended", async () => {
  await using desk = await openDesk("return input;");
  desk.journal.beginInput(RUN, { ...INPUT, value: 1, startedAt: 0, generation: 0 });
  await desk.journal.durable();
  await assert.rejects(desk.runner().run({ ...INPUT, value: 2 }), /input has changed since the run started/);
  assert.equal(codeOf(await desk.runner().run({ ...INPUT, value: 1 })), 1);
});

Deno.test("a sleep that is longer than a timer can count is slept in pieces", async () => {
  assert.deepEqual(await firstDelays(Date.now(), 30 * 24 * 3600 * 1000), [2 ** 31 - 1]);
});

Deno.test("a sleep takes no longer because the clock was set back since it was begun", async () => {
  assert.deepEqual(await firstDelays(Date.now() + 3600_000, 5000), [5000]);
});

/** The timers that a sleep begins with, which began at a time: milliseconds since 1970. */
async function firstDelays(since: number, milliseconds: number): Promise<unknown[]> {
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

Deno.test("a journal that somebody else is just making is opened once that is done", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/journal.db`;
  await (await openJournal(path))[Symbol.asyncDispose]();
  using other = new DatabaseSync(path);
  other.exec("PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE");
  setTimeout(() => other.exec("COMMIT"), 100);
  await using journal = await openJournal(path);
  assert.deepEqual(await journal.listRuns(), []);
});

Deno.test("what led to a change is written before it is sent, also where its entity tag is read first", async () => {
  let path = "";
  const written: Record<string, unknown> = {};
  const perform = `await svc.assignments.perform("A",`;
  await using desk = await openDesk(
    `${perform} { action: "b" }); ${perform} { action: "c" }, { ifMatch: "2" });`,
    (call) => {
      using db = new DatabaseSync(path, { readOnly: true });
      const events = db.prepare("SELECT kind || ' ' || position AS event FROM events ORDER BY seq").all();
      if (!call.startsWith("GET")) written[call] = events.map(({ event }) => event);
      return Response.json(createCaseBody("C-1"), { headers: { etag: "1" } });
    },
  );
  path = desk.path;
  assert.equal(codeOf(await desk.runner().run(INPUT)), undefined);
  assert.deepEqual(written, {
    "PATCH /assignments/A/actions/b": ["call 1", "sent 1"],
    "PATCH /assignments/A/actions/c": ["call 1", "sent 1", "answer 1", "call 2", "sent 2"],
  });
});

// A service may forget a key after 24 hours, by a clock of its own.
for (const [when, hours] of [["so long ago", -23.5], ["by a clock so far ahead", 23.5]] as const) {
  Deno.test(`a change that was sent ${when} that its key may be forgotten is not sent again`, async () => {
    await using desk = await openDesk(`return ${CREATE}`);
    const at = Date.now() + hours * 3600 * 1000;
    const content = JSON.stringify({ operation: "cases.create", values: { type: "T" } });
    await desk.happened({ at, content }, { kind: "sent", at, content: JSON.stringify({ key: "r1.1.1" }) });
    assert.equal(codeOf(await desk.runner().run(INPUT)), "OUTCOME_UNKNOWN");
    assert.deepEqual(desk.changes(), []);
  });
}

Deno.test("after a failed commit nothing is written: a journal has no gaps", async () => {
  const written: number[] = [];
  let isFull = true;
  let isOpen = false;
  const buffer = new WriteBuffer({
    isOpen: () => isOpen,
    begin: () => void (isOpen = true),
    commit: () => {
      if (isFull) throw new Error("disk full");
      isOpen = false;
    },
    rollback: () => void (isOpen = false),
    save: () => {},
    release: () => {},
    rollbackToSavepoint: () => {},
  }, (cause) => new Error("cannot be written", { cause }));
  buffer.add(() => written.push(1));
  await buffer.flush();
  isFull = false;
  buffer.add(() => written.push(2));
  await buffer.flush();
  await assert.rejects(buffer.durable(), /cannot be written/);
  await buffer.close(); // `durable` has reported the failure.
  assert.deepEqual(written, [1]);
});

Deno.test("writes are committed together and in order, also those that fail alone", async () => {
  const log: string[] = [];
  const note = (text: string) => () => void log.push(text);
  let isOpen = false;
  const buffer = new WriteBuffer({
    isOpen: () => isOpen,
    begin: () => {
      isOpen = true;
      log.push("begin");
    },
    commit: () => {
      isOpen = false;
      log.push("commit");
    },
    rollback: note("rollback"),
    save: () => {},
    release: () => {},
    rollbackToSavepoint: () => {},
  }, (cause) => new Error("cannot be written", { cause }));
  buffer.add(note("1"));
  const first = buffer.durable();
  buffer.add(note("2"));
  await Promise.all([first, buffer.durable()]);
  assert.deepEqual(log, ["begin", "1", "2", "commit"]);
  buffer.add(() => {
    throw new Error("no");
  });
  await assert.rejects(buffer.durable(), /cannot be written/);
  buffer.add(note("3"));
  await assert.rejects(buffer.durable(), /cannot be written/);
  assert.equal(buffer.hasFailed, true);
  assert.equal(log.includes("3"), false);
});

Deno.test("of a run that is deleted nothing is left in the file, and of another one everything", async () => {
  await using desk = await openDesk("return 1");
  const { journal, path } = desk;
  const kept = await journal.findRun(RUN);
  assert(kept);
  await journal.createRun({ ...kept, id: "other" });
  journal.beginInput("other", { ...INPUT, startedAt: 0, generation: 0 });
  journal.append("other", 1, { kind: "log", position: 0, at: 0, content: "theirs" });
  await desk.happened(...Array.from({ length: 6000 }, () => ({ kind: "log", position: 0, content: "ours" }) as const));
  await journal.deleteRun(RUN);
  assert((await Deno.stat(path)).size < 100_000, "6000 events have more.");
  assert.deepEqual((await journal.listRuns()).map(({ id }) => id), ["other"]);
  assert.deepEqual((await journal.events("other", 1)).map(({ content }) => content), ["theirs"]);
  for (const file of [path, `${path}-wal`]) {
    assert(!new TextDecoder("latin1").decode(await Deno.readFile(file)).includes("ours"), file);
  }
});

Deno.test("what independent branches did is not done again by retry, nor what follows an edit by --force", async () => {
  await using desk = await openDesk(`const post = (type) => svc.cases.create({ type });
    const [read] = await Promise.allSettled([svc.cases.get("missing"), post("A").then(() => post("B"))]);
    await post("B");
    if (read.reason) throw read.reason;`);
  assert.equal(codeOf(await desk.runner().run(INPUT)), "NOT_FOUND");
  assert.equal(await reopenFailed(desk.journal, RUN), 1);
  assert.equal(codeOf(await desk.runner().run(INPUT)), "NOT_FOUND");
  assert.equal(await reopenFailed(desk.journal, RUN), 1);
  assert.equal(codeOf(await desk.runner().run(INPUT)), "NOT_FOUND");
  assert.deepEqual(desk.changes(), ["POST /cases", "POST /cases", "POST /cases"]);
});

Deno.test("--force goes on where the first of several steps at a time is another one", async () => {
  await using desk = await openDesk(
    `const found = await Promise.all(["C-9", "C-1"].map((id) => svc.cases.get(id)));
    return found.map(({ id }) => id);`,
  );
  const event = (kind: "call" | "answer", position: number, content: unknown) => {
    return { kind, position, content: (kind === "answer" ? "{}\n" : "") + JSON.stringify(content) };
  };
  const get = (caseId: string) => ({ operation: "cases.get", values: { caseId } });
  await desk.happened(
    event("call", 1, get("C-0")),
    event("call", 2, get("C-1")),
    event("answer", 1, createCaseBody("C-0")),
    event("answer", 2, createCaseBody("C-1")),
  );
  assert.deepEqual(codeOf(await desk.runner(true).run(INPUT)), ["C-9", "C-1"]);
});

Deno.test("a script that --force takes from its path is not told that the journal cannot be written, whatever is on its way", async () => {
  const held = holdResponse();
  await using desk = await openDesk(
    `const other = svc.cases.get("C-0");
    await svc.cases.get("C-9").catch(({ code }) => log("caught", code));
    await other;`,
    (call) => call.endsWith("C-0") ? held.answer() : Response.json(createCaseBody("C-9")),
  );
  const get = (caseId: string) => ({ content: JSON.stringify({ operation: "cases.get", values: { caseId } }) });
  const given = { kind: "answer", content: `{}\n${JSON.stringify(createCaseBody("C-1"))}` } as const;
  await desk.happened(get("C-0"), { position: 2, ...get("C-1") }, { position: 2, ...given });
  using db = new DatabaseSync(desk.path);
  db.exec("CREATE TRIGGER broken BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no'); END");
  const giveOther = () => held.release(Response.json(createCaseBody("C-0")));
  const said: string[] = [];
  const outcome = await desk.runner(true).run(INPUT, (text) => {
    said.push(text);
    giveOther();
  });
  giveOther();
  assert.deepEqual([codeOf(outcome), outcome.isOpen, said], ["INTERRUPTED", true, []]);
});

/** An input without a sandbox, whose events go nowhere. */
function inputRun(options: Partial<InputRunOptions>): InputRun {
  return new InputRun({
    events: [],
    sink: { append: () => {}, durable: () => Promise.resolve(), rewind: () => Promise.resolve(1) },
    live: { call: () => Promise.resolve({ head: {}, text: "" }) },
    keyOf: () => "key",
    generation: 0,
    force: false,
    onLog: () => {},
    stop: () => {},
    ...options,
  });
}

Deno.test("an input that is over writes nothing more and sends nothing: its next life has read what there was", async () => {
  const written: string[] = [];
  const called = Promise.withResolvers<() => Promise<void>>();
  const run = inputRun({
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

/** Events from an hour ago: a timer that guards a call. */
function guarded(operation: string, values: JsonObject, ...events: Partial<EventRecord>[]): Partial<EventRecord>[] {
  const call = (position: number, content: unknown) => ({ position, content: JSON.stringify(content) });
  const calls = [call(1, { operation: "sleep", values: { milliseconds: 5000 } }), call(2, { operation, values })];
  return [...calls, ...events.map((event) => ({ position: 2, ...event }))]
    .map((event) => ({ ...event, at: Date.now() - HOUR }));
}

Deno.test("a timer does not cancel the call that it guards because nobody ran its script for long", async () => {
  await using desk = await openDesk(
    `await svc.cases.create({ type: "T" }, { signal: AbortSignal.timeout(5000) }); return "done";`,
  );
  const sent = { kind: "sent", content: JSON.stringify({ key: "r1.1.1" }) } as const;
  await desk.happened(...guarded("cases.create", { type: "T" }, sent));
  assert.equal(codeOf(await desk.runner().run(INPUT)), "done");
  assert.deepEqual(desk.changes(), ["POST /cases"]);
});

Deno.test("a timer does not cancel the call that is retried because its script has failed long ago", async () => {
  await using desk = await openDesk(
    `await svc.cases.get("C-1", { signal: AbortSignal.timeout(5000) }); return "done";`,
  );
  const error = { code: "NOT_FOUND", message: "There is none.", operation: "cases.get" } as const;
  const refusal = { kind: "refusal", content: JSON.stringify({ error }) } as const;
  await desk.happened(...guarded("cases.get", { caseId: "C-1" }, refusal));
  desk.journal.endInput(RUN, 1, { state: "failed", error });
  assert.equal(await reopenFailed(desk.journal, RUN), 1);
  assert.equal(codeOf(await desk.runner().run(INPUT)), "done");
});

Deno.test("a timer that goes on stood still while nobody ran its script, a sleep did not", async () => {
  const now = Date.now();
  const begun = new Map<number, number>();
  const content = JSON.stringify({ operation: "sleep", values: { milliseconds: 60_000 } });
  const asked = [1, 2].map((position) => ({ kind: "call", position, at: now - HOUR, content, seq: position }) as const);
  const printed = { kind: "log", position: 0, at: now - HOUR + 20_000, content: "on", seq: 3 } as const;
  const run = inputRun({
    events: [...asked, printed],
    live: {
      call: ({ isTimer }, { askedAt }) => {
        begun.set(isTimer ? 1 : 2, askedAt);
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

Deno.test("a script that computes for long between two steps is not stalled, one that waits is", async () => {
  const stopped = Promise.withResolvers<SvcError>();
  const content = JSON.stringify({ operation: "cases.get", values: {} });
  const call = (position: number) => ({ kind: "call", position, at: 0, content, seq: 2 * position }) as const;
  const answer = (position: number) =>
    ({ kind: "answer", position, at: 0, content: "{}\n", seq: 2 * position + 1 }) as const;
  const events = [call(1), answer(1), call(2), call(3), answer(3)];
  const run = inputRun({ events, stop: stopped.resolve, patience: 1 });
  const request = { operation: "cases.get", values: {} };
  const { signal } = new AbortController();
  let isWaiting = false;
  void run.call(request, 1, signal);
  run.delivering(1);
  setTimeout(() => {
    isWaiting = true;
    void run.call(request, 2, signal); // It has no recorded result, and the new one comes after that of step 3.
  }, 10);
  assert.match((await stopped.promise).message, /^Step 3 was cases.get .*does not ask for it/);
  run.dispose();
  assert(isWaiting, "It was stopped before it waited for anything.");
});

Deno.test("a script sees the attempts of a call that failed, on a replay too", async () => {
  await using desk = await openDesk(
    `throw new Error("saw " + await svc.cases.get("C-1").catch((error) => error.attempts.length));`,
    () => new Response("", { status: 503 }),
  );
  for (const generation of [1, 2]) {
    const outcome = await desk.runner().run(INPUT);
    assert("failure" in outcome);
    assert.match(outcome.failure.message, /saw 3/);
    await desk.journal.reopenInput(RUN, 1, NOTHING_LEFT, generation);
  }
  assert.equal(desk.api.received.length, 3);
});
