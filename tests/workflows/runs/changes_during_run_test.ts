/** Runs whose script is edited, whose sandboxes are killed, or whose calls are answered by a gateway. */
import assert from "node:assert/strict";
import { findSandboxes, killProcess } from "../../../tasks/support/processes.ts";
import { Runner } from "../../../workflows/runs/runner.ts";
import { DEFAULT_LIMITS } from "../../../workflows/sandbox/host/limits.ts";
import { explainExit, KilledFromOutside } from "../../../workflows/sandbox/host/guest_errors.ts";
import { limitRate } from "../../../workflows/runs/rate.ts";
import { type CommandResult, makeFolder, runCommand } from "../../harness/svc.ts";
import { eventually } from "../../harness/wait.ts";
import {
  CREATE_CASE,
  createCaseBody,
  openScript,
  prepareScriptWorkspaces,
  RUN_SCRIPT,
  runText,
  scriptText,
  TinyApi,
  WAIT_FOR_SECOND_CASE,
  waitForOutput,
  workflowCommand,
} from "../../harness/workflow.ts";

const openScriptWorkspace = prepareScriptWorkspaces();

/** Results of a batch, or the codes of its errors. */
function readResults(stdout: string): unknown[] {
  const lines = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  return lines.map(({ result, error }) => error?.code ?? result);
}

const WAITING = `log("begun"); ${WAIT_FOR_SECOND_CASE} return input;`;

Deno.test("a batch runs the script as it was at the start, although it is edited meanwhile", async () => {
  await using workspace = await openScriptWorkspace(WAITING);
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, "1\n2\n3\n");
  const batch = workspace.start(...RUN_SCRIPT, "--each", "in.ndjson", "--concurrency", "1");
  const { rest } = await waitForOutput(batch, "begun");
  await workspace.write(`return "edited";`);
  await workspace.createPermit();
  await workspace.createPermit();
  const [stdout, stderr, { code }] = await Promise.all([new Response(batch.stdout).text(), rest, batch.status]);
  assert.deepEqual([readResults(stdout), code], [[1, 2, 3], 0], stderr);
  workspace.sql("UPDATE runs SET state = 'open'; UPDATE inputs SET state = 'open', outcome = NULL WHERE number = 3");
  assert.match((await workspace.svc("resume", "r1")).stderr, /WORKFLOW_DIVERGED/);
  await workspace.write(WAITING);
  const again = await workspace.svc("resume", "r1");
  assert.deepEqual([readResults(again.stdout), again.code], [[1, 2, 3], 0], again.stderr);
});

for (
  const [what, edit] of [
    ["saved broken", (script) => Deno.writeTextFile(script, "export default {")],
    ["moved away", (script) => Deno.remove(script)],
  ] satisfies [string, (script: string) => Promise<void>][]
) {
  Deno.test(`a script that is ${what} during a batch fails no input`, async () => {
    await using folder = await makeFolder({ "script.ts": scriptText("return input;", []) });
    const script = `${folder.path}/script.ts`;
    await using workflow = await openScript({ script, allowDeclared: true });
    const runner = new Runner({ workflow, live: { call: () => Promise.reject(new Error("It calls nothing.")) } });
    const run = (number: number) => runner.run({ number, place: `in:${number}`, value: number });
    assert.deepEqual(await run(1), { result: 1 });
    await edit(script);
    assert.deepEqual(await run(2), { result: 2 });
  });
}

Deno.test("retry with an edited script runs all failed inputs, whatever the first one fails with", async () => {
  await using workspace = await openScriptWorkspace(`throw new Error(input === 1 ? "bad data" : "a bug");`);
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, "1\n2\n");
  await workspace.svc(...RUN_SCRIPT, "--each", "in.ndjson");
  await workspace.write(`if (input === 1) throw new Error("bad data"); return input;`);
  assert.deepEqual(readResults((await workspace.svc("retry", "r1")).stdout), ["WORKFLOW_FAILED", 2]);
});

