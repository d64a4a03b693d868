/**
 * Compares tasks on a machine whose speed varies: each task runs for a time slice while the others are stopped, in turn.
 * All of them therefore meet the same conditions.
 *
 * @module
 */
import { isJsonObject } from "../../utils/json.ts";
import { readOutput, type Workspace } from "../support/workspace.ts";

/** Milliseconds of a time slice, so long that caches are warm most of the time. */
const SLICE = 1000;

/** Options of the programs of a task: each leads a process group, which can be stopped, and its output is read. */
export const PROGRAM_OPTIONS = { detached: true, stdout: "piped", stderr: "piped" } as const;

/** A task to compare with others. */
export interface Task {
  /** Its programs, which run concurrently. */
  readonly programs: readonly Deno.Command[];
  /** Process identifier of the service that the programs call. */
  readonly service: number;
}

/** Returns the process identifier of a workspace's service. */
export async function findServiceProcess(workspace: Workspace): Promise<number> {
  const status: unknown = JSON.parse(await workspace.svc("service", "status"));
  if (isJsonObject(status) && typeof status.pid === "number") return status.pid;
  throw new Error("svc service status printed no pid.");
}

/** Returns the total seconds that each task takes in all rounds. Each round has new programs. */
export async function timeTasks(rounds: number, createTasks: () => Promise<readonly Task[]>): Promise<number[]> {
  const sums: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const seconds = await timeRound(await createTasks());
    for (const [i, more] of seconds.entries()) sums[i] = (sums[i] ?? 0) + more;
  }
  return sums;
}

async function timeRound(tasks: readonly Task[]): Promise<number[]> {
  const all = tasks.map((task) => new SlicedTask(task));
  const release = () => all.forEach((task) => task.release());
  Deno.addSignalListener("SIGINT", release); // Stopped processes would never end.
  try {
    while (all.some(({ isDone }) => !isDone)) {
      for (const task of all) await task.runSlice();
    }
  } finally {
    Deno.removeSignalListener("SIGINT", release);
    release();
  }
  return all.map(({ seconds }) => seconds);
}

/** A task that runs only during its time slices. */
class SlicedTask {
  /** Seconds that it has run. */
  seconds = 0;
  /** True if all its programs have ended. */
  isDone = false;
  readonly #task: Task;
  /** Identifiers of the service's process and, as negative numbers, of the programs' process groups. */
  readonly #processes: number[];
  #done?: Promise<void>;

  constructor(task: Task) {
    this.#task = task;
    this.#processes = [task.service];
  }

  /** Runs the task for one time slice, or until it is done. */
  async runSlice(): Promise<void> {
    if (this.isDone) return;
    const started = performance.now();
    this.#signal("SIGCONT");
    await Promise.race([this.#done ??= this.#start(), new Promise((resolve) => setTimeout(resolve, SLICE))]);
    this.#signal("SIGSTOP");
    this.seconds += (performance.now() - started) / 1000;
  }

  /** Lets the service continue and kills the programs. */
  release(): void {
    this.#signal("SIGCONT");
    for (const process of this.#processes.slice(1)) sendSignal(process, "SIGKILL");
  }

  async #start(): Promise<void> {
    const children = this.#task.programs.map((program) => program.spawn());
    this.#processes.push(...children.map(({ pid }) => -pid));
    const outputs = await Promise.all(children.map((child) => child.output()));
    this.#processes.splice(1); // Other processes may get their identifiers.
    outputs.forEach((output) => readOutput(output));
    this.isDone = true;
  }

  #signal(signal: Deno.Signal): void {
    for (const process of this.#processes) sendSignal(process, signal);
  }
}

function sendSignal(process: number, signal: Deno.Signal): void {
  try {
    Deno.kill(process, signal);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error; // It has ended.
  }
}
