/** `@svc/lib/runs`: runs from a program, without a terminal. */
import assert from "node:assert/strict";
import { type InputCounts, openRuns, SvcError } from "../../../workflows/runs/mod.ts";
import { makeFolder } from "../../harness/svc.ts";
import { createCaseBody, scriptText, TinyApi } from "../../harness/workflow.ts";

const DOUBLE = scriptText(`log("got", input); if (input === 3) throw new Error("three"); return input * 2;`, []);

Deno.test("a program starts a batch of values and reads its results, events and summary", async () => {
  await using folder = await makeFolder({ "script.ts": DOUBLE });
  await using runs = openRuns({ journal: `${folder.path}/journal.db` });
  const lines: string[] = [];
  const progress: number[] = [];
  const ends: InputCounts[] = [];
  await using run = await runs.start({
    script: `${folder.path}/script.ts`,
    inputs: [1, 2, 3],
    onLog: (text, input) => void lines.push(`${input}: ${text}`),
    onProgress: ({ done }) => void progress.push(done),
    onEnd: (counts) => void ends.push(counts),
  });
  assert.deepEqual([run.name, run.isBatch, run.reopened], ["test", true, 0]);
  const results = await Array.fromAsync(run.results);
  assert.deepEqual(results.slice(0, 2), [{ input: "inputs:1", result: 2 }, { input: "inputs:2", result: 4 }]);
  assert("error" in results[2]! && results[2].error.code === "WORKFLOW_FAILED");
  const { error, ...counts } = await run.finish();
  assert.deepEqual(counts, { id: run.id, inputs: 3, succeeded: 2, failed: 1, stopped: 0 });
  assert.equal(error?.message, "1 of 3 inputs failed: inputs:3 (WORKFLOW_FAILED).");
  assert.deepEqual(lines.toSorted(), ["inputs:1: got 1", "inputs:2: got 2", "inputs:3: got 3"]);
  assert.deepEqual(progress, [1, 2, 3]);
  assert.deepEqual(ends, [{ inputs: 3, succeeded: 2, failed: 1, stopped: 0 }]);
});

Deno.test("failures are reported before the results of earlier inputs", async () => {
  const reported = Promise.withResolvers<void>();
  await using api = new TinyApi(async () => {
    await reported.promise;
    return Response.json(createCaseBody("C-1"));
  });
  await using folder = await makeFolder({
    "script.ts": scriptText(`if (input === 2) throw new Error("two"); await svc.cases.get("C-1");`),
  });
  await using runs = openRuns({
    journal: false,
    baseUrl: api.baseUrl,
    clientId: "id",
    clientSecret: "s",
    noCache: true,
  });
  const script = `${folder.path}/script.ts`;
  const events: string[] = [];
  const onFailure = ({ input }: { input: string }) => {
    events.push(`${input} failed`);
    reported.resolve();
  };
  await using run = await runs.start({ script, inputs: [1, 2], concurrency: 2, allowDeclared: true, onFailure });
  for await (const { input } of run.results) events.push(input);
  assert.deepEqual(events, ["inputs:2 failed", "inputs:1", "inputs:2"]);
});

Deno.test("a run of a single input returns its result, or the error with the command that retries it", async () => {
  await using folder = await makeFolder({ "script.ts": DOUBLE });
  const journal = `${folder.path}/journal.db`;
  await using runs = openRuns({ journal });
  const start = async (input: number, id: string) => {
    await using run = await runs.start({ script: `${folder.path}/script.ts`, input, id });
    return [await Array.fromAsync(run.results), await run.finish()] as const;
  };
  const [results, summary] = await start(1, "one");
  assert.deepEqual(results, [{ input: "input", result: 2 }]);
  assert.deepEqual(summary, { id: "one", inputs: 1, succeeded: 1, failed: 0, stopped: 0 });
  const [, { failed, error }] = await start(3, "three");
  assert.equal(failed, 1);
  assert(error instanceof SvcError && error.code === "WORKFLOW_FAILED");
  assert.match(error.hint ?? "", RegExp(`svc workflow retry three --journal ${journal}`));
});

Deno.test("leaving the results early interrupts a run, which resumes without repeating calls", async () => {
  await using api = new TinyApi();
  await using folder = await makeFolder({ "script.ts": scriptText(`return (await svc.cases.get(input)).id;`) });
  const service = { baseUrl: api.baseUrl, clientId: "id", clientSecret: "secret", noCache: true };
  await using runs = openRuns({ ...service, journal: `${folder.path}/journal.db` });
  const inputs = ["C-1", "C-2", "C-3"];
  {
    await using run = await runs.start({
      ...{ script: `${folder.path}/script.ts`, inputs, concurrency: 1, allowDeclared: true, id: "r1" },
    });
    for await (const { input } of run.results) if (input === "inputs:1") break;
    await assert.rejects(run.finish(), { code: "INTERRUPTED", message: /Run r1 was interrupted/ });
  }
  const [listed] = await runs.list();
  assert.deepEqual([listed?.id, listed?.state, listed?.succeeded], ["r1", "interrupted", 1]);
  await using run = await runs.resume("r1", { inputs });
  assert.deepEqual((await Array.fromAsync(run.results)).map((result) => "result" in result && result.result), inputs);
  assert.deepEqual((await run.finish()).succeeded, 3);
  assert.equal(api.received.filter(({ call }) => call === "GET /cases/C-1").length, 1);
});

