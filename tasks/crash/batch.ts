/** One run of the crash test's script on some inputs: begun, and gone on with as often as something ends it. */
import { fileURLToPath } from "node:url";
import type { Workspace } from "../workspace.ts";
import { Process } from "./processes.ts";

/** The script with calls of every kind. */
const SCRIPT: string = fileURLToPath(new URL("./script.ts", import.meta.url));

/** Inputs that are worked on at a time. */
const CONCURRENCY = 4;

/** Times that a run may fail in a row although nothing was killed: then the cause does not pass by itself. */
const PATIENCE = 4;

/** The journal of the runs of a workspace. */
export function journalOf({ env }: Workspace): string {
  return `${env.SVC_CONFIG_DIR}/workflows.db`;
}

/** A process that works on a run. */
export interface Shift {
  /** `run`, `resume` or `retry`. */
  readonly command: string;
  /** The process. */
  readonly process: Process;
}

/** How a batch ended. */
export interface BatchEnd {
  /** The lines that its last process printed: one per input. */
  readonly lines: readonly string[];
  /** What the last process failed with, where the batch could not be finished. */
  readonly failure?: string;
}

/** A run on inputs of its own. */
export class Batch {
  /** Identifier of the run. */
  readonly id: string;
  /** Keys of its inputs. */
  readonly keys: readonly string[];
  /** The processes that have worked on it. */
  readonly shifts: Shift[] = [];
  readonly #workspace: Workspace;
  readonly #flags: readonly string[];
  readonly #script: string;

  /** A run that is not begun, of the script with calls of every kind unless it is another one. */
  constructor(workspace: Workspace, id: string, inputs: number, flags: readonly string[] = [], script = SCRIPT) {
    this.#workspace = workspace;
    this.#flags = flags;
    this.#script = script;
    this.id = id;
    this.keys = Array.from({ length: inputs }, (_, n) => `${id}-${n + 1}`);
  }

  /** The process that works on it now, or did last. */
  get runner(): Process | undefined {
    return this.shifts.at(-1)?.process;
  }

  /** Works on it to its end. `disturbed` says whether what was done to the service may have made it fail. */
  async finish(disturbed: (since: number) => boolean = () => false): Promise<BatchEnd> {
    const inputs = `${this.#workspace.directory}/${this.id}.ndjson`;
    await Deno.writeTextFile(inputs, this.keys.map((key) => JSON.stringify({ key }) + "\n").join(""));
    const begin = ["run", this.#script, "--run-id", this.id, "--each", inputs, "--allow-declared"];
    const run = [...begin, "--concurrency", String(CONCURRENCY), ...this.#flags];
    let args = run;
    for (let failures = 0;;) {
      const process = this.#start(args);
      const { code, killed, stdout, stderr } = await process.ended;
      const lines = stdout.split("\n").slice(0, -1);
      if (code === 0) return { lines };
      failures = killed || disturbed(process.startedAt) ? 0 : failures + 1;
      if (failures === PATIENCE) return { lines, failure: stderr };
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
      // What the sandboxes of a killed runner leave goes with the workspace.
      env: { ...env, TMPDIR: directory },
    }));
    this.shifts.push({ command: args[0] ?? "", process });
    return process;
  }
}
