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

/** Statements that return what an earlier input has left, or `undefined`. */
const CHANNELS = {
  "the prototype of generators": mark(`Object.getPrototypeOf(function* () {})`),
  "the prototype of an iterator": mark(`Object.getPrototypeOf(new Map().entries())`),
  "the prototype of an iterator of headers": mark(`Object.getPrototypeOf(new Headers().entries())`),
  "the prototype of segments": mark(`Object.getPrototypeOf(new Intl.Segmenter().segment("a"))`),
  "a class that is loaded when it is read": mark(`Response.prototype`),
  "a class that a function returns": mark(`Object.getPrototypeOf((await fetch("data:,x")).headers)`),
  "a class of a stream": mark(`Object.getPrototypeOf(new Blob(["x"]).stream())`),
  "a class in a namespace": mark(`Intl.NumberFormat.prototype`),
  "a class of the storage": mark(
    `(globalThis as unknown as Record<string, { prototype: object }>).Storage?.prototype ?? {}`,
  ),
  "a function of the context": mark(`log`),
  "a function of the library": mark(`defineWorkflow`),
  "a class of the library": mark(`SvcError.prototype`),
  "a method of a built-in object": mark(`Array.prototype.map`),
  "a function of Deno": mark(`Deno.inspect`),
  "a replaced function of the check": `
    const left = Reflect.get(Math, "left");
    Object.assign(Math, { left: true });
    Array.prototype.every = () => true;
    Reflect.get = () => undefined;
    Object.is = () => true;
    return left;`,
  "a changed prototype": `
    if (Object.getPrototypeOf(Math) === null) return true;
    Object.setPrototypeOf(Math, null);`,
  "a replaced getter": `
    if (new Map().size !== 0) return true;
    Object.defineProperty(Map.prototype, "size", { get: () => 9 });`,
  "a frozen object": `
    if (Object.isFrozen(Math)) return true;
    Object.freeze(Math);`,
  "a listener by the prototype": `
    if (!dispatchEvent(new Event("x", { cancelable: true }))) return true;
    EventTarget.prototype.addEventListener.call(globalThis, "x", (event) => event.preventDefault());`,
  "an exit code": `
    if (Deno.exitCode !== 0) return true;
    Deno.exitCode = 7;`,
  "a lock": `
    const { locks } = navigator as unknown as { locks?: LockManager };
    if ((await locks?.query())?.held?.length) return true;
    void locks?.request("a", () => new Promise(() => {}));`,
  "the last match of a regular expression": `
    if (RegExp.$1 === "left") return true;
    /(left)/.test("left");`,
};

/** Returns statements that leave a member in an object, and return that of an earlier input. */
function mark(object: string): string {
  return `const object = ${object};
    const left = Reflect.get(object, "left");
    try { Object.defineProperty(object, "left", { value: true, configurable: true }); } catch { /* It is frozen. */ }
    return left;`;
}

for (const [name, statements] of Object.entries(CHANNELS)) {
  Deno.test(`an input does not see what an earlier one leaves in ${name}`, async () => {
    const script = scriptText(`await svc.cases.get("C-1"); ${statements} return undefined;`, ["cases.get"]);
    const { results } = await runInputs({ "script.ts": script }, numbers(6));
    assert.deepEqual(results, numbers(6).map(() => undefined));
  });
}

Deno.test("inputs that use the runtime and assign to inherited names share processes", async () => {
  const body = `await svc.cases.get("C-1");
    const named = { toString: () => "a" };
    named.toString = () => "b";
    class Mine extends Map<string, number> {}
    const mine = new Mine();
    mine.toString = () => "mine";
    class Problem extends Error {}
    const problem = new Problem("x");
    problem.name = "Problem";
    problem.toString = () => "problem";
    const segments = [...new Intl.Segmenter("en", { granularity: "word" }).segment("a b")].length;
    const texts = [await new Response("x").text(), await new Blob(["y"]).text(), await (await fetch("data:,z")).text()];
    const headers = [...new Headers({ a: "1" })].length;
    const bytes = new TextEncoder().encode(atob(btoa("x"))).length;
    const stream = await new Response(new Blob(["s"]).stream().pipeThrough(new TextDecoderStream())).text().catch(() => "s");
    const copy = structuredClone(new Date(0)).getTime();
    const digest = (await crypto.subtle.digest("SHA-256", new Uint8Array(1))).byteLength;
    await new Promise((go) => setTimeout(go, 1));
    console.table([{ a: 1 }]);
    return [String(named), String(mine), String(problem), segments, texts.join(""), headers, bytes, stream, copy, digest].join();`;
  const { results, processes } = await runInputs({ "script.ts": scriptText(body) }, numbers(12));
  assert.deepEqual(new Set(results), new Set(["b,mine,problem,3,xyz,1,1,s,0,32"]));
  assert.ok(processes < 6, `${processes} processes ran 12 inputs`);
});

Deno.test("an input after one that failed or ended its process runs as usual", async () => {
  const body = `await svc.cases.get("C-1");
    if (input === 1) throw new Error("one");
    if (input === 2) Deno.exit(0);
    return input;`;
  const { results } = await runInputs({ "script.ts": scriptText(body, ["cases.get"]) }, numbers(5));
  assert.deepEqual(results, [0, "WORKFLOW_FAILED", "WORKFLOW_FAILED", 3, 4]);
});
