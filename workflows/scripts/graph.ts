/**
 * What a script would load, checked before it runs. The sandbox's process needs no permission to load what a script
 * imports *statically*, wherever it lies and even if it is no code (`import key from "/home/…" with { type: "text" }`).
 * So the list of all that, which Deno makes without running anything, must lie in the script's own folder.
 */
import { SvcError } from "../../lib/errors.ts";
import { filterObjects, isJsonObject, type JsonObject, stringOrUndefined } from "../../utils/json.ts";
import { escapeControlCharacters } from "../../utils/text/control_characters.ts";
import type { Limits } from "../runs/limits.ts";
import { listGraph, type Place } from "../sandbox/host/command.ts";
import { IMPORTABLE } from "../sandbox/guest/script_error.ts";

/** The files of a script. */
export interface ScriptGraph {
  /** Paths of the script and of everything that it imports, the library aside. */
  readonly files: readonly string[];
}

/** A list of modules needs no more, however many there are. */
const GRAPH_LIMITS: Limits = { timeoutSeconds: 20, maxMemoryMiB: 512 };

/** Lists the files of a script, which must lie in a folder, a real path; throws where one is missing or is no code. */
export async function checkGraph(place: Place, folder: string, signal?: AbortSignal): Promise<ScriptGraph> {
  const { modules, redirects } = await readGraph(place, signal);
  const files: string[] = [];
  const visited = new Set<string>();
  const waiting = [place.script.href];
  const fault = modules.get(place.script.href)?.error;
  if (typeof fault === "string") throw unusable(readable(fault, place));
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    if (visited.has(url) || url === place.library.host) continue;
    visited.add(url);
    const module = modules.get(url);
    if (module === undefined || module.error !== undefined) continue; // It fails when it is reached.
    if (/^d?c[jt]s$/i.test(stringOrUndefined(module.mediaType) ?? "")) {
      throw unusable(`${readable(url, place)} is CommonJS.`);
    }
    if (typeof module.local === "string") files.push(module.local);
    for (const dependency of filterObjects(module.dependencies)) {
      const target = await checkImport(dependency, positionIn(url, dependency, place), { modules, place, folder });
      if (target !== undefined) waiting.push(stringOrUndefined(redirects[target]) ?? target);
    }
  }
  return { files };
}

/** What an import is checked against. */
interface Bounds {
  readonly modules: ReadonlyMap<string, JsonObject>;
  readonly place: Place;
  readonly folder: string;
}

/** The module that an import loads, or fails to load when it is reached; undefined for one of types, or of the library. */
async function checkImport(
  { code, isDynamic }: JsonObject,
  position: string,
  { modules, place, folder }: Bounds,
): Promise<string | undefined> {
  const { specifier, error } = isJsonObject(code) ? code : {};
  const target = stringOrUndefined(specifier);
  if (target === place.library.host) return undefined;
  const fault = stringOrUndefined(error) ?? (target && stringOrUndefined(modules.get(target)?.error));
  const failsLater = fault !== undefined && isDynamic === true;
  if (target?.startsWith("file:")) await checkInside(folder, target, position, modules); // First: a fault shows a line.
  else if (target !== undefined && !target.startsWith("data:") && !failsLater) throw foreign(target, position);
  if (fault === undefined || failsLater) return target;
  const reason = `${readable(fault, place).replace(/\.$/, "")} (${position}).`;
  throw unusable(reason, target === undefined ? IMPORTABLE : undefined); // Without a target it is the name of a package.
}

async function checkInside(
  folder: string,
  target: string,
  position: string,
  modules: ReadonlyMap<string, JsonObject>,
): Promise<void> {
  // The real path counts: a link inside the folder may lead anywhere. It counts also where Deno finds no file, or none that
  // it can load: devices have a content, too, and an error tells the script whether there is a file, and a line of it.
  const path = await realPathOf(target, stringOrUndefined(modules.get(target)?.local));
  if (path.startsWith(folder.replace(/[\\/]?$/, Deno.build.os === "windows" ? "\\" : "/"))) return;
  throw new SvcError(
    "PERMISSION_DENIED",
    `The script imports ${escapeControlCharacters(path)}, which is outside ${folder} (${position}).`,
    {
      hint: "A script may import files of its own folder; --root names a wider one.",
    },
  );
}

/** Where a file really is; where there is none, the path that its address names, or the address where that is none. */
async function realPathOf(url: string, local?: string): Promise<string> {
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

interface Graph {
  readonly modules: ReadonlyMap<string, JsonObject>;
  readonly redirects: JsonObject;
}

async function readGraph(place: Place, interrupt?: AbortSignal): Promise<Graph> {
  const tooLong = AbortSignal.timeout(GRAPH_LIMITS.timeoutSeconds * 1000);
  const signal = interrupt ? AbortSignal.any([tooLong, interrupt]) : tooLong;
  const { stdout, stderr, success } = await listGraph(place, GRAPH_LIMITS, signal);
  if (tooLong.aborted) throw unusable("it takes too long to read what it imports.");
  const value: unknown = success ? JSON.parse(new TextDecoder().decode(stdout)) : undefined;
  if (!isJsonObject(value)) throw unusable(readable(new TextDecoder().decode(stderr).slice(0, 2000), place));
  const modules = new Map(
    filterObjects(value.modules).map((module) => [stringOrUndefined(module.specifier) ?? "", module]),
  );
  return { modules, redirects: isJsonObject(value.redirects) ? value.redirects : {} };
}

function foreign(target: string, position: string): SvcError {
  return new SvcError("PERMISSION_DENIED", `The script imports ${escapeControlCharacters(target)} (${position}).`, {
    hint: IMPORTABLE,
  });
}

function unusable(reason: string, hint?: string): SvcError {
  return new SvcError("WORKFLOW_FAILED", `The script cannot be loaded: ${reason}`, { hint });
}

/** `helpers/a.ts:3` for an import: what a person calls the place, relative to the script. */
function positionIn(url: string, dependency: JsonObject, place: Place): string {
  const code = isJsonObject(dependency.code) ? dependency.code : {};
  const span = isJsonObject(code.span) && isJsonObject(code.span.start) ? code.span.start : {};
  return `${readable(url, place)}:${Number(span.line ?? 0) + 1}`;
}

/** Deno's words with paths relative to the script, on one line. */
function readable(text: string, { script }: Place): string {
  const folder = new URL(".", script).href;
  const [line = ""] = text.replace(/^error: /, "").replaceAll(folder, "").trim().split("\n\n");
  return escapeControlCharacters(line.replace(/\s*\n\s*/g, " "));
}
