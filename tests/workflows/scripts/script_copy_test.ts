/** The private copy of a script: what is checked is what runs, whatever happens to the files meanwhile. */
import assert from "node:assert/strict";
import { SvcError } from "../../../lib/errors.ts";
import { ScriptCopy } from "../../../workflows/scripts/script_copy.ts";
import { readInside } from "../../../workflows/scripts/read_inside.ts";
import { FileLock } from "../../../utils/fs/file_lock.ts";
import { exists } from "../../../utils/fs/exists.ts";
import { makeFolder, parseErrorRecord, runCommand } from "../../harness/svc.ts";
import { eventually } from "../../harness/wait.ts";
import {
  createRunner,
  noCaller,
  openScript,
  runWorkflow,
  scriptText,
  waitForOutput,
  workflowCommand,
} from "../../harness/workflow.ts";

/** Swaps files of a folder in a loop, in another process, until it is disposed of. */
async function swapFiles(folder: string, pairs: readonly (readonly [string, string])[]): Promise<AsyncDisposable> {
  const code = `Deno.chdir(${JSON.stringify(folder)});
    console.log("swapping");
    for (;;) {
      for (const [one, other] of ${JSON.stringify(pairs)}) {
        Deno.renameSync(one, "spare");
        Deno.renameSync(other, one);
        Deno.renameSync("spare", other);
      }
    }`;
  const args = ["eval", code];
  const process = new Deno.Command(Deno.execPath(), { args, stdout: "piped", stderr: "inherit" }).spawn();
  const reader = process.stdout.getReader();
  await reader.read();
  return {
    async [Symbol.asyncDispose]() {
      process.kill("SIGKILL");
      await reader.cancel();
      await process.status;
    },
  };
}

Deno.test({
  name:
    "a run never reads a file outside its folder, although another process keeps swapping files, links and directories",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using outside = await makeFolder({ "note.txt": "secret" });
    const secret = `import secret from "${outside.path}/note.txt" with { type: "text" };`;
    const imports = `import { text } from "./helper.ts"; import note from "./data/note.txt" with { type: "text" };`;
    await using folder = await makeFolder({
      "script.ts": scriptText("return text + note;", [], imports),
      "script2.ts": scriptText("return secret;", [], secret),
      "helper.ts": `export const text = "own";`,
      "helper2.ts": `${secret} export const text = secret;`,
      "data/note.txt": "own",
    });
    await Deno.symlink(outside.path, `${folder.path}/data2`);
    await using _swapping = await swapFiles(folder.path, [
      ["script.ts", "script2.ts"],
      ["helper.ts", "helper2.ts"],
      ["data", "data2"],
    ]);
    for (let attempt = 0; attempt < 10; attempt++) {
      const run = runWorkflow({ script: `${folder.path}/script.ts`, caller: noCaller });
      const outcome = await run.catch((error) => error instanceof SvcError ? error.code : Promise.reject(error));
      // While a file has no name, it cannot be read.
      const expected = ["ownown", "PERMISSION_DENIED", "WORKFLOW_FAILED", "INVALID_ARGS"];
      assert.ok(expected.includes(String(outcome)), String(outcome));
    }
  },
});

Deno.test({
  name: "a file is read from its folder or not at all, although its directory keeps becoming a link",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using outside = await makeFolder({ "note.txt": "secret" });
    await using folder = await makeFolder({ "data/note.txt": "own" });
    await Deno.symlink(outside.path, `${folder.path}/link`);
    await using _swapping = await swapFiles(folder.path, [["data", "link"]]);
    const seen = new Set<string>();
    for (let attempt = 0; attempt < 2000 || !seen.has("own"); attempt++) {
      try {
        seen.add(new TextDecoder().decode(readInside(`${folder.path}/data/note.txt`, folder.path, 100)));
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory)) throw error;
      }
    }
    assert.deepEqual([...seen], ["own"]);
  },
});

