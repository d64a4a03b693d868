/** Builds the installed program into `dist/`: a few minified files, each module in exactly one of them. */
import { stop, transform } from "esbuild";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type OutputOptions, type Plugin, rollup, type RollupBuild, type SourceDescription } from "rollup";
import { parse } from "yaml";
import config from "../deno.json" with { type: "json" };
import { type Definition, parseDefinition } from "../service/application/schema/definition.ts";
import { ignoreMissing } from "../utils/fs/ignore_missing.ts";

const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));
const DIST = join(CHECKOUT, "dist");

/** The path of the installed program. */
export const PROGRAM: string = join(DIST, "cli.js");

/** The modules that every call runs. They become one file with everything that they import. */
const CORE = resolvePaths(
  "cli/main.ts",
  "lib/output/render.ts",
  "lib/resources/shared/params.ts",
  "lib/resources/shared/case.ts",
);

/** The entry points of threads. They share modules with the program. */
const THREADS = ["service/store/sqlite/query_worker.ts"] as const;

/** The entry points of a sandbox. */
const SANDBOX = ["workflows/sandbox/guest/main.ts", "workflows/sandbox/guest/instances.ts"] as const;

/** Packages are not bundled. Deno finds them with `deno.json`. */
const PACKAGES: Readonly<Record<string, string>> = config.imports;

const OUTPUT = { chunkFileNames: "[name]-[hash].js", hoistTransitiveImports: false } as const satisfies OutputOptions;

/** Builds the program into a folder and returns the names of the packages that it imports. */
export async function build(dist: string = DIST): Promise<string[]> {
  try {
    await using program = await load(["cli.ts", ...THREADS], [toJavaScript, lazyImports]);
    // The sandbox is another process, so its modules are not part of the program.
    await using sandbox = await load(SANDBOX, [toJavaScript]);
    await Deno.remove(dist, { recursive: true }).catch(ignoreMissing);
    const { output } = await program.write({
      ...OUTPUT,
      dir: dist,
      sourcemap: true, // Deno reads it when it formats a stack.
      sourcemapExcludeSources: true,
      manualChunks: (path) => CORE.includes(path) ? "core" : undefined,
    });
    await sandbox.write({ ...OUTPUT, dir: dist });
    const imported = output.flatMap((file) => file.type === "chunk" ? [...file.imports, ...file.dynamicImports] : []);
    return [...new Set(imported.flatMap((name) => packageName(name) ?? []))];
  } finally {
    await stop();
  }
}

async function load(entries: readonly string[], plugins: Plugin[]): Promise<RollupBuild> {
  return await rollup({
    input: Object.fromEntries(entries.map((path) => [path.replace(/\.ts$/, ""), join(CHECKOUT, path)])),
    external: (name) => name.startsWith("node:") || packageName(name) !== undefined,
    plugins,
  });
}

/** Returns the name of the package that an import names, e.g. `hono` for `hono/cors`. */
function packageName(imported: string): string | undefined {
  return Object.keys(PACKAGES).find((name) => imported === name || imported.startsWith(`${name}/`));
}

function resolvePaths(...files: string[]): string[] {
  return files.map((file) => join(CHECKOUT, file));
}

/** Strips the types from each module and minifies each file with esbuild. */
const toJavaScript: Plugin = {
  name: "to-javascript",
  async transform(text, path) {
    if (path.endsWith(".yaml")) return withoutMap(JSON.stringify(JSON.stringify(checkSample(text))));
    if (path.endsWith(".json")) return withoutMap(text);
    return await transform(text, { loader: "ts", target: "esnext", sourcefile: path, sourcemap: true });
  },
  async renderChunk(code) {
    return await transform(code, { format: "esm", target: "esnext", minify: true, sourcemap: true });
  },
};

/** Returns a module that exports a value. Its lines are not those of a source. */
function withoutMap(value: string): SourceDescription {
  return { code: `export default ${value};`, map: { mappings: "" } };
}

/** Checks the sample application at build time, so that a service with it loads neither the YAML parser nor the schema. */
function checkSample(text: string): Definition {
  const parsed = parseDefinition(parse(text));
  if ("definition" in parsed) return parsed.definition;
  throw new Error(`The sample application is invalid: ${JSON.stringify(parsed.issues)}`);
}

/** Makes the paths of dynamic imports computed: Deno loads literal ones when the program starts. */
const lazyImports: Plugin = {
  name: "lazy-imports",
  renderDynamicImport: ({ targetChunk }) => targetChunk && { left: "import(import.meta.resolve(", right: "))" },
};

/** Caches the packages, so that the installed program never needs a registry. */
async function cachePackages(packages: string[]): Promise<void> {
  const specifiers = packages.flatMap((name) => PACKAGES[name] ?? []);
  const args = ["cache", "--quiet", "--no-lock", ...specifiers];
  const { success } = await new Deno.Command(Deno.execPath(), { args, cwd: CHECKOUT }).spawn().status;
  if (!success) throw new Error("The packages of the program cannot be fetched.");
}

if (import.meta.main) await cachePackages(await build());
