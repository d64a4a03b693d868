/** Runs `svc` as a process of its own, with no more permissions than docs/permissions.md lists. */
import { PROGRAM } from "./program.ts";

const ENVIRONMENT = [
  "SVC_BASE_URL",
  "SVC_CLIENT_ID",
  "SVC_CLIENT_SECRET",
  "SVC_CONFIG_DIR",
  "SVC_NO_CACHE",
  "SVC_DEBUG",
  "NO_COLOR",
  "TERM",
  "HOME",
  "USERPROFILE",
];

/** How a command line is run. */
export interface CliOptions {
  /** Variables of its environment; it has no others but those that Deno needs. */
  readonly env?: Readonly<Record<string, string>>;
  /** Its standard input; empty without it. */
  readonly stdin?: string | Uint8Array;
  /** Its working directory. */
  readonly cwd?: string;
}

/** What came of a command line. */
export interface CliResult {
  /** Exit code. */
  readonly code: number;
  /** Standard output. */
  readonly stdout: string;
  /** Standard error. */
  readonly stderr: string;
}

/** Runs `svc` to its end. */
export async function svc(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  await using directory = await configDirectory(options.env?.SVC_CONFIG_DIR);
  const process = spawnSvc(args, { ...options, env: { ...options.env, SVC_CONFIG_DIR: directory.path } });
  const writer = process.stdin.getWriter();
  const { stdin = "" } = options;
  const written = writer.write(typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin)
    .then(() => writer.close())
    .catch((error) => {
      if (!(error instanceof Deno.errors.BrokenPipe)) throw error; // A command need not read its input.
    });
  const [{ code, stdout, stderr }] = await Promise.all([process.output(), written]);
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Starts `svc`, for tests that talk to it while it runs. */
export function spawnSvc(args: readonly string[], { env = {}, cwd }: CliOptions): Deno.ChildProcess {
  const [command = "", ...rest] = svcCommand(args, env.SVC_CONFIG_DIR);
  const child = new Deno.Command(command, {
    args: rest,
    clearEnv: true,
    env: { ...variablesOfDeno(), ...env },
    cwd,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
  return child.spawn();
}

/** The command line that starts `svc` with the permissions it needs for API commands and `auth`. */
export function svcCommand(args: readonly string[], directory = ""): string[] {
  const permissions = [
    "--allow-net",
    "--allow-read",
    `--allow-write=${directory}`,
    `--allow-env=${ENVIRONMENT.join(",")}`,
  ];
  return [Deno.execPath(), "run", "--quiet", "--no-prompt", ...permissions, PROGRAM, ...args];
}

/** The error record on stderr: the only thing there. */
export function errorOf({ stderr }: CliResult): Record<string, unknown> {
  return JSON.parse(stderr).error;
}

/** Splits a command line as a shell does with words and single quotes. */
export function words(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
}

/** The variables that Deno needs to start, and to find the packages that are on this machine. */
export function variablesOfDeno(): Record<string, string> {
  const names = ["PATH", "HOME", "DENO_DIR", "XDG_CACHE_HOME", "SystemRoot", "LOCALAPPDATA"];
  return Object.fromEntries(names.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
}

/** The directory that a test names, or one of its own that goes with it. */
async function configDirectory(named?: string): Promise<{ path: string } & AsyncDisposable> {
  if (named !== undefined) return { path: named, async [Symbol.asyncDispose]() {} };
  const path = await Deno.makeTempDir({ prefix: "svc-test-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
