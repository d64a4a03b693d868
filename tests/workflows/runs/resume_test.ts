/** Resuming and retrying failed runs: with more grants, more time, corrected inputs or an edited script. */
import assert from "node:assert/strict";
import { saveProfile } from "../../../lib/auth/profiles.ts";
import { findSandboxes, killProcess } from "../../../tasks/support/processes.ts";
import {
  CREATE_CASE,
  createCaseBody,
  killAfterOutput,
  prepareScriptWorkspaces,
  RUN_SCRIPT,
  TinyApi,
  WAIT_FOR_SECOND_CASE,
  waitForCases,
  waitForOutput,
} from "../../harness/workflow.ts";
import { LimitedCommand } from "../../harness/svc.ts";

const openScriptWorkspace = prepareScriptWorkspaces();

function errorIn(stderr: string): { code: string; message: string; hint: string } {
  return JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "").error;
}

Deno.test("retry accepts further grants and keeps them", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} await svc.cases.get(made.id); return made.status;`);
  const run = ["run", "script.ts", "--run-id", "r1", "--allow", "cases.create"];
  const denied = errorIn((await workspace.svc(...run)).stderr);
  assert.equal(
    denied.hint,
    "Add --allow cases.get to grant it. Run 'svc workflow retry r1' to run the failed inputs again.",
  );
  const granted = await workspace.svc("retry", "r1", "--allow", "cases.get", "--format", "compact");
  assert.deepEqual([granted.code, granted.stdout], [0, `"New"\n`]);
  workspace.sql("UPDATE runs SET state = 'open'; UPDATE inputs SET state = 'open'");
  assert.equal((await workspace.svc("resume", "r1", "--format", "compact")).stdout, `"New"\n`);
  assert.equal(await workspace.permits(), 1);
});

Deno.test("a hint names the journal of the run", async () => {
  await using workspace = await openScriptWorkspace(`throw new Error("oops");`);
  const journal = `${workspace.config}/own.db`;
  const { hint } = errorIn((await workspace.svc(...RUN_SCRIPT, "--journal", journal)).stderr);
  const [show, retry] = ["show", "retry"].map((verb) => `svc workflow ${verb} r1 --journal ${journal}`);
  const advice = "to run the failed inputs again";
  assert.equal(hint, `Run '${show}' to see its steps, or '${retry}' ${advice}.`);
});

Deno.test("after a failure with an input, the hint says that retry uses the same one", async () => {
  await using workspace = await openScriptWorkspace(`throw new Error("oops");`);
  const { hint } = errorIn((await workspace.svc(...RUN_SCRIPT, "--input", '{"Applicant":5}')).stderr);
  assert.equal(
    hint,
    "If the input is wrong, start a new run with another one. Run 'svc workflow show r1' to see its steps, or " +
      "'svc workflow retry r1' to run the same input again.",
  );
});

Deno.test("a hint quotes the path of the journal for the shell", async () => {
  await using workspace = await openScriptWorkspace(`throw new Error("oops");`);
  const { hint } = errorIn((await workspace.svc(...RUN_SCRIPT, "--journal", `${workspace.config}/it's own.db`)).stderr);
  const [, again = ""] = /, or 'svc workflow (.*)' to run the failed inputs again/.exec(hint) ?? [];
  assert.equal(again, `retry r1 --journal '${workspace.config}/it'\\''s own.db'`);
  const taken = await new LimitedCommand("sh", { args: ["-c", `printf '%s\n' ${again}`] }).output();
  assert.equal(new TextDecoder().decode(taken.stdout), `retry\nr1\n--journal\n${workspace.config}/it's own.db\n`);
});

Deno.test("retry accepts a longer timeout", async () => {
  await using workspace = await openScriptWorkspace(
    `${CREATE_CASE} log("made"); ${WAIT_FOR_SECOND_CASE} return made.status;`,
  );
  // A busy machine may need seconds to load the script.
  const late = errorIn((await workspace.svc(...RUN_SCRIPT, "--timeout", "4")).stderr);
  assert.deepEqual([late.code, late.hint], [
    "TIMEOUT",
    "Raise --timeout if it needs longer. Run 'svc workflow retry r1' to run the failed inputs again.",
  ]);
  await workspace.createPermit();
  assert.equal((await workspace.svc("retry", "r1", "--timeout", "60", "--format", "compact")).stdout, `"New"\n`);
  assert.equal(await workspace.permits(), 2);
});

