import assert from "node:assert/strict";
import { startService } from "../../../service/mod.ts";
import { holdResponse } from "../../harness/faults.ts";
import { CHECKOUT, type CommandResult, type Folder, makeFolder, PROGRAM, svcInProcess } from "../../harness/svc.ts";
import { scriptText, svcWorkflow, TinyApi } from "../../harness/workflow.ts";

/** Neither network, nor what names a service or a profile. */
const OFFLINE = [
  "--deny-net",
  "--deny-env=SVC_BASE_URL,SVC_CLIENT_ID,SVC_CLIENT_SECRET,SVC_CONFIG_DIR,SVC_NO_CACHE,HOME",
];

/** Reads two cases at a time, changes one, waits for nothing. */
const SCRIPT = scriptText(
  `const [one, two] = await Promise.all([svc.cases.get("C-1"), svc.cases.get("C-2")]);
    const made = await svc.cases.create({ type: "T", data: { ...input, from: [one.id, two.id] } });
    log("made", made.status);
    return { status: made.status, etag: one.etag, ids: [one.id, two.id] };`,
  ["cases.get", "cases.create"],
);

Deno.test("a cassette plays offline, without a profile, and with the same output", async () => {
  await using service = await startService();
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  const env = { SVC_BASE_URL: service.url, SVC_CLIENT_ID: clientId, SVC_CLIENT_SECRET: clientSecret };
  await using folder = await makeFolder();
  const script = `${CHECKOUT}/workflows/examples/intake.ts`;
  const cassette = `${folder.path}/intake.json`;
  const input = `{"Applicant":"Ada","Address":"Main St 1"}`;
  const recorded = await svcWorkflow(
    ["record", script, "-o", cassette, "--input", input, "--allow-declared", "--format", "compact"],
    env,
    [`--allow-write=${folder.path}`, PROGRAM],
  );
  assert.equal(recorded.stdout, `{"id":"CITY-PERMIT-WORK P-1","status":"Pending-Review"}\n`);
  assert.equal(
    recorded.stderr,
    `Created CITY-PERMIT-WORK P-1.\nRegistered: Pending-Review.\n2 calls recorded in ${cassette}.\n`,
  );
  assert.equal(recorded.code, 0);
  if (Deno.build.os !== "windows") assert.equal((await Deno.stat(cassette)).mode! & 0o777, 0o600);
  const text = await Deno.readTextFile(cassette);
  assert(!text.includes(clientSecret) && !text.includes(clientId), "no credential is in a cassette");
  const plays = [1, 2, 3].map(() => svcWorkflow(["test", script, "--cassette", cassette], {}, [...OFFLINE, PROGRAM]));
  for (const played of await Promise.all(plays)) {
    assert.deepEqual(played, {
      code: 0,
      stdout: `ok ${cassette}: 2 calls\n`,
      stderr: "Created CITY-PERMIT-WORK P-1.\nRegistered: Pending-Review.\n",
    });
  }
});

Deno.test("a cassette is readable JSON", async () => {
  await using recorded = await record(SCRIPT, ["--input", `{"a":1}`]);
  const cassette = JSON.parse(await Deno.readTextFile(recorded.cassette));
  for (const call of cassette.calls) {
    assert.match(call.at, /^20\d\d-.*Z$/);
    delete call.at;
  }
  assert.match(cassette.startedAt, /^20\d\d-.*Z$/);
  const orders = cassette.calls.map(({ order }: { order: number }) => order);
  assert.deepEqual(orders.toSorted(), [1, 2, 3]);
  const toCase = (id: string) => ({
    id,
    type: "T",
    status: "Open",
    urgency: 10,
    data: { caseInfo: { ID: id, content: {} } },
  });
  const toAnswer = (id: string) => ({ etag: "tag-1", body: toCase(id) });
  assert.deepEqual({ ...cassette, startedAt: "", randomness: [] }, {
    cassette: 1,
    script: "test",
    startedAt: "",
    input: { a: 1 },
    randomness: [],
    calls: [
      { step: 1, operation: "cases.get", values: { caseId: "C-1" }, answer: toAnswer("C-1"), order: orders[0] },
      { step: 2, operation: "cases.get", values: { caseId: "C-2" }, answer: toAnswer("C-2"), order: orders[1] },
      {
        step: 3,
        operation: "cases.create",
        values: { type: "T", data: { a: 1, from: ["C-1", "C-2"] } },
        answer: toAnswer(""),
        order: 3,
      },
    ],
    result: { status: "Open", etag: "tag-1", ids: ["C-1", "C-2"] },
  });
});

