/** Runs that are killed, interrupted, edited or failed keep their history, and repeat nothing. */
import assert from "node:assert/strict";
import { type Behaviour, inOrder, sendJson, startUnrulyServer } from "../../harness/faults.ts";
import {
  CREATE_CASE,
  createCaseBody,
  killAfterOutput,
  prepareScriptWorkspaces,
  RUN_SCRIPT,
  WAIT_FOR_SECOND_CASE,
  waitForOutput,
} from "../../harness/workflow.ts";

const openScriptWorkspace = prepareScriptWorkspaces();

Deno.test("a killed run resumes where it was and repeats nothing", async () => {
  await using workspace = await openScriptWorkspace(
    `${CREATE_CASE} log("made"); ${WAIT_FOR_SECOND_CASE} return made.status;`,
  );
  await killAfterOutput(workspace.start(...RUN_SCRIPT), "made");
  await workspace.createPermit();
  const resumed = await workspace.svc("resume", "r1", "--format", "compact");
  assert.deepEqual([resumed.code, resumed.stdout], [0, `"New"\n`]);
  assert.equal(await workspace.permits(), 2);
  const [run] = JSON.parse((await workspace.svc("list")).stdout);
  assert.deepEqual([run.id, run.state, run.inputs, run.succeeded], ["r1", "done", 1, 1]);
  assert.equal((await workspace.svc("logs", "r1")).stdout, "made\n");
  const again = await workspace.svc(...RUN_SCRIPT, "--format", "compact");
  assert.deepEqual(again, { code: 0, stdout: resumed.stdout, stderr: "" });
  assert.equal(await workspace.permits(), 2);
});

Deno.test("a change whose response was lost is not repeated, although its assignment no longer exists", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE}
    const data = { Applicant: "Ada", Address: "B", Area: 40 };
    return await svc.assignments.perform(made.nextAssignmentInfo.ID, { action: "Register", data });`);
  const first = await workspace.svc(...RUN_SCRIPT);
  assert.equal(first.code, 0);
  workspace.sql(`DELETE FROM events WHERE kind = 'answer' AND position = 2;
    UPDATE inputs SET state = 'open', outcome = NULL; UPDATE runs SET state = 'open'`);
  assert.deepEqual(await workspace.svc("resume", "r1"), { ...first, stderr: "" });
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.test(`${signal} ends a run quickly and names the command to resume it`, async () => {
    await using workspace = await openScriptWorkspace(
      `${CREATE_CASE} log("made"); ${WAIT_FOR_SECOND_CASE} return made.status;`,
    );
    const process = workspace.start(...RUN_SCRIPT);
    const { rest } = await waitForOutput(process, "made");
    process.kill(signal);
    const said = await rest;
    await Promise.all([process.stdout.cancel()]);
    assert.equal((await process.status).code, 130);
    const { error } = JSON.parse(said.split("\n")[1] ?? "");
    assert.deepEqual([error.code, error.hint], ["INTERRUPTED", "Run 'svc workflow resume r1' to continue."]);
    await workspace.createPermit();
    assert.equal((await workspace.svc("resume", "r1", "--format", "compact")).stdout, `"New"\n`);
    assert.equal(await workspace.permits(), 2);
  });
}

Deno.test("an interrupted plan says so and leaves no files behind", async () => {
  await using workspace = await openScriptWorkspace(`log("up"); for (;;);`);
  const process = workspace.start("plan", "script.ts");
  const { rest } = await waitForOutput(process, "up");
  process.kill("SIGTERM");
  assert.match(await rest, /"INTERRUPTED","message":"The plan was interrupted\."/);
  assert.equal((await process.status).code, 130);
  await process.stdout.cancel();
  assert.deepEqual([...Deno.readDirSync(workspace.config)].filter(({ isDirectory }) => isDirectory), []);
});

Deno.test("Ctrl-C does not wait for the next attempt of a call; resume makes it", async () => {
  const refused = Promise.withResolvers<void>();
  const busy: Behaviour = async (...request) => {
    await sendJson(503, {}, { "retry-after": "50" })(...request);
    refused.resolve();
  };
  using server = startUnrulyServer(inOrder(busy, sendJson(200, createCaseBody("C-1"))));
  await using workspace = await openScriptWorkspace(`return (await svc.cases.get("C-1")).id;`);
  workspace.useService(server.options);
  const process = workspace.start(...RUN_SCRIPT);
  const { rest } = await waitForOutput(process, "");
  await refused.promise;
  process.kill("SIGINT");
  assert.match(await rest, /"INTERRUPTED".*svc workflow resume r1/);
  assert.equal((await process.status).code, 130);
  await process.stdout.cancel();
  assert.equal(server.received.length, 1);
  const resumed = await workspace.svc("resume", "r1", "--format", "compact");
  assert.deepEqual([resumed.stdout, resumed.stderr], [`"C-1"\n`, ""]);
});

/** Makes a change after the earlier steps, and fails. */
const CHANGE_AND_FAIL = `await svc.cases.create({ type: "City-Permit-Work-Permit" }); throw new Error("not yet");`;

Deno.test("an edited script stops at the step that differs, and continues with --force", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} await svc.cases.get(made.id); ${CHANGE_AND_FAIL}`);
  assert.equal((await workspace.svc(...RUN_SCRIPT)).code, 1);
  await workspace.write(`${CREATE_CASE} await svc.cases.listAncestors(made.id); return made.status;`);
  const refused = await workspace.svc("retry", "r1");
  const { error } = JSON.parse(refused.stderr.trimEnd().split("\n").at(-1) ?? "");
  assert.equal(error.code, "WORKFLOW_DIVERGED");
  assert.match(
    error.message,
    /^Step 2 was cases\.get {"caseId":".*"}, but the script now calls cases\.list-ancestors {/,
  );
  assert.match(error.hint, /--force/);
  const forced = await workspace.svc("retry", "r1", "--force", "--format", "compact");
  assert.deepEqual([forced.code, forced.stdout], [0, `"New"\n`]);
  assert.equal(await workspace.permits(), 2);
});

