import { delay } from "../../utils/async/abort.ts";
import type { Batch } from "./batch.ts";
import { findSandboxes, killProcess } from "../support/processes.ts";
import type { SeededRandom } from "../support/seeded_random.ts";
import type { Service } from "../support/service.ts";

/** The kinds of processes that are killed. */
export const VICTIMS = ["runner", "sandbox", "service"] as const;

/** A kind of process that is killed. */
export type Victim = typeof VICTIMS[number];

/** A process that was killed. */
export interface Kill {
  /** Kind of the process. */
  readonly victim: Victim;
  /** Time in milliseconds since 1970. */
  readonly at: number;
}

/** Maximum time in milliseconds from the last start of a process to the next kill. */
const MAX_DELAY = 250;

/** Maximum time in milliseconds until a killed service is started again. */
const MAX_DOWNTIME = 300;

/** Share of kills that wait until the runner prints something. The others may hit its start. */
const LATE_SHARE = 0.75;

/** Interval in milliseconds at which a sandbox is looked for. */
const POLL_INTERVAL = 10;

/** Kills random processes of batches at random times, and restarts a killed service. */
export class Killer {
  /** The kills so far, of all batches. */
  readonly kills: Kill[] = [];
  readonly #target: number;
  readonly #random: SeededRandom;
  readonly #service: Service;
  /** Time since which nothing is killed or down. */
  #quietSince = 0;

  /** Creates a killer that stops after `target` kills. */
  constructor(service: Service, target: number, random: SeededRandom) {
    this.#service = service;
    this.#target = target;
    this.#random = random;
  }

  /** True after the last kill. */
  get isDone(): boolean {
    return this.kills.length >= this.#target;
  }

  /** Runs a batch until it is finished, and kills its processes meanwhile. */
  async disturb(batch: Batch): ReturnType<Batch["finish"]> {
    const over = new AbortController();
    const end = batch.finish((since) => this.#quietSince >= since).finally(() => over.abort());
    await Promise.all([this.#killUntil(over.signal, batch), end]);
    return await end;
  }

  async #killUntil(over: AbortSignal, batch: Batch): Promise<void> {
    while (!this.isDone && !over.aborted) {
      const victim = this.#random.pick(VICTIMS);
      const [isLate, wait] = [this.#random.chance(LATE_SHARE), this.#random.next() * MAX_DELAY];
      if (isLate) await batch.runner?.hasOutput;
      await delay(wait);
      const wasKilled = await this.#kill(victim, batch, over);
      if (!wasKilled) continue;
      if (victim === "service") await this.#restartService();
      if (victim === "runner") await waitForNextRunner(batch, over);
    }
  }

  /** Kills a victim as soon as there is one. Returns false if the batch ends before. */
  async #kill(victim: Victim, batch: Batch, over: AbortSignal): Promise<boolean> {
    while (!over.aborted) {
      const at = Date.now();
      const { runner } = batch;
      if (victim === "service") {
        await this.#service.kill();
        return this.#record({ victim, at });
      }
      const pid = victim === "runner" ? runner?.pid : await this.#pickSandbox(runner?.pid);
      if (runner?.end === undefined && pid !== undefined && killProcess(pid)) return this.#record({ victim, at });
      await delay(POLL_INTERVAL);
    }
    return false;
  }

  #record(kill: Kill): true {
    this.kills.push(kill);
    this.#quietSince = kill.victim === "service" ? Infinity : Date.now();
    return true;
  }

  async #pickSandbox(runner: number | undefined): Promise<number | undefined> {
    const [first, ...rest] = runner === undefined ? [] : await findSandboxes(runner);
    return first === undefined ? undefined : this.#random.pick([first, ...rest]);
  }

  async #restartService(): Promise<void> {
    await delay(this.#random.next() * MAX_DOWNTIME);
    await this.#service.start();
    this.#quietSince = Date.now();
  }
}

/** Waits until another runner has replaced a killed one. */
async function waitForNextRunner(batch: Batch, over: AbortSignal): Promise<void> {
  await batch.runner?.ended;
  while (!over.aborted && batch.runner?.end !== undefined) await delay(1);
}
