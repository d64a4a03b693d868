/** Limits of a guest: time, memory, messages and disk space. */
import assert from "node:assert/strict";
import { ignoreMissing } from "../../../utils/fs/ignore_missing.ts";
import { readLines } from "../../../workflows/inputs/lines.ts";
import { buildLimiter, limitsAllMemory, startGuest } from "../../../workflows/sandbox/host/guest_process.ts";
import { FrameBuffer, FrameReader } from "../../../workflows/sandbox/protocol/frames.ts";
import { runForOutput } from "../../../tasks/support/workspace.ts";
import { measureMemory } from "../../harness/memory.ts";
import { LimitedCommand, makeFolder } from "../../harness/svc.ts";
import { createCaseBody, runText, scriptText, TinyApi, workflowCommand } from "../../harness/workflow.ts";

const SMALL = { timeoutSeconds: 60, maxMemoryMiB: 128 };
const BRIEF = { timeoutSeconds: 0.5, maxMemoryMiB: 128 };

/** Limits that let a busy machine load a script. The time limit includes loading. */
const SHORT = { timeoutSeconds: 4, maxMemoryMiB: 128 };

const TOO_LONG = /did not end within 4 s/;

/** Code of a script, and the message of its error. */
const ABUSES: Readonly<Record<string, [code: string, message: RegExp]>> = {
  "loops without end": ["for (;;);", TOO_LONG],
  "loops without end in a regular expression": [`/^(a+)+$/.test("a".repeat(50) + "b");`, TOO_LONG],
  "waits longer than the time limit": [
    "await new Promise((resolve) => setTimeout(resolve, 60_000));",
    TOO_LONG,
  ],
  "waits for a promise that is never settled": [
    "await new Promise(() => {});",
    /waits for something that can never happen/,
  ],
  "fills its heap": ["const all = []; for (;;) all.push({ n: [all.length] });", /more than 128 MiB of memory/],
  "fills its heap with text": [
    `const all = []; for (let s = "x";;) { s = s.length > 1e7 ? "x" : s + s; all.push((s + all.length).toUpperCase()); }`,
    /more than 128 MiB of memory/,
  ],
  "ends its process": ["Deno.exit(0);", /ended its process \(exit code 0\) before it returned a result/],
  "ends its process with an error": ["Deno.exit(7);", /ended its process \(exit code 7\)/],
  "closes its window": ["globalThis.close(); await new Promise(() => {});", /ended its process/],
  "returns a BigInt": ["return 10n;", /result is not JSON: Do not know how to serialize a BigInt/],
  "returns a cycle": ["const a = {}; a.a = a; return a;", /result is not JSON: a is an object that holds it/],
  "returns NaN in an array": ["return { sums: [1, NaN] };", /result is not JSON: sums\[1\] is NaN/],
  "returns Infinity": ["return 1 / 0;", /result is not JSON: it is Infinity/],
  "returns a Set": ["return new Set([1]);", /result is not JSON: it is of the class Set/],
  "returns an error": [`return { error: new Error("no") };`, /result is not JSON: error is of the class Error/],
  "returns too much": [`return "x".repeat(17 * 1024 * 1024);`, /more than 16777216 bytes|memory/],
  "overflows its stack": ["const f = () => f() + 1; f();", /Maximum call stack size exceeded/],
};

