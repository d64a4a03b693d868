/** Kills what takes part in a run, at random moments, and starts the service again where that was it. */
import { delay } from "../../utils/async/delay.ts";
import type { Batch } from "./batch.ts";
import type { Dice } from "./dice.ts";
import { killProcess, sandboxesOf } from "./processes.ts";
import type { Service } from "./service.ts";

/** What can be killed. */
export const VICTIMS = ["runner", "sandbox", "service"] as const;

/** One of them. */
export type Victim = typeof VICTIMS[number];

/** Something that was killed. */
export interface Kill {
  /** What it was. */
  readonly victim: Victim;
  /** When: milliseconds since 1970. */
  readonly at: number;
}

/** Milliseconds from the last start of anything to the next kill, at most. */
const LONGEST_WAIT = 250;

/** Milliseconds for which the service stays away, at most. */
const LONGEST_ABSENCE = 300;

/** The share of kills that wait until the runner has come so far that it prints: the others may hit its start. */
const UNDER_WAY = 0.75;

/** Milliseconds between two looks for a sandbox. */
const PAUSE = 10;

/** Kills, counted over all batches. */
export class Siege {
  /** What was killed. */
  readonly kills: Kill[] = [];
  readonly #wanted: number;
  readonly #dice: Dice;
  readonly #service: Service;
  #calmSince = 0;

  /** Kills as many as are wanted, as the dice fall. */
  constructor(service: Service, wanted: number, dice: Dice) {
    this.#service = service;
    this.#wanted = wanted;
    this.#dice = dice;
  }

  /** Whether all is done. */
  get isOver(): boolean {
    return this.kills.length >= this.#wanted;
  }

  /** Whether something was killed, or away, since a time. */
  hasStruckSince(time: number): boolean {
    return this.#calmSince >= time;
  }

  /** Works on a batch to its end, and kills meanwhile. */
  async lay(batch: Batch): ReturnType<Batch["finish"]> {
    const over = new AbortController();
    const end = batch.finish((since) => this.hasStruckSince(since)).finally(() => over.abort());
    await Promise.all([this.#strikeUntil(over.signal, batch), end]);
    return await end;
  }

  async #strikeUntil(over: AbortSignal, batch: Batch): Promise<void> {
    while (!this.isOver && !over.aborted) {
      const victim = this.#dice.pick(VICTIMS);
      const [isLate, wait] = [this.#dice.chance(UNDER_WAY), this.#dice.next() * LONGEST_WAIT];
      if (isLate) await batch.runner?.spoke;
      await delay(wait);
      const struck = await this.#strike(victim, batch, over);
      if (!struck) continue;
      if (victim === "service") await this.#returnService();
      if (victim === "runner") await nextRunner(batch, over);
    }
  }

  /** Kills a victim as soon as there is one; false where the batch ends before. */
  async #strike(victim: Victim, batch: Batch, over: AbortSignal): Promise<boolean> {
    while (!over.aborted) {
      const at = Date.now();
      const { runner } = batch;
      if (victim === "service") {
        await this.#service.kill();
        return this.#note({ victim, at });
      }
      const pid = victim === "runner" ? runner?.pid : await this.#someSandbox(runner?.pid);
      if (runner?.end === undefined && pid !== undefined && killProcess(pid)) {
        return this.#note({ victim, at });
      }
      await delay(PAUSE);
    }
    return false;
  }

  #note(kill: Kill): true {
    this.kills.push(kill);
    this.#calmSince = kill.victim === "service" ? Infinity : Date.now();
    return true;
  }

  async #someSandbox(runner: number | undefined): Promise<number | undefined> {
    const [first, ...rest] = runner === undefined ? [] : await sandboxesOf(runner);
    return first === undefined ? undefined : this.#dice.pick([first, ...rest]);
  }

  async #returnService(): Promise<void> {
    await delay(this.#dice.next() * LONGEST_ABSENCE);
    await this.#service.start();
    this.#calmSince = Date.now();
  }
}

/** Waits until a killed runner has been followed by another. */
async function nextRunner(batch: Batch, over: AbortSignal): Promise<void> {
  await batch.runner?.ended;
  while (!over.aborted && batch.runner?.end !== undefined) await delay(1);
}
