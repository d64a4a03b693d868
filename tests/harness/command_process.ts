/** A process that runs one command line of `svc` after another, because a start takes longer than most commands. */
import { readLines } from "../../workflows/inputs/lines.ts";
import {
  CHECKOUT,
  commandPermissions,
  type CommandResult,
  type Folder,
  makeFolder,
  PROGRAM,
  readDenoEnvironment,
  svc,
} from "./svc.ts";
import { within } from "./wait.ts";

/** Seconds that a command may run. */
const COMMAND_SECONDS = 180;

/** A command line to run. */
export interface CommandRequest {
  /** Arguments. */
  readonly args: readonly string[];
  /** Environment of the command. */
  readonly env: Readonly<Record<string, string>>;
  /** Working directory. Default: that of the test. */
  readonly cwd?: string;
}

/** A process with the permissions of one command, which runs any number of them. Each has its own environment. */
class CommandProcess implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #requests: WritableStreamDefaultWriter<Uint8Array>;
  readonly #results: ReturnType<typeof readLines>;
  #isBusy = false;
  #hasEnded = false;

  /** Starts the process with these permissions. */
  constructor(permissions: readonly string[]) {
    this.#process = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--quiet",
        "--no-prompt",
        `--config=${CHECKOUT}/deno.json`,
        ...permissions,
        `${CHECKOUT}/tests/harness/run_command_lines.ts`,
        PROGRAM,
      ],
      clearEnv: true,
      env: readDenoEnvironment(),
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    void this.#process.status.then(() => this.#hasEnded = true);
    this.#requests = this.#process.stdin.getWriter();
    this.#results = readLines(this.#process.stdout);
  }

  /** True while a command runs, and after one has not ended. Another one then needs another process. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Runs a command line. */
  async run(request: CommandRequest): Promise<CommandResult> {
    const line = `svc ${request.args.join(" ")}`;
    if (this.#isBusy) throw new Error(`The process is busy: ${line}`);
    this.#isBusy = true;
    await this.#requests.write(new TextEncoder().encode(JSON.stringify(request) + "\n"));
    const { value } = await within(line, this.#results.next(), { seconds: COMMAND_SECONDS });
    if (value?.text === undefined) throw new Error(`The process of ${line} has ended.`);
    this.#isBusy = false;
    return JSON.parse(value.text);
  }

  /** Ends the process. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isBusy && !this.#hasEnded) this.#process.kill("SIGKILL");
    await this.#requests.close().catch(() => {}); // The process has ended.
    await within("the process of commands ends", this.#process.status);
    await this.#results.return(undefined);
  }
}

/** Runs command lines one after another in one process, which starts with the first of them. */
export class SharedCommands implements AsyncDisposable {
  readonly #toPermissions: (folder: string) => readonly string[];
  #folder?: Promise<Folder>;
  #process?: CommandProcess;

  /** `toPermissions` returns the permissions of the process, which may write a folder. */
  constructor(toPermissions: (folder: string) => readonly string[]) {
    this.#toPermissions = toPermissions;
  }

  /** Returns the path of the folder that the commands may write. */
  async getFolder(): Promise<string> {
    this.#folder ??= makeFolder();
    return (await this.#folder).path;
  }

  /** Runs a command line in the process. If another one runs, calls `runAlone` instead. */
  async run(request: CommandRequest, runAlone: () => Promise<CommandResult>): Promise<CommandResult> {
    const folder = await this.getFolder();
    if (this.#process?.isBusy) return await runAlone();
    this.#process ??= new CommandProcess(this.#toPermissions(folder));
    return await this.#process.run(request);
  }

  /** Ends the process, and removes the folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process?.[Symbol.asyncDispose]();
    await (await this.#folder)?.[Symbol.asyncDispose]();
  }
}

/** Shares a process between the commands of all tests of a file. It ends after the last test. */
export function shareCommands(toPermissions: (folder: string) => readonly string[]): SharedCommands {
  const commands = new SharedCommands(toPermissions);
  Deno.test.afterAll(async () => await commands[Symbol.asyncDispose]());
  return commands;
}

/** Runs command lines of one file of tests. */
export type RunCommandLine = (
  args: readonly string[],
  options?: Partial<Omit<CommandRequest, "args">>,
) => Promise<CommandResult>;

/**
 * Shares a process between the commands of all tests of a file. Each command has an empty configuration directory, unless
 * its environment names another one.
 */
export function prepareCommandLines(): RunCommandLine {
  const commands = shareCommands(commandPermissions);
  return async (args, { env = {}, cwd } = {}) => {
    await using own = await makeFolder({}, await commands.getFolder());
    const request = { args, env: { SVC_CONFIG_DIR: own.path, ...env }, cwd };
    return await commands.run(request, () => svc(args, { env, cwd }));
  };
}