for (const [name, [code, message]] of Object.entries(ABUSES)) {
  Deno.test(`a script that ${name} fails alone`, async () => {
    const limits = message === TOO_LONG ? SHORT : SMALL;
    const { error, log } = await runText(scriptText(`log("starts"); ${code}`), { limits });
    assert.deepEqual(log, ["starts"]);
    assert.match(error?.message ?? "the script succeeded", message);
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

Deno.test("a script that fills memory and ignores errors is stopped at its time limit at the latest", async () => {
  const code = "for (;;) try { all.push(new Uint8Array(10_000_000).fill(1)); } catch { /* again */ }";
  const { error } = await runText(scriptText(`const all = []; ${code}`), { limits: { ...SMALL, timeoutSeconds: 0.5 } });
  assert.ok(error?.code === "WORKFLOW_FAILED" || error?.code === "TIMEOUT", error?.message);
});

Deno.test("a script that loops while it is being loaded is stopped", async () => {
  const { error } = await runText(scriptText("return 1;", [], "for (;;);"), { limits: BRIEF });
  assert.equal(error?.code, "TIMEOUT");
});

Deno.test("endless output blocks the script but not the host", async () => {
  let characters = 0;
  const interruption = new AbortController();
  const { error } = await runText(scriptText(`for (;;) console.log("x".repeat(10_000));`), {
    limits: SMALL,
    signal: interruption.signal,
    onLog: (text) => {
      characters += text.length;
      if (characters > 1_000_000) setTimeout(() => interruption.abort()); // A blocked host runs no timers.
    },
  });
  assert.equal(error?.code, "INTERRUPTED", error?.message);
});

Deno.test("the error of an oversized result or log names the limit", async () => {
  const deep = "let all = []; for (let n = 0; n < 1500; n++) all = [all]; return all;";
  const long = `for (;;) log("x".repeat(1_000_000));`;
  for (
    const [code, what] of [[deep, "a message with more than 1000 levels"], [
      long,
      "text and random bytes of more than 67108864 characters",
    ]]
  ) {
    const { error } = await runText(scriptText(code ?? ""), { limits: SMALL, onLog: () => {} });
    assert.equal(error?.message, `The workflow was stopped: it sent ${what}.`);
    assert.match(error.hint ?? "", /^An input can print, request and return a limited amount\./);
  }
});

Deno.test("a script can sleep longer than its time limit", async () => {
  const { result, error } = await runText(scriptText("await sleep(4500); return 1;"), {
    limits: { timeoutSeconds: 4, maxMemoryMiB: 128 }, // A busy machine may need seconds to load the script.
  });
  assert.deepEqual([result, error], [1, undefined]);
});

Deno.test("a thousand concurrent calls queue in the guest", async () => {
  await using api = new TinyApi(async (call) => {
    await Promise.resolve();
    return Response.json(createCaseBody(call));
  });
  const body = `const all = await Promise.all(Array.from({ length: 1000 }, (_, i) => svc.cases.get("C-" + i)));
    return new Set(all.map((one) => one.id)).size;`;
  const { result, error } = await runText(scriptText(body), { caller: api.caller });
  assert.deepEqual([result, error, api.received.length], [1000, undefined, 1000]);
  assert(api.mostAtOnce <= 64, `${api.mostAtOnce} calls at once`);
});

Deno.test("a message that arrives byte by byte takes little more memory than its size", () => {
  const text = "é".repeat(250_000);
  const buffer = new FrameBuffer();
  buffer.add({ kind: 4, id: 7, input: 3, text });
  const bytes = buffer.take();
  const reader = new FrameReader(bytes.length);
  const before = measureMemory();
  for (let at = 0; at < bytes.length - 1; at++) assert.equal(reader.push(bytes.subarray(at, at + 1)).length, 0);
  const mebibytes = (measureMemory() - before) / 2 ** 20;
  assert.ok(mebibytes < 20, `half a mebibyte took ${mebibytes} MiB`);
  assert.deepEqual(reader.push(bytes.subarray(-1)), [{ kind: 4, id: 7, input: 3, text }]);
});

Deno.test("messages are read correctly from chunks of any size", () => {
  const frames = ["", "a", "é".repeat(20), "", "x".repeat(50)].map((text, id) => ({
    kind: 4,
    id,
    input: 9 - id,
    text,
  }));
  const buffer = new FrameBuffer();
  for (const frame of frames) buffer.add(frame);
  const bytes = buffer.take().slice();
  for (let size = 1; size <= bytes.length; size++) {
    const reader = new FrameReader(100);
    const read = [];
    for (let at = 0; at < bytes.length; at += size) read.push(...reader.push(bytes.slice(at, at + size)));
    assert.deepEqual(read, frames, `chunks of ${size} bytes`);
  }
});

Deno.test({
  name: "the soft limit of processor time is below the hard one, so that the run does not count as killed from outside",
  ignore: !limitsAllMemory(),
  async fn() {
    await using folder = await makeFolder({ "guest.js": "Deno.stdout.writeSync(new Uint8Array(1)); for (;;);" });
    const script = new URL(`file://${folder.path}/guest.js`);
    const place = { script, folder: folder.path, library: { guest: script.href, instances: "file:///none.ts" } };
    await using process = startGuest(place, SMALL);
    await process.stdout[Symbol.asyncIterator]().next(); // The shell has replaced itself by Deno.
    const limits = await Deno.readTextFile(`/proc/${process.pid}/limits`);
    process.kill("SIGKILL");
    const [, soft, hard] = /^Max cpu time +(\d+) +(\d+)/m.exec(limits) ?? [];
    assert.ok(Number(soft) < Number(hard), `${soft} s, then ${hard} s`);
  },
});

Deno.test({
  name: "on macOS all limits but that of memory are set, and Ctrl-C is ignored",
  ignore: Deno.build.os === "windows",
  async fn() {
    const readLimits = async (os: string, hostLimits = "") => {
      const args = [
        "-c",
        hostLimits + buildLimiter(SMALL, os),
        "/bin/sh",
        "-c",
        "kill -INT $$; ulimit -t; ulimit -f; ulimit -c; ulimit -d",
      ];
      return (await runForOutput(new LimitedCommand("/bin/sh", { args }))).trim().split("\n");
    };
    const [time, file, core, data] = await readLimits("darwin");
    assert.ok(Number(time) > 60 && Number(file) > 0 && core === "0", `${time} s, files of ${file}, core of ${core}`);
    const lower = await readLimits("darwin", "ulimit -t 30; ulimit -f 10; ");
    assert.deepEqual(lower, ["30", "10", "0", data], "lower limits of the host remain");
    if (limitsAllMemory()) assert.deepEqual([data, (await readLimits("linux"))[3] === data], ["unlimited", false]);
  },
});

Deno.test({
  name: "generated modules do not fill the disk",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const body = `const pad = "x".repeat(500_000);
      for (let i = 0; i < 15; i++) {
        await import(\`data:text/typescript,export const a: string = "\${Math.random()} \${i} \${pad}"; export function f() {}\`);
      }
      log("made");`;
    await using folder = await makeFolder({ "script.ts": scriptText(body, []), "in.ndjson": "1\n".repeat(4) });
    const args = ["run", "script.ts", "--each", "in.ndjson", "--concurrency", "2", "--journal", "none"];
    const run = workflowCommand(args, { directory: folder.path, cwd: folder.path }).spawn();
    let largest = 0;
    for await (const { text } of readLines(run.stderr)) {
      if (text?.includes("made")) largest = Math.max(largest, await getSize(folder.path));
    }
    assert.equal((await new Response(run.stdout).text()).split("\n").length, 5);
    assert.equal((await run.status).code, 0);
    assert.ok(largest < 100 * 1024 * 1024, `${largest} bytes`);
  },
});

/** Returns the total size of the files in a folder, which may be removed at the same time. */
async function getSize(path: string): Promise<number> {
  const entries = await Array.fromAsync(Deno.readDir(path)).catch(ignoreMissing) ?? [];
  const sizes = await Promise.all(entries.map(async ({ name, isDirectory }) => {
    const inner = `${path}/${name}`;
    return isDirectory ? await getSize(inner) : (await Deno.lstat(inner).catch(ignoreMissing))?.size ?? 0;
  }));
  return sizes.reduce((sum, size) => sum + size, 0);
}
