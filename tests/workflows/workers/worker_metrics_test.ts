/** Metrics of a worker, as Prometheus reads them, and its log as JSON. */
import assert from "node:assert/strict";
import { readMetrics } from "../../harness/metrics.ts";
import { useTestSchema } from "../../harness/postgres_schema.ts";
import { CREATE_CASE, openScriptWorkspace } from "../../harness/workflow.ts";
import { eventually, readUntil, within } from "../../harness/wait.ts";

const SCRIPT = `if (input === 2) throw new Error("Ada lives at B"); ${CREATE_CASE}
if (input === 3) await sleep(3_600_000); return made.id;`;

Deno.test("a worker counts its inputs and calls, and what is left in the journal, and logs a failure without its message", async () => {
  await using workspace = await openScriptWorkspace(SCRIPT);
  await using schema = useTestSchema();
  const each = `${workspace.folder}/in.ndjson`;
  await Deno.writeTextFile(each, "1\n2\n3\n");
  const worker = workspace.worker(
    "start",
    "--store",
    schema.location,
    "--allow",
    "*",
    "--metrics",
    "0",
    "--log-format",
    "json",
  );
  const { text, rest } = await readUntil(worker.stderr, "takes up to");
  const url = /Metrics are at ([^"]+)\./.exec(text)?.[1];
  const run = ["run", "script.ts", "--each", each, "--allow-declared", "--run-id", "r1", "--workers", schema.location];
  const { code, stderr } = await workspace.svc(...run, "--detach");
  assert.equal(code, 0, stderr);
  await eventually("the third input waits, and no input runs", async () => {
    const { value } = await readMetrics(url);
    return value("svc_journal_inputs", { state: "waiting" }) === 1 && value("svc_inputs_running", {}) === 0;
  });
  const { value, text: metrics } = await readMetrics(url);
  const inputs = (result: string) => value("svc_inputs_total", { result });
  assert.deepEqual([inputs("succeeded"), inputs("failed"), inputs("waiting"), inputs("lost")], [1, 1, 1, undefined]);
  assert.equal(value("svc_calls_total", { operation: "cases.create", result: "succeeded" }), 2);
  assert.equal(value("svc_call_seconds_count", { operation: "cases.create" }), 2);
  assert.equal(value("svc_inputs_running", {}), 0);
  assert.equal(value("svc_inputs_concurrency", {}), 4);
  assert.equal(value("svc_journal_up", {}), 1);
  assert.equal(value("svc_journal_inputs", { state: "due" }), 0);
  assert.equal(value("svc_oldest_due_seconds", {}), 0);
  assert.doesNotMatch(metrics, /Ada|in\.ndjson|r1/);
  worker.kill("SIGTERM");
  const [more] = await within("the worker ends", Promise.all([rest, worker.status]));
  const log = text + more;
  const entries = log.trimEnd().split("\n").map((line) => JSON.parse(line));
  const failed = entries.find(({ message }) => message === "Input failed");
  assert.deepEqual([failed?.level, failed?.run, failed?.input, failed?.code], ["error", "r1", 2, "WORKFLOW_FAILED"]);
  assert.doesNotMatch(log, /Ada/);
});

Deno.test("metrics of a worker need a shared journal", async () => {
  await using workspace = await openScriptWorkspace("return 1;");
  const worker = workspace.worker("start", "--metrics", "0");
  const { rest } = await readUntil(worker.stderr, "--metrics needs --store.");
  assert.equal((await within("the worker ends", worker.status)).code, 2);
  await rest;
});