for (
  const [what, script] of Object.entries({
    "read before it threw": `const { resultCount } = await svc.data.count("D_Permits");
      if (resultCount < 2) throw new Error("too few");`,
    "waited for until the timeout":
      `await waitFor(() => svc.data.count("D_Permits"), ({ resultCount }) => resultCount > 1, {
      everySeconds: 0.05,
      timeoutSeconds: 0.1,
    });`,
  })
) {
  Deno.test(`retry repeats what a script ${what}, but not its changes`, async () => {
    await using workspace = await openScriptWorkspace(`${CREATE_CASE} ${script} return made.status;`);
    assert.equal((await workspace.svc(...RUN_SCRIPT)).code, 1);
    assert.equal((await workspace.svc("retry", "r1")).code, 1);
    await workspace.createPermit();
    assert.equal((await workspace.svc("retry", "r1", "--format", "compact")).stdout, `"New"\n`);
    assert.equal(await workspace.permits(), 2);
  });
}

const REGISTER = `const made = await svc.cases.create({ type: "City-Permit-Work-Permit" });
  const data = { Applicant: input.name, Address: "B" };
  await svc.assignments.perform(made.nextAssignmentInfo.ID, { action: "Register", data });
  return input.name;`;

Deno.test("retry uses corrected lines and keeps the history of their inputs", async () => {
  await using workspace = await openScriptWorkspace(REGISTER);
  const file = `${workspace.folder}/in.ndjson`;
  await Deno.writeTextFile(file, `{"name":"Ada"}\n{"name":""}\nnot JSON\n`);
  assert.equal((await workspace.svc(...RUN_SCRIPT, "--each", "in.ndjson")).code, 1);
  await Deno.writeTextFile(file, `{"name":"Ada"}\n{"name":"Eve"}\n{"name":"Sue"}\n`);
  const again = await workspace.svc("retry", "r1");
  assert.equal(again.stderr.split("\n")[0], "Running 2 failed inputs of run r1 again.");
  const results = again.stdout.trimEnd().split("\n").map((line) => JSON.parse(line).result);
  assert.deepEqual([again.code, results], [0, ["Eve", "Sue"]]);
  assert.equal(await workspace.permits(), 3);
});

Deno.test("a corrected line that changes a recorded step is named as the reason, until it is restored or forced", async () => {
  const made =
    `await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: input.by, Address: "B" } });`;
  await using workspace = await openScriptWorkspace(`${made} if (!input.ok) throw new Error("oops"); return input.by;`);
  const write = (line: string) => Deno.writeTextFile(`${workspace.folder}/in.ndjson`, `${line}\n`);
  const first = async (...args: string[]) => JSON.parse((await workspace.svc(...args)).stdout);
  await write(`{"by":"Ada"}`);
  await first(...RUN_SCRIPT, "--each", "in.ndjson");
  await write(`{"by":"Eve","ok":true}`);
  for (const verb of ["retry", "resume"]) {
    const { error } = await first(verb, "r1");
    assert.match(error.message, /^Step 1 was .*"Ada".*, but the script now calls .*"Eve"/);
    assert.match(error.hint, /^The line of the input was edited after step 1\. .* add --force to continue/, verb);
  }
  await write(`{"by":"Ada","more":1}`);
  assert.match((await first("resume", "r1")).error.message, /oops/);
  assert.equal(await workspace.permits(), 1);
  await write(`{"by":"Eve","ok":true}`);
  assert.equal((await first("retry", "r1", "--force")).result, "Eve");
  assert.equal(await workspace.permits(), 2);
});

Deno.test("a line that has not failed must be unchanged", async () => {
  await using workspace = await openScriptWorkspace("return input;");
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, "1\n2\n");
  assert.equal((await workspace.svc(...RUN_SCRIPT, "--each", "in.ndjson")).code, 0);
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, "1\n3\n");
  assert.match((await workspace.svc("resume", "r1")).stderr, /in\.ndjson:2 has changed since the run started/);
});

