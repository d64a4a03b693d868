/** Attempts to load other code: modules of every scheme, built-in modules, CommonJS, WebAssembly, and threads. */
import type { Attempt } from "./_attempt.ts";

const MODULES: readonly Attempt[] = [
  {
    attempt: "imports a text from another folder",
    before: `import secret from "{secret}" with { type: "text" };`,
    script: `return secret;`,
    refused: "PERMISSION_DENIED: The script imports {secret}, which is outside {root} (script.ts:2).",
  },
  {
    attempt: "imports JSON from another folder",
    before: `import secret from "{outside}/secret.json" with { type: "json" };`,
    script: `return secret;`,
    refused: "PERMISSION_DENIED: The script imports {outside}/secret.json, which is outside {root} (script.ts:2).",
  },
  {
    attempt: "imports code from another folder",
    before: `import { secret } from "{outside}/secret.ts";`,
    script: `return secret;`,
    refused: "PERMISSION_DENIED: The script imports {outside}/secret.ts, which is outside {root} (script.ts:2).",
  },
  {
    attempt: "imports bytes from another folder",
    before: `import secret from "{secret}" with { type: "bytes" };`,
    script: `return secret;`,
    refused: "PERMISSION_DENIED: The script imports {secret}, which is outside {root} (script.ts:2).",
  },
  {
    attempt: "re-exports code from another folder",
    files: { "helper.ts": `export * from "{outside}/secret.ts";` },
    before: `import { secret } from "./helper.ts";`,
    script: `return secret;`,
    refused: "PERMISSION_DENIED: The script imports {outside}/secret.ts, which is outside {root} (helper.ts:1).",
  },
  {
    attempt: "imports a file above its folder with an encoded slash",
    before: `import secret from "./..%2f..%2f..%2fetc%2fpasswd" with { type: "text" };`,
    script: `return secret;`,
    refused: /^(PERMISSION_DENIED: The script imports|WORKFLOW_FAILED: The script cannot be loaded)/,
  },
  {
    attempt: "imports a file above the root of the file system",
    before: `import secret from "./${"../".repeat(40)}{secret}" with { type: "text" };`,
    script: `return secret;`,
    refused: "PERMISSION_DENIED: The script imports {secret}, which is outside {root} (script.ts:2).",
  },
  {
    attempt: "imports a file of another folder by a computed name with many levels",
    script: `return (await import("./${"../".repeat(40)}" + "{secret}", { with: { type: "text" } })).default;`,
    refused: "Requires read access to",
  },
  {
    attempt: "imports a link to a file of another folder",
    links: { "linked.json": "{outside}/secret.json" },
    before: `import secret from "./linked.json" with { type: "json" };`,
    script: `return secret;`,
    refused: "PERMISSION_DENIED: The script imports {outside}/secret.json, which is outside {root} (script.ts:2).",
  },
  {
    attempt: "imports a file through a link to another folder",
    links: { "linked": "{outside}" },
    before: `import secret from "./linked/secret.json" with { type: "json" };`,
    script: `return secret;`,
    refused: "PERMISSION_DENIED: The script imports {outside}/secret.json, which is outside {root} (script.ts:2).",
  },
  {
    attempt: "imports a link as text at run time",
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
    attempt: "imports broken code from another folder to get a line in the error",
    script: `return await import("{outside}/broken.ts").catch((error) => error.message);`,
    refused: "PERMISSION_DENIED: The script imports {outside}/broken.ts, which is outside {root} (script.ts:7).",
  },
  {
    attempt: "imports broken code through a link to another folder",
    links: { "linked": "{outside}" },
    script: `return await import("./linked/broken.ts").catch((error) => error.message);`,
    refused: "PERMISSION_DENIED: The script imports {outside}/broken.ts, which is outside {root} (script.ts:7).",
  },
  {
    attempt: "imports a file that is not code to find out if it exists",
    script: `return await import("{secret}").catch((error) => error.message);`,
    refused: "PERMISSION_DENIED: The script imports {secret}, which is outside {root} (script.ts:7).",
  },
  {
    attempt: "imports a missing file to find out that it is missing",
    script: `return await import("{outside}/missing.ts").catch((error) => error.message);`,
    refused: "PERMISSION_DENIED: The script imports {outside}/missing.ts, which is outside {root} (script.ts:7).",
  },
  {
    attempt: "imports a missing file with encoded slashes",
    script: `return await import("./..%2f..%2f..%2fmissing.ts").catch((error) => error.message);`,
    refused: "PERMISSION_DENIED: The script imports ",
  },
  {
    attempt: "imports a device",
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
    attempt: `imports from another folder by ${before}`,
    before,
    script: `return secret;`,
    refused: /^PERMISSION_DENIED: The script imports .*secret\.\w+, which is outside/,
  })),
  {
    attempt: "imports types from another folder, and their module at run time",
    before: `import type { secret } from "{outside}/secret.ts";`,
    script: `return (await import("{outside}/secret" + ".ts")).secret;`,
    refused: `Requires read access to "{outside}/secret.ts"`,
  },
  {
    attempt: "imports a file in a data: module",
    script: `const text = 'import t from "file://{secret}" with { type: "text" }; export default t;';
      return (await import("data:text/javascript," + encodeURIComponent(text))).default;`,
    refused: `Requires read access to "{secret}"`,
  },
  {
    attempt: "imports a file in a literal data: module",
    before: `import secret from "data:text/javascript,export { secret as default } from 'file://{outside}/secret.ts'";`,
    script: `return secret;`,
    refused: "PERMISSION_DENIED: The script imports {outside}/secret.ts, which is outside {root}",
  },
  {
    attempt: "imports a file in a blob: module",
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
    attempt: "imports a file of the library by its URL",
    script: `const library = import.meta.resolve("@svc/lib/workflow");
      return Object.keys(await import(new URL("../lib/auth/token_cache.ts", library)));`,
    refused: "Requires read access to",
  },
  {
    attempt: "imports internal code of the runtime",
    script: `return Object.keys(await import("ext:" + "core/ops"));`,
    refused: "Importing ext: modules is only allowed from ext: and node: modules.",
  },
  {
    attempt: "has a configuration with an import map to another folder",
    files: { "deno.json": `{"imports":{"secret":"{outside}/secret.ts"},"nodeModulesDir":"auto"}` },
    before: `import { secret } from "secret";`,
    script: `return secret;`,
    refused: "WORKFLOW_FAILED: The script cannot be loaded:",
  },
  {
    attempt: "loads a JSX runtime from another folder",
    files: { "page.tsx": `/** @jsxImportSource file://{outside} */ export default () => <a />;` },
    before: `import page from "./page.tsx";`,
    script: `return String(page);`,
    refused: "PERMISSION_DENIED: The script imports {outside}/jsx-runtime, which is outside {root} (page.tsx:1).",
  },
];

