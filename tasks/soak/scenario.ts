import type { SeededRandom } from "../support/seeded_random.ts";

/** Options of a scenario. */
export interface SoakOptions {
  /** Random numbers of the scenario. They repeat for the same seed. */
  readonly random: SeededRandom;
  /** Fraction of the full amount, up to 1. */
  readonly scale: number;
  /** True if times and memory are reported but not judged, because the machine is busy. */
  readonly ignoresLimits: boolean;
  /** The program to run. Default: the `cli.ts` of this checkout. */
  readonly program?: string;
  /** Ends the scenario early. */
  readonly signal: AbortSignal;
  /** Called with the progress. */
  readonly onProgress: (text: string) => void;
}

/** Result of a scenario. */
export interface SoakResult {
  /** The measured figures. */
  readonly measured: string;
  /** True if the target is met. */
  readonly ok: boolean;
  /** Everything that is wrong, one text each. */
  readonly details: readonly string[];
  /** Reason why the scenario cannot run on this machine. */
  readonly skipped?: string;
}

/** A long test of one property of the program. */
export interface Scenario {
  /** Name for `--only`. */
  readonly name: string;
  /** Description at full scale. */
  readonly what: string;
  /** Limits of the measured figures. */
  readonly target: string;
  /** Estimate of the seconds at full scale. */
  readonly seconds: number;
  /** Runs the scenario. */
  run(options: SoakOptions): Promise<SoakResult>;
}

/** Returns a number of the full amount at a scale: at least `minimum`. */
export function scaleNumber(full: number, scale: number, minimum = 1): number {
  return Math.max(minimum, Math.round(full * scale));
}

/** Creates the result of a scenario that fails if it has found faults. */
export function createResult(measured: string, faults: readonly string[]): SoakResult {
  return { measured, ok: faults.length === 0, details: faults };
}
