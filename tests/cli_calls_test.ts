/** Whole calls: what reaches the service, stdout, stderr and the shell. */
import assert from "node:assert/strict";
import { answers, call, envOf } from "./_support/calls.ts";
import { type CliResult, errorOf, spawnSvc, svc, svcCommand } from "./_support/cli.ts";
import { heldAnswer } from "./_support/held_answer.ts";
import { CLIENT, startService } from "./_support/oauth.ts";
import { untilItSays } from "./_support/office.ts";
import { createClient } from "../lib/client/client.ts";
import { onFullDisk, unread } from "./_support/unwritten.ts";
import { makeFolder } from "./_support/workflow.ts";

const CONFIG = new URL("../deno.json", import.meta.url).pathname;

const CASE = { id: "C 1", type: "T", status: "Op\x1b[2Jen\u202e", urgency: 10, data: { caseInfo: {} } };
const SHOWN = JSON.stringify(CASE, null, 2).replace("\u202e", "\\u202e") + "\n";

Deno.test("an answer is printed as JSON on stdout, and nothing else is printed", async () => {
  await using service = answers(CASE);
  assert.deepEqual(await call(service, "cases get C"), { code: 0, stdout: SHOWN, stderr: "" });
});

Deno.test("identifier, status and entity tag are printed wherever the service gives them", async () => {
  const headers = { etag: '"tag 1"' };
  const caseInfo = { ID: "C-1", caseTypeID: "T", status: "Open", urgency: "10" };
  const shown = async (line: string, body: unknown) => {
    await using service = answers(body, { headers });
    const { stdout, stderr } = await call(service, `${line} --format compact`);
    assert.equal(stderr, "");
    return stdout.trimEnd();
  };
  const fields = "--fields id,type,status,urgency,etag";
  const found = JSON.stringify({ id: "C-1", type: "T", status: "Open", urgency: "10", etag: '"tag 1"' });
  assert.equal(await shown(`cases get C-1 ${fields}`, { data: { caseInfo } }), found);
  const whole = { id: "own", ID: "own", type: "own", status: "own", urgency: 1, etag: "own", data: { caseInfo } };
  assert.equal(await shown("cases get C-1", whole), JSON.stringify(whole));
  const two = {
    data: { caseInfo: { assignments: [{ ID: "A", canPerform: "false" }, { ID: "B", canPerform: "true" }] } },
  };
  assert.equal(await shown("assignments get A --fields id", two), '{"id":"A"}');
  assert.equal(await shown("assignments get-next --fields id", two), '{"id":"B"}');
  const list = { tagsList: [{ tagName: "a" }] };
  assert.equal(await shown("tags list C-1", list), JSON.stringify(list), "a list has no tag, and stays a table");
  const said = { id: "M-1", messageID: "M-1", response: "Yes" };
  const sending = "ai-agents send-message A --conversation C --request hi";
  assert.equal(await shown(sending, said), JSON.stringify(said), "the tag is that of the conversation");
  const caseType = { ID: "T", name: "Type" };
  assert.equal(await shown("case-types get T", { caseTypes: [caseType] }), JSON.stringify(caseType));
});

Deno.test("an empty answer prints nothing", async () => {
  await using service = startService({ api: () => new Response(null, { status: 204 }) });
  assert.deepEqual(await call(service, "cases delete C"), { code: 0, stdout: "", stderr: "" });
});

