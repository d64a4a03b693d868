import { fileURLToPath } from "node:url";
import type { Workspace } from "../support/workspace.ts";
import { Process } from "../support/processes.ts";

/** The script with calls of every kind. */
const SCRIPT: string = fileURLToPath(new URL("./script.ts", import.meta.url));

const CONCURRENCY = 4;

/** A run that fails this often in a row, although nothing was killed, is given up: the cause is permanent. */
const MAX_FAILURES = 4;

/** Returns the path of a workspace's journal. */
export function getJournalPath({ env }: Workspace): string {
  return `${env.SVC_CONFIG_DIR}/workflows.db`;
}

/** A process that runs a command of the batch. */
export interface BatchProcess {
  /** `run`, `resume` or `retry`. */
  readonly command: string;
  /** The process. */
  readonly process: Process;
}

/** The end of a batch. */
export interface BatchEnd {
  /** Lines that its last process printed: one per input. */
  readonly lines: readonly string[];
  /** Error of the last process, if the batch could not be finished. */
  readonly failure?: string;
}

/** One run of a script on some inputs. It is resumed or retried as often as it is interrupted. */
export class Batch {
  /** Identifier of the run. */
  readonly id: string;
  /** Keys of its inputs. */
  readonly keys: readonly string[];
  /** All processes that worked on it. */
  readonly processes: BatchProcess[] = [];
  readonly #workspace: Workspace;
  readonly #flags: readonly string[];
  readonly #script: string;

  /** Creates a batch. It does not start yet. */
  constructor(workspace: Workspace, id: string, inputs: number, flags: readonly string[] = [], script = SCRIPT) {
    this.#workspace = workspace;
    this.#flags = flags;
    this.#script = script;
    this.id = id;
    this.keys = Array.from({ length: inputs }, (_, n) => `${id}-${n + 1}`);
  }

  /** The current or last process. */
  get runner(): Process | undefined {
    return this.processes.at(-1)?.process;
  }

  /** Runs the batch until it is finished. `wasDisturbed` reports whether the service was disturbed since a time. */
  async finish(wasDisturbed: (since: number) => boolean = () => false): Promise<BatchEnd> {
    const inputs = `${this.#workspace.directory}/${this.id}.ndjson`;
    await Deno.writeTextFile(inputs, this.keys.map((key) => JSON.stringify({ key }) + "\n").join(""));
    const begin = ["run", this.#script, "--run-id", this.id, "--each", inputs, "--allow-declared"];
    const run = [...begin, "--concurrency", String(CONCURRENCY), ...this.#flags];
    let args = run;
    for (let failures = 0;;) {
      const process = this.#start(args);
      const { code, killed, stdout, stderr } = await process.ended;
      const lines = stdout.split("\n").slice(0, -1);
      if (code === 0 && args[0] === "retry") {
        args = ["resume", this.id]; // It prints all inputs, not only those that were retried.
        continue;
      }
      if (code === 0) return { lines };
      failures = killed || wasDisturbed(process.startedAt) ? 0 : failures + 1;
      if (failures === MAX_FAILURES) return { lines, failure: stderr };
      if (stderr.includes("The journal has no run")) args = run;
      else args = [killed ? "resume" : "retry", this.id];
    }
  }

  #start(args: readonly string[]): Process {
    const { env, directory } = this.#workspace;
    const process = new Process(this.#workspace.command(["workflow", ...args], {
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      // The directories that the sandboxes of a killed runner leave are removed with the workspace.
      env: { ...env, TMPDIR: directory },
    }));
    this.processes.push({ command: args[0] ?? "", process });
    return process;
  }
}
