/** Colors of JSON, and the variables that turn them off and on. */
import assert from "node:assert/strict";
import { makeFolder, svc, svcInProcess } from "../../harness/svc.ts";
import { render } from "../../../lib/output/render.ts";

Deno.test("JSON at a terminal has colors for names, texts and words", async () => {
  const value = { 'a "b\\': [1, "true: null", null], ok: true };
  const { text } = await render(value, { format: "json" }, { color: true, columns: 80 });
  assert.equal(
    text,
    `{
  \x1b[1;34m"a \\"b\\\\"\x1b[22;39m: [
    1,
    \x1b[32m"true: null"\x1b[39m,
    \x1b[33mnull\x1b[39m
  ],
  \x1b[1;34m"ok"\x1b[22;39m: \x1b[33mtrue\x1b[39m
}
`,
  );
});

Deno.test("variables turn the colors of a terminal off", async () => {
  const isColored = async (env: Readonly<Record<string, string>>) => {
    const { stdout } = await svcInProcess(["service", "schema"], { terminal: true, env });
    return stdout.includes("\x1b[");
  };
  assert.equal(await isColored({}), true);
  assert.equal(await isColored({ CLICOLOR: "1" }), true);
  assert.equal(await isColored({ CLICOLOR: "0" }), false);
  assert.equal(await isColored({ TERM: "dumb" }), false);
  assert.equal(await isColored({ NO_COLOR: "1", CLICOLOR_FORCE: "1" }), false);
});

Deno.test("a pipe has colors only with CLICOLOR_FORCE", async () => {
  await using folder = await makeFolder({ "config.json": '{"profiles":{"lab":{"clientId":"one"}}}' });
  const run = async (env: Readonly<Record<string, string>>) =>
    (await svc(["profile", "list"], { env: { ...env, SVC_CONFIG_DIR: folder.path } })).stdout;
  assert.equal((await run({ CLICOLOR: "1", CLICOLOR_FORCE: "0" })).includes("\x1b"), false);
  assert.ok((await run({ CLICOLOR_FORCE: "1" })).includes('\x1b[1;34m"clientId"\x1b[22;39m: \x1b[32m"one"\x1b[39m'));
});