Deno.test("a run that was started without a service uses the current one", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} return made.status;`);
  workspace.useService({ baseUrl: "", clientId: "" });
  assert.equal((await workspace.svc(...RUN_SCRIPT)).code, 2);
  workspace.useOwnService();
  assert.equal((await workspace.svc("retry", "r1", "--format", "compact")).stdout, `"New"\n`);
});

Deno.test("a resumed run keeps its new profile", async () => {
  await using workspace = await openScriptWorkspace(`return (await svc.cases.get("C-1")).id;`);
  let asked = 0;
  await using api = new TinyApi(() =>
    ++asked === 1 ? new Response("", { status: 404 }) : Response.json(createCaseBody("C-1"))
  );
  workspace.useService({ baseUrl: "", clientId: "" });
  assert.equal((await workspace.svc(...RUN_SCRIPT)).code, 2);
  await saveProfile("other", { baseUrl: api.baseUrl, clientId: "id" }, workspace.config);
  assert.equal(errorIn((await workspace.svc("retry", "r1", "--profile", "other")).stderr).code, "NOT_FOUND");
  assert.match((await workspace.svc("report", "r1")).stdout, /<dt>Profile<\/dt>\s*<dd>other<\/dd>/);
  assert.equal((await workspace.svc("retry", "r1", "--format", "compact")).stdout, `"C-1"\n`);
});

Deno.test("a named profile must exist before a run starts or continues, unless the environment replaces it", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} throw new Error("oops");`);
  const refused = async (...args: string[]) => {
    const { code, stderr } = await workspace.svc(...args, "--profile", "nosuch");
    return [code, /There is no profile "nosuch"/.test(errorIn(stderr).message)];
  };
  workspace.useService({ clientId: "" });
  assert.deepEqual(await refused(...RUN_SCRIPT), [2, true]);
  assert.equal((await workspace.svc("list", "--format", "compact")).stdout, "[]\n");
  workspace.useOwnService();
  assert.deepEqual(await refused(...RUN_SCRIPT), [1, false]);
  workspace.useService({ clientId: "" });
  assert.deepEqual([await refused("retry", "r1"), await refused("resume", "r1")], [[2, true], [2, true]]);
  assert.match((await workspace.svc("show", "r1")).stdout, /1 failed/);
  assert.equal(await workspace.permits(), 1);
});

Deno.test("resume of a run with a corrected line suggests retry", async () => {
  await using workspace = await openScriptWorkspace("return input;");
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, `{"a":`);
  assert.equal((await workspace.svc(...RUN_SCRIPT, "--each", "in.ndjson")).code, 1);
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, `{"a":1}\n`);
  const { message, hint } = errorIn((await workspace.svc("resume", "r1")).stderr);
  assert.equal(message, "in.ndjson:1 has changed since the run started.");
  assert.match(hint, /^'svc workflow retry' uses the current value of a failed line\. To start a new run, /);
  assert.equal((await workspace.svc("retry", "r1")).stdout, `{"input":"in.ndjson:1","result":{"a":1}}\n`);
});

Deno.test("retry prints the inputs that it runs, and resume prints all", async () => {
  await using workspace = await openScriptWorkspace(`if (input === "bad") throw new Error("oops"); return input;`);
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, `1\n"bad"\n3\n`);
  await workspace.svc(...RUN_SCRIPT, "--each", "in.ndjson");
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, `1\n"good"\n3\n`);
  const { stdout, stderr } = await workspace.svc("retry", "r1");
  assert.equal(stdout, `{"input":"in.ndjson:2","result":"good"}\n`);
  assert.equal(stderr, "Running 1 failed input of run r1 again.\n3 inputs: 3 succeeded, 0 failed.\n");
  assert.equal((await workspace.svc("resume", "r1")).stdout.split("\n").length - 1, 3);
});

