/** Responses of the service: empty, failed, invalid, or impossible to print. */
import assert from "node:assert/strict";
import { createClient } from "../../lib/client/client.ts";
import {
  CLIENT,
  clientEnvironment,
  OUTCOME_UNKNOWN_HINT,
  startAnswering,
  startFakeService,
} from "../harness/fake_service.ts";
import { prepareCommandLines } from "../harness/command_process.ts";
import { type CommandResult, parseErrorRecord } from "../harness/svc.ts";

const runCommandLine = prepareCommandLines();

function callFakeService(service: { readonly baseUrl: string }, line: string): Promise<CommandResult> {
  return runCommandLine(line.split(" "), { env: clientEnvironment(service) });
}

Deno.test("an empty response prints nothing", async () => {
  await using service = startFakeService({ api: () => new Response(null, { status: 204 }) });
  assert.deepEqual(await callFakeService(service, "cases delete C"), { code: 0, stdout: "", stderr: "" });
});

Deno.test("a change that succeeds without a body prints nothing, and its answer has no members", async () => {
  let status = 200;
  await using service = startFakeService({
    api: ({ method }) => new Response(null, { status, headers: method === "GET" ? { etag: "1" } : {} }),
  });
  const lines = [
    "cases stage-next C",
    "cases stage-go C --stage S",
    "cases perform-action C --action A",
    "assignments save A --action A",
    "tags add C --tag T",
    "data update D --data {}",
    "data create D --data {}",
    "participants add C --role R --data {}",
    "attachments patch A --name N",
    "ui-lists move V --source-id 1 --destination-id 2 --context C --list-class L",
    "cases bulk-perform --cases C --action A",
  ];
  const library = createClient({ ...CLIENT, baseUrl: service.baseUrl, noCache: true });
  for (status of [200, 201, 204]) {
    for (const line of lines) {
      assert.deepEqual(await callFakeService(service, line), { code: 0, stdout: "", stderr: "" }, `${status} ${line}`);
    }
    const { data, response } = await library.cases.stageNext("C").withResponse();
    assert.deepEqual([data, response.status], [{}, status]);
    assert.deepEqual(await library.tags.add("C", { tag: ["T"] }), []);
    await assert.rejects(library.cases.get("C"), { code: "INVALID_RESPONSE" });
    await assert.rejects(library.cases.create({ type: "T" }), { code: "INVALID_RESPONSE", outcomeUnknown: true });
  }
});

Deno.test("a command that creates takes no entity tag", async () => {
  const result = await runCommandLine(["cases", "create", "--type", "T", "--if-match", "1"], {
    env: { SVC_BASE_URL: "https://svc.example" },
  });
  assert.equal(result.code, 2);
  assert.match(String(parseErrorRecord(result).message), /--if-match/);
});