/** Modules that open files, sockets, processes, threads or memory. Each is one attempt. */
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
    attempt: "imports node:fs at run time",
    script: `return (await import("node:fs")).readFileSync("{secret}", "utf8");`,
    refused: "PERMISSION_DENIED: The script imports node:fs (script.ts:7).",
  },
  {
    attempt: "imports node:fs under equivalent names",
    script: `const seen = new Set();
      for (const name of ["NODE:fs", " node:fs", "node:fs ", "no\\tde:fs", "node:\\nfs"]) {
        await import(name).then(() => seen.add("loaded " + name), (error) => seen.add(error.message));
      }
      return [...seen];`,
    refused: `gives ["A workflow has no node: modules."]`,
  },
  {
    attempt: "imports node:fs under similar names",
    script: `const seen = new Set();
      for (const name of ["fs", "node:FS", "node:%66s", "node:/fs", "node://fs", "node:fs?a", "node:fs#a", "node:node:fs"]) {
        await import(name).then(() => seen.add("loaded " + name), (error) => seen.add(error.name));
      }
      return [...seen];`,
    refused: `gives ["TypeError"]`,
  },
  {
    attempt: "imports node:fs in a data: module",
    script: `const code = "import * as fs from 'node:fs'; export default fs;";
      return Object.keys((await import("data:text/javascript," + code)).default).length;`,
    refused: NO_BUILT_IN,
  },
  {
    attempt: "imports node:fs in WebAssembly",
    script: `const wasm = "data:application/wasm;base64," + "AGFzbQEAAAABBAFgAAACEgEHbm9kZTpmcwZhY2Nlc3MAAA==";
      return Object.keys(await import(wasm));`,
    refused: "SyntaxError: The requested module 'node:fs' does not provide an export named 'access'",
  },
  {
    attempt: "calls native code at any address through a database",
    script: `const { DatabaseSync } = await import("node:" + "sqlite");
      const database = new DatabaseSync(":memory:");
      database.prepare("SELECT fts3_tokenizer(?, ?)").get("x", new Uint8Array(8).fill(65));
      database.exec("CREATE VIRTUAL TABLE t USING fts3(a, tokenize=x)");`,
    refused: NO_BUILT_IN,
  },
  {
    attempt: "opens file descriptors of the runtime as pipes, such as the cache of the next input",
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
    attempt: "declares helpers as CommonJS in package.json",
    files: { "package.json": `{"type":"commonjs"}`, "helper.js": `exports.sqlite = require("node:" + "sqlite");` },
    before: `import * as helper from "./helper.js";`,
    script: `return Object.keys(helper);`,
    refused: "ReferenceError: exports is not defined",
  },
  {
    attempt: "loads a CommonJS module from a data: URL",
    script: `return (await import("data:application/node,module.exports = typeof require")).default;`,
    refused: "ReferenceError: module is not defined",
  },
];