Deno.test("an edited script with fewer concurrent calls stops at the missing call", async () => {
  await using workspace = await openScriptWorkspace(
    `${CREATE_CASE} await Promise.all([svc.cases.listAncestors(made.id), svc.cases.get(made.id)]); ${CHANGE_AND_FAIL}`,
  );
  assert.equal((await workspace.svc(...RUN_SCRIPT)).code, 1);
  await workspace.write(
    `${CREATE_CASE} await svc.cases.listAncestors(made.id); await new Promise((go) => setTimeout(go, 1)); ${CHANGE_AND_FAIL}`,
  );
  const { stderr } = await workspace.svc("retry", "r1");
  assert.match(
    stderr,
    /"WORKFLOW_DIVERGED","message":"Step 3 was cases\.get .*, but the script (now calls sleep|no longer)/,
  );
});

Deno.test("an edited script that makes the recorded calls continues without --force, and repeats none", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} throw new Error("oops");`);
  assert.equal((await workspace.svc(...RUN_SCRIPT)).code, 1);
  await workspace.write(`${CREATE_CASE} throw new Error("still");`);
  assert.match((await workspace.svc("retry", "r1")).stderr, /The script failed: still/);
  await workspace.write(`${CREATE_CASE} return (await svc.cases.get(made.id)).status;`);
  assert.equal((await workspace.svc("retry", "r1", "--format", "compact")).stdout, `"New"\n`);
  assert.equal(await workspace.permits(), 1);
  workspace.sql("UPDATE runs SET state = 'open'; UPDATE inputs SET state = 'open', outcome = NULL");
  await workspace.write(`${CREATE_CASE} const { status } = await svc.cases.get(made.id); return { status };`);
  assert.equal((await workspace.svc("resume", "r1", "--format", "compact")).stdout, `{"status":"New"}\n`);
  assert.equal(await workspace.permits(), 1);
});

Deno.test("a fix changes the call that was refused, but not one that may be the same change", async () => {
  const perform = (data: string) =>
    `${CREATE_CASE} await svc.assignments.perform(made.nextAssignmentInfo!.ID, { action: "Register", data: ${data} });`;
  await using workspace = await openScriptWorkspace(perform(`{ Applicant: ["Ada"] }`));
  assert.match((await workspace.svc(...RUN_SCRIPT)).stderr, /VALIDATION_FAIL/);
  await workspace.write(perform(`{ Applicant: "Ada", Address: "Main St 1" }`) + ` throw new Error("oops");`);
  assert.match((await workspace.svc("retry", "r1")).stderr, /The script failed: oops/);
  await workspace.write(perform(`{ Applicant: "Eve", Address: "Main St 1" }`));
  assert.match((await workspace.svc("retry", "r1")).stderr, /WORKFLOW_DIVERGED.*Step 2 was assignments\.perform/);
  assert.equal(await workspace.permits(), 1);
});

Deno.test("in a batch, only the inputs whose history the edited script leaves need --force", async () => {
  const script = (id: string) => `${CREATE_CASE} if (input > 1) await svc.tags.add(made.id, { tag: [${id}] });`;
  await using workspace = await openScriptWorkspace(`${script("'a'")} throw new Error("oops");`);
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, "1\n2\n");
  await workspace.svc(...RUN_SCRIPT, "--each", "in.ndjson");
  await workspace.write(`${script("'b'")} return input;`);
  const { stdout } = await workspace.svc("retry", "r1");
  const results = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual([results[0].result, results[1].error.code], [1, "WORKFLOW_DIVERGED"]);
  assert.match(results[1].error.message, /^Step 2 was tags\.add/);
  await workspace.write(`${script("'a'")} return input;`);
  assert.match((await workspace.svc("retry", "r1")).stdout, /"result":2}/);
  assert.equal(await workspace.permits(), 2);
});

Deno.test("a script that leaves the history changes nothing without --force", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} throw new Error("oops");`);
  assert.equal((await workspace.svc(...RUN_SCRIPT)).code, 1);
  for (const edit of ["return 1;", `await svc.cases.get("C-1"); ${CREATE_CASE}`]) {
    await workspace.write(edit);
    assert.match((await workspace.svc("retry", "r1")).stderr, /WORKFLOW_DIVERGED/, edit);
    const { inputs: [input] } = JSON.parse((await workspace.svc("show", "r1", "--format", "json")).stdout);
    assert.deepEqual([input.state, input.calls.length], ["failed", 1], edit);
  }
  await workspace.write(`${CREATE_CASE} throw new Error("oops");`);
  assert.match((await workspace.svc("retry", "r1")).stderr, /The script failed: oops/);
  assert.equal(await workspace.permits(), 1);
});

