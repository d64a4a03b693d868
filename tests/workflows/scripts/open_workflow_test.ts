/** Scripts: their functions, grants and failures. */
import assert from "node:assert/strict";
import type { SvcError } from "../../../lib/errors.ts";
import { findSandboxes, killProcess } from "../../../tasks/support/processes.ts";
import { CASSETTE_VERSION } from "../../../workflows/cassette/cassette.ts";
import { playCassette } from "../../../workflows/cassette/play_cassette.ts";
import { makePlan } from "../../../workflows/plan/make_plan.ts";
import { copyLibrary } from "../../../workflows/sandbox/host/library.ts";
import { holdResponse } from "../../harness/faults.ts";
import { makeFolder } from "../../harness/svc.ts";
import {
  createCaseBody,
  noCaller,
  openScript,
  runText,
  runWorkflow,
  scriptText,
  TinyApi,
} from "../../harness/workflow.ts";

Deno.test("a script gets the library's functions, its input and a log, and returns JSON", async () => {
  await using api = new TinyApi();
  const body = `log("input", input); console.error("%s: %d", "n", 7);
    const one = await svc.cases.get(input.id);
    const made = await svc.cases.create({ type: "T", data: { a: 1 } });
    return { id: one.id, etag: one.etag, made: made.status, at: new Date(0), none: undefined };`;
  const { result, log, error } = await runText(scriptText(body), { caller: api.caller }, { id: "ACME-WORK C-1/ü!" });
  assert.equal(error, undefined);
  assert.deepEqual(result, { id: "ACME-WORK C-1/ü!", etag: "tag-1", made: "Open", at: "1970-01-01T00:00:00.000Z" });
  assert.deepEqual(log, [`input { id: "ACME-WORK C-1/ü!" }`, "n: 7"]);
  assert.deepEqual(api.received, [
    { call: "GET /cases/ACME-WORK C-1/ü!" },
    { call: "POST /cases", body: { caseTypeID: "T", content: { a: 1 } } },
  ]);
});

Deno.test("lines that a script prints while loading appear when it runs", async () => {
  const files = {
    "script.ts": scriptText(`console.log("runs");`, [], `import "./helper.ts"; console.error("is %s", "loaded");`),
    "helper.ts": `Deno.stdout.writeSync(new TextEncoder().encode("helps"));`,
  };
  const { log, error } = await runText(files);
  assert.deepEqual([log, error], [["helps", "is loaded", "runs"], undefined]);
});

Deno.test("a script can have neither input nor result", async () => {
  const { result, error } = await runText(scriptText("if (input !== undefined) throw new Error();"));
  assert.deepEqual([result, error], [undefined, undefined]);
});

Deno.test("a script can catch errors of the service as typed errors", async () => {
  await using api = new TinyApi();
  const body = `try { await svc.cases.get("missing"); } catch (error) {
      return [isSvcError(error), error instanceof SvcError, error instanceof Error, error.code, error.status, error.operation];
    }`;
  const { result } = await runText(scriptText(body), { caller: api.caller });
  assert.deepEqual(result, [true, true, true, "NOT_FOUND", 404, "cases.get"]);
});

Deno.test("an uncaught error of the service keeps its code and names the line", async () => {
  await using api = new TinyApi();
  const { error } = await runText(scriptText(`log("1");\n    await svc.cases.get("missing");`), { caller: api.caller });
  assert.deepEqual(error?.toJSON(), {
    code: "NOT_FOUND",
    message: "The resource cannot be found.",
    status: 404,
    operation: "cases.get",
    details: [{ file: "script.ts", line: 8, column: 5 }],
    hint: "Check caseId (case handle, e.g. 'ACME-WORK C-1').",
  });
});

