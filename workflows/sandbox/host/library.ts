/**
 * The modules of this package that a guest loads. A guest has no network access. If svc was loaded from a URL, the guest
 * gets a copy of the modules in its temporary folder.
 */
import { SvcError } from "../../../lib/errors.ts";
import { filterObjects, isJsonObject, stringOrUndefined } from "../../../utils/json.ts";
import { resolveBuiltModule, resolveOwnFile, resolveOwnModule } from "../../../lib/own_files.ts";
import { type GuestLibrary, listOwnGraph } from "./guest_process.ts";

const GUEST = "workflows/sandbox/guest/main.ts";
const INSTANCES = "workflows/sandbox/guest/instances.ts";

/** Never called. The import makes Deno fetch and verify the modules of the guest together with this one. */
const _fetched = () => import("../guest/main.ts");

/** Returns the library as local files. If svc was loaded from a URL, copies them into the folder. */
export async function localLibrary(folder: string): Promise<GuestLibrary> {
  if (resolveOwnModule(GUEST).protocol === "file:") return resolveLibrary(resolveOwnModule);
  return await copyLibrary(`${folder}/library`);
}

/** Returns the library of a built program from the URL of its `cli.js`. */
export function builtLibrary(program: URL): GuestLibrary {
  return resolveLibrary((path) => resolveBuiltModule(path, program.href));
}

/** Copies the library's sources into a folder. */
export async function copyLibrary(folder: string): Promise<GuestLibrary> {
  const { pathToFileURL } = await import("node:url");
  const [root, copies] = [resolveOwnFile("").href, pathToFileURL(`${folder}/`)];
  await Promise.all((await listSources()).map(async (url) => {
    const copy = new URL(url.slice(root.length), copies);
    await Deno.mkdir(new URL(".", copy), { recursive: true });
    await Deno.writeTextFile(copy, await readSource(url));
  }));
  return resolveLibrary((path) => new URL(path, copies));
}

function resolveLibrary(address: (path: string) => URL): GuestLibrary {
  return { guest: address(GUEST).href, instances: address(INSTANCES).href };
}

/** Lists the modules that a guest loads, without those that are imported only for their types. */
async function listSources(): Promise<string[]> {
  const main = resolveOwnFile(GUEST);
  const { stdout, stderr, success } = await listOwnGraph(main);
  if (!success) {
    const reason = new TextDecoder().decode(stderr).trim();
    throw new SvcError("INTERNAL_ERROR", `The modules of the guest cannot be listed: ${reason}`);
  }
  const graph: unknown = JSON.parse(new TextDecoder().decode(stdout));
  const modules = new Map(
    filterObjects(isJsonObject(graph) && graph.modules).map((
      module,
    ) => [module.specifier, filterObjects(module.dependencies)]),
  );
  const sources = new Set([main.href]);
  for (const source of sources) {
    for (const { code } of modules.get(source) ?? []) {
      const imported = isJsonObject(code) && stringOrUndefined(code.specifier);
      if (imported) sources.add(imported);
    }
  }
  return [...sources];
}

/** Reads a source from the cache of Deno without running it. */
async function readSource(url: string): Promise<string> {
  const { default: source }: { default: unknown } = await import(url, { with: { type: "text" } });
  if (typeof source === "string") return source;
  throw new SvcError("INTERNAL_ERROR", `${url} was not loaded as text.`);
}