Deno.test("a JSON array as the file of inputs starts no run", async () => {
  await using workspace = await openScriptWorkspace("return input;");
  await Deno.writeTextFile(`${workspace.folder}/in.json`, "[1,2]\n");
  const { code, stderr } = await workspace.svc(...RUN_SCRIPT, "--each", "in.json");
  assert.deepEqual([code, errorIn(stderr).code], [2, "INVALID_ARGS"]);
  assert.equal((await workspace.svc("list")).stdout, "[]\n");
});

Deno.test("a line that is corrected to an invalid one fails alone and can be corrected again", async () => {
  await using workspace = await openScriptWorkspace(
    `${CREATE_CASE} if (input === "bad") throw new Error("oops"); return input;`,
  );
  const write = (line: string) => Deno.writeTextFile(`${workspace.folder}/in.ndjson`, `${line}\n"good"\n`);
  const first = async (...args: string[]) => JSON.parse((await workspace.svc(...args)).stdout.split("\n")[0] ?? "");
  await write(`"bad"`);
  assert.match((await first(...RUN_SCRIPT, "--each", "in.ndjson")).error.message, /oops/);
  await write(`"better`);
  for (const verb of ["retry", "resume", "retry"]) {
    assert.equal((await first(verb, "r1")).error.message, "in.ndjson:1 is not JSON.", verb);
  }
  await write(`"better"`);
  assert.equal((await first("retry", "r1")).result, "better");
  assert.equal(await workspace.permits(), 2);
});

Deno.test("a file with other inputs starts a new run after the unfinished one is cancelled as the hint says", async () => {
  await using workspace = await openScriptWorkspace(
    `if (input === 2) { log("waits"); ${WAIT_FOR_SECOND_CASE} } return input;`,
  );
  const write = (text: string) => Deno.writeTextFile(`${workspace.folder}/new.ndjson`, text);
  const nightly = ["run", "script.ts", "--allow-declared", "--each", "new.ndjson", "--resume", "--concurrency", "1"];
  await write("1\n2\n");
  await killAfterOutput(workspace.start(...nightly), "waits");
  await write("3\n4\n");
  const other = errorIn((await workspace.svc(...nightly)).stderr);
  assert.equal(other.message, "new.ndjson:1 has changed since the run started.");
  await write("1\n");
  const shorter = errorIn((await workspace.svc(...nightly)).stderr);
  assert.equal(shorter.message, "new.ndjson has 1 line, but had 2 when the run started: 1 line missing at the end.");
  const way =
    /^To start a new run, cancel this one with '(svc workflow cancel)' .*\. Run 'svc workflow resume (\S+)' to continue\.$/;
  const [, cancel, id = ""] = way.exec(other.hint) ?? [];
  assert.deepEqual([cancel, shorter.hint], ["svc workflow cancel", other.hint]);
  await write("3\n4\n");
  assert.equal((await workspace.svc("cancel", id)).code, 0);
  const { code, stdout } = await workspace.svc(...nightly);
  assert.deepEqual([code, stdout.trimEnd().split("\n").map((line) => JSON.parse(line).result)], [0, [3, 4]]);
});

Deno.test("a run whose inputs cannot be read is not started", async () => {
  await using workspace = await openScriptWorkspace("return input;");
  await Deno.writeTextFile(`${workspace.folder}/twice.csv`, "a,a\n1,2\n");
  for (const file of ["none.ndjson", ".", "twice.csv"]) {
    assert.equal((await workspace.svc(...RUN_SCRIPT, "--each", file)).code, 2, file);
  }
  assert.equal((await workspace.svc("list", "--format", "compact")).stdout, "[]\n");
});

Deno.test("a batch that stops at --max-failures names the commands to resume and to retry", async () => {
  await using workspace = await openScriptWorkspace(`throw new Error("oops");`);
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, "1\n2\n3\n");
  const { stderr } = await workspace.svc(
    ...RUN_SCRIPT,
    "--each",
    "in.ndjson",
    "--max-failures",
    "1",
    "--concurrency",
    "1",
  );
  assert.match(stderr, /^1 input: 0 succeeded, 1 failed\. No further input was started: --max-failures 1\.$/m);
  assert.match(
    errorIn(stderr).hint,
    /\. Run 'svc workflow resume r1' to continue, or 'svc workflow retry r1' to run the failed inputs again\.$/,
  );
  await workspace.write(`return input;`);
  const again = await workspace.svc("retry", "r1", "--force");
  assert.match(again.stderr, /^Running 1 failed input of run r1 again\.\n3 inputs: 3 succeeded, 0 failed\.$/m);
});