Deno.test("any other error is WORKFLOW_FAILED with the line of the script", async () => {
  const thrown: [code: string, message: RegExp][] = [
    [
      "input.a.b.c;",
      /^The script failed: TypeError: Cannot read properties of undefined \(reading 'a'\) \(script\.ts:7\)$/,
    ],
    ["throw new Error('no luck');", /^The script failed: no luck \(script\.ts:7\)$/],
    ["throw { reason: 1 };", /^The script failed: it threw { reason: 1 }$/],
    ["await Promise.all([Promise.reject(new Error('inner'))]);", /inner \(script\.ts:7\)$/],
    ["Promise.reject(new Error('lost')); await new Promise((go) => setTimeout(go, 5000));", /lost \(script\.ts:7\)$/],
    [
      "setTimeout(() => { throw new Error('late'); }); await new Promise((go) => setTimeout(go, 5000));",
      /late \(script\.ts:7\)$/,
    ],
  ];
  for (const [code, message] of thrown) {
    const { error } = await runText(scriptText(code));
    assert.equal(error?.code, "WORKFLOW_FAILED");
    assert.match(error.message, message);
  }
});

Deno.test("any value can be thrown, and unreadable parts of it are omitted", async () => {
  const thrown: [code: string, message: string][] = [
    [`throw Object.assign(new Error(), { message: { reason: 1 } });`, "The script failed: { reason: 1 } (script.ts:7)"],
    [`throw Object.assign(new Error("no stack"), { stack: 5 });`, "The script failed: no stack"],
    [`throw Object.assign(new Error("no name"), { name: Symbol() });`, "The script failed: no name (script.ts:7)"],
    [`throw new TypeError();`, "The script failed: TypeError (script.ts:7)"],
    [`throw new SvcError("NO_CODE", "no code");`, "The script failed: SvcError: no code (script.ts:7)"],
    [`throw new SvcError("LOCKED", "no JSON", { details: [{ n: 1n }], hint: "h" });`, "no JSON"],
    [`throw new SvcError("LOCKED", "no list", { details: 7, hint: "h" });`, "no list"],
  ];
  for (const [code, message] of thrown) {
    const { error } = await runText(scriptText(code));
    assert.equal(error?.message, message);
    if (code.includes("LOCKED")) assert.deepEqual([error?.code, error?.hint], ["LOCKED", "h"]);
  }
});

Deno.test("the line of the script is named wherever the script and the library are", async () => {
  const name = "s (2)#é%20%.ts";
  const folders = ["a b/x(1)#q/50%é", "x:1:2)", "plain"];
  const text = scriptText(`if (input) eval("input.a.b"); await svc.cases.nothing();`);
  const scripts = folders.map((folder) => [`${folder}/${name}`, text]);
  await using folder = await makeFolder(Object.fromEntries(scripts));
  const library = await copyLibrary(`${folder.path}/l (1) é%`);
  for (const place of folders) {
    const options = { script: `${folder.path}/${place}/${name}`, library, allowDeclared: true };
    for (const input of [0, 1]) {
      await assert.rejects(runWorkflow({ ...options, caller: noCaller }, input), (error: SvcError) => {
        assert.deepEqual(error.details?.at(-1), { file: name, line: 7, column: input === 0 ? 31 : 12 }, place);
        return true;
      });
    }
  }
});

Deno.test("the error of a script names the lines from which the failing line was called, also in other files", async () => {
  await using folder = await makeFolder({
    "main.ts": `import { load } from "./helpers.ts";
      export default {
        name: "chain",
        allow: ["cases.get"],
        run: async ({ svc, input }) =>
          await load(svc, input),
      };`,
    "helpers.ts": `export async function load(svc, input) {
      if (input === "throw") fail();
      return await Promise.all([read(svc, input)]);
    }
    async function read(svc, input) {
      return await svc.cases.get(input);
    }
    function fail() {
      throw new Error("Nothing to do.");
    }`,
  });
  const options = { script: `${folder.path}/main.ts`, allowDeclared: true, caller: noCaller };
  const positionOf = async (input: string) => {
    const error = await runWorkflow(options, input).then(() => assert.fail(), (error: SvcError) => error);
    const { file, line, callers } = error.details?.at(-1) ?? {};
    return [`${file}:${line}`, ...callers ?? []];
  };
  assert.deepEqual(await positionOf("throw"), ["helpers.ts:9", "helpers.ts:2", "main.ts:6"]);
  assert.deepEqual(await positionOf("C-1"), ["helpers.ts:6", "helpers.ts:3", "main.ts:6"]);
});