Deno.test("an empty answer where members are promised is refused, by a command and by the library", async () => {
  for (const headers of [{ "content-type": "application/json" }, undefined]) {
    await using service = startService({ api: () => new Response("", { headers }) });
    const library = createClient({ ...CLIENT, baseUrl: service.baseUrl, noCache: true });
    const created = library.cases.create({ type: "T" });
    await assert.rejects(created, { code: "INVALID_RESPONSE", outcomeUnknown: true });
    for (const line of ["cases create --type T", "case-types get T", "data count D", "data create D --data {}"]) {
      const result = await call(service, line);
      const { code, message } = errorOf(result);
      assert.deepEqual([result.code, result.stdout, code], [1, "", "INVALID_RESPONSE"], line);
      assert.match(String(message), /^The service's answer is empty \(/);
    }
  }
});

Deno.test("an empty answer about a case without ancestors is an object without members", async () => {
  await using service = startService({ api: () => new Response("") });
  assert.deepEqual(await call(service, "cases list-ancestors C"), { code: 0, stdout: "{}\n", stderr: "" });
  const library = createClient({ ...CLIENT, baseUrl: service.baseUrl, noCache: true });
  assert.deepEqual(await library.cases.listAncestors("C"), {});
});

Deno.test("identifiers and values reach the service as they were written", async () => {
  const seen: unknown[] = [];
  await using service = startService({
    api: async (request) => {
      const { pathname } = new URL(request.url);
      const segments = pathname.split("/").map(decodeURIComponent);
      seen.push(request.method, segments.slice(3), request.headers.get("if-match"), await request.json());
      return Response.json(CASE);
    },
  });
  const id = "ASSIGN A/B C-1!Ü%#?&日";
  const args = ["assignments", "perform", id, "--action", "Do it", "--data", '{"a":" "}', "--if-match", '"t 1"'];
  assert.equal((await svc(args, { env: envOf(service) })).code, 0);
  assert.deepEqual(seen, ["PATCH", ["assignments", id, "actions", "Do it"], '"t 1"', { content: { a: " " } }]);
});

Deno.test("a proxy that the environment names is used, without a permission for it", async () => {
  await using service = answers(CASE);
  const passed: string[] = [];
  await using proxy = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async ({ method, url, headers, body }) => {
      passed.push(`${method} ${new URL(url).pathname}`);
      return await fetch(url, { method, headers, body });
    },
  );
  await using folder = await makeFolder();
  const HTTP_PROXY = `http://127.0.0.1:${proxy.addr.port}`;
  const viaProxy = async (env: Record<string, string>) => {
    const line = svcCommand(["cases", "stage-next", "C", "--if-match", "t", "--no-cache"], folder.path);
    const [command = "", ...args] = line.map((arg) =>
      arg === "--allow-net" ? `${arg}=${new URL(service.baseUrl).host}` : arg
    );
    const { code, stderr } = await new Deno.Command(command, {
      args,
      env: { NO_PROXY: "", no_proxy: "", ...envOf(service), ...env },
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    return passed.splice(0);
  };
  assert.deepEqual(await viaProxy({ HTTP_PROXY }), ["POST /oauth2/token", "POST /dx-api/v2/cases/C/stages/next"]);
  assert.deepEqual(await viaProxy({ HTTP_PROXY, NO_PROXY: "127.0.0.1" }), []);
});

Deno.test("a table leaves out nested members and says so on stderr, unless --quiet", async () => {
  await using service = answers(CASE);
  const stdout = "id   type  status               urgency\nC 1  T     Op\\u001b[2Jen\\u202e       10\n";
  const stderr = "Left out, because they are nested: data.\n";
  assert.deepEqual(await call(service, "cases get C --format table"), { code: 0, stdout, stderr });
  assert.deepEqual(await call(service, "cases get C --format table --quiet"), { code: 0, stdout, stderr: "" });
});

Deno.test("--verbose shows each exchange in two lines, the token's without its credentials", async () => {
  await using service = answers(CASE);
  const { code, stdout, stderr } = await call(service, "--verbose cases get C");
  assert.equal(code, 0);
  assert.equal(stdout, SHOWN);
  const [exchange = "", line = "", response = "", ...rest] = stderr.split("\n");
  assert.match(exchange, /^\[HTTP\] POST \/oauth2\/token 200 OK \(\d+ms\)$/);
  assert.match(line, /^\[HTTP\] GET \/dx-api\/v2\/cases\/C 200 OK \(\d+ms\)$/);
  assert.equal(response, `[HTTP] Response: ${JSON.stringify(CASE).replace("\u202e", "\\u202e")}`);
  assert.deepEqual(rest, [""]);
  for (const secret of [CLIENT.clientSecret, ...service.issued]) assert.equal(stderr.includes(secret), false);
});

Deno.test("--verbose and --dry-run name the path that is sent, also below a base URL with a path", async () => {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { pathname, search } = new URL(request.url);
    const isToken = pathname === "/below/oauth2/token";
    return Response.json(isToken ? { access_token: "t", token_type: "Bearer" } : { sent: pathname + search });
  });
  const baseUrl = `http://127.0.0.1:${server.addr.port}/below/`;
  const { stdout, stderr } = await call({ baseUrl }, "data list-pages --verbose");
  const { sent } = JSON.parse(stdout);
  assert.equal(sent, "/below/dx-api/v2/data_pages?type=all");
  assert.ok(stderr.includes(`[HTTP] GET ${sent} 200 OK (`), stderr);
  assert.ok((await call({ baseUrl }, "data list-pages --dry-run")).stdout.startsWith(`GET ${sent}\n`));
  await server.shutdown();
});

