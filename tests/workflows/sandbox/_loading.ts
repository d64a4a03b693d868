/** Attempts to load what is not the script's: modules of every scheme, built-in modules, code in other shapes, threads. */
import type { Attempt } from "./_attempt.ts";

const IMPORTS: readonly Attempt[] = [
  {
    attempt: "imports a text from elsewhere",
    before: `import secret from "{secret}" with { type: "text" };`,
    script: `return secret;`,
    refused: "PERMISSION_DENIED: The script imports {secret}, which is outside {root} (script.ts:2).",
  },
  {
    attempt: "imports JSON from elsewhere",
    before: `import secret from "{outside}/secret.json" with { type: "json" };`,
    script: `return secret;`,
    refused: "PERMISSION_DENIED: The script imports {outside}/secret.json, which is outside {root} (script.ts:2).",
  },
  {
    attempt: "imports code from elsewhere",
    before: `import { secret } from "{outside}/secret.ts";`,
    script: `return secret;`,
    refused: "PERMISSION_DENIED: The script imports {outside}/secret.ts, which is outside {root} (script.ts:2).",
  },
  {
    attempt: "imports bytes from elsewhere",
    before: `import secret from "{secret}" with { type: "bytes" };`,
    script: `return secret;`,
    refused: "PERMISSION_DENIED: The script imports {secret}, which is outside {root} (script.ts:2).",
  },
  {
    attempt: "imports from elsewhere where it re-exports",
    files: { "helper.ts": `export * from "{outside}/secret.ts";` },
    before: `import { secret } from "./helper.ts";`,
    script: `return secret;`,
    refused: "PERMISSION_DENIED: The script imports {outside}/secret.ts, which is outside {root} (helper.ts:1).",
  },
  {
    attempt: "imports a file above its folder by an encoded slash",
    before: `import secret from "./..%2f..%2f..%2fetc%2fpasswd" with { type: "text" };`,
    script: `return secret;`,
    refused: /^(PERMISSION_DENIED: The script imports|WORKFLOW_FAILED: The script cannot be loaded)/,
  },
  {
    attempt: "imports a file of its folder that is a link to one elsewhere",
    links: { "linked.json": "{outside}/secret.json" },
    before: `import secret from "./linked.json" with { type: "json" };`,
    script: `return secret;`,
    refused: "PERMISSION_DENIED: The script imports {outside}/secret.json, which is outside {root} (script.ts:2).",
  },
  {
    attempt: "imports through a folder that is a link",
    links: { "linked": "{outside}" },
    before: `import secret from "./linked/secret.json" with { type: "json" };`,
    script: `return secret;`,
    refused: "PERMISSION_DENIED: The script imports {outside}/secret.json, which is outside {root} (script.ts:2).",
  },
  {
    attempt: "lets a link of its folder look like a text when it runs",
    links: { "linked.txt": "{secret}" },
    script: `return (await import("./linked" + ".txt", { with: { type: "text" } })).default;`,
    refused: `Requires read access to "{root}/linked.txt"`,
  },
  {
    attempt: "imports a file by a computed name",
    script: `return (await import("{outside}/" + "secret.ts")).secret;`,
    refused: `PERMISSION_DENIED: The script failed: TypeError: Requires read access to "{outside}/secret.ts"`,
  },
  {
    attempt: "imports a text by a computed name",
    script: `return (await import("{outside}/" + "secret.txt", { with: { type: "text" } })).default;`,
    refused: `Requires read access to "{secret}"`,
  },
  {
    attempt: "imports bytes by a computed name",
    script: `return (await import("{outside}/" + "secret.txt", { with: { type: "bytes" } })).default;`,
    refused: `WORKFLOW_FAILED: The script failed: TypeError: "bytes" is not a valid module type.`,
  },
  {
    attempt: "imports code from elsewhere that is broken, to be told the line",
    script: `return await import("{outside}/broken.ts").catch((error) => error.message);`,
    refused: "PERMISSION_DENIED: The script imports {outside}/broken.ts, which is outside {root} (script.ts:7).",
  },
  {
    attempt: "imports code from elsewhere that is broken through a folder that is a link",
    links: { "linked": "{outside}" },
    script: `return await import("./linked/broken.ts").catch((error) => error.message);`,
    refused: "PERMISSION_DENIED: The script imports {outside}/broken.ts, which is outside {root} (script.ts:7).",
  },
  {
    attempt: "imports what is no code, to be told whether there is such a file",
    script: `return await import("{secret}").catch((error) => error.message);`,
    refused: "PERMISSION_DENIED: The script imports {secret}, which is outside {root} (script.ts:7).",
  },
  {
    attempt: "imports what there is not, to be told that there is not",
    script: `return await import("{outside}/missing.ts").catch((error) => error.message);`,
    refused: "PERMISSION_DENIED: The script imports {outside}/missing.ts, which is outside {root} (script.ts:7).",
  },
  {
    attempt: "imports what there is not by encoded slashes",
    script: `return await import("./..%2f..%2f..%2fmissing.ts").catch((error) => error.message);`,
    refused: "PERMISSION_DENIED: The script imports ",
  },
  {
    attempt: "imports what a device says",
    before: `import said from "/dev/null" with { type: "text" };`,
    script: `return said;`,
    refused: "PERMISSION_DENIED: The script imports /dev/null, which is outside {root} (script.ts:2).",
  },
  ...[
    `import secret from "file://localhost{outside}/secret.json" with { type: "json" };`,
    `import secret from "FILE://{outside}/%73ecret.json?a#b" with { type: "json" };`,
    `import secret from "/proc/self/root{outside}/secret.json" with { type: "json" };`,
    `import defer * as secret from "{outside}/secret.ts";`,
    `export import secret = require("{outside}/secret.ts");`,
    `/** @jsxImportSource data:text/javascript, */ import { secret } from "{outside}/secret.ts";`,
  ].map((before) => ({
    attempt: `imports from elsewhere by ${before}`,
    before,
    script: `return secret;`,
    refused: /^PERMISSION_DENIED: The script imports .*secret\.\w+, which is outside/,
  })),
  {
    attempt: "names types from elsewhere, and imports them when it runs",
    before: `import type { secret } from "{outside}/secret.ts";`,
    script: `return (await import("{outside}/secret" + ".ts")).secret;`,
    refused: `Requires read access to "{outside}/secret.ts"`,
  },
  {
    attempt: "imports a file within a data: module",
    script: `const text = 'import t from "file://{secret}" with { type: "text" }; export default t;';
      return (await import("data:text/javascript," + encodeURIComponent(text))).default;`,
    refused: `Requires read access to "{secret}"`,
  },
  {
    attempt: "imports a file within a data: module that is written out",
    before: `import secret from "data:text/javascript,export { secret as default } from 'file://{outside}/secret.ts'";`,
    script: `return secret;`,
    refused: "PERMISSION_DENIED: The script imports {outside}/secret.ts, which is outside {root}",
  },
  {
    attempt: "imports a file within a blob: module",
    script: `const code = 'export { secret } from "file://{outside}/secret.ts";';
      return (await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })))).secret;`,
    refused: "TypeError: URL.createObjectURL is not a function",
  },
  {
    attempt: "imports a URL",
    before: `import secret from "http://{web}/x.js";`,
    script: `return secret;`,
    refused: "PERMISSION_DENIED: The script imports http://{web}/x.js (script.ts:2).",
  },
  {
    attempt: "imports a URL by a computed name",
    script: `return (await import("http://{web}/" + "x.js")).default;`,
    refused: `Requires import access to "{web}"`,
  },
  {
    attempt: "imports an https: URL by a computed name",
    script: `return (await import("https://{web}/" + "x.js")).default;`,
    refused: `Requires import access to "{web}"`,
  },
  {
    attempt: "imports a package",
    before: `import pad from "npm:left-pad";`,
    script: `return pad;`,
    refused: "PERMISSION_DENIED: The script imports npm:left-pad (script.ts:2).",
  },
  {
    attempt: "imports a package by a computed name",
    script: `return (await import("npm:" + "left-pad")).default;`,
    refused: "--no-npm",
  },
  {
    attempt: "imports a JSR package by a computed name",
    script: `return await import("jsr:" + "@std/path");`,
    refused: `Requires import access to "jsr.io:443"`,
  },
  {
    attempt: "imports the library that holds the user's secrets",
    before: `import { createClient } from "@svc/lib";`,
    script: `return typeof createClient;`,
    refused: "WORKFLOW_FAILED: The script cannot be loaded:",
  },
  {
    attempt: "imports a file of the library by its address",
    script: `const library = import.meta.resolve("@svc/lib/workflow");
      return Object.keys(await import(new URL("../lib/auth/token_cache.ts", library)));`,
    refused: "Requires read access to",
  },
  {
    attempt: "imports the runtime's own code",
    script: `return Object.keys(await import("ext:" + "core/ops"));`,
    refused: "Importing ext: modules is only allowed from ext: and node: modules.",
  },
  {
    attempt: "brings configuration that maps names to elsewhere",
    files: { "deno.json": `{"imports":{"secret":"{outside}/secret.ts"},"nodeModulesDir":"auto"}` },
    before: `import { secret } from "secret";`,
    script: `return secret;`,
    refused: "WORKFLOW_FAILED: The script cannot be loaded:",
  },
  {
    attempt: "has the runtime for its markup loaded from elsewhere",
    files: { "page.tsx": `/** @jsxImportSource file://{outside} */ export default () => <a />;` },
    before: `import page from "./page.tsx";`,
    script: `return String(page);`,
    refused: "PERMISSION_DENIED: The script imports {outside}/jsx-runtime, which is outside {root} (page.tsx:1).",
  },
];

