/** The memory that responses take in the host, and the space that they take in the journal. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { type Delivery, DeliveryBudget } from "../../../workflows/engine/delivery_budget.ts";
import { MAX_FILE_BYTES } from "../../../workflows/sandbox/protocol/files.ts";
import { makeFolder, runCommand } from "../../harness/svc.ts";
import {
  createCaseBody,
  RUN_SCRIPT,
  scriptText,
  TinyApi,
  waitForOutput,
  workflowCommand,
} from "../../harness/workflow.ts";

const MIB = 1024 * 1024;

/** A folder with a script, and how to run it with an API. */
async function openWorkspace(body: string, api: TinyApi) {
  const folder = await makeFolder({ "script.ts": scriptText(body) });
  const env = { SVC_BASE_URL: api.baseUrl, SVC_CLIENT_ID: "id", SVC_CLIENT_SECRET: "secret", SVC_NO_CACHE: "true" };
  const command = (args: string[]) => workflowCommand(args, { directory: folder.path, env, cwd: folder.path });
  return { path: folder.path, command, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

Deno.test({
  name: "open downloads wait until the script has taken earlier ones, and take little memory",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const bytes = new Uint8Array(MAX_FILE_BYTES).fill(7);
    const isDone = Promise.withResolvers<void>();
    await using api = new TinyApi(async (call) => {
      if (!call.includes("/cases/")) return new Response(bytes, { headers: { "content-type": "image/png" } });
      await isDone.promise;
      return Response.json(createCaseBody("C-1"));
    });
    await using workspace = await openWorkspace(
      `const open = Array.from({ length: 32 }, (_, i) => svc.attachments.get("A-" + i).then(({ size }) => size));
      const sizes = await Promise.all(open);
      log("downloaded");
      await svc.cases.get("C-1");
      return new Set(sizes).size;`,
      api,
    );
    const run = workspace.command(["run", "script.ts", "--allow-declared", "--journal", "none"]).spawn();
    const { rest } = await waitForOutput(run, "downloaded");
    const [, peak] = /^VmHWM:\s*(\d+) kB/m.exec(await Deno.readTextFile(`/proc/${run.pid}/status`)) ?? [];
    isDone.resolve();
    const [stdout, stderr] = await Promise.all([new Response(run.stdout).text(), rest, run.status]);
    assert.equal(stdout, "1\n", stderr);
    const mebibytes = Math.round(Number(peak) / 1024);
    // Without the limit, it takes more than 1,300 MiB. Garbage makes the figure vary.
    assert.ok(mebibytes < 1100, `the runner took ${mebibytes} MiB`);
  },
});

Deno.test("an input that records more than --max-journal fails, and continues with a higher limit", async () => {
  const createNoise = () => crypto.getRandomValues(new Uint8Array(32 * 1024)).toHex(); // It cannot be compressed much.
  await using api = new TinyApi((call) => {
    return Response.json({ ...createCaseBody(call), filler: Array.from({ length: 16 }, createNoise) });
  });
  await using workspace = await openWorkspace(
    `for (let i = 0; i < 12; i++) await svc.cases.get("C-" + i); return "read";`,
    api,
  );
  const svc = (...args: string[]) => runCommand(workspace.command(args));
  const first = await svc(...RUN_SCRIPT, "--max-journal", "4");
  assert.match(first.stderr, /"WORKFLOW_FAILED".*stores more than 4 MiB about the input.*Raise --max-journal/);
  assert.equal(first.code, 1);
  assert.ok(api.received.length <= 6, `${api.received.length} calls`);
  const files = [...Deno.readDirSync(workspace.path)].filter(({ name }) => name.startsWith("workflows.db"));
  const size = files.reduce((sum, { name }) => sum + Deno.statSync(`${workspace.path}/${name}`).size, 0);
  assert.ok(size > MIB && size < 8 * MIB, `the journal takes ${size} bytes`);
  const again = await svc("retry", "r1", "--max-journal", "64", "--format", "compact");
  assert.deepEqual([again.stdout, again.code], [`"read"\n`, 0], again.stderr);
  assert.match((await svc("run", "script.ts", "--max-journal", "0")).stderr, /"INVALID_ARGS".*at least 1 MiB, not 0/);
});

Deno.test("calls begin in order, stay within the budget, and never wait for nothing", async () => {
  const sizes = fc.array(
    fc.record({ operation: fc.constantFrom("a", "b"), hasFile: fc.boolean(), size: fc.nat(12 * MIB) }),
  );
  await fc.assert(fc.asyncProperty(sizes, fc.infiniteStream(fc.nat()), async (calls, picks) => {
    const budget = new DeliveryBudget();
    const { signal } = new AbortController();
    const begun: number[] = [];
    let open: { delivery: Delivery; size: number; hasArrived: boolean }[] = [];
    calls.forEach(({ size, ...request }, index) => {
      const add = (delivery: Delivery) => {
        begun.push(index);
        open.push({ delivery, size, hasArrived: false });
      };
      const delivery = budget.tryBegin({ ...request, values: {} });
      if (delivery !== undefined) add(delivery);
      else void budget.begin({ ...request, values: {} }, signal).then(add);
    });
    while (open.length > 0) {
      const one = open[(picks.next().value ?? 0) % open.length];
      if (one?.hasArrived === false) {
        one.delivery = budget.arrive(one.delivery, one.size);
        one.hasArrived = true;
      } else if (one !== undefined) {
        open = open.filter((other) => other !== one);
        budget.end(one.delivery);
      }
      const expected = open.reduce((sum, { delivery, hasArrived }) => hasArrived ? sum : sum + delivery.characters, 0);
      assert.ok(open.length < 2 || expected <= 32 * MIB, `${expected} characters are expected`);
      for (let turn = 0; turn < 3; turn++) await Promise.resolve();
    }
    assert.deepEqual(begun, calls.map((_, index) => index));
  }));
});

Deno.test("a call that is cancelled while it waits does not hold up the others", async () => {
  const budget = new DeliveryBudget();
  const request = { operation: "attachments.get", values: {}, hasFile: true };
  const [first] = [budget.tryBegin(request)];
  assert.ok(first !== undefined);
  const full = budget.arrive(first, 40 * MIB);
  const cancelled = new AbortController();
  const waiting = [budget.begin(request, cancelled.signal), budget.begin(request, new AbortController().signal)];
  cancelled.abort();
  assert.equal((await waiting[0])?.characters, 0);
  budget.end(full);
  assert.equal((await waiting[1])?.characters, 40 * MIB);
});