Deno.test("a batch that reaches --max-failures with its last input has ended", async () => {
  await using workspace = await openScriptWorkspace(`throw new Error("oops");`);
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, "1\n2\n\n");
  const { stderr } = await workspace.svc(
    ...RUN_SCRIPT,
    "--each",
    "in.ndjson",
    "--max-failures",
    "2",
    "--concurrency",
    "1",
  );
  assert.match(stderr, /^2 inputs: 0 succeeded, 2 failed\.$/m);
  assert.match(
    errorIn(stderr).hint,
    /'svc workflow retry r1' to run the failed inputs again\.$/,
  );
  const [{ state }] = JSON.parse((await workspace.svc("list")).stdout);
  assert.equal(state, "failed");
});

Deno.test("resume accepts another pace and keeps it", async () => {
  await using workspace = await openScriptWorkspace(`throw new Error("oops");`);
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, "1\n2\n3\n4\n5\n6\n");
  const lines = async (...args: string[]) => (await workspace.svc(...args)).stdout.split("\n").length - 1;
  assert.equal(await lines(...RUN_SCRIPT, "--each", "in.ndjson", "--max-failures", "1", "--concurrency", "1"), 1);
  assert.equal(await lines("resume", "r1", "--max-failures", "2", "--rate", "100/s"), 3);
  assert.equal(await lines("resume", "r1"), 5);
  const refused = await workspace.svc("resume", "r1", "--concurrency", "1000");
  assert.deepEqual([refused.code, errorIn(refused.stderr).message], [
    2,
    "concurrency must be from 1 to 256, not 1000.",
  ]);
});

Deno.test("logs omit the lines of steps that --force has dropped", async () => {
  await using workspace = await openScriptWorkspace(
    `log("begun"); ${CREATE_CASE} log("made"); ${WAIT_FOR_SECOND_CASE}`,
  );
  await killAfterOutput(workspace.start(...RUN_SCRIPT), "made");
  await workspace.write(`log("begun"); const other = await svc.cases.create({ type: "City-Permit-Work-Permit" });
    log("other"); return other.status;`);
  const forced = await workspace.svc("resume", "r1", "--force");
  assert.deepEqual([forced.stdout, forced.stderr], [`"New"\n`, "other\n"]);
  assert.equal((await workspace.svc("logs", "r1")).stdout, "begun\nother\n");
});

Deno.test("steps after --force have their own idempotency keys, even if the sandbox is killed", async () => {
  const create = (name: string) =>
    `await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "${name}", Address: "B" } });`;
  await using workspace = await openScriptWorkspace(
    `${create("Ada")} ${create("Eve")} ${create("Sue")} log("made"); for (;;) await svc.data.count("D_Permits");`,
  );
  await killAfterOutput(workspace.start(...RUN_SCRIPT), "made");
  await workspace.write(
    `${create("Bob")} log("first"); ${waitForCases(5)} ${create("Dan")} return "done";`,
  );
  const forced = workspace.start("resume", "r1", "--force", "--format", "compact");
  const said = await waitForOutput(forced, "first");
  const sandboxes = await findSandboxes(forced.pid);
  assert.deepEqual(sandboxes.map(killProcess), [true]);
  await workspace.createPermit();
  const [printed, error] = await Promise.all([new Response(forced.stdout).text(), said.rest, forced.status]);
  assert.deepEqual([printed, error], [`"done"\n`, "first\n"]);
  assert.equal(await workspace.permits(), 6);
});

Deno.test("lines are printed again from the step that --force has changed", async () => {
  const steps = `log("one"); { ${CREATE_CASE} } log("two"); log("three"); { ${CREATE_CASE} } log("made");`;
  await using workspace = await openScriptWorkspace(`${steps} for (;;) await svc.data.count("D_Permits");`);
  await killAfterOutput(workspace.start(...RUN_SCRIPT), "made");
  await workspace.write(`log("one"); await svc.data.count("D_Permits"); log("four"); return "done";`);
  const forced = await workspace.svc("resume", "r1", "--force", "--format", "compact");
  assert.deepEqual([forced.stdout, forced.stderr], [`"done"\n`, "four\n"]);
  assert.equal((await workspace.svc("logs", "r1")).stdout, "one\nfour\n");
});

