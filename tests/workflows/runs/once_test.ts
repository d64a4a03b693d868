/** `svc workflow run --once`: a file of inputs is processed only once. */
import assert from "node:assert/strict";
import { openRuns } from "../../../workflows/runs/mod.ts";
import { makeFolder } from "../../harness/svc.ts";
import {
  CREATE_CASE,
  killAfterOutput,
  prepareScriptWorkspaces,
  scriptText,
  type ScriptWorkspace,
  WAIT_FOR_SECOND_CASE,
} from "../../harness/workflow.ts";

const openScriptWorkspace = prepareScriptWorkspaces();

const ONCE = ["run", "script.ts", "--each", "new.ndjson", "--allow-declared", "--concurrency", "1", "--once"];

const CREATE_UNLESS_BAD = `if (input === "bad") throw new Error("bad line"); ${CREATE_CASE} return input;`;

function write({ folder }: ScriptWorkspace, lines: readonly unknown[], name = "new.ndjson"): Promise<void> {
  return Deno.writeTextFile(`${folder}/${name}`, lines.map((line) => JSON.stringify(line) + "\n").join(""));
}

function readResults(stdout: string): unknown[] {
  return stdout.trimEnd().split("\n").map((line) => JSON.parse(line).result);
}

function readError(stderr: string): { code: string; message: string; hint: string } {
  return JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "").error;
}

Deno.test("a file that was processed is not processed again, even by a corrected or moved script", async () => {
  await using workspace = await openScriptWorkspace(CREATE_UNLESS_BAD);
  await write(workspace, [1, 2]);
  assert.deepEqual(readResults((await workspace.svc(...ONCE)).stdout), [1, 2]);
  const [{ id, endedAt }] = JSON.parse((await workspace.svc("list")).stdout);
  await workspace.write(`${CREATE_UNLESS_BAD} // Corrected.`);
  await Deno.mkdir(`${workspace.folder}/release`);
  await Deno.copyFile(`${workspace.folder}/script.ts`, `${workspace.folder}/release/script.ts`);
  await Deno.copyFile(`${workspace.folder}/new.ndjson`, `${workspace.folder}/copy.ndjson`);
  for (const [script, file] of [["script.ts", "new.ndjson"], ["release/script.ts", "copy.ndjson"]] as const) {
    const { code, stdout, stderr } = await workspace.svc("run", script, "--each", file, "--allow-declared", "--once");
    assert.deepEqual([code, stdout], [0, ""]);
    assert.equal(stderr, `Nothing to do: run ${id} has processed new.ndjson (2 inputs, ended ${endedAt}).\n`);
  }
  assert.equal(await workspace.permits(), 2);
});

Deno.test("another file, script or client starts a new run", async () => {
  await using workspace = await openScriptWorkspace("return input;");
  await write(workspace, [1]);
  await workspace.svc(...ONCE);
  await write(workspace, [1, 2]);
  assert.deepEqual(readResults((await workspace.svc(...ONCE)).stdout), [1, 2]);
  await Deno.copyFile(`${workspace.folder}/script.ts`, `${workspace.folder}/other.ts`);
  assert.deepEqual(readResults((await workspace.svc(...ONCE.with(1, "other.ts"))).stdout), [1, 2]);
  workspace.useService({ clientId: "other" });
  assert.deepEqual(readResults((await workspace.svc(...ONCE)).stdout), [1, 2]);
});

Deno.test("an interrupted run of a file is resumed, and not repeated after it has ended", async () => {
  await using workspace = await openScriptWorkspace(
    `${CREATE_CASE} log("made"); ${WAIT_FOR_SECOND_CASE} return input;`,
  );
  await write(workspace, [1]);
  await killAfterOutput(workspace.start(...ONCE), "made");
  await workspace.createPermit();
  assert.deepEqual(readResults((await workspace.svc(...ONCE)).stdout), [1]);
  assert.deepEqual((await workspace.svc(...ONCE)).stdout, "");
  assert.equal(await workspace.permits(), 2);
});