Deno.test("time, randomness and sleeps are those of the recording", async () => {
  const script = scriptText(
    `const before = Date.now();
    await svc.cases.get("C-1");
    log(new Date().toISOString(), Math.random(), crypto.randomUUID());
    return [before, Date.now(), Math.random(), crypto.randomUUID()];`,
    ["cases.get"],
  );
  await using recorded = await record(script);
  assert.equal(recorded.ended.code, 0);
  const said = recorded.ended.stderr.split("\n")[0];
  const test = () => svcInProcess(["workflow", "test", recorded.script, "--cassette", recorded.cassette]);
  assert.deepEqual(await test(), { code: 0, stdout: `ok ${recorded.cassette}: 1 call\n`, stderr: `${said}\n` });
  const cassette = JSON.parse(await Deno.readTextFile(recorded.cassette));
  await Deno.writeTextFile(recorded.cassette, JSON.stringify({ ...cassette, randomness: [] }));
  const { code, stderr } = await test();
  assert.equal(code, 1);
  assert.match(stderr, /WORKFLOW_DIVERGED.*The script needs more randomness than was recorded\./);
});

Deno.test("a cassette can be written by hand: errors with their attempts, and changes that had arrived", async () => {
  const given = { at: "2026-01-31T08:00:00.000Z" };
  const attempts = [{ code: "TIMEOUT", afterMilliseconds: 1000 }, { code: "TIMEOUT", afterMilliseconds: 2100 }];
  const error = { code: "TIMEOUT", message: "No answer.", operation: "cases.get", attempts };
  const cassette = {
    cassette: 1,
    script: "test",
    startedAt: given.at,
    randomness: [],
    calls: [
      { step: 1, operation: "cases.get", values: { caseId: "C-1" }, error, ...given, order: 1 },
      {
        step: 2,
        operation: "assignments.perform",
        values: { assignmentId: "A-1", action: "B" },
        answer: { shape: "any", body: { settled: "arrived" } },
        ...given,
        order: 2,
      },
    ],
    result: [attempts, "arrived"],
  };
  const script = scriptText(
    `const { attempts } = await svc.cases.get("C-1").catch((error) => error);
    return [attempts, (await svc.assignments.perform("A-1", { action: "B" })).settled];`,
  );
  await using folder = await makeFolder({ "script.ts": script, "c.json": JSON.stringify(cassette) });
  const played = await svcInProcess([
    "workflow",
    "test",
    `${folder.path}/script.ts`,
    "--cassette",
    `${folder.path}/c.json`,
  ]);
  assert.deepEqual(played, { code: 0, stdout: `ok ${folder.path}/c.json: 2 calls\n`, stderr: "" });
});

Deno.test("a script that differs from its cassette fails with the step that differs", async (t) => {
  await using recorded = await record(SCRIPT);
  const edits: [edit: [string, string], code: string, message: RegExp][] = [
    [
      [`get("C-2")`, `get("C-3")`],
      "WORKFLOW_DIVERGED",
      /^Step 2 was cases\.get \{"caseId":"C-2"\}, but the script now calls cases\.get \{"caseId":"C-3"\}\.$/,
    ],
    [
      [`svc.cases.create`, `svc.cases.delete("C-1"); await svc.cases.create`],
      "WORKFLOW_DIVERGED",
      /^Step 3 was cases\.create .*, but the script now calls cases\.delete/,
    ],
    [
      [`log("made"`, `await svc.cases.get("C-9"); log("made"`],
      "WORKFLOW_DIVERGED",
      /^Step 4 was not recorded, but the script now calls cases\.get \{"caseId":"C-9"\}\.$/,
    ],
    [
      [`const made = await`, `const made = one; 0 &&`],
      "WORKFLOW_DIVERGED",
      /^Step 3 was cases\.create .*, but the script no longer makes this call\.$/,
    ],
    [
      [`const made`, `(undefined as any).oops; const made`],
      "WORKFLOW_DIVERGED",
      /^The script fails with WORKFLOW_FAILED "The script failed: .*'oops'.* \(script\.ts:8\)"\. Step 3 was cases\.create/,
    ],
    [
      [`status: made.status`, `status: "Closed"`],
      "WORKFLOW_FAILED",
      /^The result\.status was "Open"; now it is "Closed"\.$/,
    ],
    [
      [`ids: [one.id, two.id]`, `ids: [one.id]`],
      "WORKFLOW_FAILED",
      /^The result\.ids\[1\] was "C-2"; now it is missing\.$/,
    ],
    [
      [`return {`, `if (made) throw new Error("no"); return {`],
      "WORKFLOW_FAILED",
      /^The script returned a result; now it fails with WORKFLOW_FAILED "The script failed: no \(script\.ts:\d+\)"\.$/,
    ],
  ];
  for (const [[before, after], code, message] of edits) {
    await t.step(after, async () => {
      assert(SCRIPT.includes(before));
      await Deno.writeTextFile(recorded.script, SCRIPT.replace(before, after));
      const { code: exit, stderr } = await svcInProcess([
        "workflow",
        "test",
        recorded.script,
        "--cassette",
        recorded.cassette,
      ]);
      const { error } = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "");
      assert.equal(exit, 1);
      assert.equal(error.code, code);
      assert.match(error.message, message);
      assert.equal(error.hint, "Fix the script. If its new behavior is correct, record the cassette again.");
    });
  }
});