Deno.test("--verbose shows an answer that is no JSON on one line, escaped", async () => {
  await using service = startService({ api: () => new Response("<b>\r\n\x1b]0;evil\x07</b>", { status: 502 }) });
  const { code, stderr } = await call(service, "cases get C --verbose");
  assert.equal(code, 1);
  assert.ok(stderr.includes("\n[HTTP] Response: <b>\\r\\n\\u001b]0;evil\\u0007</b>\n"), stderr);
});

Deno.test("a refusal is one JSON object on stderr, escaped, with the service's words", async () => {
  const body = {
    errorClassification: "Validation fail",
    localizedValue: "Bad\x9b31m",
    errorDetails: [{ message: "Error_Validation_Fail", erroneousInputOutputFieldInPage: ".A" }],
  };
  await using service = answers(body, { status: 422, headers: { "x-request-id": "r-1" } });
  const result = await call(service, "cases create --type T");
  assert.equal(result.code, 1);
  assert.equal(result.stdout, "");
  assert.ok(result.stderr.includes("Bad\\u009b31m"));
  assert.deepEqual(errorOf(result), {
    code: "VALIDATION_FAIL",
    message: "Bad\x9b31m",
    status: 422,
    classification: "Validation fail",
    details: body.errorDetails,
    operation: "cases.create",
    requestId: "r-1",
  });
});

Deno.test("an answer that is no JSON, or is cut off, is an error of the operation, and nothing is printed", async () => {
  for (const text of ["<html>", '{"id":"C-1",']) {
    await using service = startService({ api: () => new Response(text) });
    const result = await call(service, "cases get C");
    assert.deepEqual([result.code, result.stdout], [1, ""]);
    const { code, operation } = errorOf(result);
    assert.deepEqual([code, operation], ["INVALID_RESPONSE", "cases.get"]);
  }
});

const IT_MAY_BE_DONE = "It may be done: read before you repeat it.";

Deno.test("the read of a record's entity tag names what may be a key, and no long text", async () => {
  const seen: (string | null)[] = [];
  await using service = startService({
    api: ({ url, method }) => {
      if (method === "GET") seen.push(new URL(url).searchParams.get("dataViewParameters"));
      return Response.json({ data: {} }, { headers: { etag: "1" } });
    },
  });
  const library = createClient({ ...CLIENT, baseUrl: service.baseUrl, noCache: true });
  const data = { ID: "D-1", Number: 7, Body: "x".repeat(60_000), Parts: [] };
  await library.data.update("D_Docs", { data });
  assert.deepEqual(seen, ['{"ID":"D-1","Number":7}']);
});

