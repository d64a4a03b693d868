/** `svc workflow` as a process with the permissions that the documentation names. */
import assert from "node:assert/strict";
import { parse } from "yaml";
import { startService } from "../../../service/mod.ts";
import { openJournal } from "../../../workflows/journal/sqlite/sqlite_journal.ts";
import {
  CHECKOUT,
  LimitedCommand,
  makeFolder,
  parseErrorRecord,
  PROGRAM,
  runCommand,
  svc,
  svcInProcess,
} from "../../harness/svc.ts";
import {
  newRun,
  prepareScriptWorkspaces,
  RUN_SCRIPT,
  scriptText,
  svcWorkflow,
  workflowCommand,
} from "../../harness/workflow.ts";

const openScriptWorkspace = prepareScriptWorkspaces();

const decoder = new TextDecoder();

Deno.test("svc workflow run prints the result to stdout and the output of the script to stderr", async () => {
  await using service = await startService();
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  const env = { SVC_BASE_URL: service.url, SVC_CLIENT_ID: clientId, SVC_CLIENT_SECRET: clientSecret };
  const script = `${CHECKOUT}/workflows/examples/intake.ts`;
  const input = `{"Applicant":"Ada","Address":"Main St 1"}`;
  const { code, stdout, stderr } = await svcWorkflow([
    "run",
    script,
    "--allow-declared",
    "--input",
    input,
    "--format",
    "compact",
  ], env);
  assert.equal(stderr, "Created CITY-PERMIT-WORK P-1.\nRegistered: Pending-Review.\n");
  assert.equal(stdout, `{"id":"CITY-PERMIT-WORK P-1","status":"Pending-Review"}\n`);
  assert.equal(code, 0);
});

Deno.test("svc workflow run --each prints a line per input and a summary, and exits with 1 if one failed", async () => {
  await using folder = await makeFolder({
    "script.ts": scriptText(`if (input === 2) throw new Error("two"); log("got", input); return { n: input };`, []),
    "in.ndjson": "1\n2\n3\n",
  });
  const { code, stdout, stderr } = await svcWorkflow([
    "run",
    `${folder.path}/script.ts`,
    "--each",
    `${folder.path}/in.ndjson`,
    "--concurrency",
    "1",
  ]);
  const lines = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(lines.map(({ input, result, error }) => [input, result ?? error.code]), [
    ["in.ndjson:1", { n: 1 }],
    ["in.ndjson:2", "WORKFLOW_FAILED"],
    ["in.ndjson:3", { n: 3 }],
  ]);
  const [first, second, summary, error, rest] = stderr.split("\n");
  assert.deepEqual([first, second, summary, rest], [
    "in.ndjson:1: got 1",
    "in.ndjson:3: got 3",
    "3 inputs: 2 succeeded, 1 failed.",
    "",
  ]);
  assert.equal(JSON.parse(error ?? "").error.message, "1 of 3 inputs failed: in.ndjson:2 (WORKFLOW_FAILED).");
  assert.equal(code, 1);
});

Deno.test("--fields selects members of the lines of a batch", async () => {
  await using folder = await makeFolder({
    "script.ts": scriptText(`if (input === 2) throw new Error("two"); return { n: input };`, []),
    "in.ndjson": "1\n2\n",
  });
  const args = ["run", `${folder.path}/script.ts`, "--each", `${folder.path}/in.ndjson`];
  const { stdout } = await svcWorkflow([...args, "--fields", "result,input"]);
  assert.equal(stdout, `{"result":{"n":1},"input":"in.ndjson:1"}\n{"input":"in.ndjson:2"}\n`);
});