Deno.test("retry runs only the failed inputs, from the call that failed", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE}
    if (input === 2) await svc.data.count("D_Permits", { filter: { logic: "F1" } });
    return input;`);
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, "1\n2\n3\n");
  const first = await workspace.svc(...RUN_SCRIPT, "--each", "in.ndjson");
  assert.equal(first.code, 1);
  assert.match(first.stderr, /svc workflow retry r1/);
  assert.equal(await workspace.permits(), 3);
  const again = await workspace.svc("retry", "r1");
  assert.match(again.stderr, /^Running 1 failed input of run r1 again/);
  assert.equal(again.code, 1);
  assert.equal(again.stdout, first.stdout.split("\n")[1] + "\n");
  assert.equal(await workspace.permits(), 3);
});

Deno.test("a run that was killed right after its start has its input", async () => {
  await using workspace = await openScriptWorkspace("return input;");
  assert.equal((await workspace.svc(...RUN_SCRIPT, "--input", `{"a":1}`)).code, 0);
  workspace.sql("DELETE FROM inputs; UPDATE runs SET state = 'open'");
  assert.deepEqual((await workspace.svc("resume", "r1", "--format", "compact")).stdout, `{"a":1}\n`);
});

Deno.test("a run with another input is not resumed", async () => {
  await using workspace = await openScriptWorkspace("return input;");
  assert.equal((await workspace.svc(...RUN_SCRIPT, "--input", "1")).stdout, "1\n");
  const other = await workspace.svc(...RUN_SCRIPT, "--input", "2");
  assert.equal(other.code, 2);
  assert.match(other.stderr, /Run r1 has another script, another input or another file/);
  workspace.sql("UPDATE runs SET state = 'open'");
  assert.equal((await workspace.svc("run", "script.ts", "--allow-declared", "--resume", "--input", "2")).stdout, "2\n");
});

Deno.test("a run whose inputs are missing fails, and resumes when they are restored", async () => {
  await using workspace = await openScriptWorkspace("return input;");
  const run = [...RUN_SCRIPT, "--each", "in.ndjson"];
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, "1\n2\n");
  const first = await workspace.svc(...run);
  assert.equal(first.code, 0, first.stderr);
  await Deno.rename(`${workspace.folder}/in.ndjson`, `${workspace.folder}/away.ndjson`);
  const vanished = await workspace.svc(...run);
  assert.equal(vanished.code, 2);
  assert.match(vanished.stderr, /The inputs in\.ndjson cannot be read: there is no such file\./);
  await Deno.rename(`${workspace.folder}/away.ndjson`, `${workspace.folder}/in.ndjson`);
  assert.equal((await workspace.svc(...run)).stdout, first.stdout);
});

Deno.test("a journal that cannot be written ends a run even if its script catches errors", async () => {
  await using workspace = await openScriptWorkspace(
    `${CREATE_CASE} log("made"); ${WAIT_FOR_SECOND_CASE} try { ${CREATE_CASE} } catch { return "fine"; }`,
  );
  const process = workspace.start(...RUN_SCRIPT);
  const { rest } = await waitForOutput(process, "made");
  workspace.sql("DROP TABLE events");
  await workspace.createPermit();
  const { error } = JSON.parse((await rest).split("\n").at(-2) ?? "");
  assert.equal(error.code, "JOURNAL_DAMAGED");
  assert.match(error.message, /^The journal .* is damaged: no such table: events/);
  assert.match(error.hint, /^Restore the file from a copy, .* 'svc workflow resume r1' to continue\.$/);
  assert.equal(await new Response(process.stdout).text(), "");
  assert.equal((await process.status).code, 1);
  assert.equal(await workspace.permits(), 2);
});

Deno.test("an input in progress does not fail when the journal cannot be written, and can be resumed", async () => {
  await using workspace = await openScriptWorkspace(
    `if (input === 1) return "first"; ${CREATE_CASE} log("made"); ${WAIT_FOR_SECOND_CASE} { ${CREATE_CASE} } return "second";`,
  );
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, "1\n2\n");
  const process = workspace.start(...RUN_SCRIPT, "--each", "in.ndjson", "--concurrency", "1");
  const { rest } = await waitForOutput(process, "made");
  workspace.sql("CREATE TRIGGER broken BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no'); END");
  await workspace.createPermit();
  const first = `{"input":"in.ndjson:1","result":"first"}\n`;
  assert.equal(await new Response(process.stdout).text(), first);
  const [, summary, said = ""] = (await rest).split("\n");
  assert.equal(summary, "1 input: 1 succeeded, 0 failed.");
  const { error } = JSON.parse(said);
  assert.deepEqual([error.code, (await process.status).code], ["INVALID_CONFIG", 2]);
  assert.equal(error.hint, "Check the file and its disk. Run 'svc workflow resume r1' to continue.");
  workspace.sql("DROP TRIGGER broken");
  assert.equal((await workspace.svc("resume", "r1")).stdout, `${first}{"input":"in.ndjson:2","result":"second"}\n`);
  assert.equal(await workspace.permits(), 3);
});

for (
  const [what, edited] of Object.entries({
    "takes another step": `await svc.caseTypes.list().catch(({ code }) => log("caught", code)); return "second";`,
    "takes fewer steps": `return "second";`,
  })
) {
  Deno.test(`with --force, an input whose script ${what} does not fail when the journal cannot be written`, async () => {
    await using workspace = await openScriptWorkspace(
      `if (input === 2) { ${CREATE_CASE} log("made"); ${WAIT_FOR_SECOND_CASE} } return "first";`,
    );
    await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, "1\n2\n");
    await killAfterOutput(workspace.start(...RUN_SCRIPT, "--each", "in.ndjson", "--concurrency", "1"), "made");
    await workspace.write(`if (input === 2) { ${edited} } return "first";`);
    workspace.sql(`CREATE TRIGGER broken BEFORE INSERT ON events WHEN NEW.kind = 'left'
      BEGIN SELECT RAISE(ABORT, 'no'); END`);
    const first = `{"input":"in.ndjson:1","result":"first"}\n`;
    const broken = await workspace.svc("resume", "r1", "--force");
    assert.deepEqual([broken.code, broken.stdout], [2, first]);
    assert.doesNotMatch(broken.stderr, /caught|1 failed/);
    assert.match(broken.stderr, /"INVALID_CONFIG","message":"The journal .* cannot be written: no\."/);
    workspace.sql("DROP TRIGGER broken");
    const resumed = await workspace.svc("resume", "r1", "--force");
    assert.equal(resumed.stdout, `${first}{"input":"in.ndjson:2","result":"second"}\n`);
  });
}

Deno.test("a batch is interrupted when its output is closed, and names the command to resume it", async () => {
  await using workspace = await openScriptWorkspace("return input;");
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, "1\n".repeat(12));
  const process = workspace.start(...RUN_SCRIPT, "--each", "in.ndjson");
  await process.stdout.cancel();
  const { error } = JSON.parse((await new Response(process.stderr).text()).trimEnd().split("\n").at(-1) ?? "");
  assert.deepEqual([error.code, error.hint], ["INTERRUPTED", "Run 'svc workflow resume r1' to continue."]);
  assert.equal((await process.status).code, 130);
  assert.equal((await workspace.svc("resume", "r1")).stdout.split("\n").length, 13);
});

for (const other of [{ baseUrl: "http://127.0.0.1:9" }, { clientId: "another" }]) {
  Deno.test(`a run does not continue with another service by mistake: ${Object.keys(other)}`, async () => {
    await using workspace = await openScriptWorkspace(`${CREATE_CASE} throw new Error("oops");`);
    assert.equal((await workspace.svc(...RUN_SCRIPT)).code, 1);
    workspace.useService(other);
    const refused = await workspace.svc("retry", "r1");
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /Run r1 was started with http.* as .*, not with http.* as /);
    assert.match((await workspace.svc("retry", "r1", "--force")).stderr, /The script failed: oops/);
    assert.equal(await workspace.permits(), 1);
  });
}

Deno.test("a retry that cannot start does not change the run", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} throw new Error("oops");`);
  assert.equal((await workspace.svc(...RUN_SCRIPT)).code, 1);
  await Deno.remove(`${workspace.folder}/script.ts`);
  assert.match((await workspace.svc("retry", "r1")).stderr, /The script .* cannot be read: there is no such file/);
  const { state, inputs: [input] } = JSON.parse((await workspace.svc("show", "r1", "--format", "json")).stdout);
  assert.deepEqual([state, input.state], ["failed", "failed"]);
});