Deno.test("an error of the first DX API is told in its own words", async () => {
  const errors = [{ ID: "Pega_API_023", message: "There is no such case." }];
  await using service = answers({ pxObjClass: "Pega-API", errors }, { status: 404 });
  const { message, details } = errorOf(await call(service, "cases get C-1"));
  assert.deepEqual([message, details], ["There is no such case.", errors]);
});

Deno.test("what the service does not know names the arguments to check, where it is the service that says so", async () => {
  const missing = { errorClassification: "Resource not found", localizedValue: "The resource cannot be found." };
  const hintFor = async (line: string, body: unknown) => {
    await using service = answers(body, { status: 404 });
    const { code, hint } = errorOf(await call(service, line));
    assert.equal(code, "NOT_FOUND");
    return hint;
  };
  assert.equal(await hintFor("cases get C-1", missing), "Check caseId (case handle, e.g. 'ACME-WORK C-1').");
  assert.equal(
    await hintFor("assignments get-action A --action B", missing),
    "Check assignmentId (assignment handle, e.g. 'ASSIGN-WORKLIST ACME-WORK C-1!INTAKE') and --action (action ID).",
  );
  assert.equal(
    await hintFor("case-types list-bulk-actions T", missing),
    "Only the hosted deployment variant serves it. Check caseTypeId (case type ID, e.g. City-Permit-Work-Permit).",
  );
  assert.equal(
    await hintFor("cases create --type T", missing),
    "Check --type (case type ID).",
  );
  assert.equal(await hintFor("assignments get-next", missing), undefined);
  await using gateway = startService({ api: () => new Response("<p>no such page</p>", { status: 404 }) });
  assert.equal(errorOf(await call(gateway, "cases get C-1")).hint, undefined);
});

Deno.test("a redirect names the base URL to set, where the address is the same request elsewhere", async () => {
  const wrong = "the base URL may be wrong, or a login page stands before the service.";
  const hints = {
    "https://new.example/v8/dx-api/v2/cases/C%201": "set the base URL to https://new.example/v8.",
    "https://new.example/dx-api/v2/cases/C%201/": wrong,
    "https://login.example/?to=/dx-api/v2/cases/C%201": wrong,
  };
  for (const [location, hint] of Object.entries(hints)) {
    await using service = startService({ api: () => new Response(null, { status: 302, headers: { location } }) });
    const result = await svc(["cases", "get", "C 1"], { env: envOf(service) });
    assert.equal(errorOf(result).hint, `It redirects to ${location}: ${hint}`);
  }
  await using service = startService({
    api: () => new Response(null, { status: 302, headers: { location: "/login" } }),
  });
  const { hint } = errorOf(await call(service, "cases get C"));
  assert.equal(hint, `It redirects to ${service.baseUrl}/login: ${wrong}`);
});

Deno.test("who is told when to come back passes it on, also of a service that is down", async () => {
  const wait = "Wait 7 seconds, then try again.";
  for (const [status, retryAfter, hint] of [[429, "7", wait], [503, "7", wait], [503, undefined, IT_MAY_BE_DONE]]) {
    const headers: HeadersInit = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
    await using service = answers({}, { status: Number(status), headers });
    assert.equal(errorOf(await call(service, "cases create --type T")).hint, hint);
  }
});

Deno.test("a number that cannot be printed as it came is named, and --verbose shows it", async () => {
  await using service = startService({ api: () => new Response('{"id":"C",\n"account":12345678901234567890}') });
  const { code, stdout, stderr } = await call(service, "cases get C --verbose");
  assert.equal(code, 0);
  assert.match(stdout, /"account": 12345678901234567000/);
  assert.match(stderr, /^\[HTTP\] Response: \{"id":"C",\\n"account":12345678901234567890\}$/m);
  const warning = "Warning: the answer has the number 12345678901234567890, which JSON numbers do not hold exactly: " +
    "another one is printed. --verbose shows it.\n";
  assert.equal((await call(service, "cases get C")).stderr, warning);
  assert.equal((await call(service, "cases get C --quiet")).stderr, "");
  await using naming = startService({ api: () => new Response("12345678901234567890") });
  const created = await call(naming, "ui-lists create-personalization L --name n");
  assert.deepEqual(created, { code: 0, stdout: '"12345678901234567890"\n', stderr: "" });
});