Deno.test("an invalid or damaged journal is reported with its path", async () => {
  await using workspace = await openScriptWorkspace(`return "x".repeat(20_000);`);
  assert.equal((await workspace.svc(...RUN_SCRIPT)).code, 0);
  const journal = `${workspace.config}/workflows.db`;
  workspace.sql("PRAGMA wal_checkpoint(TRUNCATE)");
  await Deno.writeFile(journal, new Uint8Array(8 * 4096).fill(255), { append: false, create: false });
  const garbage = errorIn((await workspace.svc("list")).stderr);
  assert.deepEqual([garbage.code, garbage.message.includes("is not a database")], ["JOURNAL_DAMAGED", true]);
  await Deno.remove(journal);
  workspace.sql("CREATE TABLE runs (a)");
  assert.equal(errorIn((await workspace.svc("list")).stderr).message, `${journal} is a database, but not a journal.`);
});

Deno.test("a run that could not be recorded is not suggested for resuming", async () => {
  await using workspace = await openScriptWorkspace("return 1;");
  assert.deepEqual((await workspace.svc("list")).stdout, "[]\n");
  workspace.sql("CREATE TRIGGER broken BEFORE INSERT ON runs BEGIN SELECT RAISE(ABORT, 'no'); END");
  const { code, hint } = errorIn((await workspace.svc(...RUN_SCRIPT)).stderr);
  assert.deepEqual([code, hint], ["INVALID_CONFIG", "Check the file and its disk."]);
  assert.deepEqual((await workspace.svc("list")).stdout, "[]\n");
});

Deno.test("a journal with damaged pages is reported when it is read", async () => {
  await using workspace = await openScriptWorkspace(`return "x".repeat(20_000);`);
  assert.equal((await workspace.svc(...RUN_SCRIPT)).code, 0);
  workspace.sql("PRAGMA wal_checkpoint(TRUNCATE)");
  using file = await Deno.open(`${workspace.config}/workflows.db`, { write: true });
  await file.seek(4096, Deno.SeekMode.Start);
  const { size } = await file.stat();
  await file.write(new Uint8Array(size - 4096).fill(255));
  const { code, message } = errorIn((await workspace.svc("list")).stderr);
  assert.deepEqual([code, /^The journal .*workflows\.db is damaged: /.test(message)], ["JOURNAL_DAMAGED", true]);
});

Deno.test("steps that --force has dropped do not affect later steps", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} log("made"); ${WAIT_FOR_SECOND_CASE}`);
  await killAfterOutput(workspace.start(...RUN_SCRIPT), "made");
  await workspace.write(`const create = () => svc.cases.create({ type: "City-Permit-Work-Permit" });
    await create();
    log("other");
    ${waitForCases(3)}
    await create();
    return "done";`);
  await killAfterOutput(workspace.start("resume", "r1", "--force"), "other");
  await workspace.createPermit();
  assert.equal((await workspace.svc("resume", "r1", "--format", "compact")).stdout, `"done"\n`);
  assert.equal(await workspace.permits(), 4);
});

Deno.test("a finished run that is started again by its identifier sends nothing, and prints its results again", async () => {
  await using workspace = await openScriptWorkspace(
    `if (input === 2) throw new Error("no"); ${CREATE_CASE} return made.status;`,
  );
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, "1\n2\n");
  const start = () => workspace.svc(...RUN_SCRIPT, "--each", "in.ndjson");
  const first = await start();
  const second = await start();
  assert.deepEqual([first.code, second.code, second.stdout], [1, 1, first.stdout]);
  assert.equal(await workspace.permits(), 1);
});

Deno.test("an ended run that continues with a new line is unfinished when it is killed", async () => {
  const waits = `if (input === 2) { log("made"); ${waitForCases(3)} }`;
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} ${waits} return made.status;`);
  const file = `${workspace.folder}/in.ndjson`;
  await Deno.writeTextFile(file, "1\n");
  assert.equal((await workspace.svc(...RUN_SCRIPT, "--each", "in.ndjson")).code, 0);
  await Deno.writeTextFile(file, "1\n2\n");
  await killAfterOutput(workspace.start("resume", "r1", "--accept-changed-inputs"), "made");
  await workspace.createPermit();
  const again = ["run", "script.ts", "--allow-declared", "--each", "in.ndjson", "--resume"];
  assert.equal((await workspace.svc(...again)).code, 0);
  const runs = JSON.parse((await workspace.svc("list")).stdout);
  assert.deepEqual(runs.map(({ id, state }: Record<string, unknown>) => [id, state]), [["r1", "done"]]);
  assert.equal(await workspace.permits(), 3);
});