Deno.test("an empty response without its required members is an error, in a command and in the library", async () => {
  for (const headers of [{ "content-type": "application/json" }, undefined]) {
    await using service = startFakeService({ api: () => new Response("", { headers }) });
    const library = createClient({ ...CLIENT, baseUrl: service.baseUrl, noCache: true });
    const created = library.cases.create({ type: "T" });
    await assert.rejects(created, { code: "INVALID_RESPONSE", outcomeUnknown: true });
    for (const line of ["cases create --type T", "case-types get T", "data count D"]) {
      const result = await callFakeService(service, line);
      const { code, message } = parseErrorRecord(result);
      assert.deepEqual([result.code, result.stdout, code], [1, "", "INVALID_RESPONSE"], line);
      assert.match(String(message), /^The response of the service is empty \(/);
    }
  }
});

Deno.test("an empty response of a list without entries is an empty object", async () => {
  await using service = startFakeService({ api: () => new Response("") });
  const lines = [
    "cases list-ancestors C",
    "cases list-attachment-categories C",
    "cases bulk-actions --cases C",
    "case-types list-bulk-actions T",
    "data query-view D --view V",
    "data list-actions D",
    "data list-objects",
    "data list-pages",
    "tags list C",
    "followers list C",
    "attachments list C",
    "participants list C",
    "related list C",
  ];
  for (const line of lines) {
    assert.deepEqual(await callFakeService(service, line), { code: 0, stdout: "{}\n", stderr: "" }, line);
  }
  const library = createClient({ ...CLIENT, baseUrl: service.baseUrl, noCache: true });
  assert.deepEqual(await library.cases.listAncestors("C"), {});
  assert.deepEqual(await library.tags.list("C"), { tagsList: [] });
});

Deno.test("a list whose container has another name is printed as it is, and its failed elements are found", async () => {
  const body = { outcomes: [{ ID: "C", status: "409" }, { ID: "D", status: 200 }], count: 2 };
  await using service = startAnswering(body, { status: 207 });
  const result = await callFakeService(service, "cases bulk-perform --cases C,D --action A --format compact");
  assert.deepEqual([result.code, JSON.parse(result.stdout)], [1, body]);
  const { code, details } = parseErrorRecord(result);
  assert.deepEqual([code, details], ["BULK_PARTIAL_FAILURE", [body.outcomes[0]]]);
  await using types = startAnswering({ types: [{ ID: "T", name: "Type" }] });
  assert.equal(
    (await callFakeService(types, "case-types get T --fields name --format compact")).stdout,
    '{"name":"Type"}\n',
  );
});

Deno.test("an error of the service is one escaped JSON object on stderr, with the message of the service", async () => {
  const body = {
    errorClassification: "Validation fail",
    localizedValue: "Bad\x9b31m",
    errorDetails: [{ message: "Error_Validation_Fail", erroneousInputOutputFieldInPage: ".A" }],
  };
  await using service = startAnswering(body, { status: 422, headers: { "x-request-id": "r-1" } });
  const result = await callFakeService(service, "cases create --type T");
  assert.equal(result.code, 1);
  assert.equal(result.stdout, "");
  assert.ok(result.stderr.includes("Bad\\u009b31m"));
  assert.deepEqual(parseErrorRecord(result), {
    code: "VALIDATION_FAIL",
    message: "Bad\x9b31m",
    status: 422,
    classification: "Validation fail",
    details: body.errorDetails,
    operation: "cases.create",
    requestId: "r-1",
  });
});

Deno.test("an invalid or incomplete response is an error of the operation, and nothing is printed", async () => {
  for (const text of ["<html>", '{"id":"C-1",']) {
    await using service = startFakeService({ api: () => new Response(text) });
    const result = await callFakeService(service, "cases get C");
    assert.deepEqual([result.code, result.stdout], [1, ""]);
    const { code, operation } = parseErrorRecord(result);
    assert.deepEqual([code, operation], ["INVALID_RESPONSE", "cases.get"]);
  }
});

Deno.test("an error of the first DX API keeps its message", async () => {
  const errors = [{ ID: "Pega_API_023", message: "There is no such case." }];
  await using service = startAnswering({ pxObjClass: "Pega-API", errors }, { status: 404 });
  const { message, details } = parseErrorRecord(await callFakeService(service, "cases get C-1"));
  assert.deepEqual([message, details], ["There is no such case.", errors]);
});

Deno.test("a 404 of the service names the arguments to check", async () => {
  const missing = { errorClassification: "Resource not found", localizedValue: "The resource cannot be found." };
  const hintFor = async (line: string, body: unknown) => {
    await using service = startAnswering(body, { status: 404 });
    const { code, hint } = parseErrorRecord(await callFakeService(service, line));
    assert.equal(code, "NOT_FOUND");
    return hint;
  };
  assert.equal(await hintFor("cases get C", missing), "Check caseId (case handle, e.g. 'ACME-WORK C-1').");
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
  for (
    const [line, flag] of [
      [`data get D --params {"ID":1}`, "--params (parameters of the data view)"],
      [`data delete D --params {"ID":1}`, "--params (key fields of the record)"],
      [`data patch D --data {"ID":1} --if-match t`, "--data (record: a JSON object)"],
    ]
  ) {
    assert.equal(await hintFor(line ?? "", missing), `Check dataViewId (data view ID, e.g. D_Permits) and ${flag}.`);
  }
  assert.equal(await hintFor("assignments get-next", missing), undefined);
  await using gateway = startFakeService({ api: () => new Response("<p>no such page</p>", { status: 404 }) });
  assert.equal(parseErrorRecord(await callFakeService(gateway, "cases get C-1")).hint, undefined);
});

Deno.test("a redirect to the same path on another host names the base URL to set", async () => {
  const wrong = "the base URL may be wrong, or a login page may be in front of the service.";
  const hints = {
    "https://new.example/v8/dx-api/v2/cases/C%201": "set the base URL to https://new.example/v8.",
    "https://new.example/dx-api/v2/cases/C%201/": wrong,
    "https://login.example/?to=/dx-api/v2/cases/C%201": wrong,
  };
  for (const [location, hint] of Object.entries(hints)) {
    await using service = startFakeService({ api: () => new Response(null, { status: 302, headers: { location } }) });
    const result = await runCommandLine(["cases", "get", "C 1"], { env: clientEnvironment(service) });
    assert.equal(parseErrorRecord(result).hint, `It redirects to ${location}: ${hint}`);
  }
  await using service = startFakeService({
    api: () => new Response(null, { status: 302, headers: { location: "/login" } }),
  });
  const { hint } = parseErrorRecord(await callFakeService(service, "cases get C"));
  assert.equal(hint, `It redirects to ${service.baseUrl}/login: ${wrong}`);
});

Deno.test("an error reports Retry-After, also for an unavailable service", async () => {
  const wait = "Wait 7 seconds, then try again.";
  for (
    const [status, retryAfter, hint] of [[429, "7", wait], [503, "7", wait], [503, undefined, OUTCOME_UNKNOWN_HINT]]
  ) {
    const headers: HeadersInit = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
    await using service = startAnswering({}, { status: Number(status), headers });
    assert.equal(parseErrorRecord(await callFakeService(service, "cases create --type T")).hint, hint);
  }
});

Deno.test("every format prints the digits of numbers as they came", async () => {
  const text =
    '{"id":"C",\n"account":12345678901234567890,"fee":1.10,"rate":0.12345678901234567890123,"huge":1e400,"zero":-0}';
  await using service = startFakeService({ api: () => new Response(text) });
  const print = async (options: string) => {
    const { code, stdout, stderr } = await callFakeService(service, `cases get C --format ${options}`);
    assert.deepEqual([code, stderr], [0, ""], options);
    return stdout;
  };
  assert.equal(await print("compact"), text.replace("\n", "") + "\n");
  assert.equal((await print("json")).replace(/\s/g, ""), text.replace("\n", ""));
  assert.equal(
    await print("yaml"),
    "id: C\naccount: 12345678901234567890\nfee: 1.10\nrate: 0.12345678901234567890123\nhuge: 1.0e+400\nzero: -0\n",
  );
  assert.match(
    await print("table"),
    /^C +12345678901234567890 +1\.10 +0\.12345678901234567890123 +1e400 +-0$/m,
  );
  assert.equal(
    await print("compact --fields huge,account --quiet"),
    '{"huge":1e400,"account":12345678901234567890}\n',
  );
  const { stderr } = await callFakeService(service, "cases get C --verbose");
  assert.ok(stderr.includes(`[HTTP] Response: ${text.replace("\n", "")}\n`), stderr);
  await using naming = startFakeService({ api: () => new Response("12345678901234567890") });
  const created = await callFakeService(naming, "ui-lists create-personalization L --name n");
  assert.deepEqual(created, { code: 0, stdout: '"12345678901234567890"\n', stderr: "" });
});

Deno.test("an unexpected response body is printed too", async () => {
  for (const [said, printed] of [['{"deleted":1}', '{"deleted":1}\n'], ["Deleted", '"Deleted"\n'], [" \n", ""]]) {
    await using service = startFakeService({ api: () => new Response(said) });
    const result = await callFakeService(service, "cases delete C --format compact");
    assert.deepEqual(result, { code: 0, stdout: printed, stderr: "" });
    const svc = createClient({ ...CLIENT, baseUrl: service.baseUrl, noCache: true });
    assert.equal(await svc.cases.delete("C"), undefined);
  }
});

Deno.test("a web page is not a valid response, even if no body or a text is expected", async () => {
  const page = "<!DOCTYPE html><title>Log in</title>";
  const headers = { "content-type": "text/html; charset=utf-8" };
  await using service = startFakeService({ api: () => new Response(page, { headers }) });
  for (const line of ["cases delete C", "social like-message M"]) {
    const result = await callFakeService(service, line);
    assert.deepEqual([result.code, result.stdout], [1, ""], line);
    const { code, message } = parseErrorRecord(result);
    assert.deepEqual([code, message], [
      "INVALID_RESPONSE",
      `The response of the service is a web page (text/html; charset=utf-8, ${page.length} characters).`,
    ]);
  }
  await using plain = startFakeService({ api: () => new Response("Liked", { headers }) });
  assert.equal((await callFakeService(plain, "social like-message M")).stdout, '"Liked"\n');
});

Deno.test("the nesting of a response is limited before it is parsed, in a command and in the library", async () => {
  const text = "[".repeat(1_000_000); // Parsed, it would be a syntax error at its end.
  await using service = startFakeService({ api: () => new Response(text) });
  const message = "The response of the service is nested more than 1000 levels deep " +
    "(text/plain;charset=UTF-8, 1000000 characters).";
  const result = await callFakeService(service, "cases get C --format compact");
  const { code, message: printed } = parseErrorRecord(result);
  assert.deepEqual([result.code, result.stdout, code, printed], [1, "", "INVALID_RESPONSE", message]);
  const library = createClient({ ...CLIENT, baseUrl: service.baseUrl, noCache: true });
  await assert.rejects(library.data.query("D"), { code: "INVALID_RESPONSE", message: `data.query("D"): ${message}` });
});

Deno.test("a result whose indentation would not fit into memory is an error, and compact prints it", async () => {
  const group = "[".repeat(900) + "]".repeat(900);
  const text = `{"data":[${Array(500).fill(group)}]}`;
  await using service = startFakeService({ api: () => new Response(text) });
  for (const format of ["json", "table"]) {
    const result = await callFakeService(service, `cases get C --format ${format}`);
    assert.deepEqual([result.code, result.stdout], [1, ""]);
    assert.deepEqual(parseErrorRecord(result), {
      code: "INVALID_RESPONSE",
      message: "The result is too deeply nested and too long to be printed as json.",
      operation: "cases.get",
      hint: "Use --format compact.",
    });
  }
  const compact = await callFakeService(service, "cases get C --format compact");
  assert.deepEqual([compact.code, compact.stdout], [0, text + "\n"]);
});

Deno.test("a change without a valid response warns first that it may have been applied", async () => {
  await using service = startFakeService({ api: () => new Response("", { status: 502 }) });
  const { hint } = parseErrorRecord(
    await runCommandLine(["cases", "create", "--type", "T"], { env: clientEnvironment(service) }),
  );
  assert.ok(String(hint).startsWith(OUTCOME_UNKNOWN_HINT), String(hint));
  const json = { headers: { "content-type": "application/json" } };
  for (const text of ["", '{"id"']) {
    await using proxy = startFakeService({ api: () => new Response(text, json) });
    const { code, hint } = parseErrorRecord(
      await runCommandLine(["cases", "create", "--type", "T"], { env: clientEnvironment(proxy) }),
    );
    assert.deepEqual([code, String(hint).startsWith(OUTCOME_UNKNOWN_HINT)], ["INVALID_RESPONSE", true]);
  }
  const read = parseErrorRecord(await runCommandLine(["cases", "get", "C"], { env: clientEnvironment(service) }));
  assert.ok(!String(read.hint).includes("may have been applied"), String(read.hint));
});