Deno.test("what a service says where nothing is promised is printed too", async () => {
  for (const [said, printed] of [['{"deleted":1}', '{"deleted":1}\n'], ["Deleted", '"Deleted"\n'], [" \n", ""]]) {
    await using service = startService({ api: () => new Response(said) });
    const result = await call(service, "cases delete C --format compact");
    assert.deepEqual(result, { code: 0, stdout: printed, stderr: "" });
    const svc = createClient({ ...CLIENT, baseUrl: service.baseUrl, noCache: true });
    assert.equal(await svc.cases.delete("C"), undefined);
  }
});

Deno.test("a web page is no answer, also where none is promised or a text", async () => {
  const page = "<!DOCTYPE html><title>Log in</title>";
  const headers = { "content-type": "text/html; charset=utf-8" };
  await using service = startService({ api: () => new Response(page, { headers }) });
  for (const line of ["cases delete C", "social like-message M"]) {
    const result = await call(service, line);
    assert.deepEqual([result.code, result.stdout], [1, ""], line);
    const { code, message } = errorOf(result);
    assert.deepEqual([code, message], [
      "INVALID_RESPONSE",
      `The service's answer is a web page (text/html; charset=utf-8, ${page.length} characters).`,
    ]);
  }
  await using plain = startService({ api: () => new Response("Liked", { headers }) });
  assert.equal((await call(plain, "social like-message M")).stdout, '"Liked"\n');
});

