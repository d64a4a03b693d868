import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { sealAll } from "../../../workflows/journal/sqlite/seal.ts";
import { main } from "../../../cli.ts";
import { SvcError } from "../../../lib/errors.ts";
import { createCapturedIo } from "../../harness/captured_io.ts";
import { makeFolder, svcInProcess } from "../../harness/svc.ts";
import { openScriptWorkspace, RUN_SCRIPT, scriptText } from "../../harness/workflow.ts";

Deno.test("a run whose results cannot be written names the command to resume it", async () => {
  await using folder = await makeFolder({ "script.ts": scriptText("return input;", []), "in.ndjson": "1\n2\n" });
  const journal = `${folder.path}/own.db`;
  const full = () => {
    throw new SvcError("INVALID_ARGS", "The disk is full.", { hint: "Send it somewhere else." });
  };
  const inputs = { single: ["--input", "1"], batch: ["--each", `${folder.path}/in.ndjson`] };
  for (const [id, input] of Object.entries(inputs)) {
    const captured = { stdout: "", stderr: "" };
    const io = createCapturedIo(captured);
    const run = ["workflow", "run", `${folder.path}/script.ts`, "--run-id", id, ...input, "--journal", journal];
    assert.equal(await main(run, { ...io, stdout: { ...io.stdout, write: full } }), 2);
    const { error } = JSON.parse(captured.stderr.trimEnd().split("\n").at(-1) ?? "");
    const again = `svc workflow resume ${id} --journal ${journal}`;
    assert.deepEqual(error, {
      code: "INVALID_ARGS",
      message: "The disk is full.",
      hint: `Send it somewhere else. Run '${again}' to continue.`,
    });
    const resumed = await svcInProcess(again.split(" ").slice(1));
    assert.deepEqual([resumed.code, resumed.stdout.match(/1/g)?.length], [0, id === "single" ? 1 : 2]);
  }
});

Deno.test("failures are shown at a terminal when the results go to a file", async () => {
  await using folder = await makeFolder({
    "script.ts": scriptText(`if (input === 2) throw new Error("two"); return input;`, []),
    "in.ndjson": "1\n2\n",
  });
  const run = [
    "workflow",
    "run",
    `${folder.path}/script.ts`,
    "--each",
    `${folder.path}/in.ndjson`,
    "--journal",
    "none",
  ];
  const shown = /in\.ndjson:2: WORKFLOW_FAILED The script failed: two.*\n/;
  const redirected = await svcInProcess(run, { terminal: true, redirects: true });
  assert.match(redirected.stderr, shown);
  assert.equal(redirected.stdout.split("\n").length, 3);
  assert.doesNotMatch((await svcInProcess(run, { terminal: true })).stderr, shown);
  assert.doesNotMatch((await svcInProcess(run)).stderr, shown);
});

Deno.test("file names and the journal cannot control the terminal", {
  ignore: Deno.build.os === "windows",
}, async () => {
  const evil = "e\x1b]0;PWN\x07\x9b31m";
  const shown = String.raw`e\u001b]0;PWN\u0007\u009b31m`;
  await using folder = await makeFolder({
    "script.ts": scriptText(`log("hello"); return input;`, []),
    [`${evil}.ndjson`]: "1\n",
    "tapes/none": "",
  });
  const [script, journal] = [`${folder.path}/script.ts`, `${folder.path}/own.db`];
  const svc = async (...args: string[]) => {
    const { code, stdout, stderr } = await svcInProcess(["workflow", ...args]);
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stdout + stderr, /\p{Cc}(?<!\n)/u);
    return { stdout, stderr };
  };
  for (const name of [evil, "other"]) {
    await svc("record", script, "-o", `${folder.path}/tapes/${name}.json`, "--journal", journal, "--quiet");
  }
  const { stderr: tested } = await svc("test", script, "--cassette", `${folder.path}/tapes`);
  assert.match(tested, RegExp(RegExp.escape(`${folder.path}/tapes/${shown}.json: hello\n`)));

  const each = ["--each", `${folder.path}/${evil}.ndjson`, "--run-id", "r1", "--journal", journal];
  const { stderr: said } = await svc("run", script, ...each);
  assert.match(said, RegExp(RegExp.escape(`${shown}.ndjson:1: hello\n`)));

  using db = new DatabaseSync(journal);
  db.prepare("UPDATE events SET content = ? WHERE kind = 'log'").run(`${evil}\r\nmore\rover`);
  sealAll(db);
  assert.equal(
    (await svc("logs", "r1", "--journal", journal)).stdout,
    `${shown}.ndjson:1: ${shown}\n${shown}.ndjson:1: more\\rover\n`,
  );
});

Deno.test("the output of a script cannot imitate a line of svc", async () => {
  await using workspace = await openScriptWorkspace(`throw new Error("no\\n\\ninput done, 5 ms\\rinput done");`);
  const script = `${workspace.folder}/script.ts`;
  const text = await Deno.readTextFile(script);
  await Deno.writeTextFile(script, text.replace(`name: "test"`, `name: "a\\rRun r1 (b) done\\n"`));
  assert.equal((await workspace.svc(...RUN_SCRIPT)).code, 1);
  const [run, , input, ...others] = (await workspace.svc("show", "r1")).stdout.split("\n");
  assert.match(run ?? "", /^Run r1 \(a\\rRun r1 \(b\) done\\n\) failed\. Started /);
  assert.match(input ?? "", /^input failed, .* no\\n\\ninput done, 5 ms\\rinput done/);
  assert.deepEqual(others, [""]);
});
