import assert from "node:assert/strict";
import { runTests } from "../../tasks/run_tests.ts";
import { findServices } from "../../tasks/support/processes.ts";
import { makeFolder } from "../harness/svc.ts";
import { eventually } from "../harness/wait.ts";

const FILES = {
  "blocking_test.ts": `Deno.test("a first test", () => {}); Deno.test("a test that blocks", () => { for (;;); });`,
  "waiting_test.ts": `Deno.test("a test that waits", async () => { await new Promise(() => setInterval(() => {})); });`,
  "failing_test.ts": `Deno.test("a test that fails", () => { throw new Error("wrong"); });`,
};

Deno.test("tests that make no progress are stopped and named", async () => {
  await using folder = await makeFolder(FILES);
  let output = "";
  const write = (text: string) => output += text;
  const counts = await runTests([folder.path], {
    directory: folder.path,
    env: { DENO_JOBS: "3" },
    write,
    stallSeconds: 10,
  });
  assert.ok(counts.failed > 0);
  const [, pending = ""] = output.split("No test has ended for 10 s, so the tests are stopped.");
  for (const name of ["a test that blocks", "a test that waits"]) assert.ok(pending.includes(name), output);
});

Deno.test("the results of tests are counted", async () => {
  await using folder = await makeFolder({
    "failing_test.ts": FILES["failing_test.ts"],
    "passing_test.ts": `Deno.test("a test that passes", () => {});`,
  });
  const { passed, failed, failures } = await runTests([folder.path], { directory: folder.path, write: () => {} });
  assert.deepEqual([passed, failed], [1, 1]);
  assert.match(failures, /a test that fails .*[^]*wrong/);
  assert.doesNotMatch(failures, /a test that passes/);
});

Deno.test("a run with an error outside of the tests fails, and shows the error", async () => {
  await using folder = await makeFolder({ "broken_test.ts": `throw new Error("broken");` });
  const { failed, failures } = await runTests([folder.path], { directory: folder.path, write: () => {} });
  assert.equal(failed, 1);
  assert.match(failures, /broken/);
});

Deno.test("the services that a failed test has left running are killed", {
  ignore: Deno.build.os === "windows", // It has no `ps`.
}, async () => {
  await using folder = await makeFolder();
  const start = ["eval", "setTimeout(() => {}, 600_000)", "service", "start"];
  const commands = [
    [...start, `--data=${folder.path}/data`, "--strict"],
    [...start, "--data", `${folder.path}/data`, "--strict"],
  ];
  await Deno.writeTextFile(
    `${folder.path}/leaving_test.ts`,
    `Deno.test("a test that leaves processes", { sanitizeResources: false, sanitizeOps: false }, () => {
       for (const args of ${JSON.stringify(commands)}) {
         const child = new Deno.Command(Deno.execPath(), { args, stdout: "null", stderr: "null" });
         console.log("left", child.spawn().pid);
       }
       throw new Error("failed");
     });`,
  );
  let output = "";
  await runTests([folder.path], { directory: folder.path, write: (text) => output += text });
  assert.equal(output.match(/left \d+/g)?.length, 2);
  await eventually("the processes have ended", async () => (await findServices(folder.path)).length === 0);
});

Deno.test("tests that make progress may take longer than the limit, also with colors", async () => {
  const slow = (name: string) =>
    `Deno.test(${JSON.stringify(name)}, () => new Promise((resolve) => setTimeout(resolve, 5000)));`;
  await using folder = await makeFolder({ "slow_test.ts": ["one", "two", "three", "four"].map(slow).join("\n") });
  const options = { directory: folder.path, env: { FORCE_COLOR: "1" }, write: () => {}, stallSeconds: 18 };
  assert.deepEqual(await runTests([folder.path], options), { passed: 4, failed: 0, failures: "" });
});
