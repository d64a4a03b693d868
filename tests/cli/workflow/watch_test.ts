/** `svc workflow watch` and `svc worker start --until-idle`: what their exit codes say about runs. */
import assert from "node:assert/strict";
import { useTestSchema } from "../../harness/postgres_schema.ts";
import { parseErrorRecord } from "../../harness/svc.ts";
import { prepareScriptWorkspaces, RUN_SCRIPT } from "../../harness/workflow.ts";

const openScriptWorkspace = prepareScriptWorkspaces();

Deno.test("watching a run exits with 0 only if it succeeded, and prints its status", async () => {
  await using workspace = await openScriptWorkspace(`if (input === 2) throw new Error("two"); return 1;`);
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, "1\n2\n");
  await workspace.svc(...RUN_SCRIPT, "--each", "in.ndjson");
  const failed = await workspace.svc("watch", "r1");
  assert.deepEqual([failed.code, JSON.parse(failed.stdout).state], [1, "failed"]);
  const { code, message, hint } = parseErrorRecord(failed);
  assert.deepEqual([code, message], ["WORKFLOW_FAILED", "Run r1 failed."]);
  assert.match(String(hint), /'svc workflow show r1' .*'svc workflow retry r1' /);
  const states: [state: string, code: number, message?: string][] = [
    ["open", 1, "Run r1 is interrupted."],
    ["cancelled", 130, "Run r1 was cancelled."],
    ["done", 0],
  ];
  for (const [state, code, message] of states) {
    workspace.sql(`UPDATE runs SET state = '${state}'`);
    const watched = await workspace.svc("watch", "r1");
    assert.equal(watched.code, code, state);
    if (message !== undefined) assert.equal(parseErrorRecord(watched).message, message);
  }
});

Deno.test("a worker that ends when it is idle exits with 1 if a run failed, and names it", async () => {
  await using workspace = await openScriptWorkspace(`if (input === "bad") throw new Error("bad"); return 1;`);
  await using schema = useTestSchema();
  const add = async (name: string, input: string, ...flags: string[]) => {
    const script = ["script.ts", "--allow-declared", "--cron", "0 0 1 1 *", "--time-zone", "UTC"];
    const added = await workspace.svc("schedule", "add", name, ...script, "--input", JSON.stringify(input), ...flags);
    assert.equal(added.code, 0, added.stderr);
    await workspace.svc("schedule", "run-now", name, ...flags);
  };
  const kinds: [journal: string[], worker: string[]][] = [
    [[], []],
    [["--journal", schema.location], ["--store", schema.location, "--allow", "*"]],
  ];
  for (const [journal, worker] of kinds) {
    await add("bad", "bad", ...journal);
    const { code, stderr } = await workspace.worker("start", "--until-idle", ...worker).output();
    assert.equal(code, 1);
    const { error } = JSON.parse(new TextDecoder().decode(stderr).trimEnd().split("\n").at(-1) ?? "");
    assert.match(error.message, /^1 run failed: bad-\S+\.$/);
    assert.match(error.hint, /^The log says why\. Run 'svc workflow list/);
    await add("good", "good", ...journal);
    assert.equal((await workspace.worker("start", "--until-idle", ...worker).output()).code, 0);
  }
});