Deno.test("retry does not change a run that another process works on", async () => {
  await using workspace = await openScriptWorkspace(
    `if (input === 1) throw new Error("oops"); ${CREATE_CASE} log("made"); ${WAIT_FOR_SECOND_CASE}`,
  );
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, "1\n2\n");
  const process = workspace.start(...RUN_SCRIPT, "--each", "in.ndjson", "--concurrency", "1");
  const { rest } = await waitForOutput(process, "made");
  assert.match((await workspace.svc("retry", "r1")).stderr, /Another process is working on run r1/);
  const { inputs: [first] } = JSON.parse((await workspace.svc("show", "r1", "--format", "json")).stdout);
  assert.equal(first.state, "failed");
  await workspace.createPermit();
  await Promise.all([rest, process.stdout.cancel(), process.status]);
});

Deno.test("runs can be shown, cancelled and deleted, and an unknown identifier gets a suggestion", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} log("made"); ${WAIT_FOR_SECOND_CASE}`);
  const process = workspace.start(...RUN_SCRIPT);
  const { rest } = await waitForOutput(process, "made");
  const shown = await workspace.svc("show", "r1");
  assert.match(shown.stdout, /^Run r1 \(test\) running\. Started .*\. 1 input: 0 succeeded, 0 failed\n\ninput open\n/);
  assert.match(shown.stdout, /\n +1 +\+[\d.]+ m?s +([\d.]+ m?s|open) +cases\.create {"type":"City-Permit-Work-Permit"/);
  assert.match((await workspace.svc("delete", "r1")).stderr, /svc workflow cancel r1/);
  assert.match((await workspace.svc("resume", "r1")).stderr, /Another process is working on run r1/);
  assert.equal((await workspace.svc("cancel", "r1")).code, 0);
  assert.match(await rest, /Run r1 was cancelled/);
  await Promise.all([process.stdout.cancel()]);
  assert.equal((await process.status).code, 130);
  const resumed = await workspace.svc("resume", "r1");
  assert.equal(resumed.code, 2);
  assert.match(
    resumed.stderr,
    /"INVALID_ARGS","message":"Run r1 was cancelled\.","hint":"Start a new run with another identifier\. Run 'svc workflow delete r1' to delete this one\."/,
  );
  const again = await workspace.svc("cancel", "r1");
  assert.equal(again.code, 2);
  assert.match(again.stderr, /Run r1 has already ended \(cancelled\)/);
  const whole = JSON.parse((await workspace.svc("show", "r1", "--format", "json")).stdout);
  assert.deepEqual(
    [whole.state, whole.inputs[0].calls[0].operation, whole.inputs[0].calls[0].answer.status],
    ["cancelled", "cases.create", "New"],
  );
  assert.match((await workspace.svc("show", "r2")).stderr, /Did you mean.*r1/);
  const { code, stderr } = await workspace.svc("delete", "r1");
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal((await workspace.svc("list", "--format", "compact")).stdout, "[]\n");
});

Deno.test("the journal is private to its owner and contains no secret", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} return made.status;`);
  const path = `${workspace.config}/journal.db`;
  assert.equal((await workspace.svc(...RUN_SCRIPT, "--journal", path)).code, 0);
  assert.equal((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
  const text = new TextDecoder("latin1").decode(await Deno.readFile(path));
  assert(text.includes("cases.create"));
  assert(!/Bearer|client_secret|access_token/i.test(text));
});

