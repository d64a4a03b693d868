/**
 * Checks the imports of a script before it runs. Deno loads *static* imports without any permission, from any folder and
 * even if they are not code (`import key from "/home/…" with { type: "text" }`). Therefore all files of the module graph,
 * which Deno lists without running the script, must be in the script's folder.
 *
 * @module
 */
import { SvcError } from "../../lib/errors.ts";
import { filterObjects, isJsonObject, type JsonObject, stringOrUndefined } from "../../utils/json.ts";
import { escapeControlCharacters } from "../../utils/text/control_characters.ts";
import type { Limits } from "../sandbox/host/limits.ts";
import { type GuestFiles, listGraph } from "../sandbox/host/guest_process.ts";
import type { CopiedPaths } from "../sandbox/host/copied_paths.ts";
import { IMPORTABLE } from "../sandbox/guest/script_error.ts";
import { isInside } from "./read_inside.ts";

/** Limits of the process that lists the modules. */
const GRAPH_LIMITS: Limits = { timeoutSeconds: 20, maxMemoryMiB: 512 };

/** The files of a guest whose script is a copy. */
export type CopiedFiles = GuestFiles & Required<Pick<GuestFiles, "paths">>;

/** The modules of a script, as Deno lists them without running it. */
export interface Graph {
  /** Modules by URL. */
  readonly modules: ReadonlyMap<string, JsonObject>;
  /** Redirected URLs with their targets. */
  readonly redirects: JsonObject;
}

/** Lists the URLs of the modules that Deno could not load. */
export function listFailed({ modules }: Graph): string[] {
  return [...modules].flatMap(([url, { error }]) => error === undefined ? [] : [url]);
}

/**
 * Lists the paths of a script and its imports, without the library. Throws `SvcError` if an import is outside the folder,
 * is missing, or cannot be loaded. The folder must be a real path.
 */
export async function checkGraph(graph: Graph, guestFiles: CopiedFiles, folder: string): Promise<string[]> {
  const { modules, redirects } = graph;
  const files: string[] = [];
  const visited = new Set<string>();
  const pending = [guestFiles.script.href];
  const error = modules.get(guestFiles.script.href)?.error;
  if (typeof error === "string") throw cannotLoad(toReadable(error, guestFiles));
  for (let url = pending.pop(); url !== undefined; url = pending.pop()) {
    if (visited.has(url) || url === guestFiles.library.guest) continue;
    visited.add(url);
    const module = modules.get(url);
    if (module === undefined || module.error !== undefined) continue; // It fails at run time.
    if (/^d?c[jt]s$/i.test(stringOrUndefined(module.mediaType) ?? "")) {
      throw cannotLoad(`${toReadable(url, guestFiles)} is CommonJS.`);
    }
    if (typeof module.local === "string") files.push(module.local);
    for (const dependency of filterObjects(module.dependencies)) {
      const target = await checkImport(dependency, url, { modules, guestFiles, folder });
      if (target !== undefined) pending.push(stringOrUndefined(redirects[target]) ?? target);
    }
  }
  return files;
}

interface ImportContext {
  readonly modules: ReadonlyMap<string, JsonObject>;
  readonly guestFiles: CopiedFiles;
  readonly folder: string;
}

/** Checks an import and returns its module. Returns undefined for type imports and the library. */
async function checkImport(
  dependency: JsonObject,
  importer: string,
  context: ImportContext,
): Promise<string | undefined> {
  const { modules, guestFiles } = context;
  const { code, isDynamic } = dependency;
  const position = formatPosition(importer, dependency, guestFiles);
  const { specifier, error } = isJsonObject(code) ? code : {};
  const target = stringOrUndefined(specifier);
  if (target === guestFiles.library.guest) return undefined;
  const failure = stringOrUndefined(error) ?? (target && stringOrUndefined(modules.get(target)?.error));
  const failsLater = failure !== undefined && isDynamic === true;
  if (target?.startsWith("file:")) { // First, because a load error quotes a line of the file.
    const source = resolveSource(stringOrUndefined(dependency.specifier), importer, target, guestFiles.paths);
    await checkInside(source, target, position, context);
  } else if (target !== undefined && !target.startsWith("data:") && !failsLater) throw importDenied(target, position);
  if (failure === undefined || failsLater) return target;
  const reason = `${toReadable(failure, guestFiles).replace(/\.$/, "")} (${position}).`;
  throw cannotLoad(reason, target === undefined ? IMPORTABLE : undefined); // Without a target it names a package.
}