Deno.test("a run uses the files as they were at the start, however they are imported", async () => {
  const before = `import { a } from "{folder}/lib/a.ts";
import { b } from "./lib/../lib/b.ts";
import /* with a comment */ c from "./c.json" with { type: "json" };
import { linked } from "./linked.ts";`;
  const body = "return [a, b, c, linked, (await import(`./plugins/${input}.ts`)).name];";
  await using folder = await makeFolder({
    "lib/a.ts": `export { one as a } from "../one.ts";`,
    "one.ts": `export const one = 1;`,
    "lib/b.ts": `export const b = 2;`,
    "c.json": "3",
    "real.ts": "export const linked = 4;",
    "plugins/p.ts": `export const name = "p";`,
  });
  await Deno.symlink("real.ts", `${folder.path}/linked.ts`);
  const script = `${folder.path}/script.ts`;
  await Deno.writeTextFile(script, scriptText(body, [], before.replace("{folder}", folder.path)));
  await using workflow = await openScript({ script, allowDeclared: true });
  for await (const { name } of Deno.readDir(folder.path)) {
    await Deno.remove(`${folder.path}/${name}`, { recursive: true });
  }
  const handlers = {
    call: () => Promise.reject(new Error("none")),
    onDelivery: () => 0,
    onRandomBytes() {},
    onLog() {},
  };
  const result = await workflow.run("p", { startedAt: 0, randomness: [] }, () => handlers);
  assert.deepEqual(result, [1, 2, 3, 4, "p"]);
});

Deno.test("a file that only Deno finds may import files that only Deno finds", async () => {
  const body = `const { load } = await import(/* with a comment */ "./load.ts"); return (await load("p")).name;`;
  await using folder = await makeFolder({
    "script.ts": scriptText(body, []),
    "load.ts": "export const load = (name: string) => import(`./plugins/${name}.ts`);",
    "plugins/p.ts": `export const name = "p";`,
  });
  assert.equal(await runWorkflow({ script: `${folder.path}/script.ts`, caller: noCaller }), "p");
});

Deno.test("errors, stacks and the module's address show the path of the user", async () => {
  const before = `const { stack } = new Error("here");`;
  const body = `if (input) throw new Error("in " + import.meta.url); log(stack);
    return [import.meta.url, import.meta.dirname, stack.split("\\n")[1]];`;
  const text = scriptText(body, [], before);
  await using folder = await makeFolder({ 'a "b" c/script.ts': text });
  const path = `${folder.path}/a "b" c`;
  const log: string[] = [];
  const options = { script: `${path}/script.ts`, caller: noCaller, onLog: (line: string) => void log.push(line) };
  const url = `file://${folder.path}/a%20%22b%22%20c/script.ts`;
  assert.deepEqual(await runWorkflow(options), [url, path, `    at file://${path}/script.ts:2:19`]);
  assert.match(log.join("\n"), /^Error: here\n/);
  assert.ok(log.join("\n").includes(`at file://${path}/script.ts:2:19`), log.join("\n"));
  await assert.rejects(runWorkflow(options, 1), (error: SvcError) => {
    assert.equal(error.message, `The script failed: in ${url} (script.ts:7)`);
    assert.deepEqual(error.details, [{ file: "script.ts", line: 7, column: 18 }]);
    return true;
  });
});

Deno.test("a script with more than 64 MiB is rejected", async () => {
  await using folder = await makeFolder({
    "script.ts": scriptText("return big;", [], `import big from "./big.txt" with { type: "text" };`),
  });
  using file = await Deno.open(`${folder.path}/big.txt`, { create: true, write: true });
  await file.truncate(65 * 1024 * 1024);
  await assert.rejects(
    runWorkflow({ script: `${folder.path}/script.ts`, caller: noCaller }),
    /The script and its imports have more than 64 MiB/,
  );
});

Deno.test("the copy of a script is private, and the next run removes that of a killed process", async () => {
  await using folder = await makeFolder({
    "script.ts": scriptText(`log("begun"); await sleep(600_000);`, []),
    "quick.ts": scriptText("return 1;", []),
  });
  await using directory = await makeFolder();
  const start = (script: string) =>
    workflowCommand(["run", `${folder.path}/${script}`, "--journal", "none"], { directory: directory.path }).spawn();
  const find = () =>
    [...Deno.readDirSync(directory.path)].map(({ name }) => name).filter((name) => /^svc-w/.test(name));
  const killed = start("script.ts");
  const { rest } = await waitForOutput(killed, "begun");
  const [name, ...more] = find();
  assert.deepEqual(more, []);
  const copy = `${directory.path}/${name}/files/0${folder.path}/script.ts`;
  if (Deno.build.os !== "windows") {
    assert.equal((Deno.statSync(`${directory.path}/${name}`).mode ?? 0) & 0o777, 0o700);
    assert.equal((Deno.statSync(copy).mode ?? 0) & 0o777, 0o600);
  }
  const beside = start("quick.ts");
  assert.equal(await new Response(beside.stdout).text(), "1\n");
  await Promise.all([beside.stderr.cancel(), beside.status]);
  assert.deepEqual(find(), [name], "a run does not remove the folder of another one");
  killed.kill("SIGKILL");
  await Promise.all([rest, killed.stdout.cancel(), killed.status]);
  await eventually("the lock is free", async () => !await FileLock.isHeld(`${directory.path}/${name}/lock`));
  const next = start("quick.ts");
  assert.equal(await new Response(next.stdout).text(), "1\n");
  await Promise.all([next.stderr.cancel(), next.status]);
  assert.deepEqual(find(), []);
});

