/** Runs the tasks of this checkout. */
import assert from "node:assert/strict";
import { copyCheckout } from "../../tasks/support/copy_checkout.ts";
import { runForOutput } from "../../tasks/support/workspace.ts";
import { CHECKOUT, LimitedCommand, makeFolder } from "../harness/svc.ts";

const DEMO = `${CHECKOUT}/tasks/demo.ts`;

Deno.test("Ctrl-C ends the demo and its service, and removes their files", async () => {
  await using folder = await makeFolder();
  const demo = new LimitedCommand(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-all", DEMO],
    env: { TMPDIR: folder.path },
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let output = "";
  let url: string | undefined;
  for await (const text of demo.stdout.pipeThrough(new TextDecoderStream())) {
    output += text;
    if (url !== undefined) continue;
    url = output.match(/"url": "(http:[^"]+)"/)?.[1];
    if (url !== undefined) demo.kill("SIGINT");
  }
  assert.equal((await demo.status).code, 130, output);
  assert.deepEqual([...Deno.readDirSync(folder.path)], []);
  await assert.rejects(fetch(`${url}/health`), TypeError);
});

Deno.test("the demo runs in a checkout whose path has a space", async () => {
  await using folder = await makeFolder();
  const checkout = `${folder.path}/Ada Lovelace/svc`;
  copyCheckout(checkout);
  const args = ["run", "--quiet", "--allow-all", `${checkout}/tasks/demo.ts`];
  const output = await runForOutput(new LimitedCommand(Deno.execPath(), { args, env: { TMPDIR: folder.path } }));
  assert.match(output, /Every case is resolved, and every history equals the log/);
});
