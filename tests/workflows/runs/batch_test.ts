import assert from "node:assert/strict";
import { type BatchSummary, type InputResult, runBatch, toBatchError } from "../../../workflows/runs/batch.ts";
import type { BatchInput } from "../../../workflows/inputs/batch_input.ts";
import { openInputs } from "../../../workflows/inputs/open_inputs.ts";
import { never } from "../../../utils/async/never.ts";
import { parseMaxFailures } from "../../../workflows/runs/rate.ts";
import { makeFolder } from "../../harness/svc.ts";
import { createCaseBody, createRunner, openScript, scriptText, svcWorkflow, TinyApi } from "../../harness/workflow.ts";

interface Batch {
  readonly results: readonly InputResult[];
  readonly summary: BatchSummary;
  readonly log: readonly string[];
}

async function runFile(body: string, file: string, text: string | Uint8Array, concurrency = 3): Promise<Batch> {
  await using folder = await makeFolder({ "script.ts": scriptText(body, []) });
  const path = `${folder.path}/${file}`;
  await Deno.writeFile(path, typeof text === "string" ? new TextEncoder().encode(text) : text);
  await using workflow = await openScript({ script: `${folder.path}/script.ts` });
  const log: string[] = [];
  const batch = runBatch(createRunner(workflow), await openInputs(path), {
    concurrency,
    onLog: (line, input) => log.push(`${input}: ${line}`),
  });
  return { ...await readAll(batch), log };
}

/** Reads all results of a batch. */
async function readAll(batch: ReturnType<typeof runBatch>): Promise<Omit<Batch, "log">> {
  const results: InputResult[] = [];
  for (;;) {
    const { done, value } = await batch.next();
    if (done) return { results, summary: value };
    results.push(value);
  }
}

Deno.test("results come in the order of the inputs, and every failure names its line", async () => {
  const body = `await new Promise((go) => setTimeout(go, input.wait));
    log("done", input.n);
    if (input.n === 2) throw new Error("two");
    return input.n;`;
  const text = `{"n":1,"wait":120}\n\n{"n":2,"wait":1}\nnonsense\n{"n":3,"wait":1}`;
  const { results, summary, log } = await runFile(body, "in.ndjson", text);
  assert.deepEqual(results.map((one) => "error" in one ? [one.input, one.error.message] : [one.input, one.result]), [
    ["in.ndjson:1", 1],
    ["in.ndjson:3", "The script failed: two (script.ts:9)"],
    ["in.ndjson:4", "in.ndjson:4 is not JSON."],
    ["in.ndjson:5", 3],
  ]);
  assert.deepEqual([summary.inputs, summary.succeeded, summary.failed], [4, 2, 2]);
  assert.deepEqual(log.toSorted(), ["in.ndjson:1: done 1", "in.ndjson:3: done 2", "in.ndjson:5: done 3"]);
  assert.equal(
    toBatchError(summary)?.message,
    "2 of 4 inputs failed: in.ndjson:3 (WORKFLOW_FAILED), in.ndjson:4 (INVALID_ARGS).",
  );
});

Deno.test("an input cannot see anything of the previous one", async () => {
  const body = `const seen = globalThis.seen ?? [];
    globalThis.seen = [...seen, input];
    Array.prototype.includes = () => { throw new Error("poisoned"); };
    let stored;
    try { stored = globalThis.localStorage?.getItem("x"); localStorage.setItem("x", "y"); } catch { /* not available */ }
    try { await (await globalThis.caches.open("a")).put("http://a/", new Response("b")); stored = "cache"; } catch { /* not available */ }
    return { seen, stored: stored ?? null };`;
  const { results } = await runFile(body, "in.ndjson", "1\n2\n3\n4\n", 1);
  for (const one of results) assert.deepEqual("result" in one && one.result, { seen: [], stored: null });
});

Deno.test("a script that ends its process fails only its own input", async () => {
  const { results } = await runFile("if (input === 2) Deno.exit(0); return input;", "in.ndjson", "1\n2\n3\n", 2);
  assert.deepEqual(results.map((one) => "error" in one ? one.error.code : one.result), [1, "WORKFLOW_FAILED", 3]);
});

