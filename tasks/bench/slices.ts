/**
 * Compares work on a machine that is now fast, now slow: each piece of work goes on for a moment while the others are
 * held, again and again. So all of them have the same machine.
 */
import { isJsonObject } from "../../utils/json.ts";
import { textOf, type Workspace } from "../workspace.ts";

/** Milliseconds of a moment: long enough for caches to be warm most of the time. */
const MOMENT = 1000;

/** Options of its programs: each leads a group of processes, which are held with it, and what it prints is read. */
export const MEASURED = { detached: true, stdout: "piped", stderr: "piped" } as const;

/** Work to be compared. */
export interface Work {
  /** Its programs, which run at the same time. */
  readonly programs: readonly Deno.Command[];
  /** Process of the service that the programs call. */
  readonly service: number;
}

/** The process of a workspace's service. */
export async function serviceOf(office: Workspace): Promise<number> {
  const status: unknown = JSON.parse(await office.svc("service", "status"));
  if (isJsonObject(status) && typeof status.pid === "number") return status.pid;
  throw new Error("svc service status answered no process.");
}

/** Seconds that each piece of work takes in so many rounds together; its programs are new in each. */
export async function secondsOf(
  rounds: number,
  worksOf: () => Promise<readonly Work[]>,
): Promise<number[]> {
  const sums: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const seconds = await secondsOfRound(await worksOf());
    for (const [i, more] of seconds.entries()) sums[i] = (sums[i] ?? 0) + more;
  }
  return sums;
}

async function secondsOfRound(works: readonly Work[]): Promise<number[]> {
  const all = works.map((work) => new HeldWork(work));
  const release = () => all.forEach((work) => work.release());
  Deno.addSignalListener("SIGINT", release); // Nobody else would ever end what is held.
  try {
    while (all.some(({ isDone }) => !isDone)) {
      for (const work of all) await work.goOn();
    }
  } finally {
    Deno.removeSignalListener("SIGINT", release);
    release();
  }
  return all.map(({ seconds }) => seconds);
}

/** Work that goes on for a moment when it is told to. */
class HeldWork {
  /** Seconds for which it has gone on. */
  seconds = 0;
  /** Whether all its programs have ended. */
  isDone = false;
  readonly #work: Work;
  /** Processes, and groups of them as negative numbers. */
  readonly #held: number[];
  #done?: Promise<void>;

  constructor(work: Work) {
    this.#work = work;
    this.#held = [work.service];
  }

  async goOn(): Promise<void> {
    if (this.isDone) return;
    const started = performance.now();
    this.#signal("SIGCONT");
    await Promise.race([this.#done ??= this.#start(), new Promise((resolve) => setTimeout(resolve, MOMENT))]);
    this.#signal("SIGSTOP");
    this.seconds += (performance.now() - started) / 1000;
  }

  /** Lets the service go on, and ends what has not ended. */
  release(): void {
    this.#signal("SIGCONT");
    for (const held of this.#held.slice(1)) send(held, "SIGKILL");
  }

  async #start(): Promise<void> {
    const children = this.#work.programs.map((program) => program.spawn());
    this.#held.push(...children.map(({ pid }) => -pid));
    const outputs = await Promise.all(children.map((child) => child.output()));
    this.#held.splice(1); // Their numbers may soon be others'.
    outputs.forEach((output) => textOf(output));
    this.isDone = true;
  }

  #signal(signal: Deno.Signal): void {
    for (const held of this.#held) send(held, signal);
  }
}

function send(process: number, signal: Deno.Signal): void {
  try {
    Deno.kill(process, signal);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error; // It has ended, which is what its output tells.
  }
}
