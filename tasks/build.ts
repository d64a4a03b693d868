/** Builds the program that people install, into `dist/`: few and minified files, each module in exactly one of them. */
import { stop, transform } from "esbuild";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type OutputOptions, type Plugin, rollup, type RollupBuild } from "rollup";
import { parse } from "yaml";
import config from "../deno.json" with { type: "json" };
import { type Definition, parseDefinition } from "../service/application/schema/definition.ts";
import { ignoreMissing } from "../utils/fs/ignore_missing.ts";

const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));
const DIST = join(CHECKOUT, "dist");

/** The path of the installed program. */
export const PROGRAM: string = join(DIST, "cli.js");

/** The modules that every call runs; with everything that they import, they are one file. */
const CORE = pathsOf(
  "cli/main.ts",
  "lib/output/render.ts",
  "lib/resources/shared/params.ts",
  "lib/resources/shared/case.ts",
);

/** The modules that a sandbox is started with. */
const SANDBOX = ["workflows/sandbox/guest/main.ts", "workflows/sandbox/guest/script.ts"] as const;

/** Packages stay outside of the program: Deno finds them through `deno.json`. */
const PACKAGES: Readonly<Record<string, string>> = config.imports;

const OUTPUT = { chunkFileNames: "[name]-[hash].js", hoistTransitiveImports: false } as const satisfies OutputOptions;

/** Builds the program into a folder and returns the names of the packages that it imports. */
export async function build(dist: string = DIST): Promise<string[]> {
  try {
    await using program = await load(["cli.ts"], [toJavaScript, lazyImports]);
    // The sandbox is another process: nothing that it loads is part of the program.
    await using sandbox = await load(SANDBOX, [toJavaScript]);
    await Deno.remove(dist, { recursive: true }).catch(ignoreMissing);
    const { output } = await program.write({
      ...OUTPUT,
      dir: dist,
      manualChunks: (path) => CORE.includes(path) ? "core" : undefined,
    });
    await sandbox.write({ ...OUTPUT, dir: join(dist, dirname(SANDBOX[0])) });
    const imported = output.flatMap((file) => file.type === "chunk" ? [...file.imports, ...file.dynamicImports] : []);
    return [...new Set(imported.flatMap((name) => packageName(name) ?? []))];
  } finally {
    await stop();
  }
}

async function load(entries: readonly string[], plugins: Plugin[]): Promise<RollupBuild> {
  return await rollup({
    input: pathsOf(...entries),
    external: (name) => name.startsWith("node:") || packageName(name) !== undefined,
    plugins,
  });
}

/** Returns the name of the package that an import names, e.g. `hono` for `hono/cors`. */
function packageName(imported: string): string | undefined {
  return Object.keys(PACKAGES).find((name) => imported === name || imported.startsWith(`${name}/`));
}

function pathsOf(...files: string[]): string[] {
  return files.map((file) => join(CHECKOUT, file));
}

/** Has esbuild strip the types from each module and minify each file. */
const toJavaScript: Plugin = {
  name: "to-javascript",
  async transform(text, path) {
    if (path.endsWith(".yaml")) return `export default ${JSON.stringify(JSON.stringify(checkSample(text)))};`;
    if (path.endsWith(".json")) return `export default ${text};`;
    return (await transform(text, { loader: "ts", target: "esnext", sourcefile: path })).code;
  },
  async renderChunk(code) {
    return (await transform(code, { format: "esm", target: "esnext", minify: true })).code;
  },
};

/** Checks the sample application when svc is built, so that a service that starts with it loads no YAML and no schema. */
function checkSample(text: string): Definition {
  const parsed = parseDefinition(parse(text));
  if ("definition" in parsed) return parsed.definition;
  throw new Error(`The sample application is wrong: ${JSON.stringify(parsed.issues)}`);
}

/** Hides imports from Deno, which loads everything that a literal `import()` names when the program starts. */
const lazyImports: Plugin = {
  name: "lazy-imports",
  renderDynamicImport: ({ targetChunk }) => targetChunk && { left: "import(import.meta.resolve(", right: "))" },
};

/** Has Deno keep the packages in its cache: the installed program never needs a registry. */
async function cachePackages(packages: string[]): Promise<void> {
  const specifiers = packages.flatMap((name) => PACKAGES[name] ?? []);
  const args = ["cache", "--quiet", "--no-lock", ...specifiers];
  const { success } = await new Deno.Command(Deno.execPath(), { args, cwd: CHECKOUT }).spawn().status;
  if (!success) throw new Error("The packages of the program cannot be fetched.");
}

if (import.meta.main) await cachePackages(await build());