/** Names of what opens descriptors, files, processes, threads, memory; each is one attempt. */
const BUILT_IN = [
  "fs",
  "fs/promises",
  "child_process",
  "net",
  "dgram",
  "dns",
  "http",
  "tls",
  "process",
  "worker_threads",
  "vm",
  "v8",
  "module",
  "inspector",
  "sqlite",
  "os",
  "wasi",
  "cluster",
  "repl",
  "test",
];

const NO_BUILT_IN = "WORKFLOW_FAILED: The script failed: TypeError: A workflow has no node: modules.";

const BUILT_INS: readonly Attempt[] = [
  ...BUILT_IN.map((name) => ({
    attempt: `imports node:${name} by a computed name`,
    script: `return Object.keys(await import("node:" + "${name}")).length;`,
    refused: NO_BUILT_IN,
  })),
  {
    attempt: "imports node:fs",
    before: `import { readFileSync } from "node:fs";`,
    script: `return readFileSync("{secret}", "utf8");`,
    refused: "PERMISSION_DENIED: The script imports node:fs (script.ts:2).",
  },
  {
    attempt: "imports node:fs when it runs",
    script: `return (await import("node:fs")).readFileSync("{secret}", "utf8");`,
    refused: "PERMISSION_DENIED: The script imports node:fs (script.ts:7).",
  },
  {
    attempt: "imports node:fs under names that are the same in the end",
    script: `const told = new Set();
      for (const name of ["NODE:fs", " node:fs", "node:fs ", "no\\tde:fs", "node:\\nfs"]) {
        await import(name).then(() => told.add("loaded " + name), (error) => told.add(error.message));
      }
      return [...told];`,
    refused: `gives ["A workflow has no node: modules."]`,
  },
  {
    attempt: "imports node:fs under names that are nearly the same",
    script: `const told = new Set();
      for (const name of ["fs", "node:FS", "node:%66s", "node:/fs", "node://fs", "node:fs?a", "node:fs#a", "node:node:fs"]) {
        await import(name).then(() => told.add("loaded " + name), (error) => told.add(error.name));
      }
      return [...told];`,
    refused: `gives ["TypeError"]`,
  },
  {
    attempt: "imports node:fs within a data: module",
    script: `const code = "import * as fs from 'node:fs'; export default fs;";
      return Object.keys((await import("data:text/javascript," + code)).default).length;`,
    refused: NO_BUILT_IN,
  },
  {
    attempt: "imports node:fs into WebAssembly",
    script: `const wasm = "data:application/wasm;base64," + "AGFzbQEAAAABBAFgAAACEgEHbm9kZTpmcwZhY2Nlc3MAAA==";
      return Object.keys(await import(wasm));`,
    refused: "SyntaxError: The requested module 'node:fs' does not provide an export named 'access'",
  },
  {
    attempt: "calls native code at an address of its choice through a database",
    script: `const { DatabaseSync } = await import("node:" + "sqlite");
      const database = new DatabaseSync(":memory:");
      database.prepare("SELECT fts3_tokenizer(?, ?)").get("x", new Uint8Array(8).fill(65));
      database.exec("CREATE VIRTUAL TABLE t USING fts3(a, tokenize=x)");`,
    refused: NO_BUILT_IN,
  },
  {
    attempt: "opens the runtime's own descriptors, the cache of the next input among them, as pipes",
    script: `const { binding } = (await import("node:" + "process")).default;
      const { Pipe } = binding("pipe_wrap");
      return [5, 6, 7, 8, 9].map((descriptor) => new Pipe(0).open(descriptor));`,
    refused: NO_BUILT_IN,
  },
  {
    attempt: "finds built-in modules on the global object",
    script: `const names = ["process", "require", "module", "__dirname"];
      return [names.filter((name) => name in globalThis || name in global), new Function("return typeof require")()];`,
    refused: `gives [[],"undefined"]`,
  },
  {
    attempt: "has a CommonJS helper that requires built-in modules",
    files: { "helper.cjs": `module.exports = require("node:" + "fs").readFileSync("{secret}", "utf8");` },
    before: `import secret from "./helper.cjs";`,
    script: `return secret;`,
    refused: "WORKFLOW_FAILED: The script cannot be loaded: helper.cjs is CommonJS.",
  },
  {
    attempt: "has a CommonJS helper in TypeScript",
    files: { "helper.cts": `export = require("node:" + "sqlite");` },
    before: `import sqlite from "./helper.cts";`,
    script: `return typeof sqlite;`,
    refused: "WORKFLOW_FAILED: The script cannot be loaded: helper.cts is CommonJS.",
  },
  {
    attempt: "has a CommonJS helper that looks like a declaration",
    files: { "helper.d.cts": `module.exports = require("node:" + "sqlite");` },
    before: `import sqlite from "./helper.d.cts";`,
    script: `return typeof sqlite;`,
    refused: "WORKFLOW_FAILED: The script cannot be loaded: helper.d.cts is CommonJS.",
  },
  {
    attempt: "lets package.json say that its helpers are CommonJS",
    files: { "package.json": `{"type":"commonjs"}`, "helper.js": `exports.sqlite = require("node:" + "sqlite");` },
    before: `import * as helper from "./helper.js";`,
    script: `return Object.keys(helper);`,
    refused: "ReferenceError: exports is not defined",
  },
  {
    attempt: "loads a CommonJS module from a data: address",
    script: `return (await import("data:application/node,module.exports = typeof require")).default;`,
    refused: "ReferenceError: module is not defined",
  },
];

