/** The comparison of two checkouts, and its verdicts. */
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { resolve } from "node:path";
import { ROWS } from "../../tasks/bench/comparison/rows.ts";
import { describeVerdict, judge } from "../../tasks/bench/comparison/verdict.ts";
import { copyCheckout } from "../../tasks/support/copy_checkout.ts";
import { findServices } from "../../tasks/support/processes.ts";
import { BUILT_PROGRAM, CHECKOUT, LimitedCommand, makeFolder, runCommand } from "../harness/svc.ts";
import { readUntil } from "../harness/wait.ts";

/** Delays `svc --version`. */
const DELAY = `if (Deno.args[0] === "--version") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);\n`;

/** Checkout of the built program, if the tests run one. Building again takes longer than all measurements of a test. */
const BUILT = BUILT_PROGRAM === undefined ? undefined : resolve(BUILT_PROGRAM, "../..");

/** Options that compare with this checkout, or with the built one. */
const BEFORE = BUILT === undefined ? ["--before", CHECKOUT] : ["--before", BUILT, "--built"];

/** Copies the files of this checkout that a comparison needs, and the built program if there is one. */
function copyBench(folder: string): string {
  copyCheckout(folder);
  cpSync(`${CHECKOUT}/tests/harness`, `${folder}/tests/harness`, { recursive: true });
  if (BUILT !== undefined) cpSync(`${BUILT}/dist`, `${folder}/dist`, { recursive: true });
  return folder;
}

function prepareBench(checkout: string, args: readonly string[], folder: string): LimitedCommand {
  return new LimitedCommand(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-all", `${checkout}/tasks/bench.ts`, "--scale", "0.001", ...args],
    env: { TMPDIR: folder },
    stdout: "piped",
    stderr: "piped",
  });
}

Deno.test("a comparison measures every row of both checkouts and fails if this one is slower", async () => {
  await using folder = await makeFolder();
  await using temporary = await makeFolder();
  const slow = copyBench(`${folder.path}/slow`);
  const program = `${slow}/${BUILT === undefined ? "cli.ts" : "dist/cli.js"}`;
  await Deno.writeTextFile(program, DELAY + await Deno.readTextFile(program));
  const command = prepareBench(slow, [...BEFORE, "--rounds", "1"], temporary.path);
  const { code, stdout, stderr } = await runCommand(command);
  assert.equal(code, 1, stdout + stderr);
  for (const { name, unit } of ROWS) {
    const value = `[\\d.]+ \\([\\d.]+–[\\d.]+\\)`;
    assert.match(stdout, new RegExp(`^${name} +.* ${value} ${unit} +${value} ${unit} +${value} × +\\w+`, "m"));
  }
  assert.match(stdout, /^start-up .* worse by \d+\.\d %$/m);
  assert.deepEqual([...Deno.readDirSync(temporary.path)], []);
});

Deno.test("Ctrl-C ends a comparison and its services, and removes their files", async () => {
  await using folder = await makeFolder();
  await using temporary = await makeFolder();
  const args = [...BEFORE, "--rounds", "1000", "--only", "one-call"];
  const child = prepareBench(copyBench(`${temporary.path}/copy`), args, folder.path).spawn();
  const { rest } = await readUntil(child.stderr, "Round 2 of 1000");
  assert.equal((await findServices(folder.path)).length, 2);
  child.kill("SIGINT");
  await Promise.all([rest, child.stdout.cancel()]);
  assert.equal((await child.status).code, 130);
  assert.deepEqual([...Deno.readDirSync(folder.path)], []);
  assert.deepEqual(await findServices(folder.path), []);
});

Deno.test("a difference counts if the medians and three quarters of the rounds are beyond the limit", () => {
  const before = [100, 100, 100, 100, 100];
  const describe = (after: number[]) => describeVerdict(judge(before, after));
  assert.equal(describe([100, 104, 105, 103, 90]), "same");
  assert.equal(describe([110, 104, 107, 106, 108]), "worse by 7.0 %");
  assert.equal(describe([110, 104, 107, 103, 108]), "noisy");
  assert.equal(describe([90, 100, 92, 93, 91]), "better by 8.0 %");
  assert.equal(describe([90, 100, 92, 99, 91]), "noisy");
});

Deno.test("rounds are compared one by one, because the machine may be slower in some", () => {
  assert.deepEqual(judge([100, 200, 300], [102, 206, 303]).ratios, [1.02, 1.03, 1.01]);
  assert.equal(judge([100, 200, 300], [110, 220, 330]).difference, "worse");
});

Deno.test("a missing checkout, an unknown name and a wrong number are refused with the usage", async () => {
  await using folder = await makeFolder();
  const refused: [string[], RegExp][] = [
    [["--before", folder.path], /There is no checkout in/],
    [
      ["--before", CHECKOUT, "--only", "nothing"],
      /There is no measurement 'nothing'\. Measurements: start-up, one-call/,
    ],
    [["--before", CHECKOUT, "--rounds", "0"], /--rounds must be an integer from 1/],
    [["--before", CHECKOUT, "--scale", "2"], /--scale must be a number from 0.001 to 1/],
  ];
  await Promise.all(refused.map(async ([args, message]) => {
    const { code, stderr } = await runCommand(prepareBench(CHECKOUT, args, folder.path));
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, message);
    assert.match(stderr, /Usage: deno task bench/);
  }));
});
