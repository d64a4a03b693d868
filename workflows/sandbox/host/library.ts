/**
 * The modules of this package that a sandbox loads. A sandbox has no network: when svc itself was loaded from a URL, the
 * sandbox gets a copy of them in its temporary folder.
 */
import { SvcError } from "../../../lib/errors.ts";
import { filterObjects, isJsonObject, stringOrUndefined } from "../../../utils/json.ts";
import { resolveBuiltModule, resolveOwnFile, resolveOwnModule } from "../../../lib/own_files.ts";
import { listOwnGraph } from "./command.ts";

const HOST = "workflows/sandbox/guest/main.ts";
const SCRIPT = "workflows/sandbox/guest/script.ts";

/** Never called. It makes Deno fetch the sandbox's modules along with this one, and check them against the registry's. */
const _fetched = () => import("../guest/main.ts");

/** The URLs of the modules that a sandbox is started with. */
export interface Library {
  /** Runs in the sandbox before the script, and is what scripts import as `@svc/lib/workflow`. */
  readonly host: string;
  /** Placeholder that the script replaces. */
  readonly script: string;
}

/** Returns the library as files of this machine; when svc was loaded from a URL, copies it below the folder first. */
export async function localLibrary(folder: string): Promise<Library> {
  if (resolveOwnModule(HOST).protocol === "file:") return libraryAt(resolveOwnModule);
  return await copyLibrary(`${folder}/library`);
}

/** Returns the library of a built program, given the URL of its `cli.js`. */
export function builtLibrary(program: URL): Library {
  return libraryAt((path) => resolveBuiltModule(path, program.href));
}

/** Copies the library's sources into a folder. */
export async function copyLibrary(folder: string): Promise<Library> {
  const { pathToFileURL } = await import("node:url");
  const [root, copies] = [resolveOwnFile("").href, pathToFileURL(`${folder}/`)];
  await Promise.all((await listSources()).map(async (url) => {
    const copy = new URL(url.slice(root.length), copies);
    await Deno.mkdir(new URL(".", copy), { recursive: true });
    await Deno.writeTextFile(copy, await readSource(url));
  }));
  return libraryAt((path) => new URL(path, copies));
}

function libraryAt(address: (path: string) => URL): Library {
  return { host: address(HOST).href, script: address(SCRIPT).href };
}

/** Lists the modules that a sandbox loads, without those that are imported for their types alone. */
async function listSources(): Promise<string[]> {
  const host = resolveOwnFile(HOST);
  const { stdout, stderr, success } = await listOwnGraph(host);
  if (!success) {
    const reason = new TextDecoder().decode(stderr).trim();
    throw new SvcError("INTERNAL_ERROR", `The modules of the sandbox cannot be listed: ${reason}`);
  }
  const graph: unknown = JSON.parse(new TextDecoder().decode(stdout));
  const modules = new Map(
    filterObjects(isJsonObject(graph) && graph.modules).map((
      module,
    ) => [module.specifier, filterObjects(module.dependencies)]),
  );
  const sources = new Set([host.href]);
  for (const source of sources) {
    for (const { code } of modules.get(source) ?? []) {
      const imported = isJsonObject(code) && stringOrUndefined(code.specifier);
      if (imported) sources.add(imported);
    }
  }
  return [...sources];
}

/** Reads a source from Deno's cache, without running it. */
async function readSource(url: string): Promise<string> {
  const { default: source }: { default: unknown } = await import(url, { with: { type: "text" } });
  if (typeof source === "string") return source;
  throw new SvcError("INTERNAL_ERROR", `${url} was not loaded as text.`);
}
