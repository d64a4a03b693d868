/** A file of inputs that changes between two processes of a run. */
import assert from "node:assert/strict";
import { type InputResult, openRuns, type ResumeRunOptions, SvcError } from "../../../workflows/runs/mod.ts";
import { makeFolder } from "../../harness/svc.ts";
import { scriptText } from "../../harness/workflow.ts";

const LINES = Array.from({ length: 8 }, (_, i) => i + 1);

for (
  const [what, lines, message] of [
    [
      "shortened to the inputs that were started",
      LINES.slice(0, 3),
      "in.ndjson has 3 lines, but had 8 when the run started: 5 lines missing at the end.",
    ],
    [
      "extended",
      [...LINES, 9, 10],
      "in.ndjson has 10 lines, but had 8 when the run started: 2 lines appended.",
    ],
    ["edited in a line that was not started", LINES.with(6, 0), "in.ndjson:7 has changed since the run started."],
    [
      "edited and shortened",
      LINES.with(4, 0).slice(0, 6),
      "in.ndjson has 6 lines, but had 8 when the run started, and line 5 has changed.",
    ],
  ] as const
) {
  Deno.test(`a file of inputs that is ${what} is not resumed unless that is accepted`, async () => {
    await using run = await interruptAfter(3);
    await run.write(lines);
    const error = await run.resume().catch((error) => error);
    assert.ok(error instanceof SvcError, String(error));
    assert.deepEqual([error.code, error.message], ["INVALID_ARGS", message]);
    assert.match(error.hint ?? "", /add --accept-changed-inputs/);
    const results = await run.resume({ acceptChangedInputs: true });
    assert.deepEqual(results, lines.map((result, i) => ({ input: `in.ndjson:${i + 1}`, result })));
    assert.equal((await run.resume()).length, lines.length, "the current file is recorded");
  });
}

Deno.test("after an accepted change, a file is compared with the accepted content", async () => {
  await using run = await interruptAfter(3);
  await run.write([...LINES, 9, 10]);
  await (await run.runs.resume("r1", { acceptChangedInputs: true }))[Symbol.asyncDispose]();
  await run.write(LINES);
  await assert.rejects(run.resume(), {
    message: "in.ndjson has 8 lines, but had 10 when the run was last continued: 2 lines missing at the end.",
  });
});

Deno.test("the fingerprint of a file that has grown is as short as that of a new file", async () => {
  await using run = await interruptAfter(3);
  await run.write(Array.from({ length: 2000 }, (_, i) => i + 1));
  await (await run.runs.resume("r1", { acceptChangedInputs: true }))[Symbol.asyncDispose]();
  const { blocks, lines } = (await run.runs.settings("r1")).file ?? {};
  assert.equal(lines, 2000);
  assert.ok(blocks && blocks.length <= 256, `${blocks?.length} blocks`);
});

Deno.test("a file of inputs that is unchanged, or only gets a last line feed, is resumed", async () => {
  await using run = await interruptAfter(3);
  await Deno.writeTextFile(run.file, LINES.join("\n") + "\n");
  assert.equal((await run.resume()).length, 8);
});

Deno.test("an input that was started must be unchanged even if a changed file is accepted", async () => {
  await using run = await interruptAfter(3);
  await run.write(LINES.with(1, 0));
  await assert.rejects(run.resume({ acceptChangedInputs: true }), /in\.ndjson:2 has changed since the run started/);
});

Deno.test("a run that is resumed with values instead of its file keeps the fingerprint of the file", async () => {
  await using run = await interruptAfter(3);
  const { file } = await run.runs.settings("r1");
  await (await run.runs.resume("r1", { inputs: LINES }))[Symbol.asyncDispose]();
  assert.ok(file);
  assert.deepEqual((await run.runs.settings("r1")).file, file);
});

/** Interrupts a run of the lines after some results. */
async function interruptAfter(count: number) {
  const folder = await makeFolder({ "script.ts": scriptText("return input;", []), "in.ndjson": LINES.join("\n") });
  const file = `${folder.path}/in.ndjson`;
  const runs = openRuns({ journal: `${folder.path}/journal.db` });
  {
    await using run = await runs.start({ script: `${folder.path}/script.ts`, each: file, concurrency: 1, id: "r1" });
    let results = 0;
    for await (const _ of run.results) if (++results === count) break;
  }
  return {
    file,
    runs,
    write: (lines: readonly number[]) => Deno.writeTextFile(file, lines.join("\n")),
    async resume(options: ResumeRunOptions = {}): Promise<InputResult[]> {
      await using run = await runs.resume("r1", options);
      const results = await Array.fromAsync(run.results);
      await run.finish();
      return results;
    },
    async [Symbol.asyncDispose]() {
      await runs[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
