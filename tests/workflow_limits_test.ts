/** What a script cannot do to the process that runs it. */
import assert from "node:assert/strict";
import { limitsAllMemory } from "../workflows/sandbox/command.ts";
import { caseAnswer, runText, scriptText, TinyApi } from "./_support/workflow.ts";

const SMALL = { timeoutSeconds: 60, maxMemoryMiB: 128 };
const BRIEF = { timeoutSeconds: 0.5, maxMemoryMiB: 128 };

const TOO_LONG = /did not end within 0.5 s/;

/** What a script does, and what its run fails of. */
const ABUSES: Readonly<Record<string, [code: string, message: RegExp]>> = {
  "loops for ever": ["for (;;);", TOO_LONG],
  "loops for ever in a regular expression": [`/^(a+)+$/.test("a".repeat(50) + "b");`, TOO_LONG],
  "waits longer than it may": [
    "await new Promise((resolve) => setTimeout(resolve, 60_000));",
    TOO_LONG,
  ],
  "waits for what never happens": ["await new Promise(() => {});", /waits for something that can no longer happen/],
  "fills its heap": ["const all = []; for (;;) all.push({ n: [all.length] });", /more than 128 MiB of memory/],
  "fills its heap with text": [
    `const all = []; for (let s = "x";;) { s = s.length > 1e7 ? "x" : s + s; all.push((s + all.length).toUpperCase()); }`,
    /more than 128 MiB of memory/,
  ],
  "crashes its process": [`(await import("node:process")).abort();`, /crashed \(SIGABRT\)/],
  "kills its process": [
    `const { default: p } = await import("node:process"); p.kill(p.pid, "SIGKILL");`,
    /operating system ended/,
  ],
  "ends its process": ["Deno.exit(0);", /ended its process \(exit code 0\) before it gave a result/],
  "ends its process with an error": ["Deno.exit(7);", /ended its process \(exit code 7\)/],
  "closes its window": ["globalThis.close(); await new Promise(() => {});", /ended its process/],
  "returns what is no JSON": ["return 10n;", /result is not JSON: Do not know how to serialize a BigInt/],
  "returns a circle": ["const a = {}; a.a = a; return a;", /result is not JSON/],
  "returns too much": [`return "x".repeat(17 * 1024 * 1024);`, /more than 16777216 bytes|memory/],
  "overflows its stack": ["const f = () => f() + 1; f();", /Maximum call stack size exceeded/],
  "writes on the pipe": [
    `(await import("node:fs")).writeSync(1, "hello, parent"); await new Promise((go) => setTimeout(go, 5000));`,
    /sent a message of \d+ bytes/,
  ],
};