Deno.test("a failure is recorded and expected from then on", async () => {
  const failing = scriptText(`await svc.cases.get("C-1");\n    await svc.cases.get("missing");`, ["cases.get"]);
  await using recorded = await record(failing);
  assert.equal(recorded.ended.code, 1);
  assert.match(recorded.ended.stderr, /"code":"NOT_FOUND"/);
  const again = () => svcInProcess(["workflow", "test", recorded.script, "--cassette", recorded.cassette]);
  assert.deepEqual(await again(), { code: 0, stdout: `ok ${recorded.cassette}: 2 calls\n`, stderr: "" });
  await Deno.writeTextFile(recorded.script, failing.replace("await svc", "\n\n    await svc"));
  assert.equal((await again()).code, 0, "lines may move");
  await Deno.writeTextFile(
    recorded.script,
    failing.replace(`await svc.cases.get("missing")`, `return await svc.cases.get("missing").catch(() => 1)`),
  );
  const { code, stderr } = await again();
  assert.equal(code, 1);
  assert.match(JSON.parse(stderr).error.message, /^The script failed with NOT_FOUND ".*"; now it returns a result\.$/);
});

Deno.test("calls that were open when a script failed stay open", async () => {
  const failing = scriptText(`await Promise.all([svc.cases.get("slow"), svc.cases.get("missing")]);`, ["cases.get"]);
  const held = holdResponse();
  await using api = new TinyApi((call) => {
    return call.includes("slow") ? held.answer() : Response.json({ errorDetails: [] }, { status: 404 });
  });
  await using recorded = await record(failing, [], environmentOf(api));
  held.release(Response.json({}));
  const cassette = JSON.parse(await Deno.readTextFile(recorded.cassette));
  assert.deepEqual(cassette.calls[0], { step: 1, operation: "cases.get", values: { caseId: "slow" } });
  const { code } = await svcInProcess(["workflow", "test", recorded.script, "--cassette", recorded.cassette]);
  assert.equal(code, 0);
});

