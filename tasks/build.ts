/** Builds the program that people install, into `dist/`: few and minified files, each module in exactly one. */
import { build as bundle, type BuildOptions, type Plugin, stop } from "esbuild";
import { dirname, join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import config from "../deno.json" with { type: "json" };
import { ignoreMissing } from "../utils/fs/ignore_missing.ts";

const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));
const DIST = join(CHECKOUT, "dist");

/** What the built program is made of, and reads beside it. */
export const SOURCES: readonly string[] = ["cli.ts", "cli", "lib", "service", "utils", "workflows"];

/** What tells Deno where packages are. */
export const CONFIGURATION: readonly string[] = ["deno.json", "deno.lock"];

/** What is installed. */
export const PROGRAM: string = join(DIST, "cli.js");

/** What every call executes, whatever its group. */
const CORE: readonly string[] = ["cli/main.ts", "lib/output/render.ts", "lib/resources/common.ts"];

/** A module that is loaded when it is needed. */
const UNSEEN = /\bimportUnseen(?:<[^>]*>)?\(\s*"([^"]+)",?\s*\)/g;
const SEEN = /(?<!typeof )\bimport\("(\.[^"]+)"\)/g;

/** Packages stay outside: they are found by `deno.json`, as they are from the sources. */
const OPTIONS = {
  absWorkingDir: CHECKOUT,
  outbase: CHECKOUT,
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  platform: "neutral",
  target: "esnext",
  external: ["node:*", ...Object.keys(config.imports)],
  write: false,
} as const satisfies BuildOptions;

/** Makes `dist/` anew, or a folder like it. */
export async function build(dist = DIST): Promise<void> {
  const sources = await readSources();
  const unseen = unseenModules(sources);
  const lazy = new Set([...unseen, ...seenModules(sources)]);
  try {
    const [program, sandbox] = await Promise.all([
      bundle({ ...OPTIONS, outdir: dist, entryPoints: ["cli.ts", ...unseen], plugins: [needingCore(lazy)] }),
      bundle({
        ...OPTIONS,
        outdir: dist,
        entryPoints: ["workflows/sandbox/guest/main.ts", "workflows/sandbox/guest/script.ts"],
      }),
    ]);
    await Deno.remove(dist, { recursive: true }).catch(ignoreMissing);
    for (const { path, text } of program.outputFiles) await write(path, hideImports(text));
    for (const { path, text } of sandbox.outputFiles) await write(path, text);
  } finally {
    await stop();
  }
}

/** Modules by their paths in the checkout. */
type Sources = ReadonlyMap<string, string>;

async function readSources(): Promise<Sources> {
  const sources = new Map<string, string>();
  for (const source of SOURCES) {
    for await (const path of filesBelow(join(CHECKOUT, source))) {
      if (path.endsWith(".ts")) sources.set(inCheckout(path), await Deno.readTextFile(path));
    }
  }
  return sources;
}

function inCheckout(path: string): string {
  return relative(CHECKOUT, path).replaceAll(sep, "/");
}

function unseenModules(sources: Sources): string[] {
  const named = [...sources.values()].flatMap((text) => [...text.matchAll(UNSEEN)].map(([, path = ""]) => path));
  return [...new Set(named)].filter((path) => !CORE.includes(path)).toSorted();
}

function seenModules(sources: Sources): string[] {
  return [...sources].flatMap(([from, text]) => [...text.matchAll(SEEN)].map(([, path = ""]) => fromOther(from, path)));
}

/** A module that another one names. */
function fromOther(from: string, path: string): string {
  return posix.join(posix.dirname(from), path);
}

/**
 * The bundler puts modules into one file where the same entries need them, and would spread what a call executes over
 * twenty files: so all that is loaded lazily says that it needs all of that.
 */
function needingCore(lazy: ReadonlySet<string>): Plugin {
  return {
    name: "core",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^core:$/ }, () => ({ path: "core", namespace: "core" }));
      onLoad({ filter: /./, namespace: "core" }, () => ({
        contents: CORE.map((path) => `import "./${path}";\n`).join(""),
        resolveDir: CHECKOUT,
      }));
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const own = inCheckout(path);
        const source = haveCore(own, await Deno.readTextFile(path));
        return { contents: lazy.has(own) ? `import "core:";\n${source}` : source, loader: "ts" };
      });
      // A text that is loaded lazily is such a module, too: what the bundler adds to each would be a file of its own.
      // As JSON it says the same, and is read in no time.
      onLoad({ filter: /\.yaml$/ }, async ({ path }) => {
        const text = JSON.stringify(JSON.stringify(parse(await Deno.readTextFile(path))));
        return { contents: `import "core:";\nexport default ${text};`, resolveDir: CHECKOUT };
      });
    },
  };
}

/** What every call executes is there already: to import it once more would take Deno the better part of a millisecond. */
function haveCore(own: string, source: string): string {
  return CORE.reduce((text, path, index) => {
    const name = `core${index}`;
    const having = text.replace(UNSEEN, (whole, other) => other === path ? `Promise.resolve(${name})` : whole)
      .replace(SEEN, (whole, other) => fromOther(own, other) === path ? `Promise.resolve(${name})` : whole);
    return having === text ? text : `import * as ${name} from ${JSON.stringify(join(CHECKOUT, path))};\n${having}`;
  }, source);
}

/** Deno reads what a literal `import()` names before the program starts: `lib/import_unseen.ts` says what that costs. */
function hideImports(code: string): string {
  return code.replace(SEEN, `import(import.meta.resolve("$1"))`);
}

async function write(path: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, text);
}

async function* filesBelow(path: string): AsyncGenerator<string> {
  if ((await Deno.stat(path)).isFile) return yield path;
  for await (const { name } of Deno.readDir(path)) yield* filesBelow(join(path, name));
}

/** Has Deno keep the packages that the program imports: what is installed needs no registry any more, whatever it does. */
async function keepPackages(): Promise<void> {
  const sources = [...(await readSources()).values()].join("\n");
  const used = Object.entries(config.imports).filter(([name]) =>
    sources.includes(`"${name}"`) || sources.includes(`"${name}/`)
  );
  const args = ["cache", "--quiet", "--no-lock", ...used.map(([, specifier]) => specifier)];
  const { success } = await new Deno.Command(Deno.execPath(), { args, cwd: CHECKOUT }).spawn().status;
  if (!success) throw new Error("The packages of the program cannot be fetched.");
}

if (import.meta.main) {
  await build();
  await keepPackages();
}
