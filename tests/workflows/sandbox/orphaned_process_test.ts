/** Guest processes whose host was killed. They end by themselves. */
import assert from "node:assert/strict";
import { findSandboxes, killProcess } from "../../../tasks/support/processes.ts";
import { openScriptWorkspace, waitForOutput } from "../../harness/workflow.ts";
import { LimitedCommand } from "../../harness/svc.ts";

/** Maximum time until the guest ends, in milliseconds. */
const LIMIT = 10_000;

/** Code that the script runs when its host is killed. */
const DOING: Readonly<Record<string, string>> = {
  "waits for a result": "await sleep(1e6);",
  "prints and ignores errors": "for (;;) try { console.log('more'); } catch { /* once more */ }",
  "draws random numbers and ignores errors": "for (;;) try { crypto.randomUUID(); } catch { /* once more */ }",
  "blocks its thread on shared memory":
    "try { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); } catch { await sleep(1e6); }",
};

Deno.test("a guest ends soon after its host was killed", async (t) => {
  const cases = Object.keys(DOING).map((does) => `${JSON.stringify(does)}: async () => { ${DOING[does]} }`);
  await using workspace = await openScriptWorkspace(`log("here"); await ({ ${cases.join(", ")} })[input]();`);
  await Promise.all(
    Object.keys(DOING).map((does) =>
      t.step({
        name: `while it ${does}`,
        sanitizeOps: false,
        sanitizeResources: false,
        sanitizeExit: false,
        async fn() {
          const input = JSON.stringify(does);
          const runner = workspace.start("run", "script.ts", "--allow-declared", "--journal", "none", "--input", input);
          const { rest } = await waitForOutput(runner, "here");
          const sandboxes = await findSandboxes(runner.pid);
          runner.kill("SIGKILL");
          await Promise.all([rest, runner.stdout.cancel(), runner.status]);
          const left = await leftAfter(LIMIT, sandboxes);
          for (const pid of left) killProcess(pid);
          assert.deepEqual([sandboxes.length, left], [1, []]);
        },
      })
    ),
  );
});

/** Waits for processes to end, and returns those that still run after a time. */
async function leftAfter(milliseconds: number, pids: readonly number[]): Promise<number[]> {
  const end = performance.now() + milliseconds;
  for (;;) {
    const { stdout } = await new LimitedCommand("ps", { args: ["-o", "pid=,stat=", "-p", pids.join(",")] }).output();
    const lines = new TextDecoder().decode(stdout).split("\n");
    const left = lines.filter((line) => /^\s*\d+\s+[^Z]/.test(line)).map((line) => parseInt(line));
    if (left.length === 0 || performance.now() > end) return left;
  }
}
