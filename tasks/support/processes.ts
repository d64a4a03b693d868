/** The end of a process. */
export interface ProcessEnd {
  /** Exit code. */
  readonly code: number;
  /** True if it was killed. */
  readonly killed: boolean;
  /** Its standard output. */
  readonly stdout: string;
  /** Its standard error. */
  readonly stderr: string;
}

/** A process that may be killed at any time. */
export class Process {
  /** Start time in milliseconds since 1970. */
  readonly startedAt: number = Date.now();
  /** Resolves when the process has printed something or has ended. */
  readonly hasOutput: Promise<void>;
  /** Resolves when the process has printed to its standard output or has ended. */
  readonly hasResult: Promise<void>;
  /** Resolves when the process has ended. */
  readonly ended: Promise<ProcessEnd>;
  /** Time of its first output. */
  outputAt?: number;
  /** How it ended; undefined while it runs. */
  end?: ProcessEnd;
  /** Time at which it ended. */
  endedAt?: number;
  readonly #child: Deno.ChildProcess;
  readonly #hasOutput = Promise.withResolvers<void>();
  readonly #hasResult = Promise.withResolvers<void>();

  /** Starts a command. */
  constructor(command: Deno.Command) {
    this.#child = command.spawn();
    this.hasOutput = this.#hasOutput.promise;
    this.hasResult = this.#hasResult.promise;
    this.ended = this.#waitForEnd();
  }

  /** Process identifier. */
  get pid(): number {
    return this.#child.pid;
  }

  /** Kills the process with SIGKILL. Returns false if it has already ended. */
  kill(): boolean {
    if (this.end !== undefined) return false;
    return killProcess(this.pid);
  }

  /** Sends a signal, unless the process has ended. */
  signal(signal: Deno.Signal): void {
    if (this.end === undefined) this.#child.kill(signal);
  }

  async #waitForEnd(): Promise<ProcessEnd> {
    const [stdout, stderr, status] = await Promise.all([
      this.#readText(this.#child.stdout, () => this.#hasResult.resolve()),
      this.#readText(this.#child.stderr),
      this.#child.status,
    ]);
    this.#hasOutput.resolve();
    this.#hasResult.resolve();
    this.endedAt = Date.now();
    this.end = { code: status.code, killed: status.signal === "SIGKILL", stdout, stderr };
    return this.end;
  }

  async #readText(stream: ReadableStream<Uint8Array>, onText = () => {}): Promise<string> {
    let text = "";
    for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
      text += piece;
      this.outputAt ??= Date.now();
      this.#hasOutput.resolve();
      onText();
    }
    return text;
  }
}

/** Kills a process with SIGKILL. Returns false if it does not exist. */
export function killProcess(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGKILL");
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Finds the sandboxes of a runner, or only those of one script if its path is given. */
export async function findSandboxes(runner: number, script = ""): Promise<number[]> {
  // Other children run 'deno info', which lists the imports of the script.
  return (await listProcesses()).filter(({ parent, args }) =>
    parent === runner && args.includes(" run ") && args.includes(encodeURIComponent(script))
  ).map(({ pid }) => pid);
}

/** Finds the services that were started with `--data` below a directory. */
export async function findServices(directory: string): Promise<number[]> {
  const data = ["=", " "].map((separator) => `--data${separator}${directory}/`);
  const processes = await listProcesses();
  return processes.filter(({ args }) => args.includes(" service start ") && data.some((flag) => args.includes(flag)))
    .map(({ pid }) => pid);
}

interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  /** Command line. */
  readonly args: string;
}

async function listProcesses(): Promise<ListedProcess[]> {
  const { stdout } = await new Deno.Command("ps", { args: ["-A", "-ww", "-o", "pid=,ppid=,args="] }).output();
  return new TextDecoder().decode(stdout).split("\n").map((line) => {
    const [, pid, parent, args = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return { pid: Number(pid), parent: Number(parent), args };
  });
}
