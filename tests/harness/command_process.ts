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
export class CommandProcess implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #requests: WritableStreamDefaultWriter<Uint8Array>;
  readonly #results: ReturnType<typeof readLines>;
  #isBusy = false;

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
    this.#requests = this.#process.stdin.getWriter();
    this.#results = readLines(this.#process.stdout);
  }

  /** True while a command runs. Another one then needs another process. */
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
    if (this.#isBusy) this.#process.kill("SIGKILL");
    await this.#requests.close().catch(() => {}); // The process has ended.
    await within("the process of commands ends", this.#process.status);
    await this.#results.return(undefined);
  }
}

/** Runs command lines of one file of tests. */
export type RunCommandLine = (
  args: readonly string[],
  options?: Partial<Omit<CommandRequest, "args">>,
) => Promise<CommandResult>;

/**
 * Prepares a process for the commands of all tests of a file. It starts with the first command, and ends after the last
 * test. Each command has an empty configuration directory, unless its environment names another one. A command that starts
 * while another one runs is a process.
 */
export function prepareCommandLines(): RunCommandLine {
  let starting: Promise<{ readonly folder: Folder; readonly commands: CommandProcess }> | undefined;
  async function start() {
    const folder = await makeFolder();
    return { folder, commands: new CommandProcess(commandPermissions(folder.path)) };
  }
  Deno.test.afterAll(async () => {
    const started = await starting;
    await started?.commands[Symbol.asyncDispose]();
    await started?.folder[Symbol.asyncDispose]();
  });
  return async (args, { env = {}, cwd } = {}) => {
    const { folder, commands } = await (starting ??= start());
    if (commands.isBusy) return await svc(args, { env, cwd });
    await using own = await makeFolder({}, folder.path);
    return await commands.run({ args, env: { SVC_CONFIG_DIR: own.path, ...env }, cwd });
  };
}