Deno.test("--max-failures counts only new failures, so that a resumed run advances each time", async () => {
  await using workspace = await openScriptWorkspace(`if (input < 3) throw new Error("low"); return input;`);
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, "1\n2\n3\n");
  const run = [...RUN_SCRIPT, "--each", "in.ndjson", "--concurrency", "1", "--max-failures", "1"];
  const ended = [];
  for (let time = 0; time < 3; time++) ended.push((await workspace.svc(...run)).stdout.split("\n").length - 1);
  assert.deepEqual(ended, [1, 2, 3]);
});

Deno.test("a retry that reaches --max-failures at once counts the ended inputs, and its run has ended", async () => {
  await using workspace = await openScriptWorkspace(`if (input === 2) throw new Error("two"); return input;`);
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, "1\n2\n3\n4\n");
  const first = await workspace.svc(...RUN_SCRIPT, "--each", "in.ndjson", "--max-failures", "1");
  for (const pace of [[], ["--rate", "1000/s"]]) {
    const again = await workspace.svc("retry", "r1", "--concurrency", "1", ...pace);
    assert.deepEqual([again.stdout, again.code], [first.stdout.split("\n")[1] + "\n", 1]);
    assert.match(again.stderr, /^4 inputs: 3 succeeded, 1 failed\.$/m);
    const [{ state }] = JSON.parse((await workspace.svc("list")).stdout);
    assert.equal(state, "failed");
  }
});

