/** Payloads: inline, from a file, from standard input, and invalid ones. */
import assert from "node:assert/strict";
import { callFakeService, startFakeService } from "../../harness/fake_service.ts";
import {
  type CommandResult,
  LimitedCommand,
  makeFolder,
  parseErrorRecord,
  svc,
  svcCommand,
  svcInProcess,
  type SvcOptions,
} from "../../harness/svc.ts";

const ENV = { SVC_BASE_URL: "https://svc.example" };

function create(data: string, options: SvcOptions = {}): Promise<CommandResult> {
  return svc(["cases", "create", "--type", "T", "--dry-run", "--data", data], { env: ENV, ...options });
}

Deno.test("a payload comes inline, from a file or from standard input", async () => {
  const json = '{"Applicant":"Ada ✓ \u{1f600}","__proto__":{"a":1},"constructor":{"prototype":2}}';
  await using folder = await makeFolder({ "data.json": json, "bom.json": "\ufeff" + json, "a b/@-.json": json });
  const results = await Promise.all([
    create(json),
    create("@data.json", { cwd: folder.path }),
    create(`@${folder.path}/bom.json`),
    create("@a b/@-.json", { cwd: folder.path }),
    create("-", { stdin: json }),
    create("-", { stdin: "\ufeff" + json }),
  ]);
  for (const result of results) {
    const text = result.stdout.slice(result.stdout.indexOf("\n\n"));
    assert.deepEqual(JSON.parse(text), JSON.parse(`{"caseTypeID":"T","content":${json}}`));
    assert.ok(text.includes('"__proto__"'), "a member with a special name is a member like any other");
  }
});

Deno.test("a short flag takes its value as the next argument, attached, or after an equals sign", async () => {
  for (const given of [["-d", '{"a":"="}'], ['-d{"a":"="}'], ['-d={"a":"="}'], ["-d-"], ["-d=-"], ["-d", "-"]]) {
    const { stdout } = await svc(["data", "query", "D", "--dry-run", ...given], { env: ENV, stdin: '{"a":"="}' });
    assert.ok(stdout.endsWith('\n\n{\n  "a": "="\n}\n'), given.join(" "));
  }
  const empty = await svc(["attachments", "get", "A", "-o="], { env: ENV });
  assert.equal(parseErrorRecord(empty).message, "--output is an empty path.");
});

Deno.test("a payload is limited to 64 MiB", async () => {
  const limit = 64 * 1024 * 1024;
  await using folder = await makeFolder({ "whole.json": '{"a":1}', "more.json": '{"a":1}' });
  for (const [name, size] of [["whole.json", limit], ["more.json", limit + 1]] as const) {
    using file = await Deno.open(`${folder.path}/${name}`, { append: true });
    const spaces = new Uint8Array(1024 * 1024).fill(0x20);
    for (let rest = size - (await file.stat()).size; rest > 0;) rest -= await file.write(spaces.subarray(0, rest));
  }
  const whole = await create("@whole.json", { cwd: folder.path });
  assert.equal(whole.code, 0, whole.stderr);
  const more = await create("@more.json", { cwd: folder.path });
  assert.deepEqual([more.code, parseErrorRecord(more).code], [2, "INVALID_ARGS"]);
  assert.match(String(parseErrorRecord(more).message), /more\.json/);
});

Deno.test("two payloads cannot both read standard input", async () => {
  const args = ["cases", "perform-action", "C", "--action", "a", "--data", "-", "--page-instructions", "-"];
  const result = await svc(args, { env: ENV, stdin: "{}" });
  assert.equal(result.code, 2);
  assert.equal(parseErrorRecord(result).message, "--data and --page-instructions cannot both read standard input.");
});

Deno.test("the payload - at a terminal is an error with a hint, instead of waiting for input", async () => {
  const result = await svcInProcess(["cases", "create", "--type", "T", "--data", "-"], { terminal: true });
  assert.equal(result.code, 2);
  assert.equal(parseErrorRecord(result).message, "--data - reads standard input, which is the terminal.");
  assert.match(String(parseErrorRecord(result).hint), /^Pipe it in, or give --data @file\.$/);
});

Deno.test("an error for invalid JSON names flag, source, line and column", async () => {
  await using folder = await makeFolder({ "bad.json": '{\n  "a": 1,\n  "é": tru\n}\n', "empty.json": "" });
  const cwd = folder.path;
  const messages: [CommandResult, string][] = [
    [await create("{'a':1}"), `--data is not valid JSON: line 1, column 2 has "'".`],
    [await create('{"a":1'), "--data is not valid JSON: line 1, column 7 has the end."],
    [await create("@bad.json", { cwd }), '--data from bad.json is not valid JSON: line 3, column 8 has "t".'],
    [await create("@empty.json", { cwd }), "--data from empty.json is empty."],
    [await create("-", { stdin: "[1,]" }), '--data from standard input is not valid JSON: line 1, column 4 has "]".'],
    [await create("-"), "--data from standard input is empty."],
    [await create(""), "--data is empty."],
  ];
  for (const [result, message] of messages) {
    assert.equal(result.code, 2);
    assert.equal(parseErrorRecord(result).message, message);
    assert.equal(result.stdout, "");
  }
});

