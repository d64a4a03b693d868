/** The processes of a crash test: what they print, when they began to, and how they are killed. */

/** How a process ended. */
export interface Ended {
  /** Exit code. */
  readonly code: number;
  /** Whether it was killed. */
  readonly killed: boolean;
  /** What it printed. */
  readonly stdout: string;
  /** What it wrote to stderr. */
  readonly stderr: string;
}

/** A process that may be killed at any moment. */
export class Process {
  /** When it was started: milliseconds since 1970. */
  readonly startedAt: number = Date.now();
  /** Resolves when it has printed something, or has ended. */
  readonly spoke: Promise<void>;
  /** Resolves when it has ended. */
  readonly ended: Promise<Ended>;
  /** When it first printed something. */
  spokeAt?: number;
  /** How it ended; undefined while it runs. */
  end?: Ended;
  /** When it ended. */
  endedAt?: number;
  readonly #child: Deno.ChildProcess;
  readonly #spoke = Promise.withResolvers<void>();

  /** Starts a command. */
  constructor(command: Deno.Command) {
    this.#child = command.spawn();
    this.spoke = this.#spoke.promise;
    this.ended = this.#follow();
  }

  /** Its number. */
  get pid(): number {
    return this.#child.pid;
  }

  /** Kills it, as nothing can refuse; false where it has ended already. */
  kill(): boolean {
    if (this.end !== undefined) return false;
    return killProcess(this.pid);
  }

  async #follow(): Promise<Ended> {
    const [stdout, stderr, status] = await Promise.all([
      this.#textOf(this.#child.stdout),
      this.#textOf(this.#child.stderr),
      this.#child.status,
    ]);
    this.#spoke.resolve();
    this.endedAt = Date.now();
    this.end = { code: status.code, killed: status.signal === "SIGKILL", stdout, stderr };
    return this.end;
  }

  async #textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
    let text = "";
    for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
      text += piece;
      this.spokeAt ??= Date.now();
      this.#spoke.resolve();
    }
    return text;
  }
}

/** Kills a process by its number; false where there is none any more. */
export function killProcess(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGKILL");
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** The sandboxes that a runner has now, those of one script where its path is given. */
export async function sandboxesOf(runner: number, script = ""): Promise<number[]> {
  const { stdout } = await new Deno.Command("ps", { args: ["-A", "-o", "pid=,ppid=,args="] }).output();
  return new TextDecoder().decode(stdout).split("\n").flatMap((line) => {
    const [, pid, parent, args = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    // Its other children list what the script imports: 'deno info'.
    const isSandbox = args.includes(" run ") && args.includes(encodeURIComponent(script));
    return Number(parent) === runner && isSandbox ? [Number(pid)] : [];
  });
}
