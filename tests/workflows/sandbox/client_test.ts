/** The `svc` of a script, which does not know the operations and passes every call to the host. */
import assert from "node:assert/strict";
import { createClient } from "../../../lib/client/client.ts";
import { ExactNumber } from "../../../utils/exact_number.ts";
import { type ErrorAttempt, SvcError } from "../../../lib/errors.ts";
import { makeFolder, runCommand } from "../../harness/svc.ts";
import { createCaseBody, runInSandbox, runText, scriptText, TinyApi, workflowCommand } from "../../harness/workflow.ts";

Deno.test("svc is not a promise and lists no members, and an unknown member is rejected with a suggestion", async () => {
  await using api = new TinyApi();
  const body = `await svc; await svc.cases;
    const seen = [Object.keys(svc), JSON.stringify(svc.cases), svc.cases === svc.cases, String(svc.cases), \`\${Deno.inspect(svc)}\`];
    for (const act of [() => svc.cases.gett("C-1"), () => svc.case.get("C-1"), () => svc.cases.get(), () => svc.cases.get("C", { fast: 1 })]) {
      seen.push(await act().catch(({ code, message, hint }) => [code, message, hint]));
    }
    return seen;`;
  const { result, error } = await runText(scriptText(body), { caller: api.caller });
  assert.equal(error, undefined);
  const help = "'svc --help' lists the operations.";
  assert.deepEqual(result, [
    [],
    "{}",
    true,
    "[object Object]",
    "{}",
    ["INVALID_ARGS", 'There is no operation "cases.gett".', `Did you mean cases.get? ${help}`],
    ["INVALID_ARGS", 'There is no operation "case.get".', `Did you mean cases.get? ${help}`],
    ["INVALID_ARGS", "caseId is required.", "It is the case handle, e.g. 'ACME-WORK C-1'."],
    ["INVALID_ARGS", "--fast is not an option of this operation.", null],
  ]);
  assert.deepEqual(api.received, []);
});

Deno.test("a script and a program get the requested one of two open assignments of a case", async () => {
  const assignments = [{ ID: "A", canPerform: "false" }, { ID: "B", canPerform: "true" }, { ID: "C" }];
  await using api = new TinyApi(() => Response.json({ data: { caseInfo: { assignments } } }));
  const body = `const answers = [svc.assignments.get("A"), svc.assignments.get("C"), svc.assignments.getNext()];
    return (await Promise.all(answers)).map(({ id }) => id);`;
  const { result, error } = await runText(scriptText(body), { caller: api.caller });
  assert.deepEqual([result, error], [["A", "C", "B"], undefined]);
  const library = createClient({ baseUrl: api.baseUrl, clientId: "id", clientSecret: "secret", noCache: true });
  const answers = [library.assignments.get("A"), library.assignments.get("C"), library.assignments.getNext()];
  assert.deepEqual((await Promise.all(answers)).map(({ id }) => id), ["A", "C", "B"]);
});

Deno.test("an option with the name of an argument is rejected in a script and in a program", async () => {
  await using api = new TinyApi();
  const body = `const options = { caseId: "OTHER", participantId: "P-1" };
    const fine = await svc.cases.get("C-1", { caseId: undefined });
    const error = await svc.participants.delete("C-1", options).catch(({ code, message, hint }) => [code, message, hint]);
    return [fine.id, error];`;
  const { result, error } = await runText(scriptText(body), { caller: api.caller });
  const message = "caseId is an argument of this operation, not an option.";
  assert.deepEqual([result, error], [["C-1", ["INVALID_ARGS", message, "Leave it out of the options."]], undefined]);
  const library = createClient({ baseUrl: api.baseUrl, clientId: "id", clientSecret: "secret", noCache: true });
  const options = { caseId: "OTHER", participantId: "P-1" };
  await assert.rejects(library.participants.delete("C-1", options), {
    code: "INVALID_ARGS",
    message: `participants.delete("C-1"): ${message}`,
  });
  assert.deepEqual(api.received, [{ call: "GET /cases/C-1" }]);
});

