/** What a script cannot do to the process that runs it. */
import assert from "node:assert/strict";
import { ignoreMissing } from "../../../utils/fs/ignore_missing.ts";
import { readLines } from "../../../workflows/inputs/lines.ts";
import { limiter, limitsAllMemory, startHost } from "../../../workflows/sandbox/host/command.ts";
import { FrameBuffer, FrameReader } from "../../../workflows/sandbox/protocol/frames.ts";
import { runForOutput } from "../../../tasks/workspace.ts";
import { makeFolder } from "../../harness/svc.ts";
import { createCaseBody as caseAnswer, runText, scriptText, TinyApi, workflowCommand } from "../../harness/workflow.ts";

const SMALL = { timeoutSeconds: 60, maxMemoryMiB: 128 };
const BRIEF = { timeoutSeconds: 0.5, maxMemoryMiB: 128 };

const TOO_LONG = /did not end within 0.5 s/;

/** What a script does, and what its run fails with. */
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
  "ends its process": ["Deno.exit(0);", /ended its process \(exit code 0\) before it gave a result/],
  "ends its process with an error": ["Deno.exit(7);", /ended its process \(exit code 7\)/],
  "closes its window": ["globalThis.close(); await new Promise(() => {});", /ended its process/],
  "returns what is no JSON": ["return 10n;", /result is not JSON: Do not know how to serialize a BigInt/],
  "returns a circle": ["const a = {}; a.a = a; return a;", /result is not JSON: a is an object that holds it/],
  "returns a number that JSON has not": ["return { sums: [1, NaN] };", /result is not JSON: sums\[1\] is NaN/],
  "returns nothing but a number that JSON has not": ["return 1 / 0;", /result is not JSON: it is Infinity/],
  "returns what JSON would empty": ["return new Set([1]);", /result is not JSON: it is of the class Set/],
  "returns an error": [`return { error: new Error("no") };`, /result is not JSON: error is of the class Error/],
  "returns too much": [`return "x".repeat(17 * 1024 * 1024);`, /more than 16777216 bytes|memory/],
  "overflows its stack": ["const f = () => f() + 1; f();", /Maximum call stack size exceeded/],
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
  const { error } = await runText(scriptText(`const all = []; ${code}`), { limits: { ...SMALL, timeoutSeconds: 0.5 } });
  assert.ok(error?.code === "WORKFLOW_FAILED" || error?.code === "TIMEOUT", error?.message);
});

Deno.test("a script that loops while it is loaded is stopped, too", async () => {
  const { error } = await runText(scriptText("return 1;", [], "for (;;);"), { limits: BRIEF });
  assert.equal(error?.code, "TIMEOUT");
});

Deno.test("what a script prints without end holds up the script, not its parent", async () => {
  let characters = 0;
  const interruption = new AbortController();
  const { error } = await runText(scriptText(`for (;;) console.log("x".repeat(10_000));`), {
    limits: SMALL,
    signal: interruption.signal,
    onLog: (text) => {
      characters += text.length;
      if (characters > 1_000_000) setTimeout(() => interruption.abort()); // A parent that is held up has no timers.
    },
  });
  assert.equal(error?.code, "INTERRUPTED", error?.message);
});

Deno.test("a script that returns or prints more than it may is told that, and not to print in another way", async () => {
  const deep = "let all = []; for (let n = 0; n < 1500; n++) all = [all]; return all;";
  const long = `for (;;) log("x".repeat(1_000_000));`;
  for (
    const [code, what] of [[deep, "a message that is nested too deep"], [long, "more text and randomness than it may"]]
  ) {
    const { error } = await runText(scriptText(code ?? ""), { limits: SMALL, onLog: () => {} });
    assert.equal(error?.message, `The workflow was stopped: it sent ${what}.`);
    assert.match(error.hint ?? "", /^There is a limit to what one input may print, ask for and return:/);
  }
});

