/**
 * Builds the program that people install, into `dist/`: few and minified files. Deno's own bundler makes them, each
 * module in exactly one; two things it cannot be told are done to its input and to its output.
 */
import { dirname, join, posix, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import config from "../deno.json" with { type: "json" };

const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));
const DIST = join(CHECKOUT, "dist");
const SOURCES = ["cli.ts", "lib", "service", "workflows"];

/** What is installed. */
export const PROGRAM: string = join(DIST, "cli.js");

/** What every call executes, whatever its group. */
const CORE = ["lib/cli/main.ts", "lib/output/render.ts", "lib/resources/common.ts"];

/** A module that is loaded when it is needed. */
const UNSEEN = /\bimportUnseen(?:<[^>]*>)?\(\s*"([^"]+)",?\s*\)/g;
const SEEN = /(?<!typeof )\bimport\("(\.[^"]+)"\)/g;

/** Makes `dist/` anew. */
export async function build(): Promise<void> {
  const staging = await Deno.makeTempDir({ prefix: "svc-build-" });
  try {
    const sources = await readSources();
    const entries = unseenModules(sources);
    await stage(staging, sources, new Set([...entries, ...seenModules(sources)]));
    await Deno.remove(DIST, { recursive: true }).catch(ignoreMissing);
    await bundle(staging, DIST, ["cli.ts", ...entries]);
    for await (const path of filesBelow(DIST)) await hideImports(path);
    await bundle(CHECKOUT, join(DIST, "workflows/sandbox"), [
      "workflows/sandbox/host.ts",
      "workflows/sandbox/script.ts",
    ]);
  } finally {
    await Deno.remove(staging, { recursive: true });
  }
}

/** Modules by their paths in the checkout. */
type Sources = ReadonlyMap<string, string>;

async function readSources(): Promise<Sources> {
  const sources = new Map<string, string>();
  for (const source of SOURCES) {
    for await (const path of filesBelow(join(CHECKOUT, source))) {
      if (path.endsWith(".ts")) {
        sources.set(relative(CHECKOUT, path).replaceAll(sep, "/"), await Deno.readTextFile(path));
      }
    }
  }
  return sources;
}

function unseenModules(sources: Sources): string[] {
  const named = [...sources.values()].flatMap((text) => [...text.matchAll(UNSEEN)].map(([, path = ""]) => path));
  return [...new Set(named)].toSorted();
}

function seenModules(sources: Sources): string[] {
  return [...sources].flatMap(([from, text]) =>
    [...text.matchAll(SEEN)].map(([, path = ""]) => posix.join(posix.dirname(from), path))
  );
}

/**
 * Copies the sources. The bundler puts modules into one file where the same entries need them, and would spread what a
 * call executes over twenty files: so all that is loaded lazily says here that it needs all of that.
 */
async function stage(folder: string, sources: Sources, lazy: ReadonlySet<string>): Promise<void> {
  const core = join(folder, "core.ts");
  const needsCore = `import ${JSON.stringify(pathToFileURL(core).href)};\n`;
  for (const [path, text] of sources) {
    const copy = join(folder, path);
    await Deno.mkdir(dirname(copy), { recursive: true });
    await Deno.writeTextFile(copy, lazy.has(path) ? needsCore + text : text);
  }
  await Deno.writeTextFile(core, CORE.map((path) => `import "./${path}";\n`).join(""));
  for (const name of ["deno.json", "deno.lock"]) await Deno.copyFile(join(CHECKOUT, name), join(folder, name));
}

/** Packages stay outside: they are found by `deno.json`, as they are from the sources. */
async function bundle(cwd: string, outdir: string, entries: readonly string[]): Promise<void> {
  const packages = Object.keys(config.imports).map((name) => `--external=${name}`);
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["bundle", "--quiet", "--code-splitting", "--minify"],
      ...packages,
      `--outdir=${outdir}`,
      ...entries,
    ],
    cwd,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

/** Deno reads what a literal `import()` names before the program starts: `lib/import_unseen.ts` says what that costs. */
async function hideImports(path: string): Promise<void> {
  const text = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, text.replace(SEEN, `import(import.meta.resolve("$1"))`));
}

async function* filesBelow(path: string): AsyncGenerator<string> {
  if ((await Deno.stat(path)).isFile) return yield path;
  for await (const { name } of Deno.readDir(path)) yield* filesBelow(join(path, name));
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

if (import.meta.main) await build();