Deno.test("a script gets an answer without members for a change that succeeds with 204", async () => {
  await using api = new TinyApi(() => new Response(null, { status: 204 }));
  const { result, error } = await runText(scriptText(`return await svc.cases.stageNext("C-1");`), {
    caller: api.caller,
  });
  assert.deepEqual([result, error], [{}, undefined]);
});

Deno.test("a script gets numbers with their digits, and sends and returns them unaltered", async () => {
  const digits = "12345678901234567890";
  await using api = new TinyApi((call) => {
    return call.startsWith("GET") ? new Response(`{"data":{"account":${digits},"fee":1.10}}`) : Response.json({});
  });
  const body = `const { raw } = await svc.cases.listAncestors("C-1");
    const { account, fee } = raw.data;
    await svc.data.create("D", { data: { account, fee, input, own: new ExactNumber("1e400") } });
    return [account, String(account), typeof fee, input];`;
  const script = scriptText(body).replace("import { ", "import { ExactNumber, ");
  const input = new ExactNumber("0.12345678901234567890123");
  const { result, error } = await runText(script, { caller: api.caller }, input);
  assert.equal(error, undefined);
  const account = new ExactNumber(digits);
  assert.deepEqual(result, [account, digits, "number", input]);
  const data = { account, fee: 1.1, input, own: new ExactNumber("1e400") };
  assert.deepEqual(api.received[1], { call: "POST /data/D", body: { data } });
});

Deno.test("a script for an earlier version can pass request options among the parameters", async () => {
  const tags: (string | null)[] = [];
  await using api = new TinyApi((call, { headers }) => {
    tags.push(headers.get("if-match"));
    return Response.json(createCaseBody(call));
  });
  const body = `await svc.assignments.perform("A", { action: "b", ifMatch: "2", timeoutSeconds: 60 });
    return await svc.data.query("D", { timeoutSeconds: -1 }).catch(({ code }) => code);`;
  const { result, error } = await runText(scriptText(body), { caller: api.caller });
  assert.deepEqual([result, error, tags], ["INVALID_ARGS", undefined, ["2"]]);
});

Deno.test("a script iterates over the items of all pages, and an operation without pages is rejected", async () => {
  let page = 0;
  await using api = new TinyApi((call) => {
    if (call.startsWith("GET")) return Response.json(createCaseBody("C-1"));
    return Response.json({ data: [{ page: ++page }, { page }], hasMoreResults: page < 3 });
  });
  const body = `const pages = [];
    for await (const row of svc.data.query("D", { max: 2 })) pages.push(row.page);
    const refusal = await Array.fromAsync(svc.cases.get("C-1")).catch(({ code, message }) => [code, message]);
    return [pages, refusal];`;
  const { result, error } = await runText(scriptText(body), { caller: api.caller });
  const refusal = ["INVALID_ARGS", "cases.get returns no pages."];
  assert.deepEqual([result, error], [[[1, 1, 2, 2, 3, 3], refusal], undefined]);
  const bodies = api.received.flatMap(({ body }) => body === undefined ? [] : [body]);
  assert.deepEqual(
    bodies,
    [{ maxResultsToFetch: 2 }, { pageNumber: 2, pageSize: 2 }, { pageNumber: 3, pageSize: 2 }].map((paging) => ({
      paging,
    })),
  );
});

Deno.test("an idempotency key and an invalid signal are rejected before anything is sent", async () => {
  await using api = new TinyApi();
  const body = `const refused = [];
    for (const signal of [new AbortController(), true, null]) refused.push(svc.cases.get("C-1", { signal }));
    refused.push(svc.cases.create({ type: "T" }, { idempotencyKey: "k" }), svc.cases.get("C-1", { idempotencyKey: "" }));
    const settled = await Promise.allSettled(refused);
    await svc.cases.get("C-1", { signal: undefined, idempotencyKey: undefined });
    return settled.map(({ reason }) => [reason?.code, reason?.message]);`;
  const { result, error } = await runText(scriptText(body), { caller: api.caller });
  const signal = ["INVALID_ARGS", "signal must be an AbortSignal."];
  const key = ["INVALID_ARGS", "A call in a workflow takes no idempotencyKey."];
  assert.deepEqual([result, error], [[signal, signal, signal, key, key], undefined]);
  assert.deepEqual(api.received, [{ call: "GET /cases/C-1" }]);
});