Deno.test("a file with failed inputs is not processed again before or after they are retried", async () => {
  await using workspace = await openScriptWorkspace(CREATE_UNLESS_BAD);
  await write(workspace, [1, "bad"]);
  assert.equal((await workspace.svc(...ONCE)).code, 1);
  const { code, stdout, stderr } = await workspace.svc(...ONCE);
  const { message, hint } = readError(stderr);
  const [, id = ""] = /^Run (\S+) has processed new\.ndjson, and 1 of 2 inputs failed\.$/.exec(message) ?? [];
  assert.deepEqual([code, stdout], [1, ""]);
  assert.ok(hint.includes(`'svc workflow retry ${id}' to run the failed inputs again`), hint);
  await write(workspace, [1, "good"]);
  assert.equal((await workspace.svc("retry", id)).code, 0);
  for (const lines of [[1, "good"], [1, "bad"]]) {
    await write(workspace, lines);
    const { code, stdout, stderr } = await workspace.svc(...ONCE);
    assert.deepEqual([code, stdout], [0, ""]);
    assert.match(stderr, /^Nothing to do: run/);
  }
  assert.equal(await workspace.permits(), 2);
});

Deno.test("of two simultaneous starts with --once, only one processes the file", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} ${WAIT_FOR_SECOND_CASE} return input;`);
  await write(workspace, [1]);
  const both = [workspace.svc(...ONCE), workspace.svc(...ONCE)];
  const refused = await Promise.race(both);
  assert.match(readError(refused.stderr).message, /^Another process (has just started a run|is working on run)/);
  await workspace.createPermit();
  assert.deepEqual((await Promise.all(both)).map(({ code }) => code).toSorted(), [0, 2]);
  assert.equal(await workspace.permits(), 2);
  assert.equal(JSON.parse((await workspace.svc("list")).stdout).length, 1);
});

Deno.test("--once refuses a file that was renamed before its run ended, and a cancelled run", async () => {
  await using workspace = await openScriptWorkspace(
    `${CREATE_CASE} log("made"); ${WAIT_FOR_SECOND_CASE} return input;`,
  );
  await write(workspace, [1]);
  await killAfterOutput(workspace.start(...ONCE), "made");
  await Deno.rename(`${workspace.folder}/new.ndjson`, `${workspace.folder}/old.ndjson`);
  const renamed = readError((await workspace.svc(...ONCE.with(3, "old.ndjson"))).stderr);
  const [, id = ""] =
    /^Run (\S+) is unfinished, and was started with this file under the name new\.ndjson\.$/.exec(renamed.message) ??
      [];
  assert.equal(renamed.hint, "Rename the file to new.ndjson to continue the run.");
  await write(workspace, [1]);
  await workspace.svc("cancel", id);
  const cancelled = readError((await workspace.svc(...ONCE)).stderr);
  assert.equal(cancelled.message, `Run ${id} was cancelled.`);
  assert.equal(
    cancelled.hint,
    `Run 'svc workflow delete ${id}' to delete it, so that the file can be processed again.`,
  );
});

Deno.test("--once requires a file of inputs and a journal, and excludes --run-id", async () => {
  await using workspace = await openScriptWorkspace("return input;");
  for (
    const [args, message] of [
      [["--each", "-"], "To be processed only once, inputs must be in a file."],
      [["--each", "/dev/null"], "To be processed only once, inputs must be in a file."],
      [["--input", "1"], "To be processed only once, inputs must be in a file."],
      [["--each", "missing.csv"], "The inputs missing.csv cannot be read: there is no such file."],
      [["--each", "script.ts", "--run-id", "r1"], "--run-id and --once are mutually exclusive."],
      [["--each", "script.ts", "--journal", "none"], "Without a journal, an earlier run cannot be found."],
    ] as const
  ) {
    const { code, stderr } = await workspace.svc("run", "script.ts", "--once", ...args);
    assert.deepEqual([code, readError(stderr).message], [2, message]);
  }
});

Deno.test("the option once of a program does nothing if the file was processed, and sets ended", async () => {
  await using folder = await makeFolder({ "script.ts": scriptText("return input;", []), "in.csv": "Name\nAda\n" });
  await using runs = openRuns({ journal: `${folder.path}/journal.db` });
  const options = { script: `${folder.path}/script.ts`, each: `${folder.path}/in.csv`, once: true };
  {
    await using first = await runs.start(options);
    assert.equal(first.ended, undefined);
    assert.equal((await first.finish()).succeeded, 1);
  }
  await using second = await runs.start(options);
  assert.equal(second.ended?.state, "done");
  assert.deepEqual(await Array.fromAsync(second.results), []);
  assert.deepEqual(await second.finish(), { id: second.id, inputs: 1, succeeded: 1, failed: 0, stopped: 0 });
});