/** Returns the URL of the user's file that an import names. In the copy, a path with many `..` leads elsewhere. */
function resolveSource(name: string | undefined, importer: string, target: string, paths: CopiedPaths): string {
  const isPath = name !== undefined && /^(\.\.?\/|\/|file:)/.test(name);
  const source = isPath ? URL.parse(name, paths.toSource(importer)) : undefined;
  return source?.href ?? paths.toSource(target);
}

async function checkInside(
  source: string,
  target: string,
  position: string,
  { modules, guestFiles: { paths }, folder }: ImportContext,
): Promise<void> {
  // Check the real path, because a link inside the folder may lead anywhere. Check it even if Deno cannot load the file:
  // the error would tell the script whether the file exists, and quote a line of it.
  const path = await resolvePath(source);
  if (!isInside(path, folder)) {
    throw new SvcError(
      "PERMISSION_DENIED",
      `The script imports ${escapeControlCharacters(path)}, which is outside ${folder} (${position}).`,
      {
        hint: "A script can import files from its own directory. Use --root to allow a parent directory.",
      },
    );
  }
  // Only copies are checked. The imports of a `data:` module are not mapped to copies.
  const loaded = await resolvePath(target, stringOrUndefined(modules.get(target)?.local));
  if (!isInside(loaded, await resolvePath(paths.tree.copy))) throw importDenied(path, position);
}

/** Returns the real path of a file URL. Falls back to the path if the file does not exist, and to the URL if it is invalid. */
async function resolvePath(url: string, local?: string): Promise<string> {
  if (local !== undefined) return await Deno.realPath(local);
  const { fileURLToPath } = await import("node:url");
  let path = url;
  try {
    path = fileURLToPath(url);
    return await Deno.realPath(path);
  } catch {
    return path;
  }
}

/** Lists the modules of a script. */
export async function readGraph(guestFiles: GuestFiles, interruption?: AbortSignal): Promise<Graph> {
  const timeout = AbortSignal.timeout(GRAPH_LIMITS.timeoutSeconds * 1000);
  const signal = interruption ? AbortSignal.any([timeout, interruption]) : timeout;
  const { stdout, stderr, success } = await listGraph(guestFiles, GRAPH_LIMITS, signal);
  if (timeout.aborted) throw cannotLoad(`listing its imports took more than ${GRAPH_LIMITS.timeoutSeconds} s.`);
  const value: unknown = success ? JSON.parse(new TextDecoder().decode(stdout)) : undefined;
  if (!isJsonObject(value)) throw cannotLoad(toReadable(new TextDecoder().decode(stderr).slice(0, 2000), guestFiles));
  const modules = new Map(
    filterObjects(value.modules).map((module) => [stringOrUndefined(module.specifier) ?? "", module]),
  );
  return { modules, redirects: isJsonObject(value.redirects) ? value.redirects : {} };
}

function importDenied(target: string, position: string): SvcError {
  return new SvcError("PERMISSION_DENIED", `The script imports ${escapeControlCharacters(target)} (${position}).`, {
    hint: IMPORTABLE,
  });
}

function cannotLoad(reason: string, hint?: string): SvcError {
  return new SvcError("WORKFLOW_FAILED", `The script cannot be loaded: ${reason}`, { hint });
}

/** Formats the position of an import relative to the script, e.g. `helpers/a.ts:3`. */
function formatPosition(url: string, dependency: JsonObject, guestFiles: GuestFiles): string {
  const code = isJsonObject(dependency.code) ? dependency.code : {};
  const span = isJsonObject(code.span) && isJsonObject(code.span.start) ? code.span.start : {};
  return `${toReadable(url, guestFiles)}:${Number(span.line ?? 0) + 1}`;
}

/** Converts a message of Deno to one line with paths relative to the script. */
function toReadable(text: string, { script, paths }: GuestFiles): string {
  const folder = new URL(".", paths?.toSource(script.href) ?? script).href;
  const restored = paths?.restore(text, false) ?? text;
  const [line = ""] = restored.replace(/^error: /, "").replaceAll(folder, "").trim().split("\n\n");
  return escapeControlCharacters(line.replace(/\s*\n\s*/g, " "));
}
