/** Builds the installed program into `dist/`: a few minified files, each module in exactly one of them, and its packages. */
import { build as bundle, stop, transform } from "esbuild";
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

/** The packages that the sources import, by name. */
const PACKAGES: Readonly<Record<string, string>> = config.imports;

/** Packages in CommonJS load modules of Node.js with `require`. */
const DEFINE_REQUIRE =
  'import { createRequire as createPackageRequire } from "node:module"; const require = createPackageRequire(import.meta.url);';

const OUTPUT = { chunkFileNames: "[name]-[hash].js", hoistTransitiveImports: false } as const satisfies OutputOptions;

/** Builds the program into a folder. It contains all that the program needs, except the files of the checkout. */
export async function build(dist: string = DIST): Promise<void> {
  const packages = new Set<string>();
  const bundledPackages: Plugin = {
    name: "bundled-packages",
    resolveId(name) {
      if (packageName(name) === undefined) return undefined;
      packages.add(name);
      // Rollup takes the checkout for the folder of the built files.
      return { id: join(CHECKOUT, "packages", fileName(name)), external: "relative" };
    },
  };
  try {
    await using program = await load(["cli.ts", ...THREADS], [bundledPackages, toJavaScript, lazyImports]);
    // The sandbox is another process, so its modules are not part of the program.
    await using sandbox = await load(SANDBOX, [toJavaScript]);
    await Deno.remove(dist, { recursive: true }).catch(ignoreMissing);
    await program.write({
      ...OUTPUT,
      dir: dist,
      sourcemap: true, // Deno reads it when it formats a stack.
      sourcemapExcludeSources: true,
      manualChunks: (path) => CORE.includes(path) ? "core" : undefined,
    });
    await sandbox.write({ ...OUTPUT, dir: dist });
    await bundlePackages(packages, dist);
  } finally {
    await stop();
  }
}

async function load(entries: readonly string[], plugins: Plugin[]): Promise<RollupBuild> {
  return await rollup({
    input: Object.fromEntries(entries.map((path) => [path.replace(/\.ts$/, ""), join(CHECKOUT, path)])),
    external: /^node:/,
    plugins,
  });
}

/** Returns the name of the package that an import names, e.g. `hono` for `hono/cors`. */
function packageName(imported: string): string | undefined {
  return Object.keys(PACKAGES).find((name) => imported === name || imported.startsWith(`${name}/`));
}

/** Bundles what the program imports from packages. A package that is imported in several ways is included once. */
async function bundlePackages(imported: ReadonlySet<string>, dist: string): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    const names = [...imported].flatMap((name) => packageName(name) ?? []);
    const imports = Object.fromEntries(names.map((name) => [name, PACKAGES[name]]));
    await Deno.writeTextFile(join(folder, "deno.json"), JSON.stringify({ imports, nodeModulesDir: "auto" }));
    await Deno.copyFile(join(CHECKOUT, "deno.lock"), join(folder, "deno.lock"));
    const { success } = await new Deno.Command(Deno.execPath(), { args: ["install", "--quiet"], cwd: folder }).spawn()
      .status;
    if (!success) throw new Error("The packages of the program cannot be fetched.");
    await bundle({
      absWorkingDir: folder,
      entryPoints: await Promise.all(imported.values().map((name) => writeEntry(name, folder))),
      outdir: join(dist, "packages"),
      bundle: true,
      splitting: true,
      minify: true,
      format: "esm",
      platform: "node",
      target: "esnext",
      external: ["pg-native"], // An optional addition to pg.
      banner: { js: DEFINE_REQUIRE },
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Writes a module that exports all that a package exports. Some packages are CommonJS, whose exports are not declared. */
async function writeEntry(name: string, folder: string): Promise<string> {
  const file = join(folder, fileName(name));
  const exported: object = await import(name);
  const names = Object.keys(exported).filter((name) => /^[\w$]+$/.test(name));
  await Deno.writeTextFile(file, `export { ${names.join(", ")} } from ${JSON.stringify(name)};\n`);
  return file;
}

function fileName(imported: string): string {
  return imported.replaceAll("/", "_") + ".js";
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
  renderDynamicImport({ targetModuleId }) {
    const isFile = targetModuleId !== null && !targetModuleId.startsWith("node:");
    return isFile ? { left: "import(import.meta.resolve(", right: "))" } : null;
  },
};

if (import.meta.main) await build();