Deno.test("a run whose temporary directory was removed says so and can be resumed", async () => {
  await using folder = await makeFolder({ "script.ts": scriptText("return 1;", []) });
  await using workflow = await openScript({ script: `${folder.path}/script.ts`, allowDeclared: true });
  const run = (number: number) => createRunner(workflow).run({ number, place: `in:${number}` });
  assert.deepEqual(await run(1), { result: 1 });
  const temporary = folder.path.replace(/[^/]*$/, "");
  for (const { name } of Deno.readDirSync(temporary)) {
    const copy = `${temporary}${name}/files/0${folder.path}`;
    if (name.startsWith("svc-workflow-") && await exists(copy)) await Deno.remove(copy, { recursive: true });
  }
  const outcome = await run(2);
  assert("failure" in outcome);
  assert.deepEqual([outcome.failure.code, outcome.isOpen], ["INVALID_CONFIG", true]);
  assert.match(outcome.failure.message, /^The temporary directory of the run was removed/);
});

Deno.test("a run whose script cannot be copied for further inputs says so and can be resumed", async () => {
  await using folder = await makeFolder({ "script.ts": scriptText("return 1;", []) });
  await using workflow = await openScript({ script: `${folder.path}/script.ts`, allowDeclared: true });
  const run = (number: number) => createRunner(workflow).run({ number, place: `in:${number}` });
  const [copies] = workflow.files[0]?.copy.split(`/0${folder.path}`) ?? [];
  await Deno.writeTextFile(`${copies}/1`, ""); // The folder of the next instance.
  workflow.expectInputs(1);
  assert.deepEqual(await run(1), { result: 1 });
  const outcome = await run(2);
  assert("failure" in outcome);
  const { code, message, hint } = outcome.failure;
  assert.deepEqual([code, outcome.isOpen], ["INVALID_CONFIG", true]);
  assert.match(message, /^The script cannot be copied to the temporary directory: .+\.$/);
  assert.equal(hint, "Free space there, or set TMPDIR to another directory.");
});

Deno.test("a failed copy is reported after all copies have ended, so that the folder of the run can be removed", async () => {
  const names = Array.from({ length: 100 }, (_, number) => `part${number}.ts`);
  const imports = names.map((name) => `import "./${name}";\n`).join("");
  const parts = Object.fromEntries(names.map((name) => [name, "export {};"]));
  await using folder = await makeFolder({ "script.ts": imports + scriptText("return 1;", []), ...parts });
  const path = `${folder.path}/script.ts`;
  const copy = new ScriptCopy(path, folder.path, `${folder.path}/copies`);
  await Deno.writeTextFile(`${folder.path}/copies/1`, ""); // The folder of the next instance.
  await assert.rejects(copy.addInstances(), /^SvcError: The script cannot be copied to the temporary directory/);
  const last = `${folder.path}/copies/2${folder.path}/${names.at(-1)}`;
  assert.ok(await exists(last));
});

Deno.test({
  name: "an import of a file that Deno shows only to trusted programs is outside of the folder",
  ignore: Deno.build.os !== "linux",
  async fn() {
    for (const path of ["/proc/self/environ", "/proc/version", "/dev/null"]) {
      const script = `import secret from "${path}";\n${scriptText("return secret;", [])}`;
      await using folder = await makeFolder({ "script.ts": script });
      const result = await runCommand(
        workflowCommand(["run", "script.ts"], { directory: folder.path, cwd: folder.path }),
      );
      const { code, message } = parseErrorRecord(result);
      assert.equal(code, "PERMISSION_DENIED");
      assert.equal(message, `The script imports ${path}, which is outside ${folder.path} (script.ts:1).`);
    }
  },
});
