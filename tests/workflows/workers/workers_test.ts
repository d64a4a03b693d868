/** Runs whose inputs are processed by workers: order, grants, kills, drain and pause. */
import assert from "node:assert/strict";
import { openPostgresJournal } from "../../../workflows/journal/postgres/postgres_journal.ts";
import { useTestSchema } from "../../harness/postgres_schema.ts";
import {
  CREATE_CASE,
  openScriptWorkspace,
  type ScriptWorkspace,
  waitForCases,
  waitForOutput,
} from "../../harness/workflow.ts";
import { eventually, readUntil, within } from "../../harness/wait.ts";

const INPUTS = 12;

/** Starts a worker that logs to stderr, and waits until it takes inputs. */
async function startWorker(workspace: ScriptWorkspace, store: string, ...args: string[]): Promise<Deno.ChildProcess> {
  const worker = workspace.worker("start", "--store", store, ...args);
  await waitForOutput(worker, "takes up to");
  return worker;
}

async function writeInputs(workspace: ScriptWorkspace, count = INPUTS): Promise<string> {
  const path = `${workspace.folder}/in.ndjson`;
  await Deno.writeTextFile(path, Array.from({ length: count }, (_, index) => `${index + 1}\n`).join(""));
  return path;
}

async function end(worker: Deno.ChildProcess, signal: Deno.Signal = "SIGTERM"): Promise<void> {
  try {
    worker.kill(signal);
  } catch {
    // It has ended.
  }
  await within("the worker ends", worker.status);
}

Deno.test("workers process the inputs of a run, and a killed one is replaced without a lost or repeated change", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} await sleep(300); return { input, id: made.id };`);
  await using schema = useTestSchema();
  const each = await writeInputs(workspace);
  const workers = await Promise.all(
    [1, 2].map(() => startWorker(workspace, schema.location, "--allow", "*", "--concurrency", "2")),
  );
  const submitted = workspace.svc(
    ...["run", "script.ts", "--each", each, "--allow-declared", "--run-id", "r1", "--workers", schema.location],
  );
  await eventually("some cases are created", async () => await workspace.permits() >= 3);
  for (const worker of workers.slice(0, 1)) await end(worker, "SIGKILL");
  const { code, stdout, stderr } = await submitted;
  assert.equal(code, 0, stderr);
  const results = stdout.trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(results.map(({ result }) => result.input), Array.from({ length: INPUTS }, (_, index) => index + 1));
  assert.equal(new Set(results.map(({ result }) => result.id)).size, INPUTS);
  assert.equal(await workspace.permits(), INPUTS);
  const status = JSON.parse((await workspace.svc("status", "r1", "--journal", schema.location)).stdout);
  assert.deepEqual([status.state, status.total, status.succeeded, status.failures], ["done", INPUTS, INPUTS, []]);
  for (const worker of workers) await end(worker);
});

Deno.test("workers take as many inputs of a run as they can", async () => {
  const count = 6;
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} ${waitForCases(count)} return made.id;`);
  await using schema = useTestSchema();
  const each = await writeInputs(workspace, count);
  const run = ["run", "script.ts", "--each", each, "--allow-declared", "--run-id", "r1", "--workers", schema.location];
  const submitted = await workspace.svc(...run, "--detach");
  assert.equal(submitted.code, 0, submitted.stderr);
  const workers = [2, count - 2].map((concurrency) =>
    workspace.worker(
      "start",
      "--store",
      schema.location,
      "--allow",
      "*",
      "--concurrency",
      String(concurrency),
      "--until-idle",
    )
  );
  await within("the workers end", Promise.all(workers.map(({ status }) => status)));
  assert.equal(await workspace.permits(), count);
  const status = JSON.parse((await workspace.svc("status", "r1", "--journal", schema.location)).stdout);
  assert.deepEqual([status.state, status.succeeded], ["done", count]);
});

