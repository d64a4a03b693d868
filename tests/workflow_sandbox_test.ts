/** A script tries to get out of its sandbox: each attempt, and how it is refused. */
import assert from "node:assert/strict";
import { isJsonObject } from "../lib/json.ts";
import { makeFolder, runText, scriptText } from "./_support/workflow.ts";

/** What a script does while it runs, and what it is told. */
const ATTEMPTS: Readonly<Record<string, [code: string, refusal: RegExp]>> = {
  "read a file": [`Deno.readTextFileSync("/etc/passwd")`, /Requires read access/],
  "read the script's own file": [`Deno.readTextFileSync(new URL(import.meta.url))`, /Requires read access/],
  "list a folder": [`[...Deno.readDirSync("/")]`, /Requires read access/],
  "stat a file": [`Deno.statSync("/etc/passwd")`, /Requires read access/],
  "open /dev/fd": [`Deno.openSync("/dev/fd/0")`, /Requires/],
  "read /proc": [`Deno.readTextFileSync("/proc/self/environ")`, /Requires/],
  "write a file": [`Deno.writeTextFileSync("/tmp/out", "x")`, /Requires write access/],
  "make a temporary file": [`Deno.makeTempFileSync()`, /Requires write access/],
  "fetch": [`await fetch("http://127.0.0.1:9999/")`, /Requires net access/],
  "fetch a file": [`await fetch("file:///etc/passwd")`, /Requires read access/],
  "connect": [`await Deno.connect({ port: 80 })`, /Requires net access/],
  "connect to a Unix socket": [`await Deno.connect({ transport: "unix", path: "/tmp/s" })`, /Requires/],
  "open a WebSocket": [`new WebSocket("ws://127.0.0.1:9999")`, /Requires net access/],
  "open an event source": [
    `await new Promise((_, no) => new EventSource("http://127.0.0.1:9999").onerror = (e) => no(new Error(e.message ?? "refused")))`,
    /refused|Requires net access/,
  ],
  "listen": [`Deno.listen({ port: 0 })`, /Requires net access/],
  "serve": [`Deno.serve({ port: 0 }, () => new Response())`, /Requires net access/],
  "look up a name": [`await Deno.resolveDns("localhost", "A")`, /Requires net access/],
  "read the environment": [`Deno.env.toObject()`, /Requires env access/],
  "read one variable": [`Deno.env.get("HOME")`, /Requires env access/],
  "start a process": [`new Deno.Command("/bin/sh").outputSync()`, /Requires run access/],
  "load a library": [`Deno.dlopen("/lib/libc.so.6", {})`, /Requires ffi access/],
  "read the host's name": [`Deno.hostname()`, /Requires sys access/],
  "read the user": [`Deno.uid()`, /Requires sys access/],
  "read the interfaces": [`Deno.networkInterfaces()`, /Requires sys access/],
  "read the load": [`Deno.loadavg()`, /Requires sys access/],
  "read the system's memory": [`Deno.systemMemoryInfo()`, /Requires sys access/],
  "import a file by a computed name": [`await import("/etc/" + "passwd.ts")`, /Requires read access/],
  "import a text by a computed name": [
    `await import("/etc/" + "passwd", { with: { type: "text" } })`,
    /Requires read access/,
  ],
  "import a URL by a computed name": [`await import("http://127.0.0.1:9999/" + "x.ts")`, /Requires import access/],
  "import a package by a computed name": [`await import("npm:" + "left-pad")`, /--no-npm/],
  "import a JSR package by a computed name": [`await import("jsr:" + "@std/path")`, /Requires import access/],
  "import a file through a data: module": [
    `await import("data:text/javascript," + encodeURIComponent('import t from "file:///etc/passwd" with { type: "text" }; export default t'))`,
    /Requires read access/,
  ],
  "import a file through a blob: module": [
    `await import(URL.createObjectURL(new Blob(['import "file:///etc/hosts.ts"'], { type: "text/javascript" })))`,
    /not a function/,
  ],
  "start a worker": [`new Worker("data:text/javascript,", { type: "module" })`, /Worker is not defined/],
  "keep something in localStorage": [`localStorage.setItem("a", "b")`, /localStorage is not defined/],
  "keep something in a cache": [`await caches.open("a")`, /caches is not defined/],
  "open Deno KV": [`await Deno.openKv()`, /not a function/],
  "ask for a permission": [
    `if ((await Deno.permissions.request({ name: "read" })).state !== "granted") throw new Error("denied")`,
    /denied/,
  ],
  "ask the person": [`prompt("password?")`, /prompt is not defined/],
  "read the parent's messages": [`Deno.stdin.readSync(new Uint8Array(1))`, /undefined/],
  "find the address of the graphics card": [`await navigator.gpu.requestAdapter()`, /undefined/],
  "call what was not granted": [`await svc.cases.delete("C-1")`, /may not call cases.delete/],
  "signal its parent": [`Deno.kill(1, "SIGTERM")`, /Requires run access/],
  "import a module of the runtime by a computed name": [`await import("node:" + "fs")`, /has no node: modules/],
  "reach the runtime's own operations": [`Deno[Object.getOwnPropertySymbols(Deno)[0]].core`, /undefined/],
};

