import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import { PROFILE_DEFAULTS } from "../../lib/auth/profiles.ts";
import { INSTALLED_PERMISSIONS } from "./installed_permissions.ts";
import { killProcess } from "./processes.ts";

const CLI = new URL("../../cli.ts", import.meta.url).href;

/** Path of the API below the address of a service. */
export const API_ROOT: string = PROFILE_DEFAULTS.apiRoot;

/** Stops the services of a workspace, also those that were started with `--data`. */
const STOP_SERVICES = ["service", "stop", "--all"];

/** The workspaces that are open. */
const open = new Set<Workspace>();

/** Makes Ctrl-C stop the detached services of this program and remove their directories. */
export function closeOnInterrupt(): void {
  const close = () => {
    for (const workspace of [...open].reverse()) workspace.abandon(); // An earlier one may contain the program of a later one.
    Deno.exit(130);
  };
  Deno.addSignalListener("SIGINT", () => setTimeout(close)); // After all other listeners.
}

/** A temporary directory in which commands of svc and a service run. It is removed when the workspace is closed. */
export class Workspace implements AsyncDisposable {
  /** The directory. Its folder `config` contains the configuration and the data of the service. */
  readonly directory: string;
  /** Changes the command lines of all commands, for example to run them in a namespace. */
  wrap: (program: string, args: string[]) => [program: string, args: string[]] = (...line) => line;
  readonly #cli: string;
  readonly #running = new Set<Deno.ChildProcess>();

  private constructor(directory: string, cli: string) {
    this.directory = directory;
    this.#cli = cli;
    open.add(this);
  }

  /** Creates a workspace. Its commands run a `cli.ts` or the program that was built from it. */
  static async open(cli = CLI): Promise<Workspace> {
    return new Workspace(await Deno.makeTempDir({ prefix: "svc-" }), cli);
  }

  /** Environment of the commands. */
  get env(): Record<string, string> {
    return { SVC_CONFIG_DIR: `${this.directory}/config` };
  }

  /** Starts a detached service with a client in the profile `default`. Returns its address. */
  async startService(...flags: string[]): Promise<string> {
    const result: unknown = JSON.parse(
      await this.svc("service", "start", "--port", "0", "--detach", ...flags),
    );
    if (typeof result === "object" && result !== null && "url" in result && typeof result.url === "string") {
      return result.url;
    }
    throw new Error("svc service start printed no url.");
  }

  /** Adds a client and a profile for an operator. */
  async addClient(operator: string): Promise<void> {
    await this.svc("service", "add-client", "--operator", operator, "--profile", operator);
  }

  /** Returns a token of a profile. */
  async token(profile: string): Promise<string> {
    await this.svc("auth", "login", "--profile", profile);
    const cached = JSON.parse(await Deno.readTextFile(`${this.directory}/config/token.${profile}.json`));
    return String(cached.accessToken);
  }

  /** Creates a command of svc, or of another `cli.ts`. */
  command(args: string[], options: Deno.CommandOptions = {}, cli = this.#cli): Deno.Command {
    const [program, line] = this.wrap(Deno.execPath(), ["run", ...INSTALLED_PERMISSIONS, cli, ...args]);
    return new Deno.Command(program, { args: line, env: this.env, ...options });
  }

  /** Runs a command of svc and returns its output. */
  async svc(...args: string[]): Promise<string> {
    const process = this.command(args, { stdin: "null", stdout: "piped", stderr: "piped" }).spawn();
    this.#running.add(process);
    try {
      return readOutput(await process.output(), `svc ${args.join(" ")}`);
    } finally {
      this.#running.delete(process);
    }
  }

  /** Stops the services and removes the directory. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.command(STOP_SERVICES).output();
    await Deno.remove(this.directory, { recursive: true });
    open.delete(this);
  }

  /** Does the same synchronously, and kills running commands. */
  abandon(): void {
    for (const { pid } of this.#running) killProcess(pid); // It could still write to the directory.
    const stop = this.command(STOP_SERVICES, { stdin: "null", stdout: "null", stderr: "null" });
    stop.outputSync();
    try {
      Deno.removeSync(this.directory, { recursive: true });
    } catch (error) {
      ignoreMissing(error); // It was being closed already.
    }
  }
}

/** Runs a command and returns its output. */
export async function runForOutput(command: Deno.Command, what?: string): Promise<string> {
  return readOutput(await command.output(), what);
}

/** Returns the standard output of a command. Throws its standard error if it failed. */
export function readOutput({ success, stdout, stderr }: Deno.CommandOutput, what = "A command"): string {
  if (success) return new TextDecoder().decode(stdout);
  throw new Error(`${what} failed:\n${new TextDecoder().decode(stderr)}`);
}
