/** Cassettes that a script waits with: for what was recorded, and for what was not. */
import assert from "node:assert/strict";
import { makeFolder, svcInProcess } from "../../harness/svc.ts";
import { scriptText } from "../../harness/workflow.ts";

const AT = "2026-01-31T08:00:00.000Z";

Deno.test("a cassette skips sleeps", async () => {
  const at = "2026-01-31T09:00:00.000Z";
  const cassette = {
    cassette: 1,
    script: "test",
    startedAt: AT,
    randomness: [],
    calls: [{ step: 1, operation: "sleep", values: { milliseconds: 3600000 }, answer: {}, at, order: 1 }],
    result: at,
  };
  const script = scriptText("await sleep(3600000); return new Date();", []);
  await using folder = await makeFolder({ "script.ts": script, "c.json": JSON.stringify(cassette) });
  const played = await svcInProcess([
    "workflow",
    "test",
    `${folder.path}/script.ts`,
    "--cassette",
    `${folder.path}/c.json`,
  ]);
  assert.deepEqual(played, { code: 0, stdout: `ok ${folder.path}/c.json: 1 call\n`, stderr: "" });
});

Deno.test("a script that awaits a sleep that was open in the cassette ends at its time limit", async () => {
  const cassette = {
    ...{ cassette: 1, script: "test", startedAt: AT, randomness: [] },
    calls: [{ step: 1, operation: "sleep", values: { milliseconds: 5 } }],
    error: { code: "WORKFLOW_FAILED", message: "The script failed: too late (script.ts:7)" },
  };
  await using folder = await makeFolder({
    "script.ts": scriptText("await sleep(5); return 1;", []),
    "cassette.json": JSON.stringify(cassette),
  });
  const [script, path] = [`${folder.path}/script.ts`, `${folder.path}/cassette.json`];
  const patience = new AbortController(); // Without its time limit the script would wait forever.
  const timer = setTimeout(() => patience.abort(), 30_000);
  const surroundings = { interruption: patience.signal };
  const args = ["workflow", "test", script, "--cassette", path, "--timeout", "4"]; // A busy machine loads slowly.
  const { code, stderr } = await svcInProcess(args, surroundings).finally(() => clearTimeout(timer));
  assert.equal(code, 1, stderr);
  assert.match(
    JSON.parse(stderr).error.message,
    /; now it fails with TIMEOUT "The workflow did not end within 4 s and was stopped\."\.$/,
  );
});

Deno.test("a call of an unknown operation is recorded and played", async () => {
  const body = `try { await svc.cases.gte("C-1"); } catch (error) { return error.message; }`;
  await using folder = await makeFolder({ "script.ts": scriptText(body, []) });
  const [script, path] = [`${folder.path}/script.ts`, `${folder.path}/cassette.json`];
  const recorded = await svcInProcess(["workflow", "record", script, "-o", path, "--journal", `${folder.path}/own.db`]);
  assert.deepEqual(recorded, {
    code: 0,
    stdout: `"There is no operation \\"cases.gte\\"."\n`,
    stderr: `1 call recorded in ${path}.\n`,
  });
  const tested = await svcInProcess(["workflow", "test", script, "--cassette", path]);
  assert.deepEqual(tested, { code: 0, stdout: `ok ${path}: 1 call\n`, stderr: "" });
});

Deno.test("a failure matches after its line has moved, whatever the name of the script", async () => {
  const body = `throw new Error("late (again)");`;
  await using folder = await makeFolder();
  for (const name of ["script.ts", "my script.ts", "script (2).ts"]) {
    const [script, path] = [`${folder.path}/${name}`, `${folder.path}/${name}.json`];
    const test = async (text: string) => {
      await Deno.writeTextFile(script, text);
      return (await svcInProcess(["workflow", "test", script, "--cassette", path])).stdout;
    };
    await Deno.writeTextFile(script, scriptText(body, []));
    await svcInProcess(["workflow", "record", script, "-o", path, "--journal", `${folder.path}/own.db`]);
    assert.equal(await test(scriptText(`\n\n${body}`, [])), `ok ${path}: 0 calls\n`);
    assert.match(
      await test(scriptText(body.replace("again", "another"), [])),
      /^FAILED .*"The script failed: late \(another\) /,
    );
  }
});

Deno.test("a failure with the same code and message names the other differences", async () => {
  const locked = { code: "LOCKED", message: "The case is locked." };
  const given = { at: AT, order: 1, error: { ...locked, status: 423 } };
  const cassette = {
    ...{ cassette: 1, script: "test", startedAt: AT, randomness: [] },
    calls: [{ step: 1, operation: "cases.get", values: { caseId: "C-1" }, ...given }],
    error: { ...locked, operation: "cases.get" },
  };
  await using folder = await makeFolder({
    "script.ts": scriptText(`await svc.cases.get("C-1");`, []),
    "c.json": JSON.stringify(cassette),
  });
  const { stdout } = await svcInProcess(
    ["workflow", "test", `${folder.path}/script.ts`, "--cassette", `${folder.path}/c.json`],
  );
  const [, said] = stdout.split(": WORKFLOW_FAILED ");
  assert.equal(
    said,
    `The script failed with LOCKED "The case is locked." (status none, operation cases.get); ` +
      `now it fails with LOCKED "The case is locked." (status 423, operation none).\n`,
  );
});
