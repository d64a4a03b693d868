/** Attempts to wear out the machine or the parent, and to see what another input has left. */
import type { Attempt } from "./_attempt.ts";

const BRIEF = { timeoutSeconds: 0.3 };

const TOO_LONG = "TIMEOUT: The workflow did not end within 0.3 s and was stopped.";

const TOO_MUCH = /^WORKFLOW_FAILED: .*(memory|allocation failed|Array buffer|crashed|too much of the machine)/i;

const WEARING: readonly Attempt[] = [
  { attempt: "loops for ever", script: `for (;;);`, limits: BRIEF, refused: TOO_LONG },
  { attempt: "loops for ever while it is loaded", before: `for (;;);`, script: ``, limits: BRIEF, refused: TOO_LONG },
  {
    attempt: "loops for ever in promises, so that nothing else gets a turn",
    script: `for (;;) await null;`,
    limits: BRIEF,
    refused: TOO_LONG,
  },
  {
    attempt: "loops for ever in a pattern",
    script: `return /^(a+)+$/.test("a".repeat(60) + "b");`,
    limits: BRIEF,
    refused: TOO_LONG,
  },
  {
    attempt: "blocks its thread on shared memory",
    script: `return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`,
    refused: "TypeError: Atomics.wait is not a function",
  },
  {
    attempt: "takes no signal and does not end",
    script: `Deno.addSignalListener?.("SIGTERM", () => {});
      globalThis.addEventListener("unload", () => { for (;;); });
      for (;;);`,
    limits: BRIEF,
    refused: TOO_LONG,
  },
  {
    attempt: "fills its heap",
    script: `const all = []; for (;;) all.push(Array.from({ length: 100_000 }, (_, i) => [i]));`,
    refused: TOO_MUCH,
  },
  {
    attempt: "fills memory beside its heap",
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
    attempt: "asks for one memory of 64 GiB",
    script: `return new WebAssembly.Memory({ initial: 1_048_576, maximum: 1_048_576 }).buffer.byteLength;`,
    refused: "WORKFLOW_FAILED: The script failed: RangeError: WebAssembly.Memory(): Property 'initial'",
  },
  {
    attempt: "gives a result that is too long",
    script: `return "x".repeat(17 * 1024 * 1024);`,
    refused: "WORKFLOW_FAILED: The script sends a message of more than 16777216 bytes.",
  },
  {
    attempt: "sends a call that is too long",
    script: `return await svc.cases.get("x".repeat(17 * 1024 * 1024));`,
    refused: "WORKFLOW_FAILED: The script sends a message of more than 16777216 bytes.",
  },
  {
    attempt: "prints without end",
    script: `for (;;) console.log("x".repeat(100_000));`,
    limits: BRIEF,
    refused:
      /^(TIMEOUT: |WORKFLOW_FAILED: The workflow was stopped: it sent text and random bytes of more than 67108864 characters)/,
  },
  {
    attempt: "calls without end and waits for nothing",
    script: `for (;;) void svc.cases.get("{case}").catch(() => {});`,
    limits: { timeoutSeconds: 2, maxMemoryMiB: 64 },
    refused: /^(TIMEOUT: |WORKFLOW_FAILED: .*(memory|crashed))/,
  },
  {
    attempt: "asks without end for what is refused, which would fill the disk",
    script: `const long = "x".repeat(8_000_000); for (;;) await svc.cases.delete(long).catch(() => {});`,
    limits: { timeoutSeconds: 30, maxMemoryMiB: 256 },
    refused: "WORKFLOW_FAILED: The workflow was stopped: it sent more of what is refused than it may.",
  },
  {
    attempt: "counts time without end while it sleeps, which does not count",
    script: `void sleep(1e9); for (;;) await new Promise((resolve) => setTimeout(resolve, 0));`,
    limits: BRIEF,
    refused: "TIMEOUT: ",
  },
  {
    attempt: "computes without end while it sleeps",
    script: `void sleep(1e9); await null; for (;;);`,
    limits: BRIEF,
    refused: "TIMEOUT: ",
  },
  {
    attempt: "asks without end while it sleeps",
    script: `void sleep(1e9); for (;;) await svc.cases.delete("C-1").catch(() => {});`,
    limits: BRIEF,
    refused: "TIMEOUT: ",
  },
  {
    attempt: "makes processes of processes",
    script: `for (;;) await new Deno.Command(Deno.execPath(), { args: ["eval", "for (;;);"] }).spawn().status;`,
    refused: "TypeError: Deno.Command is not a constructor",
  },
  {
    attempt: "hides behind an error whose message never ends",
    script: `throw new Error("x".repeat(5_000_000));`,
    refused: "WORKFLOW_FAILED: The script failed: xxxx",
  },
  {
    attempt: "throws what throws when it is looked at",
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
      "in an object's address",
      `return await fetch("blob:null/00000000-0000-0000-0000-000000000000").then(() => "found", () => null);`,
    ],
    [
      "as a performance mark",
      `const seen = performance.getEntriesByName?.("seen").length ?? 0;
      performance.mark?.("seen");
      return seen || null;`,
    ],
    [
      "in its environment",
      `let seen = null; try { seen = Deno.env.get("SEEN") ?? null; Deno.env.set("SEEN", input.name); } catch { /* refused */ } return seen;`,
    ],
    [
      "in a file of its folder",
      `let seen = null; try { Deno.writeTextFileSync("seen", input.name, { append: true }); seen = Deno.readTextFileSync("seen"); } catch { /* refused */ } return seen;`,
    ],
    [
      "in storage",
      `const seen = [];
      for (const name of ["localStorage", "sessionStorage", "caches", "indexedDB", "cookieStore"]) if (name in globalThis) seen.push(name);
      return seen.length + typeof Deno.openKv === "0undefined" ? null : seen;`,
    ],
    [
      "behind the classes of storage",
      `const seen = [];
      for (const isKept of [true, false]) {
        try {
          const storage = new Storage(isKept);
          seen.push(storage.getItem("seen"));
          storage.setItem("seen", input.name);
        } catch (error) {
          seen.push(error.message === "Not a directory (os error 20)" ? null : error.message);
        }
      }
      const cached = await Promise.try(() => CacheStorage.prototype.open.call({}, "seen")).then(() => "open", () => null);
      return [...seen, cached].find((one) => one !== null) ?? null;`,
    ],
    [
      "in a lock",
      `const { held } = await navigator.locks.query();
      void navigator.locks.request("seen", () => new Promise(() => {}));
      return held.length || null;`,
    ],
    [
      "on a channel",
      `return [typeof BroadcastChannel, typeof MessageChannel].every((one) => one === "undefined") ? null : "there is one";`,
    ],
    [
      "in the answers of its calls",
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
    attempt: `looks for what an earlier input left ${where}`,
    script: script ?? "",
    inputs: TWO,
    refused: "gives null",
  })),
  {
    attempt: "keeps what an earlier input left in a module of its own",
    files: { "state.ts": `export const seen: string[] = [];` },
    before: `import { seen } from "./state.ts";`,
    script: `seen.push(input.name); return seen;`,
    inputs: TWO,
    refused: `gives ["second"]`,
  },
  {
    attempt: "poisons what the next input begins with",
    script: `if (input.name === "second") return [].includes(1);
      Array.prototype.includes = JSON.parse = Promise.prototype.then = () => { throw new Error("poisoned"); };
      return 1;`,
    inputs: TWO,
    refused: "gives false",
  },
  {
    attempt: "looks for the parent's other inputs in its own arguments",
    script: `return [Deno.args, Deno.inspect(input), import.meta.url.includes("in.ndjson")];`,
    inputs: TWO,
    refused: `gives [[],"{ name: \\"second\\" }",false]`,
  },
];

/** All of them. */
export const LASTING: readonly Attempt[] = [...WEARING, ...LEAKS];