Deno.test("resume with an edited script that fails before it has repeated its history reports the failure", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} throw new Error("oops");`);
  await workspace.svc(...RUN_SCRIPT);
  await workspace.write(`(undefined as any).added; ${CREATE_CASE} return made.status;`);
  const { error } = JSON.parse((await workspace.svc("retry", "r1")).stderr);
  const said =
    /^The script fails with WORKFLOW_FAILED ".*'added'.* \(script\.ts:7\)"\. Step 1 was cases\.create .*no longer makes this call/;
  assert.match(error.message, said);
  assert.equal(error.details[0].line, 7);
  assert.match(
    error.hint,
    /^Fix the script, or .* add --force\. Run 'svc workflow retry r1 --force' to continue with the current script and inputs\.$/,
  );
  await workspace.write(`${CREATE_CASE} return made.status;`);
  assert.equal((await workspace.svc("retry", "r1", "--format", "compact")).stdout, `"New"\n`);
  assert.equal(await workspace.permits(), 1);
});

Deno.test("a sandbox that is killed while it waits for its input is replaced", async () => {
  await using workspace = await openScriptWorkspace(WAITING);
  await Deno.writeTextFile(`${workspace.folder}/in.ndjson`, "1\n2\n3\n");
  const unkept = ["run", "script.ts", "--allow-declared", "--journal", "none"];
  const batch = workspace.start(...unkept, "--each", "in.ndjson", "--concurrency", "1");
  const { rest } = await waitForOutput(batch, "begun");
  const sandboxes = await eventually("the batch has two sandboxes", async () => {
    const found = await findSandboxes(batch.pid);
    return found.length >= 2 && found;
  });
  const killed = Math.max(...sandboxes);
  assert.equal(killProcess(killed), true);
  // Without a journal an input fails with its sandbox, so the batch must notice first that this one has ended.
  await eventually("the killed sandbox has ended", () => !killProcess(killed));
  await workspace.createPermit();
  await workspace.createPermit();
  const [stdout] = await Promise.all([new Response(batch.stdout).text(), rest, batch.status]);
  assert.deepEqual(readResults(stdout), [1, 2, 3]);
});

Deno.test("a sandbox that Ctrl-C ends, as on Windows, was killed from outside", () => {
  const { cause, message } = explainExit({ success: false, code: -1073741510, signal: null }, "", DEFAULT_LIMITS);
  assert.ok(cause instanceof KilledFromOutside, message);
});

Deno.test({
  name: "an input whose sandbox is killed while its run is interrupted is interrupted, even without a journal",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await makeFolder({ "script.ts": scriptText(`return await svc.cases.get("C-1");`) });
    const script = `${folder.path}/script.ts`;
    await using workflow = await openScript({ script, allowDeclared: true });
    const call = async () => {
      const [sandbox] = await findSandboxes(Deno.pid, script);
      assert(sandbox !== undefined);
      void runner.interrupt();
      await eventually("the killed sandbox has ended", () => !killProcess(sandbox));
      throw new Error("It is not awaited.");
    };
    const runner = new Runner({ workflow, live: { call } });
    const outcome = await runner.run({ number: 1, place: "input" });
    assert("failure" in outcome);
    assert.equal(outcome.failure.message, "The workflow was interrupted.");
  },
});

Deno.test({
  name: "Ctrl-C and --max-failures end a batch that waits for the next line of a pipe",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using workspace = await openScriptWorkspace(
      `log("begun"); if (input === 2) throw new Error("two"); return input;`,
    );
    for (const flags of [[], ["--max-failures", "1"]]) {
      const args = ["run", "script.ts", "--allow-declared", "--each", "-", "--journal", "none", ...flags];
      const batch = workspace.pipe(...args);
      const writer = batch.stdin.getWriter();
      await writer.write(new TextEncoder().encode(flags.length === 0 ? "1\n" : "2\n"));
      const { rest } = await waitForOutput(batch, "begun");
      if (flags.length === 0) batch.kill("SIGINT");
      const [stderr, { code }] = await Promise.all([rest, batch.status, new Response(batch.stdout).text()]);
      assert.equal(code, flags.length === 0 ? 130 : 1, stderr);
      await writer.close().catch(() => {}); // The batch has closed its end.
    }
  },
});

Deno.test("a run whose journal can no longer be read ends with that error, and can be resumed", async () => {
  await using workspace = await openScriptWorkspace(
    `${CREATE_CASE} log("made"); ${WAIT_FOR_SECOND_CASE} return made.status;`,
  );
  const run = workspace.start(...RUN_SCRIPT);
  const { rest } = await waitForOutput(run, "made");
  workspace.sql("ALTER TABLE runs RENAME TO hidden");
  const [, said = "", ...more] = (await rest).split("\n");
  const { error } = JSON.parse(said);
  assert.deepEqual([(await run.status).code, error.code, more], [1, "JOURNAL_DAMAGED", [""]]);
  assert.match(error.message, /^The journal .* is damaged: no such table: runs\.$/);
  assert.match(error.hint, /^Restore the file .* 'svc workflow resume r1' to continue\.$/);
  workspace.sql("ALTER TABLE hidden RENAME TO runs");
  await workspace.createPermit();
  assert.equal((await workspace.svc("resume", "r1", "--format", "compact")).stdout, `"New"\n`);
  assert.equal(await workspace.permits(), 2);
  await run.stdout.cancel();
});

Deno.test("cassettes are tested and recorded even if their output is closed", async () => {
  await using folder = await makeFolder({ "script.ts": scriptText("return input;", []) });
  const script = `${folder.path}/script.ts`;
  const unread = async (...args: string[]) => {
    const process = workflowCommand(args, { directory: folder.path }).spawn();
    await process.stdout.cancel();
    const [{ code }, stderr] = await Promise.all([process.status, new Response(process.stderr).text()]);
    return { code, stderr };
  };
  const cassette = `${folder.path}/one.json`;
  assert.deepEqual(await unread("record", script, "-o", cassette, "--input", "1", "--allow-declared"), {
    code: 0,
    stderr: `0 calls recorded in ${cassette}.\n`,
  });
  const recorded = JSON.parse(await Deno.readTextFile(cassette));
  await Deno.writeTextFile(`${folder.path}/two.json`, JSON.stringify({ ...recorded, input: 2 }));
  const both = await unread("test", script, "--cassette", `${folder.path}/two.json`, "--cassette", cassette);
  assert.match(both.stderr, /2 cassettes: 1 passed, 1 failed\./);
  assert.equal(both.code, 1);
});

Deno.test("a link to a journal names the same journal", async () => {
  await using workspace = await openScriptWorkspace("return input;");
  await workspace.svc(...RUN_SCRIPT, "--input", "1", "--journal", `${workspace.config}/real.db`);
  await Deno.symlink("real.db", `${workspace.config}/link.db`);
  const again = await workspace.svc("resume", "r1", "--journal", `${workspace.config}/link.db`);
  assert.deepEqual([again.stdout, again.code], ["1\n", 0], again.stderr);
});

Deno.test("inputs that are missing from the file of a run are reported", async () => {
  await using workspace = await openScriptWorkspace("return input;");
  const file = `${workspace.folder}/in.ndjson`;
  await Deno.writeTextFile(file, "1\n2\n3\n");
  await workspace.svc(...RUN_SCRIPT, "--each", "in.ndjson");
  await Deno.writeTextFile(file, "1\n");
  const short = await workspace.svc("resume", "r1");
  assert.equal(short.code, 2);
  assert.match(short.stderr, /in\.ndjson has 1 line, but had 3 when the run started: 2 lines missing at the end\./);
  const accepted = await workspace.svc("resume", "r1", "--accept-changed-inputs");
  assert.match(accepted.stderr, /The run has 3 inputs, but its file has only 1/);
  await Deno.writeTextFile(file, "1\n{\n3\n");
  const damaged = await workspace.svc("resume", "r1");
  assert.match(damaged.stderr, /in\.ndjson:2 has changed since the run started/);
});

/** Runs a script that creates a case against an API with a response, then retries it. */
async function createTwice(
  first: () => Response,
  how: string[] = [],
): Promise<{ runs: CommandResult[]; keys: (string | null)[] }> {
  await using folder = await makeFolder({
    "script.ts": scriptText(`return (await svc.cases.create({ type: "T" })).id;`),
  });
  const keys: (string | null)[] = [];
  await using api = new TinyApi((_call, { headers }) => {
    keys.push(headers.get("idempotency-key"));
    return keys.length === 1 ? first() : Response.json(createCaseBody("C-1"), { status: 201 });
  });
  const env = { SVC_BASE_URL: api.baseUrl, SVC_CLIENT_ID: "id", SVC_CLIENT_SECRET: "secret" };
  const svc = (...args: string[]) =>
    runCommand(workflowCommand(args, { directory: folder.path, env, cwd: folder.path }));
  return { runs: [await svc(...RUN_SCRIPT, ...how), await svc("retry", "r1", "--format", "compact")], keys };
}

for (const status of [500, 524]) {
  Deno.test(`a change with a response of ${status} is sent again with its key, because it may be applied`, async () => {
    const { runs: [first, again], keys } = await createTwice(() => Response.json({}, { status }));
    assert.equal(first?.code, 1);
    assert.deepEqual([again?.stdout, again?.code], [`"C-1"\n`, 0], again?.stderr);
    assert.equal(keys.length, 2);
    assert.equal(keys[0], keys[1]);
  });
}

Deno.test("retry repeats a call that a gateway answered, with the same key", async () => {
  const page = () => new Response("<html>Back soon</html>", { headers: { "content-type": "text/html" } });
  const { runs: [first, again], keys } = await createTwice(page);
  assert.match(first?.stderr ?? "", /"INVALID_RESPONSE".*is not JSON \(text\/html/s);
  assert.deepEqual([again?.stdout, again?.code], [`"C-1"\n`, 0], again?.stderr);
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
});

Deno.test("retry repeats a failed call that the script has wrapped in its own error", async () => {
  await using folder = await makeFolder({
    "script.ts": scriptText(`try {
        return (await svc.cases.get("C-1")).id;
      } catch (error) {
        await svc.cases.get("C-2");
        throw new Error("could not read: " + error.code);
      }`),
  });
  let asked = 0;
  await using api = new TinyApi((call) => {
    const isFirst = call === "GET /cases/C-1" && asked++ === 0;
    return isFirst ? Response.json({}, { status: 423 }) : Response.json(createCaseBody("C-1"));
  });
  const env = { SVC_BASE_URL: api.baseUrl, SVC_CLIENT_ID: "id", SVC_CLIENT_SECRET: "secret" };
  const svc = (...args: string[]) =>
    runCommand(workflowCommand(args, { directory: folder.path, env, cwd: folder.path }));
  assert.match((await svc(...RUN_SCRIPT)).stderr, /could not read: /);
  const again = await svc("retry", "r1", "--format", "compact");
  assert.deepEqual([again.stdout, again.code], [`"C-1"\n`, 0], again.stderr);
});

Deno.test("a sleep that a script does not await does not extend the timeout of its calls", async () => {
  await using api = new TinyApi();
  const { error } = await runText(scriptText(`void sleep(60_000); for (;;) await svc.cases.get("C-1");`), {
    caller: api.caller,
    allowDeclared: true,
    limits: { timeoutSeconds: 4, maxMemoryMiB: 128 }, // A busy machine may need seconds to load the script.
  });
  assert.equal(error?.code, "TIMEOUT");
  assert.ok(api.received.length > 0, "the script was loaded in time");
});

Deno.test("inputs that have ended do not count against the rate", async () => {
  const items = limitRate(values(1, 2, 3, 4), 0.001, () => false, (item) => item === 4);
  assert.deepEqual(await Array.fromAsync(items), [1, 2, 3, 4]);
});

Deno.test("an input that waits for the rate is not started after --max-failures", async () => {
  let isEnough = false;
  const begun: number[] = [];
  for await (const item of limitRate(values(1, 2, 3), 5, () => isEnough, () => true)) {
    begun.push(item);
    setTimeout(() => isEnough = true, 20);
  }
  assert.deepEqual(begun, [1]);
});

async function* values(...all: number[]): AsyncGenerator<number> {
  yield* all;
}

Deno.test("a run whose temporary folder was deleted ends normally", async () => {
  await using workspace = await openScriptWorkspace(
    `${CREATE_CASE} log("begun"); ${WAIT_FOR_SECOND_CASE} return made.id;`,
  );
  const run = workspace.start(...RUN_SCRIPT, "--format", "compact");
  const { rest } = await waitForOutput(run, "begun");
  for await (const { name } of Deno.readDir(workspace.config)) {
    if (name.startsWith("svc-workflow-")) await Deno.remove(`${workspace.config}/${name}`, { recursive: true });
  }
  await workspace.createPermit();
  const [stdout, stderr, { code }] = await Promise.all([new Response(run.stdout).text(), rest, run.status]);
  assert.deepEqual([stdout, stderr, code], [`"CITY-PERMIT-WORK P-1"\n`, "begun\n", 0]);
});

Deno.test("an input whose sandbox is killed repeatedly fails", async () => {
  await using workspace = await openScriptWorkspace(`log("started"); for (;;);`);
  const process = workspace.start(...RUN_SCRIPT);
  const { rest } = await waitForOutput(process, "started");
  let hasEnded = false;
  const ended = process.status.then(() => hasEnded = true);
  const killed = new Set<number>();
  while (!hasEnded && killed.size < 9) {
    for (const sandbox of await findSandboxes(process.pid)) if (killProcess(sandbox)) killed.add(sandbox);
  }
  if (killed.size === 9) process.kill("SIGKILL");
  await Promise.all([ended, process.stdout.cancel()]);
  assert.equal(killed.size, 5);
  assert.match(await rest, /"message":"The operating system ended the workflow/);
});

Deno.test("a run that is cancelled while it ends stays cancelled", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} log("made"); ${WAIT_FOR_SECOND_CASE}`);
  const process = workspace.start(...RUN_SCRIPT);
  const { rest } = await waitForOutput(process, "made");
  workspace.sql("UPDATE runs SET state = 'cancelled'");
  await workspace.createPermit();
  await Promise.all([rest, process.stdout.cancel(), process.status]);
  const [run] = JSON.parse((await workspace.svc("list")).stdout);
  assert.equal(run.state, "cancelled");
  assert.match((await workspace.svc("retry", "r1")).stderr, /Run r1 was cancelled/);
});

Deno.test("a batch for which no process can be started fails no input, and resumes later", async () => {
  const inputs = Array.from({ length: 24 }, (_, i) => i + 1);
  const files = { "script.ts": scriptText("return input;", []), "in.ndjson": inputs.join("\n") };
  await using folder = await makeFolder(files);
  const svc = (args: string[], shellLimit?: string) =>
    runCommand(workflowCommand(args, { directory: folder.path, cwd: folder.path, shellLimit }));
  const { code, stderr } = await svc([...RUN_SCRIPT, "--each", "in.ndjson", "--concurrency", "24"], "ulimit -n 64");
  assert.match(stderr, / 0 failed/);
  assert.match(stderr, /The process of the script cannot be started: too many open files\./);
  assert.match(stderr, /lower --concurrency\. Run 'svc workflow resume r1' to continue\."/);
  assert.equal(code, 2);
  const again = await svc(["resume", "r1", "--concurrency", "2"]);
  assert.deepEqual([readResults(again.stdout), again.code], [inputs, 0]);
});