Deno.test("a run can be cancelled after its retry was killed at the start", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} throw new Error("oops");`);
  await workspace.svc(...RUN_SCRIPT);
  workspace.sql("UPDATE inputs SET state = 'open', generation = 1"); // The run itself has still failed.
  await workspace.write(`${CREATE_CASE} log("on"); ${WAIT_FOR_SECOND_CASE}`);
  const process = workspace.start("resume", "r1", "--force", "--allow", "data.count", "--timeout", "30");
  const { rest } = await waitForOutput(process, "on");
  assert.equal((await workspace.svc("cancel", "r1")).code, 0);
  assert.match(await rest, /Run r1 was cancelled/);
  await Promise.all([process.stdout.cancel(), process.status]);
});

Deno.test("a run that is deleted while another process resumes it is not started again", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} throw new Error("oops");`);
  const ids = ["r1", "b", "c", "d", "e", "f"];
  await workspace.svc(...RUN_SCRIPT);
  for (const id of ids.slice(1)) workspace.sql(copyFirstRun(id));
  await Promise.all(ids.flatMap((id) => [workspace.svc("delete", id), workspace.svc("resume", id)]));
  assert.equal(await workspace.permits(), 1);
});

/** Returns SQL that copies the first run of a journal with its input and its events. */
function copyFirstRun(id: string): string {
  const copied = `(SELECT seq FROM runs WHERE id = '${id}')`;
  return `
    INSERT INTO runs (id, name, digest, settings, state, startedAt, endedAt)
      SELECT '${id}', name, digest, settings, state, startedAt, endedAt FROM runs WHERE seq = 1;
    INSERT INTO inputs (run, number, place, value, startedAt, generation, state, outcome, endedAt)
      SELECT ${copied}, number, place, value, startedAt, generation, state, outcome, endedAt FROM inputs WHERE run = 1;
    INSERT INTO events (run, input, kind, position, at, content)
      SELECT ${copied}, input, kind, position, at, content FROM events WHERE run = 1;`;
}

Deno.test("of two simultaneous starts with --resume, one starts the run", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} ${WAIT_FOR_SECOND_CASE} return made.status;`);
  const run = ["run", "script.ts", "--allow-declared", "--resume"];
  const both = [workspace.svc(...run), workspace.svc(...run)];
  const refused = await Promise.race(both);
  assert.match(errorIn(refused.stderr).message, /^Another process (has just started a run|is working on run)/);
  await workspace.createPermit();
  assert.deepEqual((await Promise.all(both)).map(({ code }) => code).toSorted(), [0, 2]);
  assert.equal(await workspace.permits(), 2);
  assert.equal(JSON.parse((await workspace.svc("list")).stdout).length, 1);
});

Deno.test("an ended run that cannot continue is not changed", async () => {
  await using workspace = await openScriptWorkspace("return input;");
  const file = `${workspace.folder}/in.ndjson`;
  await Deno.writeTextFile(file, "1\n");
  await workspace.svc(...RUN_SCRIPT, "--each", "in.ndjson");
  await Deno.writeTextFile(file, "2\n");
  assert.match(errorIn((await workspace.svc("resume", "r1")).stderr).message, /has changed since the run started/);
  const [{ state }] = JSON.parse((await workspace.svc("list")).stdout);
  assert.equal(state, "done");
});