Deno.test("a running script finds no way out of its sandbox", async (t) => {
  const cases = Object.entries(ATTEMPTS).map(([name, [code]]) =>
    `await attempt(${JSON.stringify(name)}, async () => { return ${
      code.startsWith("if") ? `(async () => { ${code} })()` : code
    }; });`
  );
  const body = `
    const said = {};
    const attempt = async (name, act) => {
      try { said[name] = "DONE " + Deno.inspect(await act()); } catch (error) { said[name] = String(error.message); }
    };
    ${cases.join("\n")}
    return said;`;
  const { result, error } = await runText(scriptText(body), {
    allow: ["cases.get"],
    limits: { maxMemoryMiB: 1024 }, // The attempts with threads need it.
  });
  assert.equal(error, undefined);
  assert(isJsonObject(result));
  for (const [name, [, refusal]] of Object.entries(ATTEMPTS)) {
    await t.step(name, () => assert.match(String(result[name]).replace(/^DONE /, ""), refusal));
  }
});

Deno.test("a script may import its own files, and nothing else", async (t) => {
  await using outside = await makeFolder({
    "secret.json": `{"clientSecret":"hunter2"}`,
    "code.ts": "export const a = 1;",
  });
  const script = scriptText("return s.default ?? s;", [], `import * as s from "./x.json" with { type: "json" };`);
  const refused: [name: string, before: string, message: RegExp][] = [
    [
      "a JSON file elsewhere",
      `import s from "${outside.path}/secret.json" with { type: "json" };`,
      /secret\.json, which is outside/,
    ],
    ["a text elsewhere", `import s from "/etc/passwd" with { type: "text" };`, /passwd, which is outside/],
    ["code elsewhere", `import { a } from "${outside.path}/code.ts"; console.log(a);`, /code\.ts, which is outside/],
    [
      "a folder above, by an encoded slash",
      `import s from "./..%2f..%2f..%2fetc%2fpasswd" with { type: "text" };`,
      /outside|cannot be loaded/,
    ],
    [
      "a file elsewhere, when it runs",
      `export const load = () => import("${outside.path}/secret.json", { with: { type: "json" } });`,
      /secret\.json, which is outside/,
    ],
    ["a URL", `import "http://127.0.0.1:9/x.ts";`, /imports http:\/\/127\.0\.0\.1:9\/x\.ts/],
    ["a package", `import "npm:left-pad";`, /imports npm:left-pad/],
    ["a JSR package", `import "jsr:@std/path";`, /imports jsr:@std\/path/],
    ["a file that is missing", `import "./missing.ts";`, /cannot be loaded: .*missing\.ts.*script\.ts:2/],
    ["a name that is none", `import "left-pad";`, /cannot be loaded: .*left-pad/],
    [
      "the library's client",
      `import { createClient } from "@svc/lib"; console.log(createClient);`,
      /cannot be loaded: .*@svc\/lib/,
    ],
  ];
  for (const [name, before, message] of refused) {
    await t.step(`not ${name}`, async () => {
      const { error } = await runText(scriptText("return s;", [], before));
      assert.match(error?.message ?? "it ran", message);
    });
  }
  await t.step("not through a link out of its folder", async () => {
    await using folder = await makeFolder({ "script.ts": script });
    await Deno.symlink(`${outside.path}/secret.json`, `${folder.path}/x.json`);
    const { runWorkflow } = await import("./_support/workflow.ts");
    const { noCaller } = await import("./_support/workflow.ts");
    await assert.rejects(
      runWorkflow({ script: `${folder.path}/script.ts`, caller: noCaller }),
      /secret\.json, which is outside/,
    );
  });
  await t.step("not a file that never ends", async () => {
    const before = `import s from "/dev/zero" with { type: "json" };`;
    const { error } = await runText(scriptText("return s;", [], before));
    assert.match(error?.message ?? "it ran", /cannot be loaded|outside/);
  });
  await t.step("its own code, JSON, text and types", async () => {
    const before = `import { double } from "./lib/helper.ts";
import data from "./x.json" with { type: "json" };
import type { Some } from "npm:some-types";
import text from "./lib/note.txt" with { type: "text" };`;
    const { result, error } = await runText({
      "script.ts": scriptText("return [double(data.n), text];", [], before),
      "lib/helper.ts": `import { two } from "./two.ts"; export const double = (n: number): number => n * two;`,
      "lib/two.ts": "export const two = 2;",
      "lib/note.txt": "note",
      "x.json": `{"n": 21}`,
    });
    assert.deepEqual([result, error], [[42, "note"], undefined]);
  });
  await t.step("a wider folder where --root names it", async () => {
    const { error, result } = await runText(
      scriptText("return a;", [], `import { a } from "${outside.path}/code.ts";`),
      {
        root: outside.path,
      },
    );
    assert.deepEqual([result, error], [1, undefined]);
  });
});
