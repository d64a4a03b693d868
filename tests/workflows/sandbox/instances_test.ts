import assert from "node:assert/strict";
import { scriptText } from "../../harness/workflow.ts";
import { numbers, runInputs } from "./_inputs.ts";

Deno.test("one process runs many inputs, and each input starts with fresh modules, clock and console", async () => {
  const prelude = `import { count } from "./helper.ts";
    let runs = 0;
    console.count("loads");`;
  const body = `await svc.cases.get("C-1");
    const timer = await new Promise<number>((fire) => { const id = setTimeout(() => fire(id), 0); });
    console.count("runs");
    return [++runs, count(), performance.now() >= 0, timer, input];`;
  const files = {
    "script.ts": scriptText(body, ["cases.get"], prelude),
    "helper.ts": `let calls = 0; export const count = (): number => ++calls;`,
  };
  const { results, processes } = await runInputs(files, numbers(40));
  assert.deepEqual(results, numbers(40).map((input) => [1, 1, true, 1, input]));
  assert.ok(processes < 10, `${processes} processes ran 40 inputs`);
});

Deno.test("inputs that wait for more than a second share processes, too", async () => {
  const body = `await svc.cases.get("C-1"); await new Promise((go) => setTimeout(go, 1100)); return input;`;
  const { results, processes } = await runInputs({ "script.ts": scriptText(body) }, numbers(5));
  assert.deepEqual(results, numbers(5));
  assert.ok(processes < 5, `${processes} processes ran 5 inputs`);
});

Deno.test("each input of a process records its own random numbers and patches, and prints nothing of earlier ones", async () => {
  const body = `await svc.cases.get("C-1");
    const write = (...bytes: number[]) => Deno.stdout.writeSync(new Uint8Array(bytes));
    console.group("group");
    console.timeLog("timer", "of an earlier input");
    console.time("timer");
    write(0x41);
    write(0xc3); // Half a character.
    return [patched("new"), Math.random(), crypto.randomUUID()].map(String);`;
  const { results, processes, histories } = await runInputs({ "script.ts": scriptText(body) }, numbers(10));
  assert.ok(processes < 5, `${processes} processes ran 10 inputs`);
  assert.equal(new Set(results.flat()).size, 21);
  for (const { printed, kinds } of histories) {
    assert.deepEqual(printed, ["group", "A", ""]);
    assert.ok(kinds.has("patched") && kinds.has("random"));
  }
});

const TRACES = {
  "a global variable": `Object.assign(globalThis, { seen: true });`,
  "a member of a built-in object": `Object.assign(Array.prototype, { seen: true });`,
  "another method of a built-in object": `Math.max = () => 0;`,
  "an open timer": `setTimeout(() => { Object.assign(globalThis, { seen: true }); }, 10);`,
  "an open sleep": `void sleep(10).then(() => { Object.assign(globalThis, { seen: true }); });`,
  "a listener of an event": `addEventListener("error", () => {});`,
  "a handler of an event": `globalThis.onunhandledrejection = () => {};`,
  "much memory": `Object.assign(Symbol.for("kept"), {}); kept.push(new Uint8Array(100 * 1024 * 1024).fill(1));`,
};

for (const [name, statement] of Object.entries(TRACES)) {
  Deno.test(`an input that leaves ${name} has a process of its own`, async () => {
    const body = `await svc.cases.get("C-1");
      const clean = !("seen" in globalThis) && !("seen" in []) && Math.max(1, 2) === 2;
      ${statement}
      return clean;`;
    const script = scriptText(body, ["cases.get"], "const kept: Uint8Array[] = [];");
    const { results, processes } = await runInputs({ "script.ts": script }, numbers(3));
    assert.deepEqual(results, numbers(3).map(() => true));
    assert.ok(processes >= 3, `${processes} processes ran 3 inputs`);
  });
}

Deno.test("an input after one that failed or ended its process runs as usual", async () => {
  const body = `await svc.cases.get("C-1");
    if (input === 1) throw new Error("one");
    if (input === 2) Deno.exit(0);
    return input;`;
  const { results } = await runInputs({ "script.ts": scriptText(body, ["cases.get"]) }, numbers(5));
  assert.deepEqual(results, [0, "WORKFLOW_FAILED", "WORKFLOW_FAILED", 3, 4]);
});
