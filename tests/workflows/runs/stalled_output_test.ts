/** Runs whose output nothing reads, such as those in a pipe to a stopped pager. */
import assert from "node:assert/strict";
import { openJournal } from "../../../workflows/journal/sqlite/sqlite_journal.ts";
import { makeFolder, runCommand } from "../../harness/svc.ts";
import { eventually, within } from "../../harness/wait.ts";
import { scriptText, workflowCommand } from "../../harness/workflow.ts";

const INPUTS = 100;

/** Length of a result. A pipe takes three of them. */
const LENGTH = 20_000;

Deno.test({
  name: "a batch whose results are not read ends with SIGTERM, and resume prints every result",
  ignore: Deno.build.os === "windows",
  async fn() {
    const script = scriptText(`return input + "x".repeat(${LENGTH});`, []);
    const inputs = Array.from({ length: INPUTS }, (_, index) => JSON.stringify(`in ${index} `)).join("\n");
    await using folder = await makeFolder({ "script.ts": script, "in.jsonl": inputs });
    const place = { directory: folder.path, cwd: folder.path };
    const process = workflowCommand(["run", "script.ts", "--each", "in.jsonl", "--run-id", "r1"], place).spawn();
    await using journal = await openJournal(`${folder.path}/workflows.db`);
    await eventually("the output is full", async () => (await journal.findInput("r1", 8))?.end);
    process.kill("SIGTERM");
    const { code } = await within("the run ends", process.status, { seconds: 30 });
    assert.equal(code, 130);
    await Promise.all([process.stdout.cancel(), process.stderr.cancel()]);
    const resumed = await runCommand(workflowCommand(["resume", "r1"], place));
    assert.equal(resumed.code, 0, resumed.stderr);
    const printed = resumed.stdout.trimEnd().split("\n").map((line): string => JSON.parse(line).result);
    const numbers = printed.map((result) => Number(result.split(" ")[1])).sort((a, b) => a - b);
    assert.deepEqual(numbers, Array.from({ length: INPUTS }, (_, index) => index));
  },
});

Deno.test("a script whose log is not read returns its result", async () => {
  const script = scriptText(`for (let n = 0; n < 3000; n++) console.error("x".repeat(100)); return "done";`, []);
  await using folder = await makeFolder({ "script.ts": script });
  const place = { directory: folder.path, cwd: folder.path };
  const process = workflowCommand(["run", "script.ts"], place).spawn();
  const stdout = new Response(process.stdout).text();
  const { code } = await within("the run ends", process.status, { seconds: 30 });
  assert.deepEqual([code, await stdout], [0, '"done"\n']);
  await process.stderr.cancel();
});
