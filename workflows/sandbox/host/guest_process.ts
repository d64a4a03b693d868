/** Starts the Deno processes of a script: without permissions, with an empty environment and limited memory. */
import { SvcError } from "../../../lib/errors.ts";
import { VERSION } from "../../../lib/version.ts";
import { lowerFirst } from "../../../utils/text/wording.ts";
import type { CopiedPaths } from "./copied_paths.ts";
import { StopsRun } from "./interruption.ts";
import type { Limits } from "./limits.ts";
import { BUILTIN_MODULES } from "./builtins.ts";

/** The URLs of the modules that a guest starts with. */
export interface GuestLibrary {
  /** Main module of the guest, which scripts import as `@svc/lib/workflow`. */
  readonly guest: string;
  /** Module that the import map replaces by the instances of the script. */
  readonly instances: string;
}

/** The files of a guest process. */
export interface GuestFiles {
  /** URL of the script. */
  readonly script: URL;
  /** Maps the script and its imports to the files of the user, if they are copies. */
  readonly paths?: CopiedPaths;
  /** Number of instances of the script, each with copies of its own. A process runs an input in each of them. Default: 1. */
  readonly instances?: number;
  /** Temporary folder. Deno caches compiled modules in it, and the script cannot write to it. */
  readonly folder: string;
  /** Modules that the process loads beside the script. */
  readonly library: GuestLibrary;
}

/** Data size of an empty program, in MiB. V8 reserves most of it for code. */
const BASE_MIB = 544;

/** Data size that the threads of each processor add, in MiB. */
const BASE_MIB_PER_PROCESSOR = 8;

/** Maximum size of a file in the cache, in MiB. A script can generate any number of modules. */
const MAX_CACHE_FILE_MIB = 16;

/** The unit of `ulimit -f` is 512 bytes. */
const BLOCKS_PER_MIB = 2048;

/** Time in seconds for which a process may take further inputs. The limit of its processor time includes it. */
export const MAX_REUSE_SECONDS = 30;

/** Module that a script gets if it imports one that is built into the runtime. */
const NO_BUILTIN = `data:text/javascript,throw new TypeError("A workflow has no node: modules.")`;

/** Shell that sets the limits, then replaces itself by Deno. */
const SHELL = "/bin/sh";

/** Starts a guest process, which loads a script. */
export function startGuest(files: GuestFiles, limits: Limits): Deno.ChildProcess {
  const permissions = ["--no-prompt", "--deny-import", "--cached-only"];
  const heap = `--v8-flags=--max-old-space-size=${limits.maxMemoryMiB}`;
  const barred = Object.fromEntries(BUILTIN_MODULES.map((name) => [`node:${name}`, NO_BUILTIN]));
  const args = ["run", ...permissions, ...moduleFlags(files, barred), heap, files.library.guest];
  try {
    return createCommand(args, files, limits, "piped").spawn();
  } catch (cause) {
    throw cannotStart(cause);
  }
}

/** Kills a guest process. */
export function killGuest(process: Deno.ChildProcess): void {
  try {
    process.kill("SIGKILL");
  } catch (error) {
    // It has already ended. Windows reports that as a missing permission.
    if (!(error instanceof TypeError || error instanceof Deno.errors.PermissionDenied)) throw error;
  }
}

/** Runs `deno info` on a script. The library counts as empty, because its modules would take longer than the script. */
export async function listGraph(files: GuestFiles, limits: Limits, signal: AbortSignal): Promise<Deno.CommandOutput> {
  const withoutLibrary = { ...files, library: { ...files.library, guest: "data:text/javascript," } };
  const args = ["info", "--json", "--deny-import", ...moduleFlags(withoutLibrary), files.script.href];
  try {
    return await createCommand(args, files, limits, "null", signal).output();
  } catch (cause) {
    throw cannotStart(cause);
  }
}

/** Runs `deno info` on a module of svc, with the cache of this process. */
export async function listOwnGraph(module: URL): Promise<Deno.CommandOutput> {
  const args = ["info", "--json", "--no-config", "--no-lock", module.href];
  try {
    return await createShellCommand(`exec "$0" "$@"`, args, { stdin: "null" }).output();
  } catch (cause) {
    throw cannotStart(cause);
  }
}

/** Creates the error of a process that cannot be started. It stops the run, because no input caused it. */
function cannotStart(cause: unknown): unknown {
  if (!(cause instanceof Error) || cause instanceof Deno.errors.NotCapable) return cause;
  if (cause instanceof Deno.errors.NotFound) return lostFolder(cause);
  const reason = cause.message.replaceAll(/^Failed to spawn '.*?': | \(os error \d+\)$/g, "");
  return new SvcError("INVALID_CONFIG", `The process of the script cannot be started: ${lowerFirst(reason)}.`, {
    cause: new StopsRun(undefined, { cause }),
    hint: "Raise the limits that 'ulimit -n' and 'ulimit -u' show, or lower --concurrency.",
  });
}

