/** Signals that a person or a program sends to inputs, and `receive` in scripts. */
import assert from "node:assert/strict";
import { openRuns, type Runs } from "../../../workflows/runs/mod.ts";
import { makeFolder, svcInProcess } from "../../harness/svc.ts";
import { eventually, within } from "../../harness/wait.ts";
import { scriptText } from "../../harness/workflow.ts";

const APPROVAL = `log("asks");
  const first = await receive("approved");
  const second = await receive("approved");
  return [input, first, second ?? null, await receive("note")];`;

const BATCH = { id: "r1", inputs: [1, 2], concurrency: 1, releaseAfterSeconds: 0.1 };

async function open(body: string): Promise<AsyncDisposable & { runs: Runs; journal: string; script: string }> {
  const folder = await makeFolder({ "script.ts": scriptText(body, []) });
  const journal = `${folder.path}/journal.db`;
  const runs = openRuns({ journal });
  return {
    runs,
    journal,
    script: `${folder.path}/script.ts`,
    async [Symbol.asyncDispose]() {
      await runs[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function countWaiting(runs: Runs): Promise<number> {
  const inputs = await Array.fromAsync(runs.inputs("r1"));
  return inputs.filter(({ waitsUntil }) => waitsUntil !== undefined).length;
}

Deno.test("each signal is received once and in order, also if it is sent early or while no process runs", async () => {
  await using workspace = await open(APPROVAL);
  const { runs, script, journal } = workspace;
  const signal = async (...args: string[]) => {
    const { code, stderr } = await svcInProcess(["workflow", "signal", "r1", ...args, "--journal", journal]);
    assert.equal(code, 0, stderr);
  };
  {
    await using run = await runs.start({ script, ...BATCH });
    const finished = assert.rejects(run.finish(), { code: "INTERRUPTED" });
    await eventually("both inputs wait", async () => await countWaiting(runs) === 2);
    await signal("1", "note", '"early"');
    await signal("1", "approved", '{"by":"Ada"}');
    await run.interrupt();
    await finished;
  }
  await signal("2", "approved", "1");
  await signal("2", "approved", "2");
  const lines: string[] = [];
  await using run = await runs.resume("r1", { ...BATCH, onLog: (text) => void lines.push(text) });
  const results = Array.fromAsync(run.results);
  results.catch(() => {}); // Awaited below.
  await eventually("the second input waits for its note", async () => {
    const [, second] = await Array.fromAsync(runs.inputs("r1"));
    return second?.calls.length === 3;
  });
  await signal("2", "note", '"late"');
  await signal("1", "approved");
  assert.deepEqual(await results, [
    { input: "inputs:1", result: [1, { by: "Ada" }, null, "early"] },
    { input: "inputs:2", result: [2, 1, 2, "late"] },
  ]);
  assert.deepEqual(lines, []);
});

Deno.test("a signal that the input does not wait for is kept, and a note names those that it waits for", async () => {
  await using workspace = await open(APPROVAL);
  const { runs, script, journal } = workspace;
  await using run = await runs.start({ script, ...BATCH, inputs: [1] });
  const finished = assert.rejects(run.finish(), { code: "INTERRUPTED" });
  await eventually("the input waits", async () => await countWaiting(runs) === 1);
  const send = async (name: string) =>
    (await svcInProcess(["workflow", "signal", "r1", "1", name, "--journal", journal])).stderr;
  assert.equal(
    await send("aproved"),
    'Input 1 waits for "approved", not for "aproved". Did you mean "approved"? ' +
      '"aproved" is kept until the script receives it.\n',
  );
  assert.equal(
    await send("note"),
    'Input 1 waits for "approved", not for "note". "note" is kept until the script receives it.\n',
  );
  assert.equal(await send("approved"), "");
  await run.interrupt();
  await finished;
});

Deno.test("a signal to an input that has ended or was not started, or to no run, is an error that says so", async () => {
  await using workspace = await open("return input;");
  const { runs, script, journal } = workspace;
  await using run = await runs.start({ script, ...BATCH });
  await run.finish();
  const fails = async (...args: string[]) =>
    (await svcInProcess(["workflow", "signal", ...args, "--journal", journal])).stderr;
  assert.match(await fails("r1", "1", "go"), /Input 1 of run r1 has already ended \(done\)\./);
  assert.match(await fails("r1", "7", "go"), /Run r1 has not started an input 7\.","hint":"It has started 2 inputs\. /);
  assert.match(await fails("r2", "1", "go"), /The journal has no run \\?"r2\\?"/);
  assert.match(await fails("r1", "1", ""), /The name of a signal must have 1 to 100 characters\./);
});

Deno.test("a script that is edited and resumed with force receives the signals of the dropped steps again", async () => {
  await using workspace = await open(`await sleep(1);
    const notes = [await receive("note"), await receive("note")];
    await sleep(1000_000);
    return notes;`);
  const { runs, script } = workspace;
  {
    await using run = await runs.start({ script, ...BATCH, inputs: [1] });
    const finished = assert.rejects(run.finish(), { code: "INTERRUPTED" });
    await eventually("the input waits", async () => await countWaiting(runs) === 1);
    await runs.signal("r1", 1, "note", "first");
    await runs.signal("r1", 1, "note", "second");
    await eventually("the signals are received", async () => {
      const [input] = await Array.fromAsync(runs.inputs("r1"));
      return input?.calls.length === 4;
    });
    await run.interrupt();
    await finished;
  }
  const edited = `await sleep(2);
    return [await receive("note"), await receive("note")];`;
  await Deno.writeTextFile(script, scriptText(edited, []));
  await using run = await runs.resume("r1", { ...BATCH, inputs: [1], force: true });
  const results = await within("the run ends", Array.fromAsync(run.results), { seconds: 30 });
  assert.deepEqual(results, [{ input: "inputs:1", result: ["first", "second"] }]);
});

Deno.test("a receive can be cancelled, and a later one gets the signal", async () => {
  await using workspace = await open(
    `const error = await receive("go", { signal: AbortSignal.timeout(50) }).catch((error) => error);
    return [error.code, await receive("go")];`,
  );
  const { runs, script } = workspace;
  await using run = await runs.start({ script, id: "r1", input: 1, releaseAfterSeconds: 0.1 });
  const results = Array.fromAsync(run.results);
  results.catch(() => {}); // Awaited below.
  await eventually("the input waits", async () => {
    const [input] = await Array.fromAsync(runs.inputs("r1"));
    return input?.calls.length === 3;
  });
  await runs.signal("r1", 1, "go", 7);
  assert.deepEqual(await results, [{ input: "input", result: ["INTERRUPTED", 7] }]);
});

Deno.test("a run without a journal gets no signals, and a plan ends at a receive", async () => {
  await using workspace = await open(APPROVAL);
  const { script } = workspace;
  const { stderr } = await svcInProcess(["workflow", "run", script, "--journal", "none"]);
  assert.match(stderr, /a run without a journal gets none/);
  const plan = await svcInProcess(["workflow", "plan", script, "--format", "json"]);
  assert.match(plan.stdout, /the script waits for the signal \\"approved\\"/);
});