Deno.test("an aborted signal interrupts a run, and disposing of a run releases it", async () => {
  await using folder = await makeFolder({ "script.ts": scriptText(`log("started"); for (;;);`, []) });
  await using runs = openRuns({ journal: `${folder.path}/journal.db` });
  const controller = new AbortController();
  const options = { script: `${folder.path}/script.ts`, onLog: () => controller.abort(), signal: controller.signal };
  {
    await using run = await runs.start({ ...options, id: "aborted" });
    await assert.rejects(run.finish(), { code: "INTERRUPTED", stack: /^SvcError: .*\n +at .*runs_test\.ts/ });
  }
  await using unread = await runs.start({ script: `${folder.path}/script.ts`, id: "unread" });
  await assert.rejects(runs.delete("unread"), { code: "INVALID_ARGS", message: "A process is working on run unread." });
  await unread[Symbol.asyncDispose]();
  await runs.delete("unread");
  assert.deepEqual((await runs.list()).map(({ id }) => id), ["aborted"]);
});

Deno.test("a failed run can be shown, retried, reported, recorded as a cassette, cancelled and deleted", async () => {
  await using folder = await makeFolder({ "script.ts": DOUBLE, "in.ndjson": "1\n3\n" });
  await using runs = openRuns({ journal: `${folder.path}/journal.db` });
  const [script, each] = [`${folder.path}/script.ts`, `${folder.path}/in.ndjson`];
  {
    await using run = await runs.start({ script, each, id: "r1" });
    assert.equal((await run.finish()).failed, 1);
  }
  assert.deepEqual((await runs.list({ state: "failed" })).map(({ id }) => id), ["r1"]);
  const [failed] = await Array.fromAsync(runs.inputs("r1", { failed: true }));
  assert.deepEqual([failed?.place, failed?.state, failed?.error?.code], ["in.ndjson:2", "failed", "WORKFLOW_FAILED"]);
  assert.deepEqual(await Array.fromAsync(runs.logs("r1")), [
    { input: "in.ndjson:1", text: "got 1" },
    { input: "in.ndjson:2", text: "got 3" },
  ]);
  assert.match(await runs.report("r1"), /^<!DOCTYPE html>[^]*Failures by cause/);
  assert.deepEqual((await runs.cassette("r1"))?.result, 2);
  await Deno.writeTextFile(each, "1\n4\n");
  {
    await using run = await runs.retry("r1");
    assert.equal(run.reopened, 1);
    assert.deepEqual(await Array.fromAsync(run.results), [{ input: "in.ndjson:2", result: 8 }]);
    assert.equal((await run.finish()).error, undefined);
  }
  await assert.rejects(runs.cancel("r1"), { message: "Run r1 has already ended (done)." });
  await runs.delete("r1");
  await assert.rejects(runs.show("r1"), { code: "INVALID_ARGS", message: `The journal has no run "r1".` });
});

Deno.test("invalid options are rejected before a run is recorded", async () => {
  await using folder = await makeFolder({ "script.ts": DOUBLE });
  const script = `${folder.path}/script.ts`;
  await using runs = openRuns({ journal: `${folder.path}/journal.db` });
  const invalid: [options: Parameters<typeof runs.start>[0], message: RegExp][] = [
    [{ script, input: 1, inputs: [1] }, /^input, each and inputs are mutually exclusive\.$/],
    [{ script, id: "a", resumeLatest: true }, /^id, resumeLatest and once are mutually exclusive\.$/],
    [{ script, concurrency: 0 }, /^concurrency must be from 1 to 256, not 0\.$/],
    [{ script, rate: 0 }, /^rate must be a positive number of inputs per second, not 0\.$/],
    [{ script, maxFailures: "few" }, /^The maximum number of failures must be/],
    [{ script, limits: { timeoutSeconds: 0 } }, /^The timeout must be above 0/],
    [{ script, id: "a b" }, /is not a valid run ID/],
  ];
  for (const [options, message] of invalid) {
    await assert.rejects(runs.start(options), { code: "INVALID_ARGS", message });
  }
  assert.deepEqual(await runs.list(), []);
  await using unrecorded = openRuns({ journal: false });
  await assert.rejects(unrecorded.start({ script, id: "a" }), {
    message: "Without a journal, an earlier run cannot be found.",
  });
  await assert.rejects(unrecorded.list(), { message: "There is no journal." });
  await assert.rejects(openRuns({ journal: `${folder.path}/missing.db` }).list(), { message: /^There is no journal / });
});

Deno.test("a program plans a run", async () => {
  await using folder = await makeFolder({
    "script.ts": scriptText(`return (await svc.cases.create({ type: "T", data: input })).id;`, ["cases.create"]),
  });
  await using runs = openRuns({
    journal: false,
    baseUrl: "http://127.0.0.1:9",
    clientId: "id",
    clientSecret: "secret",
  });
  const { plan, failure } = await runs.plan({
    script: `${folder.path}/script.ts`,
    input: { a: 1 },
    allowDeclared: true,
  });
  assert.deepEqual([failure, plan.result, plan.end.isComplete], [undefined, "«step 1: id»", true]);
  assert.deepEqual(plan.steps.map(({ operation, kind, isGranted }) => [operation, kind, isGranted]), [
    ["cases.create", "change", true],
  ]);
});
