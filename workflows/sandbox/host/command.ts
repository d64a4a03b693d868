/** The command line of a process that runs foreign code: no permission, nothing of our environment, limited memory. */
import { SvcError } from "../../../lib/errors.ts";
import { VERSION } from "../../../lib/version.ts";
import { lowerFirst } from "../../../utils/text/wording.ts";
import { StopsRun } from "../../runs/interruption.ts";
import type { Limits } from "../../runs/limits.ts";
import { BUILTIN_MODULES } from "./builtins.ts";
import type { Library } from "./library.ts";

/** A script, what its process loads with it, and where Deno may keep what it caches. */
export interface Place {
  /** URL of the script. */
  readonly script: URL;
  /** Throw-away folder; the process cannot write anything of its own into it. */
  readonly folder: string;
  /** What the process loads beside the script. */
  readonly library: Library;
}

/** An empty program has about this much data as the operating system counts it: V8 reserves most of it for code. */
const BASE_MIB = 544;

/** What each processor's threads add to that. */
const BASE_MIB_PER_PROCESSOR = 8;

/** MiB of a file in which Deno caches: scripts can make up modules without end. */
const MAX_CACHE_FILE_MIB = 16;

/** In which `ulimit -f` counts. */
const BLOCKS_PER_MIB = 2048;

/** What a script gets where it imports a module that is built into the runtime. */
const NO_BUILTIN = `data:text/javascript,throw new TypeError("A workflow has no node: modules.")`;

/** Shell that sets the limits, then becomes the program. */
const SHELL = "/bin/sh";

/** Starts the process that runs a script. */
export function startHost(place: Place, limits: Limits): Deno.ChildProcess {
  const permissions = ["--no-prompt", "--deny-import", "--cached-only"];
  const heap = `--v8-flags=--max-old-space-size=${limits.maxMemoryMiB}`;
  const barred = Object.fromEntries(BUILTIN_MODULES.map((name) => [`node:${name}`, NO_BUILTIN]));
  const args = ["run", ...permissions, ...loading(place, barred), heap, place.library.host];
  try {
    return command(args, place, limits, "piped").spawn();
  } catch (cause) {
    throw cannotStart(cause);
  }
}

/** Lists what a script imports, in a process. The library counts as empty: it is ours, and would take longer than the script. */
export async function listGraph(place: Place, limits: Limits, signal: AbortSignal): Promise<Deno.CommandOutput> {
  const withoutLibrary = { ...place, library: { ...place.library, host: "data:text/javascript," } };
  const args = ["info", "--json", "--deny-import", ...loading(withoutLibrary), place.script.href];
  try {
    return await command(args, place, limits, "null", signal).output();
  } catch (cause) {
    throw cannotStart(cause);
  }
}

/** Lists what one of svc's own modules imports, in a process that uses the same cache as this one. */
export async function listOwnGraph(module: URL): Promise<Deno.CommandOutput> {
  const args = ["info", "--json", "--no-config", "--no-lock", module.href];
  try {
    return await throughShell(`exec "$0" "$@"`, args, { stdin: "null" }).output();
  } catch (cause) {
    throw cannotStart(cause);
  }
}

/** The error of a process that the machine cannot start: it says nothing of the input that it was for. */
function cannotStart(cause: unknown): unknown {
  if (!(cause instanceof Error) || cause instanceof Deno.errors.NotCapable) return cause;
  const reason = cause.message.replaceAll(/^Failed to spawn '.*?': | \(os error \d+\)$/g, "");
  return new SvcError("INVALID_CONFIG", `No process can be started for the script: ${lowerFirst(reason)}.`, {
    cause: new StopsRun(undefined, { cause }),
    hint: cause instanceof Deno.errors.NotFound
      ? "Keep what tidies up temporary files from those of a program that is at work."
      : "Raise the limit that it has reached, as 'ulimit -n' and 'ulimit -u' show them, or lower --concurrency.",
  });
}

/** How modules are found: files alone, with the library and the script under their fixed names. */
function loading({ script, library }: Place, barred: Readonly<Record<string, string>> = {}): string[] {
  const names = [
    "@svc/lib/workflow",
    "jsr:@svc/lib/workflow",
    `jsr:@svc/lib@${VERSION}/workflow`,
    `jsr:@svc/lib@^${VERSION}/workflow`,
  ];
  const imports = { ...barred, ...Object.fromEntries(names.map((name) => [name, library.host])) };
  imports[library.script] = script.href;
  const map = "data:application/json," + encodeURIComponent(JSON.stringify({ imports }));
  return ["--no-remote", "--no-npm", "--no-config", "--no-lock", `--import-map=${map}`];
}

function command(
  args: string[],
  { folder }: Place,
  limits: Limits,
  stdin: "piped" | "null",
  signal?: AbortSignal,
): Deno.Command {
  const options = {
    cwd: folder,
    clearEnv: true,
    env: { DENO_DIR: folder, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
    stdin,
    stdout: "piped",
    stderr: "piped",
    signal,
  } as const;
  return throughShell(limiter(limits), args, options);
}

/** Windows has neither the shell nor its limits. */
function throughShell(line: string, args: string[], options: Deno.CommandOptions): Deno.Command {
  const deno = Deno.execPath();
  if (Deno.build.os === "windows") return new Deno.Command(deno, { ...options, args });
  return new Deno.Command(SHELL, { ...options, args: ["-c", line, deno, ...args] });
}

/** Whether the operating system limits all memory, and not V8 its heap alone. */
export function limitsAllMemory(os: string = Deno.build.os): boolean {
  return os === "linux";
}

/**
 * A shell script that sets limits for what takes its place; Ctrl-C is for the parent, which ends it in its own time, and
 * where Deno cannot make a file of its cache longer it just caches no more.
 * `ulimit -v` would not do: V8 reserves far more addresses than it uses. Elsewhere than on Linux `ulimit -d` counts these,
 * or nothing. The limit of processor time ends a process that nobody watches any more, its parent having been killed. It
 * ends it with a signal of its own: killed at once, as where both limits are the same, it would look as if somebody else
 * had done it, and would be begun again.
 */
export function limiter({ maxMemoryMiB, timeoutSeconds }: Limits, os?: string): string {
  const base = BASE_MIB + BASE_MIB_PER_PROCESSOR * navigator.hardwareConcurrency;
  const kibibytes = Math.ceil((base + maxMemoryMiB) * 1024);
  const seconds = Math.ceil(timeoutSeconds * navigator.hardwareConcurrency) + 60;
  const time = `ulimit -S -t ${seconds} && ulimit -H -t ${seconds + 10}`;
  const files = `ulimit -f ${MAX_CACHE_FILE_MIB * BLOCKS_PER_MIB}`;
  const memory = limitsAllMemory(os) ? ` && ulimit -d ${kibibytes}` : "";
  return `trap "" INT XFSZ && ulimit -c 0 && ${time} && ${files}${memory} && exec "$0" "$@"`;
}