const OTHER_CODE: readonly Attempt[] = [
  {
    attempt: "starts a worker, which would have other globals",
    script: `return new Worker("data:text/javascript,", { type: "module" });`,
    refused: "ReferenceError: Worker is not defined",
  },
  {
    attempt: "starts a shared worker",
    script: `return new SharedWorker("data:text/javascript,");`,
    refused: "ReferenceError: SharedWorker is not defined",
  },
  {
    attempt: "creates another realm",
    script: `return new ShadowRealm().evaluate("Deno.readTextFileSync('{secret}')");`,
    refused: "ReferenceError: ShadowRealm is not defined",
  },
  {
    attempt: "uses the native syntax of the engine",
    script: `return eval("%GetOptimizationStatus(() => 1)");`,
    refused: "SyntaxError: Unexpected token '%'",
  },
  {
    attempt: "reads the internal operations of the runtime, many without checks",
    script: `const symbols = Object.getOwnPropertySymbols(Deno).map((key) => Object.keys(Deno[key]));
      return [symbols, typeof Deno.core, typeof Deno[Deno.internal], typeof globalThis.__bootstrap];`,
    refused: `gives [[],"undefined","undefined","undefined"]`,
  },
  {
    attempt: "passes functions of Deno to WebAssembly and reads a file",
    script: `const bytes = Uint8Array.fromBase64("AGFzbQEAAAABBAFgAAACBwEBYQFiAAADAgEABwUBAWMAAQoGAQQAEAAL");
      const { instance } = await WebAssembly.instantiate(bytes, { a: { b: () => Deno.readTextFileSync("{secret}") } });
      return instance.exports.c();`,
    refused: `Requires read access to "{secret}"`,
  },
];

/** All attempts to load code. */
export const IMPORTS: readonly Attempt[] = [...MODULES, ...BUILT_INS, ...OTHER_CODE];