Deno.test("a terminal shows a progress bar, unless --quiet", async () => {
  await using folder = await makeFolder({ "script.ts": scriptText("return input;", []), "in.ndjson": "1\n2\n" });
  const args = [
    "workflow",
    "run",
    `${folder.path}/script.ts`,
    "--each",
    `${folder.path}/in.ndjson`,
    "--journal",
    "none",
  ];
  const shown = await svcInProcess(args, { terminal: true });
  assert.match(shown.stderr, /\[#+-*\] 1\/2 · [\d.]+\/s · 0 failed · \d+ s left/);
  assert(shown.stderr.endsWith("\r\x1b[K2 inputs: 2 succeeded, 0 failed.\n"), shown.stderr);
  assert.equal(shown.code, 0);
  assert.equal((await svcInProcess([...args, "--quiet"], { terminal: true })).stderr, "");
});

Deno.test({
  name: "a terminal shows no total for inputs from a pipe, and counting consumes none of them",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await makeFolder({ "script.ts": scriptText("return input;", []) });
    const pipe = `${folder.path}/pipe`;
    await new LimitedCommand("mkfifo", { args: [pipe] }).output();
    const args = ["workflow", "run", `${folder.path}/script.ts`, "--each", pipe, "--journal", "none"];
    const [shown] = await Promise.all([svcInProcess(args, { terminal: true }), Deno.writeTextFile(pipe, "1\n2\n")]);
    assert.match(shown.stderr, /K1 · [\d.]+\/s · 0 failed/);
    assert(shown.stderr.endsWith("2 inputs: 2 succeeded, 0 failed.\n"), shown.stderr);
    assert.equal(shown.code, 0);
  },
});

Deno.test("invalid runs fail with one error and its exit code", async (t) => {
  await using folder = await makeFolder({
    "script.ts": scriptText("return 1;", ["cases.get"]),
    "bad.ts": "export const = 1;",
  });
  const script = `${folder.path}/script.ts`;
  const errors: [args: string[], exit: number, code: string, message: RegExp][] = [
    [["run", script], 1, "PERMISSION_DENIED", /requests cases\.get, but no permission was granted/],
    [["run", script, "--allow", "cases.gte"], 2, "INVALID_ARGS", /matches no operation/],
    [["run", `${folder.path}/none.ts`], 2, "INVALID_ARGS", /none\.ts cannot be read: there is no such file/],
    [["run", folder.path], 2, "INVALID_ARGS", /is a folder/],
    [["run", script, "--input", "{"], 2, "INVALID_ARGS", /--input is not valid JSON/],
    [["run", script, "--input", "1", "--each", "x"], 2, "INVALID_ARGS", /mutually exclusive/],
    [
      ["run", script, "--each", "x", "--concurrency", "1000000"],
      2,
      "INVALID_ARGS",
      /concurrency must be from 1 to 256, not 1000000/,
    ],
    [["run", script, "--each", "x", "--fields", "input,id"], 2, "INVALID_ARGS", /the results have no field id/],
    [
      ["run", script, "--each", `${folder.path}/none`, "--allow-declared"],
      2,
      "INVALID_ARGS",
      /The inputs .*none cannot be read: there is no such file/,
    ],
    [["run", script, "--each", `${script}/x`, "--allow-declared"], 2, "INVALID_ARGS", /part of the path is a file/],
    [["run", `${script}/x.ts`, "--allow-declared"], 2, "INVALID_ARGS", /part of the path is a file/],
    [["run", script, "--root", `${script}/x`, "--allow-declared"], 2, "INVALID_ARGS", /part of the path is a file/],
    [["run", script, "--timeout", "0"], 2, "INVALID_ARGS", /The timeout must be above 0/],
    [["run", `${folder.path}/bad.ts`], 1, "WORKFLOW_FAILED", /cannot be loaded: .*bad\.ts:1/],
  ];
  for (const [args, exit, code, message] of errors) {
    await t.step(args.slice(1).join(" ").replaceAll(folder.path, ""), async () => {
      const ended = await svcWorkflow(args);
      const { error } = JSON.parse(ended.stderr);
      assert.deepEqual([ended.code, error.code, ended.stdout], [exit, code, ""]);
      assert.match(error.message, message);
    });
  }
});

Deno.test("svc workflow init writes a starter and overwrites nothing", async () => {
  await using folder = await makeFolder();
  const made = `${folder.path}/new/flows`;
  const first = await svcInProcess(["workflow", "init", made, "--format", "compact"]);
  assert.deepEqual(JSON.parse(first.stdout), { written: [`${made}/deno.json`, `${made}/intake.ts`], kept: [] });
  await Deno.writeTextFile(`${made}/intake.ts`, "mine");
  const again = await svcInProcess(["workflow", "init", made, "--format", "compact"]);
  assert.deepEqual(JSON.parse(again.stdout).written, []);
  assert.equal(await Deno.readTextFile(`${made}/intake.ts`), "mine");
});

Deno.test("svc workflow init writes into the current folder by default", async () => {
  await using folder = await makeFolder();
  const { code, stdout } = await svc(["workflow", "init"], { cwd: folder.path, env: { SVC_CONFIG_DIR: folder.path } });
  assert.deepEqual([code, JSON.parse(stdout).written], [0, ["./deno.json", "./intake.ts"]]);
  assert.ok((await Deno.stat(`${folder.path}/intake.ts`)).isFile);
  const help = await svcInProcess(["workflow", "init", "--help"]);
  assert.match(help.stdout, /svc workflow init \[folder\] \[flags\][^]*\[folder\] .*\(default: \.\)/);
});

Deno.test("an interrupted batch removes its sandboxes", async () => {
  await using folder = await makeFolder({ "script.ts": scriptText(`log("up"); for (;;);`, []), "in.ndjson": "1\n2\n" });
  const child = new LimitedCommand(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      "-A",
      PROGRAM,
      "workflow",
      "run",
      `${folder.path}/script.ts`,
      "--each",
      `${folder.path}/in.ndjson`,
    ],
    env: { TMPDIR: folder.path, SVC_CONFIG_DIR: folder.path },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const out = new Response(child.stdout).text();
  let said = "";
  for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
    if (said === "") child.kill("SIGINT");
    said += text;
  }
  assert.match(said, /"code":"INTERRUPTED"/);
  assert.equal(await out, "");
  assert.equal((await child.status).code, 130);
  assert.deepEqual([...Deno.readDirSync(folder.path)].map(({ name }) => name).toSorted(), [
    "in.ndjson",
    "script.ts",
    "workflows.db",
  ]);
});

