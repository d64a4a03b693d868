/** `--call-rate` of a run that one process works on. */
import assert from "node:assert/strict";
import { openRuns, type ResumeRunOptions, type Run } from "../../../workflows/runs/mod.ts";
import { makeFolder } from "../../harness/svc.ts";
import { createCaseBody, openScriptWorkspace, RUN_SCRIPT, scriptText, TinyApi } from "../../harness/workflow.ts";

/** Starts a run on an API that records when it gets each call, and optionally fails calls. */
async function openLimitedRun(body: string, limits: ResumeRunOptions) {
  const times: number[] = [];
  const state = { isFailing: false };
  const api = new TinyApi(() => {
    times.push(performance.now());
    if (state.isFailing) return Response.json({ errorDetails: [] }, { status: 404 });
    return Response.json(createCaseBody("C-1"), { headers: { etag: "tag-1" } });
  });
  const folder = await makeFolder({ "script.ts": scriptText(body, ["cases.get", "assignments.perform"]) });
  const service = { configDirectory: folder.path, baseUrl: api.baseUrl, clientId: "id", clientSecret: "secret" };
  const runs = openRuns({ ...service, journal: `${folder.path}/journal.db` });
  /** Returns the number of calls, and the milliseconds from the first to the last. */
  const measure = async (opened: Promise<Run>) => {
    times.length = 0;
    await using run = await opened;
    const { succeeded } = await run.finish();
    return { succeeded, calls: times.length, milliseconds: (times.at(-1) ?? 0) - (times[0] ?? 0) };
  };
  return {
    runs,
    state,
    measure,
    start: (inputs: string[]) =>
      measure(runs.start({ script: `${folder.path}/script.ts`, id: "r1", allowDeclared: true, inputs, ...limits })),
    async [Symbol.asyncDispose]() {
      await runs[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Milliseconds that calls take at a rate. A slot can be used 100 ms late, and a call can take longer than the next one. */
const atLeast = (calls: number, perSecond: number) => (calls - 1) * 1000 / perSecond - 200;

const GETS = "for (let call = 0; call < 5; call++) await svc.cases.get(input); return input;";

Deno.test("--call-rate applies to all inputs of a run together, and the status shows it", async () => {
  await using limited = await openLimitedRun(GETS, { callRate: 25, concurrency: 4 });
  const inputs = ["C-1", "C-2", "C-3", "C-4"];
  const { calls, milliseconds, succeeded } = await limited.start(inputs);
  assert.deepEqual([calls, succeeded], [20, 4]);
  assert.ok(milliseconds >= atLeast(20, 25), `${calls} calls in ${milliseconds} ms`);
  assert.equal((await limited.runs.status("r1")).callRate, 25);
});

Deno.test("retry keeps the limit of calls, or takes another one", async () => {
  await using limited = await openLimitedRun(GETS, { callRate: 1000, concurrency: 4 });
  limited.state.isFailing = true;
  const inputs = ["C-1", "C-2"];
  assert.equal((await limited.start(inputs)).succeeded, 0);
  limited.state.isFailing = false;
  const { succeeded, milliseconds } = await limited.measure(limited.runs.retry("r1", { callRate: 20, inputs }));
  assert.equal(succeeded, 2);
  assert.ok(milliseconds >= atLeast(10, 20), `10 calls in ${milliseconds} ms`);
  assert.equal((await limited.runs.status("r1")).callRate, 20);
});

Deno.test("the read of an entity tag before a change counts against --call-rate", async () => {
  const perform = `await svc.assignments.perform("A-1", { action: "Register" }); return input;`;
  await using limited = await openLimitedRun(perform, { callRate: 20, concurrency: 8 });
  const { calls, milliseconds } = await limited.start(["1", "2", "3", "4", "5", "6", "7", "8"]);
  assert.equal(calls, 16);
  assert.ok(milliseconds >= atLeast(16, 20) - 50, `${calls} calls in ${milliseconds} ms`);
});

Deno.test("--call-rate must be a positive number of calls per second", async () => {
  await using workspace = await openScriptWorkspace("return 1;");
  for (const value of ["0", "5/m", "-1", "fast"]) {
    const { code, stderr } = await workspace.svc(...RUN_SCRIPT, `--call-rate=${value}`);
    assert.equal(code, 2);
    const { error } = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "");
    assert.equal(error.message, `--call-rate must be a number of calls per second, not ${JSON.stringify(value)}.`);
    assert.equal(error.hint, "Use a positive number, e.g. 5/s.");
  }
  assert.equal((await workspace.svc(...RUN_SCRIPT, "--call-rate", "50/s")).code, 0);
  assert.equal(JSON.parse((await workspace.svc("status", "r1")).stdout).callRate, 50);
});