Deno.test("each call has its own timeout", async () => {
  const never = Promise.withResolvers<Response>();
  await using api = new TinyApi(() => never.promise);
  const body = `const failures = await Promise.all([0.05, -1, "1", 3e6, 1e16].map((timeoutSeconds) =>
      svc.cases.get("C-1", { timeoutSeconds }).catch(({ code }) => code)));
    return failures;`;
  const { result } = await runText(scriptText(body), { caller: api.caller });
  never.resolve(Response.json({}));
  assert.deepEqual(result, ["TIMEOUT", "INVALID_ARGS", "INVALID_ARGS", "INVALID_ARGS", "INVALID_ARGS"]);
});

Deno.test("an error that a script catches has all members of the original", async () => {
  const attempts: ErrorAttempt[] = [{ code: "SERVER_ERROR", status: 503 }, { code: "SERVER_ERROR", status: 502 }];
  const error = new SvcError("SERVER_ERROR", "It is down.", {
    status: 502,
    classification: "Down",
    details: [{ a: 1 }],
    operation: "cases.get",
    requestId: "r",
    hint: "Wait.",
    attempts,
  });
  const handlers = { call: () => Promise.reject(error), onDelivery: () => 0, onRandomBytes: () => {}, onLog: () => {} };
  const script = scriptText(`return await svc.cases.get("C").catch((error) => [error.toJSON(), error.attempts]);`);
  const seen = await runInSandbox({ "script.ts": script }, handlers, { startedAt: 0, randomness: [] });
  assert.deepEqual(seen, [error.toJSON(), attempts]);
});

Deno.test("an argument that is not JSON is rejected and does not become a step of the run", async () => {
  await using api = new TinyApi();
  const body = `const circle = {}; circle.of = circle;
    const said = [];
    const hidden = [{ Area: Number("4O") }, { Walls: [new Map()] }, { Case: Promise.resolve() }];
    for (const data of [{ n: 1n }, circle, ...hidden]) said.push(await svc.cases.create({ type: "T", data }).catch((error) => error));
    return said.map((error) => [error instanceof SvcError, error.code, error.message]);`;
  const { result, error } = await runText(scriptText(body), { caller: api.caller });
  assert.equal(error, undefined);
  assert.deepEqual(result, [
    [true, "INVALID_ARGS", "A value is not JSON: Do not know how to serialize a BigInt."],
    [true, "INVALID_ARGS", "A value is not JSON: data.of is an object that holds it."],
    [true, "INVALID_ARGS", "A value is not JSON: data.Area is NaN."],
    [true, "INVALID_ARGS", "A value is not JSON: data.Walls[0] is of the class Map."],
    [true, "INVALID_ARGS", "A value is not JSON: data.Case is of the class Promise."],
  ]);
  assert.deepEqual(api.received, []);
});

Deno.test("a script can catch an error with deeply nested details and read the rest of it", async () => {
  await using folder = await makeFolder({
    "script.ts": scriptText(`return await svc.cases.get("C-1").catch(({ code, details }) => ({ code, details }));`),
  });
  const deep = "[".repeat(900) + "]".repeat(900);
  const details =
    `[{"message":"flat","deep":${deep}},{"message":"usual","erroneousInputOutputFieldInPage":{"a":["b"]}}]`;
  const body = `{"localizedValue":"No.","errorDetails":${details}}`;
  await using api = new TinyApi(() => new Response(body, { status: 422 }));
  const env = { SVC_BASE_URL: api.baseUrl, SVC_CLIENT_ID: "id", SVC_CLIENT_SECRET: "secret" };
  const process = { directory: folder.path, env, cwd: folder.path };
  const { stdout, stderr } = await runCommand(workflowCommand(["run", "script.ts", "--allow-declared"], process));
  assert.equal(stderr, "");
  assert.deepEqual(JSON.parse(stdout), {
    code: "VALIDATION_FAIL",
    details: [{ message: "flat" }, { message: "usual", erroneousInputOutputFieldInPage: { a: ["b"] } }],
  });
});
