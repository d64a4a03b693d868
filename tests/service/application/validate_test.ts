/** `svc service validate`: every issue of a definition with its place, for a script and at a terminal. */
import assert from "node:assert/strict";
import { ServiceHome } from "../../harness/service.ts";
import { PERMIT_FILE } from "../../harness/service_engine.ts";
import { makeFolder, parseErrorRecord, runCommand, svcInProcess } from "../../harness/svc.ts";

const SAMPLE = await Deno.readTextFile(PERMIT_FILE);

/** The sample with two issues, on lines that the test finds again. */
const WRONG = SAMPLE.replace("set: { Urgent:", "set: { Urgnet:").replace("[{ stage: PRIM1 }]", "[{ stage: PRIM9 }]");

function findLine(text: string): number {
  return WRONG.slice(0, WRONG.indexOf(text)).split("\n").length;
}

Deno.test("validate lists all issues with file, line and column, and exits with 2", async () => {
  await using folder = await makeFolder({ "app.yaml": WRONG });
  await using home = await ServiceHome.open();
  const file = `${folder.path}/app.yaml`;
  const result = await runCommand(home.command(["service", "validate", file]));
  assert.equal(result.code, 2);
  const issues: { file: string; line: number; column: number; message: string }[] = JSON.parse(result.stdout);
  assert.deepEqual(
    issues.map(({ file, line }) => `${file}:${line}`),
    ["stage: PRIM9", "Urgnet"].map((text) => `${file}:${findLine(text)}`),
  );
  assert.match(issues[0]?.message ?? "", /there is no stage 'PRIM9'/);
  assert.equal(parseErrorRecord(result).message, `${file} has 2 issues.`);
});

Deno.test("at a terminal, validate prints one line for each issue", async () => {
  await using folder = await makeFolder({ "app.yaml": WRONG });
  const file = `${folder.path}/app.yaml`;
  const { code, stdout } = await svcInProcess(["service", "validate", file], { terminal: true });
  const lines = stdout.trimEnd().split("\n");
  assert.deepEqual([code, lines.length], [2, 2]);
  assert.ok(lines[0]?.startsWith(`${file}:${findLine("stage: PRIM9")}:`), stdout);
});

Deno.test("validate confirms a valid definition, and names a file that it cannot read", async () => {
  await using home = await ServiceHome.open();
  const valid = await runCommand(home.command(["service", "validate", PERMIT_FILE]));
  assert.deepEqual([valid.code, valid.stdout], [0, "[]\n"]);
  assert.match(valid.stderr, /permit\.yaml is valid: \d+ case types, \d+ operators, \d+ data views\.\n$/);
  const missing = await runCommand(home.command(["service", "validate", "no-such.yaml"]));
  assert.equal(missing.code, 2);
  assert.match(String(parseErrorRecord(missing).message), /no-such\.yaml cannot be read: there is no such file/);
});
