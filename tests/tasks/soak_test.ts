/** The short forms of the long tests, and the checks that they rely on. */
import assert from "node:assert/strict";
import { createSeed, SeededRandom } from "../../tasks/support/seeded_random.ts";
import { WriteLoad } from "../../tasks/soak/write_load.ts";
import { openService } from "../harness/service.ts";
import { CHECKOUT, LimitedCommand, PROGRAM, runCommand } from "../harness/svc.ts";
import { eventually } from "../harness/wait.ts";

/** The scenarios, in parts that each end within the time limit of a process. */
const PARTS = ["kills,clients,fuzz", "connections,token-cache,outages", "backup,full-disk,forms"];

const SHORT = ["--scale", "0.005", "--ignore-limits"];

async function soak(...args: string[]) {
  const command = ["run", "--quiet", "--allow-all", `${CHECKOUT}/tasks/soak.ts`, ...args];
  return await runCommand(new LimitedCommand(Deno.execPath(), { args: command, env: { SVC_TEST_PROGRAM: PROGRAM } }));
}

for (const names of PARTS) {
  Deno.test(`the short forms of the long tests ${names} meet their targets`, async () => {
    const { code, stdout, stderr } = await soak("--only", names, ...SHORT, "--seed", String(createSeed()));
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /^what +target +measured +seed +duration +ok$/m);
    assert.doesNotMatch(stdout, / NO$/m);
  });
}

Deno.test("a lost write and an unexpected change are reported", async () => {
  await using svc = await openService();
  const random = new SeededRandom(createSeed());
  const load = new WriteLoad(svc, {
    writers: 2,
    random,
    waitUntilAvailable: () => assert.fail("nothing interrupts it"),
  });
  const over = new AbortController();
  const writing = load.run(over.signal);
  await eventually("five cases exist", () => load.cases.length >= 5);
  over.abort();
  await writing;
  assert.deepEqual(await load.check(svc), []);
  await using empty = await openService();
  assert.match((await load.check(empty)).join("\n"), /P-1 of .*: the case is lost: 404/);
  // The writers run at the same time, so the second case in the list need not be P-2.
  const id = load.cases[1]?.id;
  assert.ok(id);
  const path = `/cases/${encodeURIComponent(id)}/actions/pyUpdateCaseDetails`;
  const body = { content: { Address: "Elsewhere" } };
  assert.equal((await svc.call("PATCH", path, { body })).status, 200);
  const faults = (await load.check(svc)).join("\n");
  assert.match(faults, new RegExp(`${id} of .*: a write was half done: .*Elsewhere`));
  assert.match(faults, new RegExp(`${id} of .*: the history has \\d lines 'performed'`));
});

Deno.test("an unknown name, scale or seed is refused with the usage", async () => {
  const refused = [["--only", "nothing"], ["--scale", "2"], ["--seed", "-1"], ["--fast"]];
  await Promise.all(refused.map(async (args) => {
    const { code, stderr } = await soak(...args);
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, /Usage: deno task soak/);
  }));
});