/** Creates the error of a guest whose temporary folder was removed. */
export function lostFolder(cause: unknown): SvcError {
  return new SvcError("INVALID_CONFIG", "The temporary directory of the run was removed.", {
    cause: new StopsRun(undefined, { cause }),
    hint: "Exclude the temporary directories of running programs from cleanup.",
  });
}

/** Creates a module that loads the instances of a script. With literal imports, Deno needs no permission to read them. */
function createInstances(scripts: readonly string[]): string {
  const loaders = scripts.map((script) => `() => import(${JSON.stringify(script)})`);
  return "data:text/javascript," + encodeURI(`export default [${loaders.join(",")}]`);
}

/** Returns the flags that restrict imports to files, and that map the names of the library and the script. */
function moduleFlags(
  { script, paths, instances = 1, library }: GuestFiles,
  barred: Readonly<Record<string, string>> = {},
): string[] {
  const names = [
    "@svc/lib/workflow",
    "jsr:@svc/lib/workflow",
    `jsr:@svc/lib@${VERSION}/workflow`,
    `jsr:@svc/lib@^${VERSION}/workflow`,
  ];
  const imports = { ...barred, ...Object.fromEntries(names.map((name) => [name, library.guest])) };
  const numbers = [...Array(instances).keys()];
  imports[library.instances] = createInstances(
    paths ? numbers.map((number) => paths.toInstance(script.href, number)) : [script.href],
  );
  const scopes = paths &&
    Object.fromEntries(numbers.map((number) => [paths.folderOf(number), paths.toImports(number)]));
  const map = "data:application/json," + encodeURIComponent(JSON.stringify({ imports, scopes }));
  return ["--no-remote", "--no-npm", "--no-config", "--no-lock", `--import-map=${map}`];
}

function createCommand(
  args: string[],
  { folder }: GuestFiles,
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
  return createShellCommand(buildLimiter(limits), args, options);
}

/** Wraps Deno in a shell. Windows has neither the shell nor its limits. */
function createShellCommand(line: string, args: string[], options: Deno.CommandOptions): Deno.Command {
  const deno = Deno.execPath();
  if (Deno.build.os === "windows") return new Deno.Command(deno, { ...options, args });
  return new Deno.Command(SHELL, { ...options, args: ["-c", line, deno, ...args] });
}

/** Returns true if the operating system limits all memory. Otherwise V8 limits only its heap. */
export function limitsAllMemory(os: string = Deno.build.os): boolean {
  return os === "linux";
}

/** Builds the command that sets a limit. A hard limit of the host that is lower remains, because it cannot be raised. */
function limitTo(value: number, resource: string, kind = ""): string {
  return `{ ulimit ${kind} -${resource} ${value} 2>/dev/null || [ "$(ulimit -H -${resource})" -le ${value} ]; }`;
}

/**
 * Builds a shell script that sets limits, then replaces itself by a program. The program ignores Ctrl-C, because the host
 * ends it, and it gets no signal when it exceeds the size of a file, so that Deno only caches less.
 *
 * `ulimit -v` cannot be used: V8 reserves far more address space than it uses. `ulimit -d` works only on Linux. The limit
 * of processor time ends a process whose host was killed. Its soft limit is lower than its hard limit, so that the signal
 * is SIGXCPU: after SIGKILL the run would count as killed from outside and start again.
 */
export function buildLimiter({ maxMemoryMiB, timeoutSeconds }: Limits, os?: string): string {
  const base = BASE_MIB + BASE_MIB_PER_PROCESSOR * navigator.hardwareConcurrency;
  const kibibytes = Math.ceil((base + maxMemoryMiB) * 1024);
  const seconds = Math.ceil((timeoutSeconds + MAX_REUSE_SECONDS) * navigator.hardwareConcurrency) + 60;
  const limits = [
    limitTo(seconds, "t", "-S"),
    limitTo(seconds + 10, "t", "-H"),
    limitTo(MAX_CACHE_FILE_MIB * BLOCKS_PER_MIB, "f"),
    ...(limitsAllMemory(os) ? [limitTo(kibibytes, "d")] : []),
  ];
  return `trap "" INT XFSZ && ulimit -c 0 && ${limits.join(" && ")} && exec "$0" "$@"`;
}
