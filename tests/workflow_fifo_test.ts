/** Inputs from a named pipe. */
import assert from "node:assert/strict";
import { workflowCommand } from "./_support/workflow_process.ts";
import { makeFolder, scriptText } from "./_support/workflow.ts";

Deno.test({
  name: "a run whose named pipe nobody writes to ends with the first Ctrl-C",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await makeFolder({ "script.ts": scriptText("return input;", []) });
    const { path } = folder;
    assert((await new Deno.Command("mkfifo", { args: [`${path}/in`] }).output()).success);
    const args = ["run", "script.ts", "--each", "in", "--run-id", "r1"];
    const run = workflowCommand(args, { directory: path, cwd: path }).spawn();
    while (!(await Array.fromAsync(Deno.readDir(path))).some(({ name }) => name === "workflows.db.r1.lock")) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await new Promise((resolve) => setTimeout(resolve, 1000)); // Now it waits for somebody who opens the other end.
    run.kill("SIGINT");
    const late = setTimeout(() => run.kill("SIGKILL"), 5000);
    const { code } = await run.output();
    clearTimeout(late);
    assert.equal(code, 130);
  },
});