Deno.test("several cassettes and folders are tested in turn, with one line each", async () => {
  await using recorded = await record(SCRIPT, ["--input", `{"a":1}`]);
  const good = await Deno.readTextFile(recorded.cassette);
  const folder = `${recorded.path}/cassettes`;
  await Deno.mkdir(folder);
  await Deno.writeTextFile(`${folder}/b.json`, good.replaceAll(`"Open"`, `"Closed"`));
  await Deno.writeTextFile(`${folder}/a.json`, good);
  await Deno.writeTextFile(`${folder}/c.json`, good.replace(`"result": {`, `"result": { "more": 1,`));
  await Deno.writeTextFile(`${folder}/notes.txt`, "not a cassette");
  const args = ["workflow", "test", recorded.script, "--cassette", folder, "--cassette", recorded.cassette];
  const { code, stdout, stderr } = await svcInProcess(args);
  assert.equal(code, 1);
  assert.deepEqual(stdout.split("\n"), [
    `ok ${folder}/a.json: 3 calls`,
    `ok ${folder}/b.json: 3 calls`,
    `FAILED ${folder}/c.json: WORKFLOW_FAILED The result.more was 1; now it is missing.`,
    `ok ${recorded.cassette}: 3 calls`,
    "",
  ]);
  const lines = stderr.trimEnd().split("\n");
  assert.deepEqual(lines.slice(0, -1), [
    `${folder}/a.json: made Open`,
    `${folder}/b.json: made Closed`,
    `${folder}/c.json: made Open`,
    `${recorded.cassette}: made Open`,
    "4 cassettes: 3 passed, 1 failed.",
  ]);
  assert.equal(
    JSON.parse(lines.at(-1) ?? "").error.message,
    `1 of 4 cassettes failed: ${folder}/c.json (WORKFLOW_FAILED).`,
  );
  const data = JSON.parse((await svcInProcess([...args, "--format", "json"])).stdout);
  assert.deepEqual(
    data.map(({ calls, passed, error }: Record<string, unknown>) => [calls, passed, error !== undefined]),
    [
      [3, true, false],
      [3, true, false],
      [3, false, true],
      [3, true, false],
    ],
  );
});

Deno.test("an invalid cassette is rejected with the invalid member", async (t) => {
  await using folder = await makeFolder({ "script.ts": scriptText("return 1;", []) });
  const call = { step: 1, operation: "cases.get", values: {}, answer: {}, at: "2026-01-31T08:00:00.000Z", order: 1 };
  const whole = { cassette: 1, script: "x", startedAt: "2026-01-31T08:00:00.000Z", randomness: [], calls: [call] };
  const wrong: [content: unknown, message: RegExp][] = [
    [null, /is not a valid cassette: invalid input: expected object/],
    [{ ...whole, cassette: 2 }, /: cassette: must be 1, the version of the format\.$/],
    [{ ...whole, extra: 1 }, /: unrecognized key: "extra"\.$/],
    [{ ...whole, startedAt: "yesterday" }, /: startedAt: must be a time such as/],
    [{ ...whole, randomness: ["*"] }, /: randomness\[0\]: must be base64\.$/],
    [{ ...whole, calls: [{ ...call, step: 2 }] }, /: calls\[0\]\.step: must be 1\.$/],
    [{ ...whole, calls: [{ ...call, operation: "cases.gte" }] }, /: calls\[0\]\.operation: is not an operation\.$/],
    [{ ...whole, calls: [{ ...call, values: [] }] }, /: calls\[0\]\.values: must be a JSON object\.$/],
    [{ ...whole, calls: [{ ...call, answer: { body: 1, text: "" } }] }, /: calls\[0\]\.answer: has more than one of/],
    [{ ...whole, calls: [{ ...call, answer: { content: { type: "a/b", base64: "-" } } }] }, /content\.base64: must be/],
    [{ ...whole, calls: [{ ...call, error: { code: "X", message: "" } }] }, /error\.code: is not an error code\.$/],
    [{ ...whole, calls: [{ ...call, answer: undefined }] }, /: calls\[0\]\.answer: is missing\.$/],
    [{ ...whole, calls: [{ ...call, order: 2 }] }, /: calls\[0\]\.order: must be a number from 1 to 1/],
    [{ ...whole, calls: [call, { ...call, step: 2 }] }, /: calls\[1\]\.order: must be .* that no other call has/],
    [{ ...whole, calls: [{ ...call, at: undefined }] }, /: calls\[0\]\.at: is missing\.$/],
    [{ ...whole, result: 1, error: { code: "TIMEOUT", message: "" } }, /: error: cannot be combined with result/],
  ];
  for (const [content, message] of wrong) {
    await t.step(String(message), async () => {
      await Deno.writeTextFile(`${folder.path}/c.json`, JSON.stringify(content));
      const args = ["workflow", "test", `${folder.path}/script.ts`, "--cassette", `${folder.path}/c.json`];
      const { code, stdout, stderr } = await svcInProcess(args);
      const { error } = JSON.parse(stderr);
      assert.deepEqual([code, stdout, error.code], [2, "", "INVALID_ARGS"]);
      assert.match(error.message, message);
    });
  }
});

