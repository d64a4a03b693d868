/** Runs whose script or file of inputs is behind a link. */
import assert from "node:assert/strict";
import { fingerprintFile } from "../../../workflows/inputs/open_inputs.ts";
import { openRuns } from "../../../workflows/runs/mod.ts";
import { isSameStart } from "../../../workflows/runs/same_start.ts";
import { DEFAULT_LIMITS } from "../../../workflows/sandbox/host/limits.ts";
import { makeFolder } from "../../harness/svc.ts";
import { CREATE_CASE, openScriptWorkspace, scriptText } from "../../harness/workflow.ts";

async function link(target: string, name: string): Promise<void> {
  await Deno.remove(name).catch(() => {});
  await Deno.symlink(target, name);
}

Deno.test("a script behind a link is the same script after the link has another target", async () => {
  await using workspace = await openScriptWorkspace("return 0;");
  const { folder } = workspace;
  for (const release of ["1", "2"]) await Deno.mkdir(`${folder}/${release}`);
  await Deno.writeTextFile(`${folder}/1/flow.ts`, scriptText(`${CREATE_CASE} throw new Error("a bug");`));
  await Deno.writeTextFile(`${folder}/2/flow.ts`, scriptText(`${CREATE_CASE} return "fixed";`));
  await link("1", `${folder}/current`);
  const run = ["run", "current/flow.ts", "--allow-declared"];
  assert.equal((await workspace.svc(...run, "--run-id", "r1")).code, 1);
  const [{ script }] = JSON.parse((await workspace.svc("list")).stdout);
  assert.equal(script, `${folder}/current/flow.ts`);
  workspace.sql("UPDATE runs SET state = 'open'; UPDATE inputs SET state = 'open', outcome = NULL");
  await link("2", `${folder}/current`);
  const resumed = await workspace.svc(...run, "--resume", "--format", "compact");
  assert.equal(resumed.stdout, `"fixed"\n`, resumed.stderr);
  assert.equal(await workspace.permits(), 1);
});

Deno.test("a run keeps its file of inputs, whatever its link leads to later", async () => {
  await using folder = await makeFolder({
    "flow.ts": scriptText("return input;", []),
    monday: "a\n1\n2\n",
    tuesday: "a\n3\n",
  });
  const each = `${folder.path}/today.csv`;
  await using runs = openRuns({ journal: `${folder.path}/journal.db`, configDirectory: folder.path });
  const startAndInterrupt = async (target: string) => {
    await link(target, each);
    const options = { allowDeclared: true, concurrency: 1, resumeLatest: true };
    await using run = await runs.start({ ...options, script: `${folder.path}/flow.ts`, each });
    for await (const result of run.results) return { id: run.id, result };
    return undefined;
  };
  const monday = await startAndInterrupt("monday");
  assert.deepEqual(monday?.result, { input: "monday:2", result: { a: "1" } });
  const tuesday = await startAndInterrupt("tuesday");
  assert.deepEqual([tuesday?.result, tuesday?.id === monday.id], [{ input: "tuesday:2", result: { a: "3" } }, false]);
  await using resumed = await runs.resume(monday.id);
  for await (const result of resumed.results) {
    assert.deepEqual(result, monday.result);
    break;
  }
});

Deno.test("a run is the same one if its link leads to a copy of the file", async () => {
  const settings = { script: "/flow.ts", limits: DEFAULT_LIMITS, grants: [], onUnknown: "stop" } as const;
  await using folder = await makeFolder({ "1.csv": "a\n1\n", "2.csv": "a\n1\n", "3.csv": "a\n2\n" });
  const eachLink = `${folder.path}/today.csv`;
  const start = (number: number) => ({ ...settings, each: `${folder.path}/${number}.csv`, eachLink });
  const recorded = { ...start(1), file: await fingerprintFile(start(1).each) };
  const same = await Promise.all([1, 2, 3].map((number) => isSameStart(recorded, start(number))));
  assert.deepEqual(same, [true, true, false]);
});