Deno.test("without a journal, no input starts while too many results wait, and the order is kept", async () => {
  const body = `if (input === 1) await svc.cases.get("slow"); return input;`;
  await using folder = await makeFolder({ "script.ts": scriptText(body) });
  await using workflow = await openScript({ script: `${folder.path}/script.ts`, allowDeclared: true });
  const slow = Promise.withResolvers<void>();
  await using api = new TinyApi(() => slow.promise.then(() => Response.json(createCaseBody("slow"))));
  let read = 0;
  async function* inputs(): AsyncGenerator<BatchInput> {
    while (read < 80) yield { place: `in:${++read}`, value: read };
  }
  const limit = 64; // 32 for each input in progress.
  let readFirst = 0;
  const batch = runBatch(createRunner(workflow, api.caller), inputs(), {
    concurrency: 2,
    onProgress({ done }) {
      if (done === limit - 1) {
        setTimeout(() => {
          readFirst = read;
          slow.resolve();
        });
      }
    },
  });
  const { results } = await readAll(batch);
  assert.equal(readFirst, limit);
  assert.deepEqual(results.map((one) => "result" in one && one.result), Array.from({ length: 80 }, (_, i) => i + 1));
});

Deno.test("a result does not wait for later inputs, and a batch can end early", async () => {
  await using folder = await makeFolder({ "script.ts": scriptText("return input;", []) });
  await using workflow = await openScript({ script: `${folder.path}/script.ts` });
  let asked = Promise.withResolvers<void>();
  async function* inputs(): AsyncGenerator<BatchInput> {
    for (let value = 1; value < 5; value++) {
      yield { place: `in:${value}`, value };
      await asked.promise;
      asked = Promise.withResolvers();
    }
  }
  const places: string[] = [];
  for await (const { input } of runBatch(createRunner(workflow), inputs(), { concurrency: 2 })) {
    places.push(input);
    if (places.length === 3) break;
    asked.resolve();
  }
  assert.deepEqual(places, ["in:1", "in:2", "in:3"]);
});

Deno.test("an interrupt ends a batch", async () => {
  await using folder = await makeFolder({
    "script.ts": scriptText(`log("begun"); for (;;);`, []),
    "in.ndjson": "1\n2\n3\n",
  });
  await using workflow = await openScript({ script: `${folder.path}/script.ts` });
  const runner = createRunner(workflow);
  const batch = runBatch(runner, await openInputs(`${folder.path}/in.ndjson`), {
    concurrency: 2,
    onLog: () => void runner.interrupt(),
  });
  const { results, summary } = await readAll(batch);
  assert.equal(summary.inputs, 0);
  assert.deepEqual([runner.isInterrupted, results], [true, []]);
});

Deno.test("a batch that is interrupted before it starts does not wait for an input", async () => {
  await using folder = await makeFolder({ "script.ts": scriptText("return input;", []) });
  await using workflow = await openScript({ script: `${folder.path}/script.ts` });
  const runner = createRunner(workflow);
  await runner.interrupt();
  async function* silent(): AsyncGenerator<BatchInput> {
    yield await never();
  }
  const { summary } = await readAll(runBatch(runner, silent(), { concurrency: 1 }));
  assert.equal(summary.inputs, 0);
});

Deno.test("a share of failures stops a batch as soon as it counts, even after a success", async () => {
  await using folder = await makeFolder({
    "script.ts": scriptText(`if (input === 0) throw new Error("zero"); return input;`, []),
    "in.ndjson": "0\n".repeat(19) + "1\n".repeat(20),
  });
  const run = ["run", `${folder.path}/script.ts`, "--each", `${folder.path}/in.ndjson`, "--concurrency", "1"];
  const { stdout, stderr } = await svcWorkflow([...run, "--max-failures", "5%"]);
  assert.match(stderr, /^20 inputs: 1 succeeded, 19 failed\. No further input was started: --max-failures 5%\.$/m);
  assert.equal(stdout.trimEnd().split("\n").length, 20);
});
Deno.test("a share of failures counts from the twentieth ended input on, and a number at once", () => {
  const share = parseMaxFailures("5%");
  const enough = [[1, 1], [19, 19], [20, 1], [20, 2], [100, 5], [100, 6]].map(([done = 0, failed = 0]) =>
    share({ done, failed })
  );
  assert.deepEqual(enough, [false, false, false, true, false, true]);
  const number = parseMaxFailures("2");
  assert.deepEqual([number({ done: 1, failed: 1 }), number({ done: 2, failed: 2 })], [false, true]);
});

Deno.test("an invalid number or share of failures is rejected with the valid range", () => {
  const message = /^The maximum number of failures must be an integer from 1 or a share from 0% to 100%, not ".*"\.$/;
  for (const text of ["0", "1.5", "-1", "101%", "-1%", "%", "few", ""]) {
    assert.throws(() => parseMaxFailures(text), { code: "INVALID_ARGS", message }, text);
  }
  for (const text of ["1", "0%", "2.5%", "100%"]) parseMaxFailures(text);
});
