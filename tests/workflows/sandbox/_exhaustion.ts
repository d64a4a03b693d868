/** Attempts to exhaust the machine or the host, and to read data that an earlier input left. */
import type { Attempt } from "./_attempt.ts";

const BRIEF = { timeoutSeconds: 0.3 };

/** Limits that let a busy machine load a script. The time limit includes loading. */
const SHORT = { timeoutSeconds: 4 };

const TOO_LONG = "TIMEOUT: The workflow did not end within 4 s and was stopped.";

const TOO_MUCH = /^WORKFLOW_FAILED: .*(memory|allocation failed|Array buffer|crashed)/i;

const RESOURCES: readonly Attempt[] = [
  {
    attempt: "loops without end",
    script: `log("starts"); for (;;);`,
    limits: SHORT,
    printed: "starts",
    refused: TOO_LONG,
  },
  {
    attempt: "loops without end while it is being loaded",
    before: `for (;;);`,
    script: ``,
    limits: BRIEF,
    refused: "TIMEOUT: The workflow did not end within 0.3 s and was stopped.",
  },
  {
    attempt: "loops without end in microtasks",
    script: `log("starts"); for (;;) await null;`,
    limits: SHORT,
    printed: "starts",
    refused: TOO_LONG,
  },
  {
    attempt: "loops without end in a regular expression",
    script: `log("starts"); return /^(a+)+$/.test("a".repeat(60) + "b");`,
    limits: SHORT,
    printed: "starts",
    refused: TOO_LONG,
  },
  {
    attempt: "blocks its thread on shared memory",
    script: `return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`,
    refused: "TypeError: Atomics.wait is not a function",
  },
  {
    attempt: "ignores signals and does not end",
    script: `log("starts"); Deno.addSignalListener?.("SIGTERM", () => {});
      globalThis.addEventListener("unload", () => { for (;;); });
      for (;;);`,
    limits: SHORT,
    printed: "starts",
    refused: TOO_LONG,
  },
  {
    attempt: "fills its heap",
    script: `const all = []; for (;;) all.push(Array.from({ length: 100_000 }, (_, i) => [i]));`,
    refused: TOO_MUCH,
  },
  {
    attempt: "fills memory outside its heap",
    script: `const all = []; for (;;) all.push(new Uint8Array(10_000_000).fill(1));`,
    refused: TOO_MUCH,
  },
  {
    attempt: "fills memory with WebAssembly",
    script: `const memory = new WebAssembly.Memory({ initial: 1, maximum: 65_536 });
      for (;;) { memory.grow(200); new Uint8Array(memory.buffer).fill(1); }`,
    refused: TOO_MUCH,
  },
  {
    attempt: "requests a memory of 64 GiB",
    script: `return new WebAssembly.Memory({ initial: 1_048_576, maximum: 1_048_576 }).buffer.byteLength;`,
    refused: "WORKFLOW_FAILED: The script failed: RangeError: WebAssembly.Memory(): Property 'initial'",
  },
  {
    attempt: "returns a result that is too long",
    script: `return "x".repeat(17 * 1024 * 1024);`,
    refused: "WORKFLOW_FAILED: The script sent a message of more than 16777216 bytes.",
  },
  {
    attempt: "sends a call that is too long",
    script: `return await svc.cases.get("x".repeat(17 * 1024 * 1024));`,
    refused: "WORKFLOW_FAILED: The script sent a message of more than 16777216 bytes.",
  },
  {
    attempt: "prints without end",
    script: `for (;;) console.log("x".repeat(100_000));`,
    limits: BRIEF,
    refused:
      /^(TIMEOUT: |WORKFLOW_FAILED: The workflow was stopped: it sent text and random bytes of more than 67108864 characters)/,
  },
  {
    attempt: "makes calls without end and awaits none",
    script: `for (;;) void svc.cases.get("{case}").catch(() => {});`,
    limits: { timeoutSeconds: 2, maxMemoryMiB: 64 },
    refused: /^(TIMEOUT: |WORKFLOW_FAILED: .*(memory|crashed))/,
  },
  {
    attempt: "makes rejected calls without end, which would fill the disk",
    script: `const long = "x".repeat(8_000_000); for (;;) await svc.cases.delete(long).catch(() => {});`,
    limits: { timeoutSeconds: 30, maxMemoryMiB: 256 },
    refused: "WORKFLOW_FAILED: The workflow was stopped: it sent rejected requests of more than 67108864 characters.",
  },
  {
    attempt: "uses timers without end while it sleeps, which pauses the time limit",
    script: `log("starts"); void sleep(1e9); for (;;) await new Promise((resolve) => setTimeout(resolve, 0));`,
    limits: SHORT,
    printed: "starts",
    refused: "TIMEOUT: ",
  },
  {
    attempt: "computes without end while it sleeps",
    script: `log("starts"); void sleep(1e9); await null; for (;;);`,
    limits: SHORT,
    printed: "starts",
    refused: "TIMEOUT: ",
  },
  {
    attempt: "makes calls without end while it sleeps",
    script: `log("starts"); void sleep(1e9); for (;;) await svc.cases.delete("C-1").catch(() => {});`,
    limits: SHORT,
    printed: "starts",
    refused: "TIMEOUT: ",
  },
  {
    attempt: "starts processes without end",
    script: `for (;;) await new Deno.Command(Deno.execPath(), { args: ["eval", "for (;;);"] }).spawn().status;`,
    refused: "TypeError: Deno.Command is not a constructor",
  },
  {
    attempt: "throws an error with a very long message",
    script: `throw new Error("x".repeat(5_000_000));`,
    refused: "WORKFLOW_FAILED: The script failed: xxxx",
  },
  {
    attempt: "throws an object that throws when it is read",
    script: `throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; }, ownKeys() { throw 3; } });`,
    refused: "WORKFLOW_FAILED:",
  },
];