Deno.test("a worker leaves runs that it does not grant, and says why", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} return made.id;`);
  await using schema = useTestSchema();
  const each = await writeInputs(workspace, 2);
  const run = ["run", "script.ts", "--each", each, "--allow", "cases.create", "--workers", schema.location];
  const detached = await workspace.svc(...run, "--run-id", "r1", "--detach");
  assert.equal(detached.code, 0, detached.stderr);
  const worker = workspace.worker("start", "--store", schema.location);
  await waitForOutput(worker, "This worker does not grant cases.create.");
  const list = () => runCommandOf(workspace.worker("list", "--store", schema.location));
  await eventually("the note is listed", async () => String((await list())[0]?.note).includes("does not grant"));
  assert.equal(await workspace.permits(), 0);
  const drained = await runCommandOf(workspace.worker("drain", "--all", "--store", schema.location));
  assert.deepEqual(drained.map(({ state }) => state), ["draining"]);
  assert.equal((await within("the worker ends", worker.status)).code, 0);
  const watched = workspace.svc("watch", "r1", "--journal", schema.location);
  const other = workspace.worker("start", "--store", schema.location, "--allow", "cases.*", "--until-idle");
  assert.equal((await within("the worker ends", other.status)).code, 0);
  const status = JSON.parse((await watched).stdout);
  assert.deepEqual([status.state, status.succeeded], ["done", 2]);
  assert.equal(await workspace.permits(), 2);
});

Deno.test("a run that waits because no worker is running says so once, with the command that starts one", async () => {
  await using workspace = await openScriptWorkspace("return 1;");
  await using schema = useTestSchema();
  const password = `${workspace.folder}/password.txt`;
  await Deno.writeTextFile(password, "not needed\n");
  const flags = ["--allow-declared", "--workers", schema.location, "--store-password-file", password];
  const run = workspace.start("run", "script.ts", ...flags);
  const { text, rest } = await readUntil(run.stderr, "No worker is running");
  const worker = workspace.worker("start", "--store", schema.location, "--allow", "*", "--until-idle");
  assert.equal((await within("the worker ends", worker.status)).code, 0);
  assert.equal(await new Response(run.stdout).text(), "1\n");
  assert.equal(
    text + await rest,
    "No worker is running, so the run waits. Start one, with --allow for the operations of the script: " +
      `svc worker start --store '${schema.location}' --store-password-file ${password}\n`,
  );
});

Deno.test("workers keep what --keep of a run says", async () => {
  await using workspace = await openScriptWorkspace(`log("line"); return 1;`);
  await using schema = useTestSchema();
  const run = ["run", "script.ts", "--allow-declared", "--keep", "results", "--workers", schema.location];
  const submitted = await workspace.svc(...run, "--run-id", "r1", "--detach");
  assert.equal(submitted.code, 0, submitted.stderr);
  await workspace.worker("start", "--store", schema.location, "--allow", "*", "--until-idle").output();
  await using journal = await openPostgresJournal(schema.location);
  assert.deepEqual((await journal.events("r1", 1)).map(({ kind }) => kind), ["pruned"]);
});

Deno.test({
  name: "a worker whose log is not read processes its inputs, and ends with SIGTERM",
  ignore: Deno.build.os === "windows",
  async fn() {
    const lines = "for (let n = 0; n < 2000; n++) log('x'.repeat(100));"; // More than a pipe takes.
    await using workspace = await openScriptWorkspace(`${lines} return 1;`);
    await using schema = useTestSchema();
    const each = await writeInputs(workspace, 3);
    const worker = workspace.worker("start", "--store", schema.location, "--allow", "*", "--concurrency", "1");
    const run = [
      "run",
      "script.ts",
      "--each",
      each,
      "--allow-declared",
      "--run-id",
      "r1",
      "--workers",
      schema.location,
    ];
    const { code, stderr } = await workspace.svc(...run);
    assert.equal(code, 0, stderr);
    worker.kill("SIGTERM");
    assert.equal((await within("the worker ends", worker.status, { seconds: 20 })).signal, null);
    await Promise.all([worker.stdout.cancel(), worker.stderr.cancel()]);
  },
});

/** Returns the JSON that a process prints. */
async function runCommandOf(process: Deno.ChildProcess): Promise<Record<string, unknown>[]> {
  const text = await new Response(process.stdout).text();
  await within("the command ends", process.status);
  return JSON.parse(text);
}
