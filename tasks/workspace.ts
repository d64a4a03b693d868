/** A directory of its own in which svc's commands run, with a service of its own; gone when it is closed. */
import { ignoreMissing } from "../utils/fs/ignore_missing.ts";
import { DEFAULT_PATHS } from "../lib/auth/profile.ts";
import { killProcess } from "./crash/processes.ts";

const CLI = new URL("../cli.ts", import.meta.url).href;

/** Path of the API below the address of a service. */
export const API_ROOT: string = DEFAULT_PATHS.apiRoot;

/** Those that are not closed yet. */
const open = new Set<Workspace>();

/** Has Ctrl-C end the services of this program, which would go on by themselves, and remove their directories. */
export function closeOnInterrupt(): void {
  const close = () => {
    for (const workspace of open) workspace.abandon();
    Deno.exit(130);
  };
  Deno.addSignalListener("SIGINT", () => setTimeout(close)); // What else listens to it comes first.
}

/** Where commands run. */
export class Workspace implements AsyncDisposable {
  /** The directory; configuration and the service's data are in its folder `config`. */
  readonly directory: string;
  readonly #cli: string;
  readonly #running = new Set<Deno.ChildProcess>();

  private constructor(directory: string, cli: string) {
    this.directory = directory;
    this.#cli = cli;
    open.add(this);
  }

  /** Makes one in the system's directory for temporary files; its commands are those of a `cli.ts`, or of its build. */
  static async open(cli = CLI): Promise<Workspace> {
    return new Workspace(await Deno.makeTempDir({ prefix: "svc-" }), cli);
  }

  /** Environment of its commands. */
  get env(): Record<string, string> {
    return { SVC_CONFIG_DIR: `${this.directory}/config` };
  }

  /** Starts a service that goes on by itself; its first client's profile is `default`. Answers its address. */
  async startService(...flags: string[]): Promise<string> {
    const answer: unknown = JSON.parse(
      await this.svc("service", "start", "--port", "0", "--detach", ...flags),
    );
    if (typeof answer === "object" && answer !== null && "url" in answer && typeof answer.url === "string") {
      return answer.url;
    }
    throw new Error("svc service start answered no address.");
  }

  /** Adds a client with an operator of its own, who takes work from no queue. */
  async addClient(operator: string): Promise<void> {
    await this.svc("service", "add-client", "--operator", operator, "--profile", operator);
  }

  /** A token of a profile's client. */
  async token(profile: string): Promise<string> {
    await this.svc("auth", "login", "--profile", profile);
    const cached = JSON.parse(await Deno.readTextFile(`${this.directory}/config/token.${profile}.json`));
    return String(cached.accessToken);
  }

  /** A command of svc, to be run as the caller likes; another one's, where its `cli.ts` is given. */
  command(args: string[], options: Deno.CommandOptions = {}, cli = this.#cli): Deno.Command {
    return new Deno.Command(Deno.execPath(), { args: ["run", "--allow-all", cli, ...args], env: this.env, ...options });
  }

  /** Runs a command of svc and answers what it prints. */
  async svc(...args: string[]): Promise<string> {
    const process = this.command(args, { stdin: "null", stdout: "piped", stderr: "piped" }).spawn();
    this.#running.add(process);
    try {
      return textOf(await process.output(), `svc ${args.join(" ")}`);
    } finally {
      this.#running.delete(process);
    }
  }

  /** Stops the service and removes the directory. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.command(["service", "stop"]).output();
    await Deno.remove(this.directory, { recursive: true });
    open.delete(this);
  }

  /** Does so at once, whatever is going on. */
  abandon(): void {
    for (const { pid } of this.#running) killProcess(pid); // It would write to the directory.
    const stop = this.command(["service", "stop"], { stdin: "null", stdout: "null", stderr: "null" });
    stop.outputSync();
    try {
      Deno.removeSync(this.directory, { recursive: true });
    } catch (error) {
      ignoreMissing(error); // It was just being closed.
    }
  }
}

/** Runs a command and answers what it prints. */
export async function printed(command: Deno.Command, what?: string): Promise<string> {
  return textOf(await command.output(), what);
}

/** What a command has printed; throws what it has written to stderr where it has failed. */
export function textOf({ success, stdout, stderr }: Deno.CommandOutput, what = "A command"): string {
  if (success) return new TextDecoder().decode(stdout);
  throw new Error(`${what} failed:\n${new TextDecoder().decode(stderr)}`);
}