Deno.test("an answer that is nested too deep to be laid out is said to be, and compact prints it", async () => {
  const text = `{"data":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  await using service = startService({ api: () => new Response(text) });
  for (const format of ["json", "yaml"]) {
    const result = await call(service, `cases get C --format ${format}`);
    assert.deepEqual([result.code, result.stdout], [1, ""]);
    assert.deepEqual(errorOf(result), {
      code: "INVALID_RESPONSE",
      message: `The answer is nested too deep to be printed as ${format}.`,
      operation: "cases.get",
      hint: "--format compact prints it.",
    });
  }
  const compact = await call(service, "cases get C --format compact");
  assert.deepEqual([compact.code, compact.stdout], [0, text + "\n"]);
});

Deno.test("--quiet never hides an error", async () => {
  await using service = answers({ localizedValue: "Gone" }, { status: 404 });
  assert.equal(errorOf(await call(service, "cases get C --quiet")).code, "NOT_FOUND");
});

Deno.test("exit codes tell failures apart: 1 service or network, 2 arguments or configuration, 4 not authenticated", async () => {
  await using service = startService({ api: () => Response.json({}, { status: 500 }) });
  const gone = await (async () => {
    await using stopped = answers({});
    return { baseUrl: stopped.baseUrl };
  })();
  const expected: [Promise<CliResult>, number, string][] = [
    [call(service, "cases get C"), 1, "INTERNAL_SERVER_ERROR"],
    [call(gone, "cases get C"), 1, "NETWORK_ERROR"],
    [call(service, "cases get"), 2, "INVALID_ARGS"],
    [svc(["cases", "get", "C"]), 2, "INVALID_CONFIG"],
    [call(service, "cases get C", { env: { SVC_CLIENT_SECRET: "wrong" } }), 4, "UNAUTHORIZED"],
  ];
  for (const [result, code, name] of expected) {
    assert.equal((await result).code, code);
    assert.equal(errorOf(await result).code, name);
  }
});

Deno.test("a reader that has seen enough ends svc quietly", async () => {
  await using service = answers({ rows: "x".repeat(10_000_000) });
  await using folder = await makeFolder();
  const process = spawnSvc(["cases", "list-stages", "C"], { env: { ...envOf(service), SVC_CONFIG_DIR: folder.path } });
  await process.stdin.close();
  const reader = process.stdout.getReader();
  await reader.read();
  await reader.cancel();
  const [{ code }, stderr] = await Promise.all([process.status, new Response(process.stderr).text()]);
  assert.deepEqual([code, stderr], [0, ""]);
});

Deno.test({
  name: "a program that has run a command line has Ctrl-C to itself again",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using service = answers({ caseTypes: [] });
    const code = `import { main } from ${JSON.stringify(new URL("../cli.ts", import.meta.url).href)};
      await main(["case-types", "list"]);
      setInterval(() => {}, 1000);
      console.error("ready");`;
    await using folder = await makeFolder({ "program.ts": code });
    const args = ["run", "--quiet", "--allow-all", "--config", CONFIG, `${folder.path}/program.ts`];
    const env = { ...envOf(service), SVC_NO_CACHE: "true" };
    const process = new Deno.Command(Deno.execPath(), { args, env, stdout: "null", stderr: "piped" }).spawn();
    const { rest } = await untilItSays(process, "ready");
    process.kill("SIGINT");
    assert.equal((await process.status).signal, "SIGINT");
    await rest;
  },
});

Deno.test("a change whose answer is lost says that it may be done, before anything else that can be tried", async () => {
  await using service = startService({ api: () => new Response("", { status: 502 }) });
  const { hint } = errorOf(await svc(["cases", "create", "--type", "T"], { env: envOf(service) }));
  assert.ok(String(hint).startsWith(IT_MAY_BE_DONE), String(hint));
  const json = { headers: { "content-type": "application/json" } };
  for (const spoiled of ["", '{"id"']) {
    await using proxy = startService({ api: () => new Response(spoiled, json) });
    const { code, hint } = errorOf(await svc(["cases", "create", "--type", "T"], { env: envOf(proxy) }));
    assert.deepEqual([code, String(hint).startsWith(IT_MAY_BE_DONE)], ["INVALID_RESPONSE", true]);
  }
  const read = errorOf(await svc(["cases", "get", "C"], { env: envOf(service) }));
  assert.ok(!String(read.hint).includes("may be done"), String(read.hint));
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.test({
    name: `${signal} aborts the call in flight, which is said, and ends with 130`,
    ignore: Deno.build.os === "windows",
    async fn() {
      for (const [line, hint] of [["cases get C", undefined], ["cases create --type T", IT_MAY_BE_DONE]] as const) {
        const held = heldAnswer();
        await using service = startService({ api: held.answer });
        await using folder = await makeFolder();
        const env = { ...envOf(service), SVC_CONFIG_DIR: folder.path };
        const process = spawnSvc(line.split(" "), { env });
        await process.stdin.close();
        await held.asked;
        process.kill(signal);
        const { code, stdout, stderr } = await process.output();
        held.give(Response.json({}));
        const error = errorOf({ code, stdout: "", stderr: new TextDecoder().decode(stderr) });
        assert.deepEqual([code, stdout.length, error.code, error.hint], [130, 0, "INTERRUPTED", hint]);
        assert.equal(error.operation, line.split(" ", 2).join("."));
      }
    },
  });
}

Deno.test("a call is made and answered although nobody reads what is said about it", async () => {
  await using service = answers(CASE);
  assert.deepEqual(await unread(service, "stderr", "cases get C --verbose"), [SHOWN, 0]);
});

Deno.test({
  name: "an output that cannot be written is no defect of svc",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using service = answers(CASE);
    for (const line of ["cases get C", "--help", "--version"]) {
      const result = await onFullDisk(service, line);
      const { message } = errorOf(result);
      assert.deepEqual([result.code, message], [2, "Standard output cannot be written: No space left on device."]);
    }
  },
});
