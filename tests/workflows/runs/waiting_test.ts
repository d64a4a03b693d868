/** Inputs that give up their process and their part of the concurrency while they wait. */
import assert from "node:assert/strict";
import { openRuns, type Runs, type StartRunOptions } from "../../../workflows/runs/mod.ts";
import type { JsonValue } from "../../../utils/json.ts";
import { makeFolder } from "../../harness/svc.ts";
import { eventually } from "../../harness/wait.ts";
import {
  createCaseBody,
  killAfterOutput,
  prepareScriptWorkspaces,
  scriptText,
  TinyApi,
} from "../../harness/workflow.ts";

const openScriptWorkspace = prepareScriptWorkspaces();

/** A script, the runs of a journal, and an API whose cases are open until they are changed. */
interface Workspace extends AsyncDisposable {
  readonly runs: Runs;
  readonly api: TinyApi;
  readonly options: StartRunOptions;
}

/** Inputs give up their processes after a short time, so that the tests need not wait. */
const RELEASE = { releaseAfterSeconds: 0.1, concurrency: 1, allowDeclared: true };

async function open(body: string): Promise<Workspace> {
  await using stack = new AsyncDisposableStack();
  const closed = new Set<string>();
  const api = stack.use(
    new TinyApi((call, request) => {
      const id = call.replace(/^\w+ \/cases\/?/, "");
      if (request.method === "DELETE") {
        closed.add(id);
        return new Response(null, { status: 204 });
      }
      const found = { ...createCaseBody(id), status: closed.has(id) ? "Closed" : "Open" };
      return Response.json(found, { headers: { etag: "tag-1" } });
    }),
  );
  const folder = stack.use(await makeFolder({ "script.ts": scriptText(body) }));
  const service = { baseUrl: api.baseUrl, clientId: "id", clientSecret: "secret", noCache: true };
  const runs = stack.use(openRuns({ ...service, journal: `${folder.path}/journal.db` }));
  const owned = stack.move();
  const options = { script: `${folder.path}/script.ts`, id: "r1", ...RELEASE };
  return { runs, api, options, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function readResults(runs: Runs, options: StartRunOptions): Promise<(JsonValue | undefined)[]> {
  await using run = await runs.start(options);
  const results = await Array.fromAsync(run.results, (one) => "result" in one ? one.result : one);
  await run.finish();
  return results as (JsonValue | undefined)[];
}

const CLOSE = `if (input === "close") {
  await svc.cases.delete("C-1");
  return "closed";
}`;

Deno.test("inputs that wait leave their part of the concurrency to others, and the order of the results stays", async () => {
  await using workspace = await open(`${CLOSE}
    log("begins");
    const found = await waitFor(() => svc.cases.get(input), ({ status }) => status === "Closed", { everySeconds: 0.2 });
    return found.id;`);
  const { runs, options, api } = workspace;
  const lines: string[] = [];
  const onLog = (text: string, input: string) => void lines.push(`${input} ${text}`);
  const inputs = ["C-1", "C-1", "close", "C-1"];
  assert.deepEqual(await readResults(runs, { ...options, inputs, onLog }), ["C-1", "C-1", "closed", "C-1"]);
  assert.deepEqual(lines, ["inputs:1 begins", "inputs:2 begins", "inputs:4 begins"]);
  assert.equal(api.received.filter(({ call }) => call.startsWith("DELETE")).length, 1);
});

Deno.test("an interrupted run does not start the inputs that wait, and they continue at their time", async () => {
  await using workspace = await open(`await svc.cases.delete(input);
    await sleep(6000);
    await svc.cases.delete(input);
    return input;`);
  const { runs, options, api } = workspace;
  const inputs = ["C-1", "C-2", "C-3"];
  const begun = () => api.received.filter(({ call }) => call.startsWith("DELETE")).length;
  const interrupt = new AbortController();
  const started = performance.now();
  {
    // All of them must wait before the first one continues, also on a busy machine.
    await using run = await runs.start({ ...options, inputs, concurrency: inputs.length, signal: interrupt.signal });
    const finished = assert.rejects(run.finish(), { code: "INTERRUPTED" });
    await eventually("all inputs wait", async () => {
      const shown = await Array.fromAsync(runs.inputs("r1"));
      return shown.filter(({ waitsUntil }) => waitsUntil !== undefined).length === 3;
    });
    interrupt.abort();
    await finished;
  }
  const before = begun();
  assert.deepEqual(await readResults(runs, { ...options, inputs }), inputs);
  assert.ok(performance.now() - started >= 6000);
  assert.deepEqual([before, begun()], [3, 6]);
});

Deno.test("a timer that fires while an input waits fires once, and the order of the steps is replayed", async () => {
  await using workspace = await open(`const seen = [];
    setTimeout(() => seen.push("timer"), 600);
    await sleep(1500);
    seen.push("slept");
    await sleep(500);
    seen.push((await svc.cases.get("C-1")).id);
    return seen;`);
  const { runs, options } = workspace;
  assert.deepEqual(await readResults(runs, { ...options, inputs: [1] }), [["timer", "slept", "C-1"]]);
});

Deno.test("the time for which an input waits without a process counts for --max-wait", async () => {
  await using workspace = await open("for (;;) await sleep(300);");
  const { runs, options } = workspace;
  await using run = await runs.start({ ...options, inputs: [1], limits: { maxWaitSeconds: 1 } });
  const [result] = await Array.fromAsync(run.results);
  assert.ok(result !== undefined && "error" in result && result.error.code === "TIMEOUT", JSON.stringify(result));
});

Deno.test("a run of one input gives up its process, too, and is shown with the time at which it continues", async () => {
  await using workspace = await open("await sleep(3000); return input;");
  const { runs, options } = workspace;
  await using run = await runs.start({ ...options, input: 7 });
  const results = Array.fromAsync(run.results);
  await eventually("the input waits", async () => {
    const [input] = await Array.fromAsync(runs.inputs("r1"));
    return input?.waitsUntil !== undefined && Date.parse(input.waitsUntil) > Date.now();
  });
  assert.deepEqual(await results, [{ input: "input", result: 7 }]);
});

Deno.test("inputs that wait when the process is killed continue with one effect each", async () => {
  await using workspace = await openScriptWorkspace(`
    const made = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: input, Address: "B" } });
    log("made");
    await sleep(3000);
    log("slept");
    return made.ID;`);
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, '"Ada"\n"Ben"\n"Cy"\n');
  const args = ["run", "script.ts", "--each", "in.ndjson", "--allow-declared", "--run-id", "r1", "--concurrency", "1"];
  await killAfterOutput(workspace.start(...args), "in.ndjson:3: made");
  await killAfterOutput(workspace.start("resume", "r1"), "slept");
  const { code, stdout } = await workspace.svc("resume", "r1");
  assert.equal(code, 0);
  assert.deepEqual(stdout.trimEnd().split("\n").map((line) => JSON.parse(line).input), [
    "in.ndjson:1",
    "in.ndjson:2",
    "in.ndjson:3",
  ]);
  assert.equal(await workspace.permits(), 3);
});

Deno.test("an input whose value has changed is refused when the run resumes, also if it or an earlier one waits", async () => {
  await using workspace = await open(`log("begins"); await sleep(600_000); return input;`);
  const { runs, options } = workspace;
  const stop = new AbortController();
  let begun = 0;
  const onLog = () => void (++begun === 2 && stop.abort()); // The first input waits then.
  await assert.rejects(readResults(runs, { ...options, inputs: [1, 2], onLog, signal: stop.signal }));
  for (const [index, inputs] of [[3, 2], [1, 3]].entries()) {
    await using run = await runs.resume("r1", { inputs });
    await assert.rejects(run.finish(), { message: `inputs:${index + 1} has changed since the run started.` });
  }
});
