import assert from "node:assert/strict";
import { runBatch } from "../../../workflows/runs/batch.ts";
import type { BatchInput } from "../../../workflows/inputs/batch_input.ts";
import type { JsonValue } from "../../../utils/json.ts";
import { findSandboxes } from "../../../tasks/support/processes.ts";
import { makeFolder } from "../../harness/svc.ts";
import { createCaseBody, createRunner, openScript, scriptText, TinyApi } from "../../harness/workflow.ts";

async function* toInputs(values: readonly JsonValue[]): AsyncGenerator<BatchInput> {
  for (const [index, value] of values.entries()) yield { place: `in:${index + 1}`, value };
}

/** Runs a script on inputs, and notes the processes. */
async function runInputs(
  files: Readonly<Record<string, string>>,
  values: readonly JsonValue[],
): Promise<{ results: unknown[]; processes: number }> {
  await using folder = await makeFolder(files);
  const script = `${folder.path}/script.ts`;
  const processes = new Set<number>();
  await using api = new TinyApi(async () => {
    for (const process of await findSandboxes(Deno.pid, script)) processes.add(process);
    return Response.json(createCaseBody("C-1"));
  });
  await using workflow = await openScript({ script, allowDeclared: true });
  const results: unknown[] = [];
  const batch = runBatch(createRunner(workflow, api.caller), toInputs(values), { concurrency: 1 });
  for await (const one of batch) results.push("error" in one ? one.error.code : one.result);
  return { results, processes: processes.size };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

Deno.test("one process runs many inputs, and each input starts with fresh modules, clock and console", async () => {
  const prelude = `import { count } from "./helper.ts";
    let runs = 0;
    console.count("loads");`;
  const body = `await svc.cases.get("C-1");
    const timer = await new Promise<number>((fire) => { const id = setTimeout(() => fire(id), 0); });
    console.count("runs");
    return [++runs, count(), performance.now() >= 0, timer, input];`;
  const files = {
    "script.ts": scriptText(body, ["cases.get"], prelude),
    "helper.ts": `let calls = 0; export const count = (): number => ++calls;`,
  };
  const { results, processes } = await runInputs(files, numbers(40));
  assert.deepEqual(results, numbers(40).map((input) => [1, 1, true, 1, input]));
  assert.ok(processes < 10, `${processes} processes ran 40 inputs`);
});

const TRACES = {
  "a global variable": `Object.assign(globalThis, { seen: true });`,
  "a member of a built-in object": `Object.assign(Array.prototype, { seen: true });`,
  "another method of a built-in object": `Math.max = () => 0;`,
  "an open timer": `setTimeout(() => { Object.assign(globalThis, { seen: true }); }, 10);`,
  "an open sleep": `void sleep(10).then(() => { Object.assign(globalThis, { seen: true }); });`,
  "a listener of an event": `addEventListener("error", () => {});`,
  "much memory": `Object.assign(Symbol.for("kept"), {}); kept.push(new Uint8Array(100 * 1024 * 1024).fill(1));`,
};

for (const [name, statement] of Object.entries(TRACES)) {
  Deno.test(`an input that leaves ${name} has a process of its own`, async () => {
    const body = `await svc.cases.get("C-1");
      const clean = !("seen" in globalThis) && !("seen" in []) && Math.max(1, 2) === 2;
      ${statement}
      return clean;`;
    const script = scriptText(body, ["cases.get"], "const kept: Uint8Array[] = [];");
    const { results, processes } = await runInputs({ "script.ts": script }, numbers(3));
    assert.deepEqual(results, numbers(3).map(() => true));
    assert.ok(processes >= 3, `${processes} processes ran 3 inputs`);
  });
}

Deno.test("an input after one that failed or ended its process runs as usual", async () => {
  const body = `await svc.cases.get("C-1");
    if (input === 1) throw new Error("one");
    if (input === 2) Deno.exit(0);
    return input;`;
  const { results } = await runInputs({ "script.ts": scriptText(body, ["cases.get"]) }, numbers(5));
  assert.deepEqual(results, [0, "WORKFLOW_FAILED", "WORKFLOW_FAILED", 3, 4]);
});
