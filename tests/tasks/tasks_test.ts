/** The tasks of this checkout, as a person runs them. */
import assert from "node:assert/strict";
import { copyCheckout } from "../../tasks/copy_checkout.ts";
import { runForOutput } from "../../tasks/workspace.ts";
import { CHECKOUT, makeFolder } from "../harness/svc.ts";

const DEMO = `${CHECKOUT}/tasks/demo.ts`;

Deno.test("Ctrl-C ends the demo with its service, and nothing of it is left", async () => {
  await using folder = await makeFolder();
  const demo = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-all", DEMO],
    env: { TMPDIR: folder.path },
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let said = "";
  let url: string | undefined;
  for await (const text of demo.stdout.pipeThrough(new TextDecoderStream())) {
    said += text;
    if (url !== undefined) continue;
    url = said.match(/"url": "(http:[^"]+)"/)?.[1];
    if (url !== undefined) demo.kill("SIGINT");
  }
  assert.equal((await demo.status).code, 130, said);
  assert.deepEqual([...Deno.readDirSync(folder.path)], []);
  await assert.rejects(fetch(`${url}/health`), TypeError);
});

Deno.test("the demo runs in a checkout whose path has a space", async () => {
  await using folder = await makeFolder();
  const checkout = `${folder.path}/Ada Lovelace/svc`;
  copyCheckout(checkout);
  const args = ["run", "--quiet", "--allow-all", `${checkout}/tasks/demo.ts`];
  const said = await runForOutput(new Deno.Command(Deno.execPath(), { args, env: { TMPDIR: folder.path } }));
  assert.match(said, /Every case is resolved, and every history equals the log/);
});