Deno.test("a script that cannot be loaded fails with file and line", async () => {
  const broken: [before: string, message: RegExp][] = [
    ["let let = 1;", /cannot be loaded: .*script\.ts:2/],
    ["throw new Error('at once');", /^The script failed: at once \(script\.ts:2\)$/],
    [`import { nothing } from "@svc/lib/workflow"; nothing();`, /does not provide an export named 'nothing'/],
  ];
  for (const [before, message] of broken) {
    const { error } = await runText(scriptText("return 1;", [], before));
    assert.equal(error?.code, "WORKFLOW_FAILED");
    assert.match(error.message, message);
  }
});

Deno.test("the error of a script without a workflow explains the export", async () => {
  const none = "The script's default export is not a workflow.";
  const toldFor: Readonly<Record<string, string>> = {
    "export default 1;": none,
    "export default null;": none,
    "export default () => 1;": none,
    "export const a = 1;": none,
    [`export default { allow: [], run() {} };`]: `The workflow has no "name": set it to a text.`,
    [`export default { name: "x", run() {} };`]:
      `The workflow has no "allow": list the operations that it calls, or use [].`,
    [`export default { name: "x", allow: "*", run() {} };`]:
      `The workflow's "allow" is invalid: list the operations that it calls, or use [].`,
    [`export default { name: "x", allow: ["*", 1], run() {} };`]:
      `The workflow's "allow" is invalid: list the operations that it calls, or use [].`,
    [`export default { name: "x", allow: [], run() {}, timeoutSeconds: 5 };`]:
      `A workflow has no "timeoutSeconds": leave it out.`,
    [`export default { name: "x", allow: [] };`]:
      `The workflow has no "run": set it to the function that does the work.`,
  };
  await Promise.all(
    Object.entries(toldFor).map(async ([text, told]) => {
      const { error } = await runText(text);
      assert.deepEqual([error?.code, error?.message], ["WORKFLOW_FAILED", told]);
      assert.match(error?.hint ?? "", /defineWorkflow/);
    }),
  );
});

Deno.test("invalid arguments of waitFor and sleep are rejected at once", async () => {
  const body = `const call = async () => 1, done = () => true, refused = [];
    for (const args of [[call()], [call], [call, true], [call, done, { timeoutSecond: 1 }], [call, done, 60],
      [call, done, null], [call, done, { everySeconds: "1" }]]) {
      refused.push(await waitFor(...args).catch(({ code, message }) => [code, message]));
    }
    for (const time of [undefined, "5", NaN]) refused.push(await sleep(time).catch(({ code, message }) => [code, message]));
    return [refused, await waitFor(call, done, { everySeconds: undefined })];`;
  const { result, error } = await runText(scriptText(body));
  assert.equal(error, undefined);
  const refusals = [
    "The argument operation of waitFor must be a function.",
    "The argument until of waitFor must be a function.",
    "The argument until of waitFor must be a function.",
    "waitFor has no option 'timeoutSecond'.",
    "The options of waitFor must be an object.",
    "The options of waitFor must be an object.",
    "everySeconds must be a number of seconds above 0.",
    ...Array(3).fill("sleep takes a number of milliseconds, 0 or more."),
  ].map((message) => ["INVALID_ARGS", message]);
  assert.deepEqual(result, [refusals, 1]);
});

Deno.test("a call without a grant is PERMISSION_DENIED with the name to grant, and is not sent", async () => {
  await using api = new TinyApi();
  const body = `const codes = [];
    for (const act of [() => svc.cases.get("C-1"), () => svc.cases.delete("C-1"), () => svc.caseTypes.list()]) {
      try { await act(); codes.push("done"); } catch (error) { codes.push(error.code + " " + error.hint); }
    }
    return codes;`;
  const { result } = await runText(scriptText(body), { caller: api.caller, allow: ["cases.get"] });
  assert.deepEqual(result, [
    "done",
    "PERMISSION_DENIED Add --allow cases.delete to grant it.",
    "PERMISSION_DENIED Add --allow case-types.list to grant it.",
  ]);
  assert.deepEqual(api.received, [{ call: "GET /cases/C-1" }]);
});