const TWO = [{ name: "first", password: "hunter2" }, { name: "second" }];

const LEAKS: readonly Attempt[] = [
  ...[
    ["on the global object", `const seen = globalThis.seen ?? null; globalThis.seen = input.name; return seen;`],
    [
      "on a prototype",
      `const seen = Object.prototype.seen ?? Array.prototype.seen ?? null;
      Object.prototype.seen = Array.prototype.seen = input.name;
      delete Object.prototype.seen;
      return seen;`,
    ],
    [
      "in a function of the library",
      `const seen = SvcError.seen ?? svc.cases.get.seen ?? null; SvcError.seen = input.name; return seen;`,
    ],
    [
      "in a registered symbol",
      `const seen = Symbol.for("seen").description in globalThis; globalThis[Symbol.for("seen")] = 1; return seen ? 1 : null;`,
    ],
    [
      "in a blob URL",
      `return await fetch("blob:null/00000000-0000-0000-0000-000000000000").then(() => "found", () => null);`,
    ],
    [
      "as a performance mark",
      `const seen = performance.getEntriesByName?.("seen").length ?? 0;
      performance.mark?.("seen");
      return seen || null;`,
    ],
    [
      "in the environment",
      `let seen = null; try { seen = Deno.env.get("SEEN") ?? null; Deno.env.set("SEEN", input.name); } catch { /* refused */ } return seen;`,
    ],
    [
      "in a file of the folder",
      `let seen = null; try { Deno.writeTextFileSync("seen", input.name, { append: true }); seen = Deno.readTextFileSync("seen"); } catch { /* refused */ } return seen;`,
    ],
    [
      "in storage",
      `const seen = [];
      for (const name of ["localStorage", "sessionStorage", "caches", "indexedDB", "cookieStore"]) if (name in globalThis) seen.push(name);
      return seen.length + typeof Deno.openKv === "0undefined" ? null : seen;`,
    ],
    [
      "in storage through its classes",
      `return ["Storage", "Cache", "CacheStorage"].find((name) => name in globalThis) ?? null;`,
    ],
    [
      "in a lock",
      `return navigator.locks === undefined && typeof LockManager === "undefined" ? null : "available";`,
    ],
    [
      "on a message channel",
      `return [typeof BroadcastChannel, typeof MessageChannel].every((one) => one === "undefined") ? null : "available";`,
    ],
    [
      "in the responses of calls",
      `const { id } = await svc.cases.get("{case}"); return id.includes("first") ? id : null;`,
    ],
    [
      "in the cache of modules",
      `const module = await import("data:text/typescript,export const seen: string[] = []");
      const [seen = null] = module.seen;
      module.seen.push(input.name);
      return seen;`,
    ],
  ].map(([where, script]) => ({
    attempt: `looks for data of an earlier input ${where}`,
    script: script ?? "",
    inputs: TWO,
    refused: "gives null",
  })),
  {
    attempt: "reads data of an earlier input in a module of its folder",
    files: { "state.ts": `export const seen: string[] = [];` },
    before: `import { seen } from "./state.ts";`,
    script: `seen.push(input.name); return seen;`,
    inputs: TWO,
    refused: `gives ["second"]`,
  },
  {
    attempt: "changes prototypes for the next input",
    script: `if (input.name === "second") return [].includes(1);
      Array.prototype.includes = JSON.parse = Promise.prototype.then = () => { throw new Error("poisoned"); };
      return 1;`,
    inputs: TWO,
    refused: "gives false",
  },
  {
    attempt: "looks for other inputs in its arguments",
    script: `return [Deno.args, Deno.inspect(input), import.meta.url.includes("in.ndjson")];`,
    inputs: TWO,
    refused: `gives [[],"{ name: \\"second\\" }",false]`,
  },
];

/** All attempts to exhaust resources or to leak data. */
export const EXHAUSTION: readonly Attempt[] = [...RESOURCES, ...LEAKS];
