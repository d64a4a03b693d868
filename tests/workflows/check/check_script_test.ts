/** `svc workflow check`: replays open inputs with an edited script, offline. */
import assert from "node:assert/strict";
import { type InputCheck, openRuns, type Runs } from "../../../workflows/runs/mod.ts";
import type { JsonValue } from "../../../utils/json.ts";
import { makeFolder, svcInProcess } from "../../harness/svc.ts";
import { scriptText, TinyApi } from "../../harness/workflow.ts";

const WAIT = `log("waits"); await sleep(3_600_000);`;
const GET_TWICE = `const one = await svc.cases.get(input); const two = await svc.cases.get(one.id + "-2");`;

/** Open inputs of the script with this body, each stopped in its sleep. */
async function openWorkspace(body: string) {
  const folder = await makeFolder();
  const api = new TinyApi();
  const journal = `${folder.path}/journal.db`;
  const runs = openRuns({ baseUrl: api.baseUrl, clientId: "id", clientSecret: "secret", noCache: true, journal });
  const script = `${folder.path}/script.ts`;
  const write = (text: string) => Deno.writeTextFile(script, text);
  await write(scriptText(body));
  return {
    api,
    runs,
    journal,
    script,
    write,
    edit: (body: string) => write(scriptText(body)),
    stop: (id: string, inputs: readonly JsonValue[]) => stopInSleep(runs, { script, id, inputs }),
    check: async (run?: string) => describe(await Array.fromAsync(runs.check({ script, run }))),
    async [Symbol.asyncDispose]() {
      await runs[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Starts a run, and interrupts it when all inputs sleep. */
async function stopInSleep(
  runs: Runs,
  { inputs, ...options }: { script: string; id: string; inputs: readonly JsonValue[] },
): Promise<void> {
  let asleep = 0;
  const controller = new AbortController();
  const onLog = () => {
    if (++asleep === inputs.length) controller.abort();
  };
  await using run = await runs.start({
    ...options,
    inputs,
    allowDeclared: true,
    concurrency: inputs.length,
    onLog,
    signal: controller.signal,
  });
  await assert.rejects(run.finish(), { code: "INTERRUPTED" });
}

function describe(checks: readonly InputCheck[]): readonly (string | undefined)[] {
  return checks.map(({ error }) => error && `${error.code} ${error.message}`);
}

Deno.test("a script continues if it repeats all recorded steps, whatever it does next, and diverges otherwise", async () => {
  await using workspace = await openWorkspace(`${GET_TWICE} ${WAIT} return two.id;`);
  await workspace.stop("r1", ["C-1"]);
  const { length } = workspace.api.received;
  const journal = await Deno.readFile(workspace.journal);
  assert.deepEqual(await workspace.check("r1"), [undefined]);
  await workspace.edit(`${GET_TWICE} await sleep(3_600_000); return (await svc.cases.listAncestors(two.id)).id;`);
  assert.deepEqual(await workspace.check("r1"), [undefined]);
  const first = "await svc.cases.get(input);";
  const edits: [body: string, message: RegExp][] = [
    [
      `${first} await svc.cases.listAncestors("C-3");`,
      /^WORKFLOW_DIVERGED Step 2 was cases\.get {"caseId":"C-1-2"}, but the script now calls cases\.list-ancestors {"caseId":"C-3"}\.$/,
    ],
    [first, /^WORKFLOW_DIVERGED Step 2 was cases\.get .* no longer makes this call/],
    [
      `${first} throw new Error("oops");`,
      /^WORKFLOW_DIVERGED The script fails with WORKFLOW_FAILED "The script failed: oops .*Step 2 was cases\.get/,
    ],
    [`${first} await new Promise(() => {});`, /^WORKFLOW_FAILED .* never happen/],
  ];
  for (const [body, message] of edits) {
    await workspace.edit(body);
    const [error = ""] = await workspace.check("r1");
    assert.match(error, message);
  }
  assert.equal(workspace.api.received.length, length, "nothing is sent");
  assert.deepEqual(await Deno.readFile(workspace.journal), journal, "nothing is recorded");
});

Deno.test("a script that now waits before a step whose response is recorded diverges", async () => {
  await using workspace = await openWorkspace(
    `const asleep = sleep(3_600_000); await svc.cases.get(input); log("waits"); await asleep;`,
  );
  await workspace.stop("r1", ["C-1"]);
  await workspace.edit(`await sleep(3_600_000); await svc.cases.get(input);`);
  const [error = ""] = await workspace.check("r1");
  assert.match(error, /^WORKFLOW_DIVERGED Step 2 was cases\.get .* no longer makes this call/);
});

Deno.test("a script that now waits before a step without a response can continue", async () => {
  await using workspace = await openWorkspace(
    `const asleep = sleep(3_600_000); const later = sleep(3_600_001); log("waits"); await asleep; await later;`,
  );
  await workspace.stop("r1", ["C-1"]);
  await workspace.edit(`await sleep(3_600_000); await sleep(3_600_001);`);
  assert.deepEqual(await workspace.check("r1"), [undefined]);
});

Deno.test("the failed inputs of a run are checked as they would be retried", async () => {
  await using workspace = await openWorkspace(
    `const one = await svc.cases.get(input); if (input !== "C-2") throw new Error("no"); return one.id;`,
  );
  const { runs, script } = workspace;
  await using run = await runs.start({ script, id: "r1", inputs: ["C-1", "C-2", "C-3"], allowDeclared: true });
  await run.finish();
  assert.deepEqual(await workspace.check("r1"), [undefined, undefined]);
  await workspace.edit(
    `if (input === "C-3") await svc.cases.listAncestors(input); return (await svc.cases.get(input)).id;`,
  );
  const { length } = workspace.api.received;
  const checks = await Array.fromAsync(runs.check({ script, run: "r1" }));
  assert.deepEqual(checks.map(({ number, error }) => [number, error?.code]), [[1, undefined], [3, undefined]]);
  assert.equal(workspace.api.received.length, length);
  assert.deepEqual(await workspace.check(), []);
});

Deno.test("the command checks all open runs of the workflow, and prints JSON in a pipe and a page at a terminal", async () => {
  await using workspace = await openWorkspace(`${GET_TWICE} ${WAIT}`);
  await workspace.stop("r1", ["C-1"]);
  await workspace.stop("r2", ["C-2"]);
  const { script, journal } = workspace;
  const check = ["workflow", "check", script, "--journal", journal, "--against"];
  const same = await svcInProcess([...check, "all-open"]);
  assert.deepEqual(same, { code: 0, stdout: "[]\n", stderr: "Checked 2 inputs of 2 runs. None diverges.\n" });

  await workspace.edit(`const one = await svc.cases.get(input);
    await svc.cases.get(one.id + (input === "C-2" ? "-2" : "-3")); await sleep(3_600_000);`);
  const { code, stdout, stderr } = await svcInProcess([...check, "all-open", "--format", "compact"]);
  const rows: Record<string, unknown>[] = JSON.parse(stdout);
  assert.deepEqual([code, rows.map(({ run, number, input }) => ({ run, number, input }))], [
    1,
    [{ run: "r1", number: 1, input: "inputs:1" }],
  ]);
  const { error } = JSON.parse(stderr);
  assert.deepEqual([error.code, error.message], [
    "WORKFLOW_DIVERGED",
    "The script cannot continue 1 of 2 inputs of 2 runs.",
  ]);
  const page = await svcInProcess([...check, "r1"], { terminal: true });
  assert.equal(
    page.stdout,
    `r1, inputs:1
  WORKFLOW_DIVERGED  Step 2 was cases.get {"caseId":"C-1-2"}, but the script now
                     calls cases.get {"caseId":"C-1-3"}.
`,
  );
  await workspace.write(scriptText("await sleep(1);").replace(`name: "test"`, `name: "other"`));
  const other = await svcInProcess([...check, "all-open"]);
  assert.deepEqual([other.code, other.stderr], [0, "There is no open or failed input to check.\n"]);
  const missing = await svcInProcess([...check, "r3"]);
  assert.deepEqual([missing.code, /The journal has no run \\"r3\\"/.test(missing.stderr)], [2, true]);
});
