/** One trace for each input, across worker, client and service, as a collector receives it. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { useTestSchema } from "../../harness/postgres_schema.ts";
import { ServiceHome, START_ARGUMENTS } from "../../harness/service.ts";
import { runCommand } from "../../harness/svc.ts";
import { type ReceivedSpan, startTraceCollector } from "../../harness/traces.ts";
import { eventually, readUntil, within } from "../../harness/wait.ts";
import { CREATE_CASE, scriptText } from "../../harness/workflow.ts";

const SCRIPT = scriptText(`${CREATE_CASE}
try {
  Reflect.get(globalThis, "Deno").telemetry.tracerProvider.getTracer("x").startSpan("of the script").end();
} catch (error) {
  log(String(error));
}
const registry = Reflect.get(globalThis, Symbol.for("opentelemetry.js.api.1"));
await sleep(3000); // Much longer than the wait with which an input leaves its worker.
await svc.tags.add(made.id, { tag: ["urgent"] });
return { registry: typeof registry };`);

/** Operations that the script calls. */
const OPERATIONS = ["cases.create", "tags.add"];

Deno.test("an input has one trace across worker, client and service, also when it has waited", async () => {
  await using collector = startTraceCollector();
  await using schema = useTestSchema();
  await using home = await ServiceHome.open();
  home.writable.push(dirname(home.directory)); // The script is unpacked into the folder for temporary files.
  const use = (service: string) => Object.assign(home.variables, collector.environment(service));
  use("service");
  const started = await home.svc(...START_ARGUMENTS, "--log-requests", "--log-format", "json");
  assert.equal(started.code, 0, JSON.stringify(started.error));
  const script = `${home.directory}/script.ts`;
  await Deno.writeTextFile(script, SCRIPT);
  use("worker");
  const worker = home.command(["worker", "start", "--store", schema.location, "--allow", "*"]).spawn();
  const { rest } = await readUntil(worker.stderr, "takes up to");
  use("submit");
  const run = ["workflow", "run", script, "--allow-declared", "--input", "1", "--workers", schema.location];
  const { code, stdout, stderr } = await runCommand(home.command([...run, "--run-id", "r1"]));
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), { registry: "undefined" });
  worker.kill("SIGTERM");
  await within("the worker ends", Promise.all([rest, worker.stdout.cancel(), worker.status]));
  assert.equal((await home.svc("service", "stop")).code, 0);

  // `service stop` returns before the process of the service has ended, which sends its last spans only then.
  const hasArrived = (operation: string) =>
    collector.spans.some(({ name, kind, spanId }) =>
      name === operation && kind === "server" &&
      collector.spans.some((span) => span.parentSpanId === spanId && span.name === "store change")
    );
  const inputs = await eventually("both parts of the input and their calls have arrived", () => {
    const found = collector.spans.filter(({ name }) => name === "input");
    return found.length >= 2 && OPERATIONS.every(hasArrived) && found;
  });
  const traces = new Set(inputs.map(({ traceId }) => traceId));
  assert.equal(traces.size, 1);
  const spans = collector.spans.filter(({ traceId }) => traces.has(traceId));
  const find = (name: string, kind: ReceivedSpan["kind"], service: string) => {
    const found = spans.find((span) => span.name === name && span.kind === kind && span.service === service);
    assert.ok(found, `There is no ${kind} span ${name} of ${service}: ${JSON.stringify(spans)}`);
    return found;
  };
  const parent = (span: ReceivedSpan) => spans.find(({ spanId }) => spanId === span.parentSpanId);
  for (const operation of OPERATIONS) {
    const served = find(operation, "server", "service");
    const sent = parent(served);
    assert.deepEqual([sent?.kind, sent?.service], ["client", "worker"]);
    const called = sent && parent(sent);
    assert.deepEqual([called?.name, called?.kind, called?.service], [operation, "internal", "worker"]);
    const input = called && parent(called);
    assert.deepEqual([input?.name, input?.attributes["svc.run"]], ["input", "r1"]);
    assert.match(String(served.attributes["http.response.status_code"]), /^20[017]$/);
    const units = spans.filter((span) => span.parentSpanId === served.spanId);
    assert.ok(units.some(({ name }) => name === "store change"), JSON.stringify(units));
  }
  assert.equal(new Set(inputs.map(({ parentSpanId }) => parentSpanId)).size, 1);
  const log = (await Deno.readTextFile(`${home.directory}/service/service.log`)).trimEnd().split("\n");
  const logged = log.map((line) => JSON.parse(line)).filter(({ operation }) => operation === "tags.add");
  assert.deepEqual(logged.map(({ traceId }) => traceId), [...traces]);
  assert.ok(!collector.text.includes("Ada") && !collector.text.includes("of the script"));
});