const OTHER_CODE: readonly Attempt[] = [
  {
    attempt: "starts a worker, which would have its own globals",
    script: `return new Worker("data:text/javascript,", { type: "module" });`,
    refused: "ReferenceError: Worker is not defined",
  },
  {
    attempt: "starts a shared worker",
    script: `return new SharedWorker("data:text/javascript,");`,
    refused: "ReferenceError: SharedWorker is not defined",
  },
  {
    attempt: "makes another realm",
    script: `return new ShadowRealm().evaluate("Deno.readTextFileSync('{secret}')");`,
    refused: "ReferenceError: ShadowRealm is not defined",
  },
  {
    attempt: "turns on the engine's own language",
    script: `return eval("%GetOptimizationStatus(() => 1)");`,
    refused: "SyntaxError: Unexpected token '%'",
  },
  {
    attempt: "takes the operations of the runtime, of which many check nothing",
    script: `const symbols = Object.getOwnPropertySymbols(Deno).map((key) => Object.keys(Deno[key]));
      return [symbols, typeof Deno.core, typeof Deno[Deno.internal], typeof globalThis.__bootstrap];`,
    refused: `gives [[],"undefined","undefined","undefined"]`,
  },
  {
    attempt: "gives WebAssembly the host's functions and reads with them",
    script: `const bytes = Uint8Array.fromBase64("AGFzbQEAAAABBAFgAAACBwEBYQFiAAADAgEABwUBAWMAAQoGAQQAEAAL");
      const { instance } = await WebAssembly.instantiate(bytes, { a: { b: () => Deno.readTextFileSync("{secret}") } });
      return instance.exports.c();`,
    refused: `Requires read access to "{secret}"`,
  },
];

/** All of them. */
export const LOADING: readonly Attempt[] = [...IMPORTS, ...BUILT_INS, ...OTHER_CODE];
