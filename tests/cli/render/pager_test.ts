/** The pager for results that are longer than the screen. */
import assert from "node:assert/strict";
import { makeFolder, svcCommand } from "../../harness/svc.ts";
import { Terminal } from "../../harness/terminal.ts";

/** Prints the last line of its input, and how many lines there were. */
const PAGER = `awk '{ last = $0 } END { print NR " lines, the last is " last }'`;

async function run(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, string>> = {},
): Promise<string> {
  await using folder = await makeFolder({ "config.json": JSON.stringify({ profiles: { lab: {} }, ...settings }) });
  const [program = "", command = "", ...rest] = svcCommand(args, folder.path);
  const options = { env: { SVC_CONFIG_DIR: folder.path, ...env } };
  await using terminal = new Terminal(program, [command, "--allow-run=/bin/sh", ...rest], options);
  assert.equal(await terminal.exit(), 0);
  return terminal.scrollback();
}

Deno.test("a result that is longer than the screen is shown in the pager", async () => {
  const schema = ["service", "schema"];
  assert.match(await run(schema, { SVC_PAGER: PAGER }), /^\d{3,} lines, the last is \}$/);
  assert.match(await run(schema, { PAGER }), /^\d{3,} lines, the last is \}$/);
  assert.match(await run(schema, { PAGER, SVC_PAGER: "cat" }, { pager: PAGER }), /^\{\n/);
  assert.match(await run(schema, { PAGER: "cat" }, { pager: PAGER }), /^\d{3,} lines, the last is \}$/);
  assert.match(await run(schema, {}), /^\{\n/);
  assert.match(await run([...schema, "--no-pager"], { SVC_PAGER: PAGER }), /^\{\n/);
  assert.match(await run(schema, { SVC_PAGER: 'test "$LESS$LV" = FRX-c && echo options' }), /^options$/);
});

Deno.test("a result that fits on the screen is printed directly", async () => {
  assert.match(await run(["profile", "list", "--format", "json"], { SVC_PAGER: PAGER }), /^\[\n/);
});

Deno.test("the lines of a result that are wider than the screen count as several", async () => {
  const compact = ["service", "schema", "--format", "compact"];
  assert.match(await run(compact, { SVC_PAGER: PAGER }), /^1 lines, the last is \{/);
});

Deno.test("a result is printed if the pager cannot be run", async () => {
  const printed = await run(["service", "schema"], { SVC_PAGER: "no-such-pager" });
  assert.match(
    printed,
    /not found[^]*^The pager 'no-such-pager' cannot be run\. Correct SVC_PAGER, or pass --no-pager\.\n\{/m,
  );
});