Deno.test("invalid commands of record and test fail with one error", async (t) => {
  await using folder = await makeFolder({
    "script.ts": scriptText("return 1;", []),
    "there.json": "{",
    "empty/x.txt": "",
  });
  const { path } = folder;
  const script = `${path}/script.ts`;
  const errors: [args: string[], exit: number, code: string, message: RegExp][] = [
    [["record", script], 2, "INVALID_ARGS", /--output is required/],
    [["record", script, "-o", `${path}/there.json`], 2, "INVALID_ARGS", /there\.json already exists\.$/],
    [["record", script, "-o", "-"], 2, "INVALID_ARGS", /cannot be written to stdout/],
    [["record", script, "-o", `${path}/none/c.json`], 2, "INVALID_ARGS", /no such directory/],
    [["record", script, "-o", `${path}/c.json`, "--journal", "none"], 2, "INVALID_ARGS", /requires a journal/],
    [["test", script], 2, "INVALID_ARGS", /--cassette is required/],
    [["test", script, "--cassette", `${path}/none.json`], 2, "INVALID_ARGS", /there is no such file/],
    [["test", script, "--cassette", `${path}/empty`], 2, "INVALID_ARGS", /contains no cassette/],
    [["test", script, "--cassette", `${path}/there.json`], 2, "INVALID_ARGS", /is not valid JSON: line 1/],
  ];
  for (const [args, exit, code, message] of errors) {
    await t.step(args.join(" ").replaceAll(path, ""), async () => {
      const ended = await svcInProcess(["workflow", ...args]);
      const { error } = JSON.parse(ended.stderr);
      assert.deepEqual([ended.code, error.code, ended.stdout], [exit, code, ""]);
      assert.match(error.message, message);
    });
  }
  assert.equal(await Deno.readTextFile(`${path}/there.json`), "{");
});

Deno.test("files and contents are recorded and played", async () => {
  const body = `const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit" });
    const { ID } = await svc.attachments.upload({ file: new File(["péng"], "a.txt", { type: "text/plain" }) });
    await svc.attachments.add(id, { attachments: [{ type: "File", category: "File", name: "a.txt", ID }] });
    const { attachments } = await svc.attachments.list(id);
    const { name, type, size, stream } = await svc.attachments.get(attachments[0].ID);
    return [name, type, size, await new Response(stream).text()];`;
  await using service = await startService();
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  const env = { SVC_BASE_URL: service.url, SVC_CLIENT_ID: clientId, SVC_CLIENT_SECRET: clientSecret };
  const script = scriptText(body, ["cases.create", "attachments.*"]);
  await using recorded = await record(script, ["--format", "compact"], env);
  assert.equal(recorded.ended.stdout, `["a.txt","text/plain",5,"péng"]\n`);
  const { calls } = JSON.parse(await Deno.readTextFile(recorded.cassette));
  const { name, size, sha256 } = calls[1].values.file;
  assert.deepEqual([name, size, /^[0-9a-f]{64}$/.test(sha256)], ["a.txt", 5, true]);
  const again = () => svcInProcess(["workflow", "test", recorded.script, "--cassette", recorded.cassette]);
  assert.deepEqual(await again(), { code: 0, stdout: `ok ${recorded.cassette}: 5 calls\n`, stderr: "" });
  await Deno.writeTextFile(recorded.script, script.replace("péng", "peng"));
  assert.match((await again()).stderr, /Step 2 was attachments\.upload/);
});

/** A script that was recorded, in a folder of its own. */
interface Recorded extends Folder {
  readonly script: string;
  readonly cassette: string;
  readonly ended: CommandResult;
}

/** Records a script with a service, or with a small API. */
async function record(
  text: string,
  args: readonly string[] = [],
  env?: Readonly<Record<string, string>>,
): Promise<Recorded> {
  await using api = new TinyApi();
  const folder = await makeFolder({ "script.ts": text });
  const script = `${folder.path}/script.ts`;
  const cassette = `${folder.path}/cassette.json`;
  const ended = await svcWorkflow(
    ["record", script, "-o", cassette, "--allow-declared", ...args],
    env ?? environmentOf(api),
    [`--allow-write=${folder.path}`, PROGRAM],
  );
  return { ...folder, script, cassette, ended };
}

function environmentOf({ baseUrl }: TinyApi): Record<string, string> {
  return { SVC_BASE_URL: baseUrl, SVC_CLIENT_ID: "id", SVC_CLIENT_SECRET: "secret" };
}