Deno.test("a script may sleep for longer than it may take: it answers that it rests", async () => {
  const { result, error } = await runText(scriptText("await sleep(3500); return 1;"), {
    limits: { timeoutSeconds: 1, maxMemoryMiB: 128 },
  });
  assert.deepEqual([result, error], [1, undefined]);
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

Deno.test("a message that comes byte by byte takes little more memory than its bytes", () => {
  const text = "é".repeat(250_000);
  const buffer = new FrameBuffer();
  buffer.add({ kind: 4, id: 7, text });
  const bytes = buffer.take();
  const reader = new FrameReader(bytes.length);
  const before = Deno.memoryUsage().rss;
  for (let at = 0; at < bytes.length - 1; at++) assert.equal(reader.push(bytes.subarray(at, at + 1)).length, 0);
  const mebibytes = (Deno.memoryUsage().rss - before) / 2 ** 20;
  assert.ok(mebibytes < 100, `half a mebibyte took ${mebibytes} MiB`);
  assert.deepEqual(reader.push(bytes.subarray(-1)), [{ kind: 4, id: 7, text }]);
});

Deno.test("messages are the same wherever the pipe cuts them", () => {
  const frames = ["", "a", "é".repeat(20), "", "x".repeat(50)].map((text, id) => ({ kind: 4, id, text }));
  const buffer = new FrameBuffer();
  for (const frame of frames) buffer.add(frame);
  const bytes = buffer.take().slice();
  for (let size = 1; size <= bytes.length; size++) {
    const reader = new FrameReader(100);
    const read = [];
    for (let at = 0; at < bytes.length; at += size) read.push(...reader.push(bytes.slice(at, at + size)));
    assert.deepEqual(read, frames, `cut into pieces of ${size} bytes`);
  }
});

Deno.test({
  name:
    "a process that has used its processor time is told so before it is killed, and is not begun again as if others did",
  ignore: !limitsAllMemory(),
  async fn() {
    await using folder = await makeFolder({ "host.js": "Deno.stdout.writeSync(new Uint8Array(1)); for (;;);" });
    const script = new URL(`file://${folder.path}/host.js`);
    const place = { script, folder: folder.path, library: { host: script.href, script: "file:///none.ts" } };
    await using process = startHost(place, SMALL);
    await process.stdout[Symbol.asyncIterator]().next(); // Now its shell has become the program.
    const limits = await Deno.readTextFile(`/proc/${process.pid}/limits`);
    process.kill("SIGKILL");
    const [, soft, hard] = /^Max cpu time +(\d+) +(\d+)/m.exec(limits) ?? [];
    assert.ok(Number(soft) < Number(hard), `${soft} s, then ${hard} s`);
  },
});

Deno.test({
  name: "on macOS the limits are those of Linux, but for the one of memory, and Ctrl-C is for the parent, too",
  ignore: Deno.build.os === "windows",
  async fn() {
    const told = async (os: string) => {
      const args = [
        "-c",
        limiter(SMALL, os),
        "/bin/sh",
        "-c",
        "kill -INT $$; ulimit -t; ulimit -f; ulimit -c; ulimit -d",
      ];
      return (await runForOutput(new Deno.Command("/bin/sh", { args }))).trim().split("\n");
    };
    const [time, file, core, data] = await told("darwin");
    assert.ok(Number(time) > 60 && Number(file) > 0 && core === "0", `${time} s, files of ${file}, core of ${core}`);
    if (limitsAllMemory()) assert.deepEqual([data, (await told("linux"))[3] === data], ["unlimited", false]);
  },
});

Deno.test({
  name: "what a script makes up does not fill the disk",
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
    let most = 0;
    for await (const { text } of readLines(run.stderr)) {
      if (text?.includes("made")) most = Math.max(most, await sizeOf(folder.path));
    }
    assert.equal((await new Response(run.stdout).text()).split("\n").length, 5);
    assert.equal((await run.status).code, 0);
    assert.ok(most < 100 * 1024 * 1024, `${most} bytes`);
  },
});

/** Bytes of all files below a folder, from which somebody may be removing them. */
async function sizeOf(path: string): Promise<number> {
  const entries = await Array.fromAsync(Deno.readDir(path)).catch(ignoreMissing) ?? [];
  const sizes = await Promise.all(entries.map(async ({ name, isDirectory }) => {
    const inner = `${path}/${name}`;
    return isDirectory ? await sizeOf(inner) : (await Deno.lstat(inner).catch(ignoreMissing))?.size ?? 0;
  }));
  return sizes.reduce((sum, size) => sum + size, 0);
}