Deno.test("an error for an unreadable file names the file and the reason", async () => {
  await using folder = await makeFolder({ "file.json": "{}" });
  const cwd = folder.path;
  const latin1 = new Uint8Array([0x7b, 0x22, 0xe4, 0x22, 0x3a, 0x31, 0x7d]);
  await Deno.writeFile(`${cwd}/latin1.json`, latin1);
  const messages: [string, string][] = [
    ["@none.json", "--data cannot read none.json: there is no such file."],
    ["@.", "--data cannot read .: it is a directory."],
    ["@file.json/x", "--data cannot read file.json/x: part of the path is a file."],
    ["@", "--data @ names no file."],
    ["@latin1.json", "--data from latin1.json is not UTF-8 text."],
  ];
  for (const [data, message] of messages) {
    const result = await create(data, { cwd });
    assert.equal(result.code, 2);
    assert.equal(parseErrorRecord(result).message, message);
  }
  const result = await create("-", { stdin: latin1 });
  assert.equal(parseErrorRecord(result).message, "--data from standard input is not UTF-8 text.");
});

Deno.test({
  name: "other reasons why a file cannot be read are reported with the message of the system",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using folder = await makeFolder();
    const cwd = folder.path;
    await Deno.symlink("round", `${cwd}/round`);
    const long = `{"Applicant":"${"x".repeat(300)}"}`;
    const upload = ["attachments", "upload", "--dry-run", "-f"];
    const runs: [Promise<CommandResult>, string][] = [
      [create(`@${long}`, { cwd }), `--data cannot read ${long}: file name too long.`],
      [create("@round", { cwd }), "--data cannot read round: too many levels of symbolic links."],
      [svc([...upload, "round"], { env: ENV, cwd }), "--file cannot read round: too many levels of symbolic links."],
    ];
    for (const [run, message] of runs) {
      const result = await run;
      assert.deepEqual([result.code, parseErrorRecord(result).message], [2, message]);
    }
    const [deno = "", ...args] = svcCommand(["cases", "create", "--type", "T", "--data", "-"], cwd);
    const { code, stderr } = await new LimitedCommand("sh", {
      args: ["-c", 'exec "$0" "$@" < .', deno, ...args],
      env: { ...ENV, SVC_CONFIG_DIR: cwd },
      cwd,
    }).output();
    const { error } = JSON.parse(new TextDecoder().decode(stderr));
    assert.deepEqual([code, error.message], [2, "--data cannot read standard input: it is a directory."]);
  },
});

Deno.test("null is valid JSON, but not a valid payload", async () => {
  for (const [data, stdin] of [["null", ""], ["-", "null\n"]] as const) {
    const result = await create(data, { stdin });
    assert.deepEqual([result.code, parseErrorRecord(result).message], [2, "--data must be a JSON object."]);
  }
});

Deno.test("every number is sent with the digits that were typed", async () => {
  const numbers = [
    "12345678901234567890",
    "-9007199254740993",
    "1e400",
    "1E-400",
    "9007199254740993.5",
    "0.12345678901234567890",
    "1.10",
    "1e3",
    "-0",
    "0.1",
    "9007199254740991",
  ];
  const data = `{"list":[${numbers.join(",")}],"text":"1.10 12345678901234567890"}`;
  const { code, stdout, stderr } = await create(data);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal(
    stdout.slice(stdout.indexOf("\n\n")).replace(/\s/g, ""),
    `{"caseTypeID":"T","content":${data}}`.replace(/\s/g, ""),
  );
  await using service = startFakeService({ api: async (request) => new Response(await request.text()) });
  const sent = await callFakeService(service, `data create D --data ${data.replaceAll(" ", "")} --format compact`);
  assert.deepEqual([sent.code, sent.stdout], [0, `{"data":${data.replaceAll(" ", "")}}\n`]);
});

Deno.test("the nesting of a payload is limited to 1000 levels", async () => {
  const nest = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
  assert.equal((await create("-", { stdin: nest(1000) })).code, 0);
  const { code, stderr } = await create("-", { stdin: nest(1001) });
  const message = "--data from standard input nests objects and arrays more than 1000 levels deep.";
  assert.deepEqual([code, JSON.parse(stderr).error.message], [2, message]);
});