Deno.test("names and patterns grant the operations that they match", async () => {
  const body =
    `const can = async (act) => { try { await act(); return true; } catch (error) { return error.code !== "PERMISSION_DENIED"; } };
    return [await can(() => svc.cases.get("1")), await can(() => svc.assignments.getNext()), await can(() => svc.data.get("D"))];`;
  const grants: [string[], boolean[]][] = [
    [["cases.get"], [true, false, false]],
    [["assignments.*", "data.get"], [false, true, true]],
    [["*"], [true, true, true]],
    [[], [false, false, false]],
  ];
  for (const [allow, expected] of grants) {
    const { result } = await runText(scriptText(body), { caller: noCaller, allow });
    assert.deepEqual(result, expected, allow.join());
  }
});

Deno.test("an unknown name is INVALID_ARGS with the most similar name", async () => {
  for (
    const [pattern, nearest] of [["cases.creat", "cases.create"], ["assignments.getNext", "assignments.get-next"], [
      "case.*",
      "cases.*",
    ], ["cases*", "cases.*"]]
  ) {
    const { error } = await runText(scriptText("return 1;"), { allow: [pattern ?? ""] });
    assert.equal(error?.code, "INVALID_ARGS");
    assert.match(error.hint ?? "", new RegExp(`^Did you mean ${nearest?.replace("*", "\\*")}\\?`));
  }
  const { error } = await runText(scriptText("return 1;", ["cases.creat"]));
  assert.equal(error?.code, "WORKFLOW_FAILED");
  assert.match(error.message, /The script's allow: "cases.creat" matches no operation/);
});

Deno.test("without a grant the user is asked once, and a pipe is rejected", async (t) => {
  const script = scriptText(`await svc.cases.get("C-1"); return "ran";`, ["cases.get"]);
  await t.step("yes", async () => {
    await using api = new TinyApi();
    const asked: unknown[] = [];
    const ask = (...question: unknown[]) => Promise.resolve(asked.push(question) > 0);
    assert.equal((await runText(script, { caller: api.caller, ask })).result, "ran");
    assert.deepEqual(asked, [["test", ["cases.get"]]]);
  });
  await t.step("a wide pattern that hides in a long list", async () => {
    const many = Array.from({ length: 400 }, () => "cases.get");
    const hidden = scriptText("return 1;", [...many, "cases.*", ...many, "data.count"]);
    const asked: unknown[] = [];
    await runText(hidden, { ask: (...question) => Promise.resolve(asked.push(question) > 0) });
    assert.deepEqual(asked, [["test", ["cases.*", "data.count"]]]);
  });
  await t.step("no", async () => {
    const { error } = await runText(script, { ask: () => Promise.resolve(false) });
    assert.equal(error?.code, "PERMISSION_DENIED");
  });
  await t.step("without a user", async () => {
    const { error } = await runText(script, { ask: undefined, allowDeclared: false });
    assert.equal(error?.code, "PERMISSION_DENIED");
    assert.match(error.message, /requests cases\.get, but no permission was granted/);
    assert.match(error.hint ?? "", /--allow cases\.get, or grant all that it requests with --allow-declared/);
  });
  await t.step("a script that asks for nothing needs no grant", async () => {
    assert.equal((await runText(scriptText("return 1;", []), { allowDeclared: false })).result, 1);
  });
});

Deno.test("a script can abort a call", async () => {
  const held = holdResponse();
  await using api = new TinyApi(held.answer);
  const body = `const controller = new AbortController();
    setTimeout(() => controller.abort(), 1);
    return await svc.cases.get("C-1", { signal: controller.signal }).catch(({ code }) => code);`;
  assert.equal((await runText(scriptText(body), { caller: api.caller })).result, "INTERRUPTED");
  held.release(Response.json({}));
});

Deno.test("calls that a script does not await end before its result counts", async () => {
  await using api = new TinyApi();
  const { result } = await runText(scriptText(`svc.cases.get("C-1").then(() => svc.cases.get("C-2")); return 1;`), {
    caller: api.caller,
  });
  assert.deepEqual([result, api.received.length], [1, 2]);
});

Deno.test("an interrupt stops a run at once", async () => {
  const controller = new AbortController();
  const { error } = await runText(scriptText(`log("here"); for (;;);`), {
    signal: controller.signal,
    onLog: () => controller.abort(),
  });
  assert.equal(error?.code, "INTERRUPTED");
});

Deno.test("an interruption before the start ends loading, a plan and a test", async () => {
  const files = { "script.ts": scriptText("return 1;", []), "endless.ts": scriptText("return 1;", [], "for (;;);") };
  await using folder = await makeFolder(files);
  const interrupted = { signal: AbortSignal.abort(), onLog: () => {} };
  const code = "INTERRUPTED";
  {
    await using workflow = await openScript({ script: `${folder.path}/script.ts` });
    await assert.rejects(makePlan(workflow, undefined, { caller: noCaller, ...interrupted }), { code });
    const begun = { cassette: CASSETTE_VERSION, script: "test", startedAt: "2026-11-21T14:05:00.000Z" } as const;
    const cassette = { ...begun, randomness: [], calls: [], result: 1 };
    await assert.rejects(playCassette(workflow, cassette, interrupted), { code });
  }
  const began = performance.now();
  const endless = { script: `${folder.path}/endless.ts`, limits: { timeoutSeconds: 20 }, signal: interrupted.signal };
  await assert.rejects(openScript(endless), { code });
  assert(performance.now() - began < 10_000, "it does not take all the time that it may");
});

Deno.test("a closed workflow has no process left that could write into its folder", async () => {
  // A process with much memory ends slowly.
  const body =
    `const memory = new Uint8Array(200 * 1024 * 1024).fill(1); await svc.cases.get("C-1"); return memory[0];`;
  await using folder = await makeFolder({ "script.ts": scriptText(body) });
  const script = `${folder.path}/script.ts`;
  let sandboxes: number[] = [];
  await using api = new TinyApi(async () => {
    sandboxes = await findSandboxes(Deno.pid, script);
    return Response.json(createCaseBody("C-1"));
  });
  assert.equal(await runWorkflow({ script, caller: api.caller, allowDeclared: true }), 1);
  assert.deepEqual([sandboxes.length, sandboxes.filter(killProcess)], [1, []]);
});

Deno.test("the output of a script cannot control the terminal", async () => {
  const { log } = await runText(
    scriptText(`console.log("\\x1b[2Jgone\\u202e"); Deno.stdout.writeSync(new TextEncoder().encode("raw\\x07"));`),
  );
  assert.deepEqual(log, ["\\u001b[2Jgone\\u202e", "raw\\u0007"]);
});

Deno.test("console has the usual functions and prints to stderr", async () => {
  const body =
    `console.info("info"); console.table([{ a: 1 }]); console.group("group"); console.log("inner"); console.groupEnd();
    console.count(); console.count(); console.assert(true); console.assert(false, "no"); console.dir({ a: { b: { c: {} } } }, { depth: 0 });
    console.time("t"); console.timeEnd("t"); console.log("100%", "%s", 1); console.log({ a: 1 }, [2]);`;
  const { log } = await runText(scriptText(body));
  const [info, table, group, inner, one, two, no, dir, time, ...rest] = log;
  assert.deepEqual([info, table, group, inner, one, two, no], [
    "info",
    "[ { a: 1 } ]",
    "group",
    "  inner",
    "default: 1",
    "default: 2",
    "Assertion failed: no",
  ]);
  assert.match(dir ?? "", /a: \[Object\]/);
  assert.match(time ?? "", /^t: \d+ms$/);
  assert.deepEqual(rest, ["100% %s 1", "{ a: 1 } [ 2 ]"]);
});

Deno.test("invalid limits are rejected", async () => {
  for (const limits of [{ timeoutSeconds: 0 }, { timeoutSeconds: NaN }, { maxMemoryMiB: 1 }]) {
    const { error } = await runText(scriptText("return 1;"), { limits });
    assert.equal(error?.code, "INVALID_ARGS");
  }
});
