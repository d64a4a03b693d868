/** Runs `svc` and other programs: as processes that end within a limit, or in the process of the test. */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { shellQuote } from "../../utils/text/shell_quote.ts";
import { createCapturedIo, type Surroundings } from "./captured_io.ts";
import { eventually, within } from "./wait.ts";

/** Folder of this checkout. */
export const CHECKOUT: string = resolve(fileURLToPath(import.meta.url), "../../..");

/** Program that `deno task test` has built. Undefined when a test file runs by itself. */
export const BUILT_PROGRAM: string | undefined = Deno.env.get("SVC_TEST_PROGRAM");

/** Path of the program under test: the built one, or the sources. */
export const PROGRAM: string = BUILT_PROGRAM ?? `${CHECKOUT}/cli.ts`;

/** Seconds that a process may run. */
const PROCESS_SECONDS = 180;

/** Result of a command. */
export interface CommandResult {
  /** Exit code. */
  readonly code: number;
  /** Standard output. */
  readonly stdout: string;
  /** Standard error. */
  readonly stderr: string;
}

/** Options of a command with a time limit. */
export interface CommandOptions extends Deno.CommandOptions {
  /** Seconds after which its process is killed. */
  readonly limitSeconds?: number;
}

/** A command whose process is killed when it runs too long, so that the test fails instead of waiting. */
export class LimitedCommand extends Deno.Command {
  readonly #program: string | URL;
  readonly #options: CommandOptions;

  /** Prepares a command. */
  constructor(program: string | URL, options: CommandOptions = {}) {
    super(program, options);
    this.#program = program;
    this.#options = options;
  }

  /** Starts the process. */
  override spawn(): Deno.ChildProcess {
    const { args = [], limitSeconds = PROCESS_SECONDS } = this.#options;
    const child = super.spawn();
    const timer = setTimeout(() => {
      console.error(`Killed after ${limitSeconds} s: ${[this.#program, ...args].join(" ")}`);
      child.kill("SIGKILL");
    }, limitSeconds * 1000);
    child.status.finally(() => clearTimeout(timer));
    return child;
  }

