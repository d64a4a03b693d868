/** The layers of the sources: every import, including type imports, points down. */
import assert from "node:assert/strict";
import { relative } from "node:path";
import { pathToFileURL } from "node:url";
import { CHECKOUT, LimitedCommand, makeFolder } from "./harness/svc.ts";

/** Each layer with the layers that it may import. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  "cli.ts": ["cli", "lib", "utils"],
  "mod.ts": ["lib", "utils"],
  cli: ["workflows", "service", "lib", "utils"],
  workflows: ["lib", "utils"],
  service: ["lib", "utils"],
  lib: ["utils"],
  utils: [],
};

/** Each part of an application definition with the parts that it may import. */
const DEFINITION_PARTS: Readonly<Record<string, readonly string[]>> = {
  model: [],
  expressions: ["model"],
  schema: ["model"],
  compile: ["model", "expressions", "schema"],
};

const DOMAIN_WORDS =
  /\b(svc|cases|case.?types?|assignments?|worklists?|workflows?|journals?|cassettes?|operations?|operators?|participants?|stages?)\b/gi;

const graph = await readGraph();

Deno.test("every import points to a lower layer", () => {
  const upward = imports().filter(([from, to]) => layer(from) !== layer(to) && !mayImport(from, to));
  assert.deepEqual(upward.map(([from, to]) => `${from} imports ${to}`), []);
});

Deno.test("the parts of an application definition import only lower parts, and the model only JSON types", () => {
  const wrong = imports().filter(([from, to]) => {
    const [source, target] = [definitionPart(from), definitionPart(to)];
    if (source === undefined || source === target) return false;
    if (source === "model") return to !== "utils/json.ts";
    return target !== undefined && !DEFINITION_PARTS[source]?.includes(target);
  });
  assert.deepEqual(wrong.map(([from, to]) => `${from} imports ${to}`), []);
});

Deno.test("only the store, backups, copies and the data directory depend on a kind of database", () => {
  const wrong = imports().filter(([from, to]) => {
    return /^service\/store\/\w+\//.test(to) && !/^service\/(store|backup|copy|server)\//.test(from);
  });
  assert.deepEqual(wrong.map(([from, to]) => `${from} imports ${to}`), []);
});

Deno.test("no files import each other in a cycle", () => {
  assert.deepEqual(findCycles(graph).map((cycle) => cycle.join(" → ")), []);
});

Deno.test("utils has no word of the domain", async () => {
  const found: string[] = [];
  for (const path of graph.keys()) {
    if (layer(path) !== "utils") continue;
    const source = await Deno.readTextFile(`${CHECKOUT}/${path}`);
    found.push(...[...source.matchAll(DOMAIN_WORDS)].map(([word]) => `${path}: ${word}`));
  }
  assert.deepEqual(found, []);
});

function layer(path: string): string {
  const [first = ""] = path.split("/");
  return first;
}

/** Returns the part of an application definition that a file belongs to, e.g. `model`. */
function definitionPart(path: string): string | undefined {
  const [, , part, file] = path.startsWith("service/application/") ? path.split("/") : [];
  return file === undefined ? undefined : part;
}

function mayImport(from: string, to: string): boolean {
  return LAYERS[layer(from)]?.includes(layer(to)) ?? false;
}

/**
 * Finds one cycle for each group of files that import each other. A file that imports only files outside of any cycle
 * is outside too, so those files are removed first.
 */
function findCycles(files: ReadonlyMap<string, readonly string[]>): string[][] {
  const rest = new Map(files);
  const cycles: string[][] = [];
  while (true) {
    const leaves = [...rest].filter(([, targets]) => !targets.some((target) => rest.has(target)));
    if (leaves.length > 0) {
      for (const [path] of leaves) rest.delete(path);
      continue;
    }
    const [start] = rest.keys();
    if (start === undefined) return cycles;
    const cycle = followImports(start, rest);
    cycles.push(cycle);
    for (const path of cycle) rest.delete(path);
  }
}

/** Follows imports until a file repeats. Each file must import a file of the map. */
function followImports(start: string, files: ReadonlyMap<string, readonly string[]>): string[] {
  const path: string[] = [];
  let current = start;
  while (!path.includes(current)) {
    path.push(current);
    current = files.get(current)?.find((target) => files.has(target)) ?? current;
  }
  return [...path.slice(path.indexOf(current)), current];
}

function imports(): [from: string, to: string][] {
  return [...graph].flatMap(([from, targets]) => targets.map((to): [string, string] => [from, to]));
}

/** Reads the imports of every source file, by paths relative to the checkout. */
async function readGraph(): Promise<Map<string, string[]>> {
  const sources = [...Object.keys(LAYERS)].flatMap((name) => sourcesBelow(name));
  const entry = sources.map((path) => `import ${JSON.stringify(pathToFileURL(`${CHECKOUT}/${path}`).href)};\n`).join(
    "",
  );
  await using folder = await makeFolder({ "all.ts": entry });
  const args = ["info", "--json", "--config", `${CHECKOUT}/deno.json`, `${folder.path}/all.ts`];
  const { stdout } = await new LimitedCommand(Deno.execPath(), { args, stderr: "inherit" }).output();
  const { modules }: { modules: GraphModule[] } = JSON.parse(new TextDecoder().decode(stdout));
  const own = new Set(sources);
  return new Map(
    modules.map(({ specifier, dependencies = [] }): [string, string[]] => [
      toPath(specifier),
      [...new Set(dependencies.flatMap(({ code, type }) => [code, type]).map((end) => toPath(end?.specifier ?? "")))]
        .filter((path) => own.has(path)),
    ]).filter(([path]) => own.has(path)),
  );
}

interface GraphModule {
  readonly specifier: string;
  readonly dependencies?: readonly { readonly code?: GraphTarget; readonly type?: GraphTarget }[];
}

interface GraphTarget {
  readonly specifier?: string;
}

function toPath(specifier: string): string {
  return specifier.startsWith("file:")
    ? relative(CHECKOUT, decodeURIComponent(new URL(specifier).pathname))
    : specifier;
}

function sourcesBelow(path: string): string[] {
  if (path.endsWith(".ts")) return [path];
  return [...Deno.readDirSync(`${CHECKOUT}/${path}`)].flatMap(({ name, isDirectory }) => {
    return isDirectory || name.endsWith(".ts") ? sourcesBelow(`${path}/${name}`) : [];
  });
}