Deno.test("run with the identifier of an existing run applies its flags and keeps the grants", async () => {
  await using workspace = await openScriptWorkspace(
    `${CREATE_CASE} return (await svc.data.count("D_Permits")).resultCount;`,
  );
  const run = ["run", "script.ts", "--run-id", "r1"];
  const refused = await workspace.svc(...run, "--allow", "cases.create");
  assert.match(refused.stderr, /"PERMISSION_DENIED".*data\.count/);
  await workspace.svc("retry", "r1");
  const { stdout } = await workspace.svc("show", "r1", "--format", "json");
  assert.equal(JSON.parse(stdout).inputs[0].calls[0].operation, "cases.create");
  assert.equal(await workspace.permits(), 1);
});

Deno.test("list can be limited to a state", async () => {
  await using workspace = await openScriptWorkspace(`if (input === 1) throw new Error("one"); return input;`);
  for (const input of ["1", "2"]) {
    await workspace.svc("run", "script.ts", "--run-id", `r${input}`, "--input", input, "--allow-declared");
  }
  const ids = async (state: string) => {
    const runs: { id: string }[] = JSON.parse((await workspace.svc("list", "--state", state)).stdout);
    return runs.map(({ id }) => id);
  };
  assert.deepEqual([await ids("failed"), await ids("done"), await ids("running")], [["r1"], ["r2"], []]);
  const { code, stderr } = await workspace.svc("list", "--state", "finished");
  assert.equal(code, 2);
  assert.match(stderr, /--state must be one of running, interrupted, done, failed, cancelled, not /);
});

Deno.test("simultaneous runs create one journal", async () => {
  await using workspace = await openScriptWorkspace(`return input;`);
  const runs = Array.from(
    { length: 6 },
    (_, i) => workspace.svc("run", "script.ts", "--run-id", `r${i}`, "--allow-declared"),
  );
  assert.deepEqual((await Promise.all(runs)).map(({ code, stderr }) => [code, stderr]), Array(6).fill([0, ""]));
  assert.equal(JSON.parse((await workspace.svc("list")).stdout).length, 6);
});