  /** Runs the process until it ends. */
  override output(): Promise<Deno.CommandOutput> {
    return new LimitedCommand(this.#program, { stdout: "piped", stderr: "piped", ...this.#options }).spawn().output();
  }
}

/** Runs a command until it ends. */
export async function runCommand(command: Deno.Command): Promise<CommandResult> {
  const { code, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Options of a command line. */
export interface SvcOptions {
  /** Environment of the process, besides the variables that Deno needs. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input. Default: empty. */
  readonly stdin?: string | Uint8Array;
  /** Working directory. */
  readonly cwd?: string;
  /** Permissions besides those that API commands and `auth` need. */
  readonly permissions?: readonly string[];
}

/** Variables that `svc` may read in its environment. */
export const VARIABLES = [
  "SVC_BASE_URL",
  "SVC_CLIENT_ID",
  "SVC_CLIENT_SECRET",
  "SVC_PROFILE",
  "SVC_FORMAT",
  "SVC_CONFIG_DIR",
  "SVC_NO_CACHE",
  "SVC_TIMEOUT",
  "SVC_RETRIES",
  "SVC_MAX_OUTAGE",
  "SVC_DEBUG",
  "SVC_PAGER",
  "PAGER",
  "VISUAL",
  "EDITOR",
  "NO_COLOR",
  "CLICOLOR",
  "CLICOLOR_FORCE",
  "TERM",
  "HOME",
  "USERPROFILE",
  "HTTP_PROXY",
  "http_proxy",
  "ALL_PROXY",
  "all_proxy",
];

/** Runs `svc` as a process with no more permissions than docs/permissions.md lists. */
export async function svc(args: readonly string[], options: SvcOptions = {}): Promise<CommandResult> {
  const { stdin = "", env } = options;
  await using own = env?.SVC_CONFIG_DIR === undefined ? await makeFolder() : undefined;
  const process = spawnSvc(args, own ? { ...options, env: { ...env, SVC_CONFIG_DIR: own.path } } : options);
  const writer = process.stdin.getWriter();
  const written = writer.write(typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin)
    .then(() => writer.close())
    .catch((error) => {
      if (!(error instanceof Deno.errors.BrokenPipe)) throw error; // A command may end without reading its input.
    });
  const [{ code, stdout, stderr }] = await Promise.all([process.output(), written]);
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Starts `svc` with pipes as its streams. */
export function spawnSvc(args: readonly string[], { env = {}, cwd, permissions }: SvcOptions): Deno.ChildProcess {
  const [program = "", ...rest] = svcCommand(args, env.SVC_CONFIG_DIR, permissions);
  return new LimitedCommand(program, {
    args: rest,
    clearEnv: true,
    env: { ...readDenoEnvironment(), ...env },
    cwd,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Returns the command line that starts `svc` with the permissions that API commands and `auth` need. */
export function svcCommand(
  args: readonly string[],
  configDirectory = "",
  others: readonly string[] = [],
): string[] {
  const permissions = [...commandPermissions(configDirectory), ...others];
  return [Deno.execPath(), "run", "--quiet", "--no-prompt", ...permissions, PROGRAM, ...args];
}

/** Returns the permissions that API commands and `auth` need, with a folder that they may write. */
export function commandPermissions(folder: string): string[] {
  return [
    "--allow-net",
    "--allow-read",
    `--allow-write=${folder}`,
    `--allow-env=${VARIABLES.join(",")}`,
    "--allow-sys=uid",
  ];
}

/** Parses the error record on standard error, which must be the only output there. */
export function parseErrorRecord({ stderr }: CommandResult): Record<string, unknown> {
  return JSON.parse(stderr).error;
}

/** Splits a command line as a shell does with words and single quotes. */
export function splitWords(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
}

/** Returns the variables that Deno needs to start, and to find the packages that are installed. */
export function readDenoEnvironment(): Record<string, string> {
  const names = ["PATH", "HOME", "DENO_DIR", "DENO_COVERAGE_DIR", "XDG_CACHE_HOME", "SystemRoot", "LOCALAPPDATA"];
  return Object.fromEntries(names.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
}

/** Runs a script of this checkout, or a program by its absolute path, as a process with its own environment. */
export function runScript(path: string, args: string[], env: Record<string, string>): Promise<CommandResult> {
  return runCommand(
    new LimitedCommand(Deno.execPath(), {
      args: ["run", "--quiet", "--no-prompt", "--allow-all", resolve(CHECKOUT, path), ...args],
      clearEnv: true,
      env: { ...readDenoEnvironment(), ...env },
      stdin: "null",
    }),
  );
}

/** Runs a command line in the process of the test, at a terminal if the surroundings say so. */
export async function svcInProcess(args: readonly string[], surroundings?: Surroundings): Promise<CommandResult> {
  const { main } = await import("../../cli.ts");
  const captured = { stdout: "", stderr: "" };
  const seconds = PROCESS_SECONDS;
  const code = await within(`svc ${args.join(" ")}`, main(args, createCapturedIo(captured, surroundings)), { seconds });
  return { code, ...captured };
}

/** A temporary folder, which is removed when it is disposed. */
export interface Folder extends AsyncDisposable {
  /** Path of the folder. */
  readonly path: string;
}

/** Makes a temporary folder with files by their relative paths. Default of its parent: that of the system. */
export async function makeFolder(files: Readonly<Record<string, string>> = {}, parent?: string): Promise<Folder> {
  const path = await Deno.realPath(await Deno.makeTempDir({ dir: parent, prefix: "svc-test-" }));
  for (const [name, text] of Object.entries(files)) {
    const file = `${path}/${name}`;
    await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(file, text);
  }
  const remove = () => removeUnlessFilled(path);
  return { path, [Symbol.asyncDispose]: async () => void await eventually(`${path} is removed`, remove) };
}

/** Removes a folder. Returns false if a file was written to it meanwhile, as by a sandbox whose process was just killed. */
async function removeUnlessFilled(path: string): Promise<boolean> {
  try {
    await Deno.remove(path, { recursive: true });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTEMPTY") return false;
    throw error;
  }
}

/** A temporary home directory for shell commands. */
export class Home implements AsyncDisposable {
  /** Path of the directory. */
  readonly path: string;
  readonly #checkout: string;

  private constructor(path: string, checkout: string) {
    this.path = path;
    this.#checkout = checkout;
  }

  /** Makes a home directory. Its commands run in a checkout. Default: this one. */
  static async make(checkout: string = CHECKOUT): Promise<Home> {
    return new Home(await Deno.makeTempDir({ prefix: "svc-readme-" }), checkout);
  }

  /**
   * Runs shell lines and returns their standard output. Throws their standard error when they fail. The path
   * `/path/to/svc` of the documentation stands for the checkout.
   */
  async run(lines: string, env: Record<string, string> = {}, cwd: string = this.#checkout): Promise<string> {
    const inCheckout = (_: string, below: string) => shellQuote(this.#checkout + below);
    const { code, stdout, stderr } = await runCommand(
      new LimitedCommand("sh", {
        args: ["-euc", lines.replaceAll(/\/path\/to\/svc(\S*)/g, inCheckout)],
        cwd,
        env: {
          PATH: `${this.path}/bin:${Deno.execPath().replace(/\/[^/]*$/, "")}:${Deno.env.get("PATH") ?? ""}`,
          HOME: this.path,
          DENO_DIR: await readDenoDirectory(),
          DENO_INSTALL_ROOT: this.path,
          ...env,
        },
      }),
    );
    if (code !== 0) throw new Error(stderr);
    return stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path, { recursive: true });
  }
}

let denoDirectory: Promise<string> | undefined;

/** Returns the cache directory of this Deno, so that processes with another home do not fetch packages again. */
export function readDenoDirectory(): Promise<string> {
  denoDirectory ??= runCommand(new LimitedCommand(Deno.execPath(), { args: ["info", "--json"] }))
    .then(({ stdout }) => JSON.parse(stdout).denoDir);
  return denoDirectory;
}
