import assert from "node:assert/strict";
import { makeFolder } from "../../harness/svc.ts";
import { noCaller, runText, runWorkflow, scriptText } from "../../harness/workflow.ts";

Deno.test("a script can import its own files and nothing else", async (t) => {
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
    [
      "a file elsewhere that is not code",
      `import "/etc/passwd";`,
      /passwd, which is outside [^|]* \(script\.ts:2\)\.$/,
    ],
    [
      "a file elsewhere that is not code, through a data: module",
      `export const load = () => import("data:text/javascript,import 'file:///etc/passwd'");`,
      /passwd, which is outside [^|]*$/,
    ],
    ["a URL", `import "http://127.0.0.1:9/x.ts";`, /imports http:\/\/127\.0\.0\.1:9\/x\.ts/],
    ["a package", `import "npm:left-pad";`, /imports npm:left-pad/],
    ["a JSR package", `import "jsr:@std/path";`, /imports jsr:@std\/path/],
    ["a file that is missing", `import "./missing.ts";`, /cannot be loaded: .*missing\.ts.*script\.ts:2/],
    ["an unknown package name", `import "left-pad";`, /cannot be loaded: .*left-pad/],
    [
      "the library's client",
      `import { createClient } from "@svc/lib"; console.log(createClient);`,
      /cannot be loaded: .*@svc\/lib/,
    ],
  ];
  for (const [name, before, message] of refused) {
    await t.step(`rejected: ${name}`, async () => {
      const { error } = await runText(scriptText("return s;", [], before));
      assert.match(error?.message ?? "it ran", message);
    });
  }
  await t.step("the error says what a script can import", async () => {
    for (
      const name of ["@svc/lib", "left-pad", "npm:left-pad", "jsr:@std/path", "node:fs", "http://127.0.0.1:9/x.ts"]
    ) {
      const { error } = await runText(scriptText("return s;", [], `import * as s from "${name}";`));
      assert.match(error?.hint ?? "", /its own files, @svc\/lib\/workflow, and types\. .* svc that run is given/, name);
    }
    const { error } = await runText(scriptText("return s;", [], `import * as s from "./missing.ts";`));
    assert.equal(error?.hint, undefined);
  });
  await t.step("rejected: a link out of its folder", async () => {
    await using folder = await makeFolder({ "script.ts": script });
    await Deno.symlink(`${outside.path}/secret.json`, `${folder.path}/x.json`);
    const { runWorkflow } = await import("../../harness/workflow.ts");
    const { noCaller } = await import("../../harness/workflow.ts");
    await assert.rejects(
      runWorkflow({ script: `${folder.path}/script.ts`, caller: noCaller }),
      /secret\.json, which is outside/,
    );
  });
  await t.step("rejected: an infinite file", async () => {
    const before = `import s from "/dev/zero" with { type: "json" };`;
    const { error } = await runText(scriptText("return s;", [], before));
    assert.match(error?.message ?? "it ran", /cannot be loaded|outside/);
  });
  await t.step("rejected: a computed name", async () => {
    for (
      const name of [
        `"${outside.path}/" + "code.ts"`,
        `"./own" + ".ts"`,
        `"http://a/" + "x.js"`,
        `"npm:" + "a"`,
        `"jsr:" + "@a/b"`,
      ]
    ) {
      const { error } = await runText({ "script.ts": scriptText(`return await import(${name});`), "own.ts": "" });
      const hint = "A script can import files from its own directory. Their names must be literals.";
      assert.deepEqual([error?.code, error?.hint], ["PERMISSION_DENIED", hint], name);
    }
  });
  await t.step("rejected: a computed data: module, with the line that imports it", async () => {
    const { error } = await runText(
      scriptText(`return await import("data:text/javascript,import 'file:///etc/passwd'" + "");`),
    );
    const message = `The script failed: TypeError: Requires read access to "/etc/passwd" (script.ts:7)`;
    assert.deepEqual([error?.code, error?.message], ["PERMISSION_DENIED", message]);
  });
  await t.step("rejected: a dynamic import of the library's client, with what a script gets instead", async () => {
    for (const name of [`"@svc/lib"`, `"@svc/" + "lib"`]) {
      const { error } = await runText(scriptText(`return await import(${name});`));
      const [line = "", ...more] = error?.message.split("\n") ?? [];
      assert.match(line, /Import "@svc\/lib" not a dependency .* \(script\.ts:7\)$/);
      assert.deepEqual(more, []);
      assert.match(error?.hint ?? "", /@svc\/lib\/workflow, and types\. .* svc that run is given/, name);
    }
  });
  await t.step("dynamic imports of its own code that is broken or missing fail at run time", async () => {
    const body = `const messages = [];
      for (const load of [() => import("./broken.ts"), () => import("./missing.ts")]) await load().catch(({ message }) => messages.push(message));
      return messages.map((message) => /^SyntaxError|^Module not found/.exec(message)?.[0]);`;
    const { result, error } = await runText({ "script.ts": scriptText(body), "broken.ts": "not valid code" });
    assert.deepEqual([result, error], [["SyntaxError", "Module not found"], undefined]);
  });
  await t.step("allowed: its own code, JSON, text and types", async () => {
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
  await t.step("allowed: a larger folder as the root", async () => {
    const { error, result } = await runText(
      scriptText("return a;", [], `import { a } from "${outside.path}/code.ts";`),
      {
        root: outside.path,
      },
    );
    assert.deepEqual([result, error], [1, undefined]);
  });
});

Deno.test("a line of an error message that starts with 'at' is kept", async () => {
  const { error } = await runText(scriptText(`throw new Error("Give a number\\n    at most 5");`));
  assert.equal(error?.message, "The script failed: Give a number\n    at most 5 (script.ts:7)");
});

Deno.test({
  name: "a script with a backslash in its name imports from its folder",
  ignore: Deno.build.os === "windows",
  async fn() {
    const script = scriptText("return a;", [], `import { a } from "./code.ts";`);
    await using folder = await makeFolder({ "my\\script.ts": script, "code.ts": "export const a = 1;" });
    assert.equal(await runWorkflow({ script: `${folder.path}/my\\script.ts`, caller: noCaller }), 1);
  },
});