for (const [name, [code, message]] of Object.entries(ABUSES)) {
  Deno.test(`a script that ${name} fails alone`, async () => {
    const { error } = await runText(scriptText(code), { limits: message === TOO_LONG ? BRIEF : SMALL });
    assert.match(error?.message ?? "it ended well", message);
    assert(["WORKFLOW_FAILED", "TIMEOUT"].includes(error?.code ?? ""), error?.code);
    assert.doesNotMatch(JSON.stringify(error), /at .*\/workflows\/|file:\/\//);
  });
}

const NATIVE: Readonly<Record<string, string>> = {
  "typed arrays": "for (;;) all.push(new Uint8Array(10_000_000).fill(1));",
  "shared memory": "for (;;) all.push(new Uint8Array(new SharedArrayBuffer(10_000_000)).fill(1));",
  "WebAssembly":
    "const m = new WebAssembly.Memory({ initial: 1, maximum: 60_000 }); for (;;) { m.grow(100); new Uint8Array(m.buffer).fill(1); }",
  "blobs": "for (;;) all.push(new Blob([new Uint8Array(5_000_000).fill(2)]));",
};

for (const [name, code] of Object.entries(NATIVE)) {
  Deno.test({
    name: `a script that fills memory with ${name} fails alone`,
    ignore: !limitsAllMemory(),
    fn: async () => {
      const { error } = await runText(scriptText(`const all = []; ${code}`), {
        limits: SMALL,
      });
      assert.equal(error?.code, "WORKFLOW_FAILED");
      assert.match(error.message, /memory|allocation failed/i);
      assert.match(error.hint ?? "", /--max-memory/);
    },
  });
}

Deno.test("a script that fills memory and never takes no for an answer is stopped, if not sooner, when its time is up", async () => {
  const code = "for (;;) try { all.push(new Uint8Array(10_000_000).fill(1)); } catch { /* more! */ }";
  const { error } = await runText(scriptText(`const all = []; ${code}`), { limits: { ...SMALL, timeoutSeconds: 2 } });
  assert.ok(error?.code === "WORKFLOW_FAILED" || error?.code === "TIMEOUT", error?.message);
});

Deno.test("a script that loops while it is loaded is stopped, too", async () => {
  const { error } = await runText(scriptText("return 1;", [], "for (;;);"), { limits: BRIEF });
  assert.equal(error?.code, "TIMEOUT");
});

Deno.test("what a script prints without end holds up the script, not its parent", async () => {
  let characters = 0;
  const { error } = await runText(scriptText(`for (;;) console.log("x".repeat(10_000));`), {
    limits: BRIEF,
    onLog: (text) => characters += text.length,
  });
  assert.equal(error?.code, "TIMEOUT");
  assert(characters > 1_000_000, `${characters} characters came`);
});

Deno.test("a thousand calls at once wait for their turn in the sandbox", async () => {
  await using api = new TinyApi(async (call) => {
    await Promise.resolve();
    return Response.json(caseAnswer(call));
  });
  const body = `const all = await Promise.all(Array.from({ length: 1000 }, (_, i) => svc.cases.get("C-" + i)));
    return new Set(all.map((one) => one.id)).size;`;
  const { result, error } = await runText(scriptText(body), { caller: api.caller });
  assert.deepEqual([result, error, api.received.length], [1000, undefined, 1000]);
  assert(api.mostAtOnce <= 64, `${api.mostAtOnce} calls at once`);
});

/** Sends frames past the host, as a hostile script would, and never reads an answer. */
function forging(code: string): string {
  return scriptText(
    `const { writeSync } = await import("node:fs");
    const frameOf = (kind, id, text) => {
      const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
      const frame = new Uint8Array(9 + bytes.length);
      new DataView(frame.buffer).setUint32(0, bytes.length);
      frame[4] = kind;
      new DataView(frame.buffer).setUint32(5, id);
      frame.set(bytes, 9);
      return [...frame];
    };
    const write = (...frames) => {
      const bytes = new Uint8Array(frames.flat());
      for (let at = 0; at < bytes.length;) at += writeSync(1, bytes.subarray(at));
    };
    const forge = (kind, id, text) => write(frameOf(kind, id, text));
    const get = JSON.stringify({ operation: "cases.get", values: { caseId: "C-1" } });
    ${code}
    await new Promise((go) => setTimeout(go, 5000));`,
    ["cases.get"],
  );
}

const FORGERIES: Readonly<Record<string, [code: string, message: RegExp]>> = {
  "of an unknown kind": [`forge(99, 0, "{}");`, /a message of an unknown kind \(99\)/],
  "that is not UTF-8": [`forge(4, 0, new Uint8Array([0xff, 0xfe]));`, /a message that is not UTF-8/],
  "of a gigabyte": [`writeSync(1, new Uint8Array([0x40, 0, 0, 0, 2, 0, 0, 0, 1]));`, /a message of 1073741824 bytes/],
  "that declares it again": [`forge(1, 0, '{"protocol":1,"name":"x","allow":["*"]}');`, /a declaration that is none/],
  "with a call that is no JSON": [`forge(2, 1, "{");`, /a call that is none/],
  "with a call out of turn": [`forge(2, 7, get);`, /a call that is none/],
  "with a call that was made already": [`forge(2, 1, get); forge(2, 1, get);`, /a call that is none/],
  "with values that are none": [`forge(2, 1, '{"operation":"cases.get","values":[]}');`, /a call that is none/],
  "with a result while a call is open": [
    `write(frameOf(2, 1, get), frameOf(5, 0, "1"));`,
    /a result out of turn/,
  ],
  "with a result that is no JSON": [`forge(5, 0, "{");`, /a result that is not JSON/],
  "with an error that is none": [`forge(6, 0, '{"code":"ROOT","message":1}');`, /an error that is none/],
  "with more calls than it may have, and takes no answer": [
    `for (let i = 1; i < 5000; i++) forge(2, i, get);`,
    /more calls at a time/,
  ],
};

for (const [name, [code, message]] of Object.entries(FORGERIES)) {
  Deno.test(`a script that forges a message ${name} is stopped`, async () => {
    await using api = new TinyApi();
    const { error } = await runText(forging(code), { caller: api.caller, limits: { timeoutSeconds: 10 } });
    assert.equal(error?.code, "WORKFLOW_FAILED");
    assert.match(error.message, message);
  });
}

Deno.test("a forged call gets no further than an honest one", async () => {
  await using api = new TinyApi();
  const forged = JSON.stringify({ operation: "cases.delete", values: { caseId: "C-1" } });
  const code = `forge(2, 1, ${
    JSON.stringify(forged)
  }); forge(2, 2, '{"operation":"__proto__","values":{"__proto__":{"caseId":"C-1"}}}');`;
  const { error } = await runText(forging(code), { caller: api.caller, limits: BRIEF });
  assert.equal(error?.code, "TIMEOUT");
  assert.deepEqual(api.received, []);
  assert.equal(Reflect.get({}, "caseId"), undefined);
});