Deno.test("similar identifiers are suggested for a mistyped run, but not by cancel and delete", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/journal.db`;
  await using journal = await openJournal(path);
  await journal.createRun({ ...newRun("20261121-1405-k7wqh2"), state: "done" });
  const readHint = async (verb: string, id: string) => {
    return parseErrorRecord(await svcInProcess(["workflow", verb, id, "--journal", path])).hint;
  };
  const other = `Run 'svc workflow list --journal ${path}' to list the runs.`; // The command names the journal.
  assert.equal(await readHint("show", "20261121-1405-k7wgh3"), `Did you mean 20261121-1405-k7wqh2? ${other}`);
  assert.equal(await readHint("show", "20261121-1405-abcqh2"), other);
  for (const verb of ["cancel", "delete"]) assert.equal(await readHint(verb, "20261121-1405-k7wqh3"), other);
});

Deno.test("record into a missing folder names the command that creates it", async () => {
  await using folder = await makeFolder({ "script.ts": scriptText("return 1;") });
  const readError = async (file: string) => {
    const args = ["workflow", "record", `${folder.path}/script.ts`, "-o", `${folder.path}/${file}`];
    const { message, hint } = parseErrorRecord(await svcInProcess(args));
    return [String(message).replace(/^.*: /, ""), String(hint)];
  };
  const [fault, hint = ""] = await readError("my tests/flows/c.json");
  assert.equal(fault, "there is no such directory.");
  const [, command = ""] = hint.split("Choose another file, or create the directory: ");
  await new LimitedCommand("sh", { args: ["-c", command] }).output();
  assert((await Deno.stat(`${folder.path}/my tests/flows`)).isDirectory);
  assert.deepEqual(await readError("script.ts/c.json"), ["part of the path is a file.", "Choose another file."]);
});

Deno.test("a named journal in a missing folder is rejected", async () => {
  await using folder = await makeFolder({ "script.ts": scriptText("return 1;"), "file": "" });
  const { path } = folder;
  const readError = async (journal: string) => {
    const result = await svcInProcess(["workflow", "run", `${path}/script.ts`, "--journal", `${path}/${journal}`]);
    const { code, message } = parseErrorRecord(result);
    return [result.code, code, message];
  };
  const sentence = (journal: string) => `The journal ${path}/${journal} cannot be opened`;
  assert.deepEqual(await readError("none/x.db"), [
    2,
    "INVALID_CONFIG",
    `${sentence("none/x.db")}: there is no such directory.`,
  ]);
  assert.deepEqual(await readError("file/x.db"), [
    2,
    "INVALID_CONFIG",
    `${sentence("file/x.db")}: part of the path is a file.`,
  ]);
  assert.deepEqual([...Deno.readDirSync(path)].map(({ name }) => name).toSorted(), ["file", "script.ts"]);
});

Deno.test("a journal whose name is too long for a lock is rejected, and no run is recorded", async () => {
  await using folder = await makeFolder({ "script.ts": scriptText("return 1;", []) });
  const journal = `${folder.path}/${"j".repeat(240)}`;
  const result = await svcInProcess(["workflow", "run", `${folder.path}/script.ts`, "--journal", journal]);
  const { code, message } = parseErrorRecord(result);
  const sentence = `The journal ${journal} cannot be locked: file name too long.`;
  assert.deepEqual([result.code, code, message], [2, "INVALID_CONFIG", sentence]);
  assert.equal((await svcInProcess(["workflow", "list", "--journal", journal])).stdout, "[]\n");
});

Deno.test("--each - reads inputs from a pipe, again for a retry, and is rejected at a terminal", async () => {
  await using folder = await makeFolder({
    "script.ts": scriptText(`if (input.n > 1) throw new Error("big"); return input.n;`, []),
  });
  const { path } = folder;
  const run = async (args: readonly string[], stdin: string) => {
    const child = new LimitedCommand(Deno.execPath(), {
      args: ["run", "--quiet", "-A", PROGRAM, "workflow", ...args],
      ...{ env: { SVC_CONFIG_DIR: path, SVC_DEBUG: "" }, cwd: path },
      ...{ stdin: "piped", stdout: "piped", stderr: "piped" },
    }).spawn();
    await new Blob([stdin]).stream().pipeTo(child.stdin);
    const { code, stdout, stderr } = await child.output();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  };
  const begin = ["run", "script.ts", "--each", "-"];
  const first = await run([...begin, "--run-id", "r1"], `{"n":1}\n{"n":2}\n`);
  assert.equal(first.code, 1);
  assert.match(first.stdout, /^{"input":"stdin:1","result":1}\n{"input":"stdin:2","error":/);
  const again = await run(["retry", "r1"], `{"n":1}\n{"n":0}\n`);
  assert.deepEqual([again.code, again.stdout], [0, `{"input":"stdin:2","result":0}\n`]);
  assert.equal((await run(["plan", "script.ts", "--each", "-"], `{"n":1}\n`)).code, 0);
  for (const verb of ["run", "plan"]) {
    const args = [
      "workflow",
      verb,
      `${path}/script.ts`,
      "--each",
      "-",
      ...(verb === "run" ? ["--journal", "none"] : []),
    ];
    const refused = await svcInProcess(args, { terminal: true });
    assert.deepEqual([refused.code, parseErrorRecord(refused).message], [
      2,
      "--each - reads standard input, which is the terminal.",
    ]);
  }
});

Deno.test("--fields prints a run, a plan and a test as data", async () => {
  const cassette = { cassette: 1, script: "test", startedAt: "2026-01-31T08:00:00.000Z", randomness: [], calls: [] };
  await using folder = await makeFolder({ "script.ts": scriptText("", []), "c.json": JSON.stringify(cassette) });
  const [script, played, file] = ["script.ts", "c.json", "journal.db"].map((name) => `${folder.path}/${name}`);
  assert(script && played && file);
  const data = async (...args: string[]) => JSON.parse((await svcInProcess(["workflow", ...args])).stdout);
  assert.equal((await svcInProcess(["workflow", "run", script, "--run-id", "r1", "--journal", file])).code, 0);
  const show = ["show", "r1", "--journal", file, "--fields"];
  assert.deepEqual(await data(...show, "state,id"), { state: "done", id: "r1" });
  assert.equal((await data(...show, "inputs")).inputs[0].place, "input");
  assert.deepEqual(await data(...show, "inputs.place,id"), { inputs: [{ place: "input" }], id: "r1" });
  assert.deepEqual(await data("plan", script, "--fields", "steps"), { steps: [] });
  assert.deepEqual(await data("test", script, "--cassette", played, "--fields", "passed"), [{ passed: true }]);
});

Deno.test("show prints the same data in every format", async () => {
  await using folder = await makeFolder({ "script.ts": scriptText("return input;", []), "in.ndjson": "1\n2\n" });
  const journal = ["--run-id", "r1", "--journal", `${folder.path}/journal.db`];
  const run = ["workflow", "run", `${folder.path}/script.ts`, "--each", `${folder.path}/in.ndjson`, ...journal];
  assert.equal((await svcInProcess(run)).code, 0);
  const shown = async (format: string) => {
    return (await svcInProcess(["workflow", "show", "r1", ...journal.slice(2), "--format", format])).stdout;
  };
  const whole = JSON.parse(await shown("json"));
  assert.deepEqual(whole.inputs.map(({ result }: { result: unknown }) => result), [1, 2]);
  assert.deepEqual(JSON.parse(await shown("compact")), whole);
  assert.deepEqual(parse(await shown("yaml")), whole);
  assert.match(await shown("table"), /^id .*\nr1 .* done /);
});

Deno.test("a run without a folder for temporary files names TMPDIR", async () => {
  await using folder = await makeFolder({ "script.ts": scriptText("return 1;", []) });
  const args = ["run", "script.ts", "--allow-declared"];
  for (
    const [TMPDIR, fault] of [[`${folder.path}/none`, "there is no such directory"], ["", "empty path .*"]] as const
  ) {
    const env = { TMPDIR };
    const { code, stderr } = await runCommand(workflowCommand(args, { directory: folder.path, cwd: folder.path, env }));
    assert.match(stderr, RegExp(`"INVALID_CONFIG","message":"The folder for temporary files .*: ${fault}\\.".*TMPDIR`));
    assert.equal(code, 2);
  }
});

Deno.test("show lists the issues of the service and the line of the script", async () => {
  const type = "City-Permit-Work-Permit";
  await using workspace = await openScriptWorkspace(
    `return await svc.cases.create({ type: "${type}", data: { Area: "large", Channel: "Pigeon" } });`,
  );
  assert.equal((await workspace.svc(...RUN_SCRIPT)).code, 1);
  const lines = (await workspace.svc("show", "r1", "--failed")).stdout.split("\n");
  assert.match(lines[2] ?? "", /^input failed, .*: VALIDATION_FAIL Validation failed: Errors Detected\.$/);
  assert.match(lines[3] ?? "", /^ {4}- Area: large is not a valid /);
  assert.match(lines[4] ?? "", /^ {4}- Channel: Pigeon is not one of Internet, Desk/);
  assert.match(lines[5] ?? "", /^ {4}- script\.ts:\d+$/);
  assert.match(lines[6] ?? "", /^ +1 .* cases\.create .* VALIDATION_FAIL$/);
});
