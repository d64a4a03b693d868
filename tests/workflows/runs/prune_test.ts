/** The remains of ended inputs: `--keep` and `svc workflow prune`. */
import assert from "node:assert/strict";
import { type InputDescription, type Keep, openRuns } from "../../../workflows/runs/mod.ts";
import { makeFolder, svcInProcess } from "../../harness/svc.ts";
import { createCaseBody, scriptText, TinyApi } from "../../harness/workflow.ts";

const SCRIPT = scriptText(`const { id } = await svc.cases.get(input);
  log("got " + id);
  if (input === "C-2") throw new Error("oops");
  return id;`);

const LARGE = "x".repeat(100_000);

/** A journal, and runs of a script whose second input fails. */
async function openWorkspace() {
  const folder = await makeFolder({ "script.ts": SCRIPT, "in.ndjson": `"C-1"\n"C-2"\n"C-3"\n` });
  const api = new TinyApi((call) => {
    const body = createCaseBody(call.replace("GET /cases/", ""));
    return Response.json({ ...body, status: `${LARGE}${Math.random()}` }, { headers: { etag: "tag" } });
  });
  const journal = `${folder.path}/journal.db`;
  const runs = openRuns({ baseUrl: api.baseUrl, clientId: "id", clientSecret: "secret", noCache: true, journal });
  return {
    api,
    journal,
    runs,
    folder: folder.path,
    async run(id: string, keep?: Keep) {
      const each = `${folder.path}/in.ndjson`;
      await using run = await runs.start({ script: `${folder.path}/script.ts`, each, id, keep, allowDeclared: true });
      return (await Array.fromAsync(run.results)).map((one) => "result" in one ? one.result : undefined);
    },
    describe: async (id: string) => (await Array.fromAsync(runs.inputs(id))).map(describe),
    async [Symbol.asyncDispose]() {
      await runs[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function describe({ state, value, result, pruned, calls }: InputDescription): string {
  const rest = [value, result].map((one) => one ?? "-").join(" ");
  return `${state} ${rest} ${pruned ? "pruned" : `${calls.length} calls`}`;
}

const WHOLE = ["done C-1 C-1 1 calls", "failed C-2 - 1 calls", "done C-3 C-3 1 calls"];
const RESULTS = ["done C-1 C-1 pruned", "failed C-2 - 1 calls", "done C-3 C-3 pruned"];
const NOTHING = ["done - - pruned", "failed C-2 - 1 calls", "done - - pruned"];

Deno.test("--keep decides what remains of inputs that succeed, and failed inputs can be retried", async () => {
  await using workspace = await openWorkspace();
  for (const [keep, expected] of [["answers", WHOLE], ["results", RESULTS], ["nothing", NOTHING]] as const) {
    assert.deepEqual(await workspace.run(keep, keep), ["C-1", undefined, "C-3"]);
    assert.deepEqual(await workspace.describe(keep), expected, keep);
  }
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, `"C-1"\n"C-4"\n"C-3"\n`);
  const { length } = workspace.api.received;
  await using run = await workspace.runs.retry("nothing", { force: true });
  assert.deepEqual((await Array.fromAsync(run.results)).map((one) => "result" in one ? one.result : undefined), [
    "C-4",
  ]);
  assert.equal((await run.finish()).error, undefined);
  assert.deepEqual(workspace.api.received.slice(length).map(({ call }) => call), ["GET /cases/C-4"]);
  assert.deepEqual(await workspace.describe("nothing"), Array(3).fill("done - - pruned"));
  assert.deepEqual((await workspace.runs.verify()).damaged, []);
  await assert.rejects(workspace.runs.cassette("results"), {
    message: "The history of the first input of run results was deleted.",
  });
});

Deno.test("a single input is forgotten, too, if nothing is to remain", async () => {
  await using workspace = await openWorkspace();
  const script = `${workspace.folder}/script.ts`;
  await using run = await workspace.runs.start({
    script,
    input: "C-secret",
    id: "r1",
    keep: "nothing",
    allowDeclared: true,
  });
  assert.equal((await run.finish()).succeeded, 1);
  assert.equal((await workspace.runs.settings("r1")).input, undefined);
  assert.deepEqual(await workspace.describe("r1"), ["done - - pruned"]);
});

Deno.test("prune previews and deletes the histories of ended runs, and the file gets smaller", async () => {
  await using workspace = await openWorkspace();
  await workspace.run("r1");
  await workspace.run("r2");
  const { runs, journal } = workspace;
  const prune = async (...args: string[]) => {
    const { code, stdout, stderr } = await svcInProcess(["workflow", "prune", "--journal", journal, ...args]);
    return { code, rows: stdout === "" ? [] : JSON.parse(stdout), note: stderr };
  };
  const young = await prune("--older-than", "1d");
  assert.deepEqual([young.code, young.rows, young.note], [0, [], "There is nothing to delete.\n"]);

  const preview = await prune("--dry-run");
  const [, first] = preview.rows;
  assert.deepEqual({ ...first, bytes: 0 }, {
    run: "r1",
    name: "test",
    state: "failed",
    inputs: 2,
    events: 6,
    bytes: 0,
  });
  assert.match(preview.note, /^Would delete 12 events of 4 inputs in 2 runs: 0\.\d MiB\.\n$/);
  assert.deepEqual(await workspace.describe("r1"), WHOLE);

  const one = await prune("r1");
  assert.deepEqual(one.rows, [first]);
  assert.deepEqual([await workspace.describe("r1"), await workspace.describe("r2")], [RESULTS, WHOLE]);
  assert.deepEqual((await prune("r1")).rows, []);
  const rest = await prune("--keep", "nothing");
  assert.deepEqual(rest.rows.map(({ run, inputs, events }: Record<string, unknown>) => ({ run, inputs, events })), [
    { run: "r2", inputs: 2, events: 6 },
    { run: "r1", inputs: 2, events: 0 },
  ]);
  assert.deepEqual([await workspace.describe("r1"), await workspace.describe("r2")], [NOTHING, NOTHING]);
  assert.deepEqual((await runs.verify()).damaged, []);

  const invalid = await prune("--older-than", "1w");
  assert.equal(invalid.code, 2);
  assert.match(invalid.note, /--older-than must be a number of minutes, hours or days, not \\"1w\\"/);
});

Deno.test("prune leaves a run that has not ended alone, unless it is named", async () => {
  await using workspace = await openWorkspace();
  const { runs, journal, folder } = workspace;
  {
    const inputs = ["C-1", "C-3"];
    await using run = await runs.start({
      ...{ script: `${folder}/script.ts`, inputs, id: "r1", concurrency: 1, allowDeclared: true },
    });
    for await (const _ of run.results) break; // Interrupts the run.
  }
  const prune = async (...args: string[]) => {
    const { stdout } = await svcInProcess(["workflow", "prune", "--journal", journal, ...args]);
    return JSON.parse(stdout).map(({ run }: Record<string, unknown>) => run);
  };
  assert.deepEqual(await prune(), []);
  assert.deepEqual(await prune("r1", "--older-than", "1d"), []);
  assert.deepEqual(await prune("r1"), ["r1"]);
});

Deno.test("prune leaves a run alone while a process works on it", async () => {
  await using workspace = await openWorkspace();
  const { runs, journal, folder } = workspace;
  await using run = await runs.start({ script: `${folder}/script.ts`, inputs: ["C-1"], id: "r1", allowDeclared: true });
  const { code, stderr } = await svcInProcess(["workflow", "prune", "r1", "--journal", journal]);
  assert.deepEqual([code, JSON.parse(stderr).error.message], [2, "A process is working on run r1."]);
  await run.finish();
});
