/** One figure: what was measured, against what, and the limit that it should keep. */

/** A ratio of two measurements of the same run. */
export interface Figure {
  /** What was measured. */
  what: string;
  /** What it is measured against. */
  baseline: string;
  /** Measured value. */
  ours: number;
  /** Value of the baseline. */
  theirs: number;
  /** Unit of both. */
  unit: "ms" | "/s" | "MiB";
  /** The ratio's limit: a maximum for times and memory, a minimum for rates. Without one it is only told. */
  limit?: number;
}

/** A figure on one line, missed ones marked. */
export function describe({ what, baseline, ours, theirs, unit, limit }: Figure): string {
  const ratio = ours / theirs;
  return [
    ...judged(ratio, unit, limit),
    `${what}: ${round(ours)} ${unit}`,
    `${baseline}: ${round(theirs)} ${unit}`,
  ].join("  ");
}

/** Rounds of measurements in turns. */
const ROUNDS = 5;

/**
 * Rates per second, each measured once a round: a machine is not as fast in one minute as in the next. What is answered
 * is their mean as of equal pieces of work.
 */
export async function inTurns(measures: readonly (() => number | Promise<number>)[]): Promise<number[]> {
  const seconds = measures.map(() => 0);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, measure] of measures.entries()) seconds[i] = (seconds[i] ?? 0) + 1 / await measure();
  }
  return seconds.map((sum) => ROUNDS / sum);
}

function judged(ratio: number, unit: Figure["unit"], limit: number | undefined): [string, string] {
  const times = `${ratio.toFixed(2)} ×`;
  if (limit === undefined) return ["      ", times];
  const kept = unit === "/s" ? ratio >= limit : ratio <= limit;
  const sign = unit === "/s" ? "≥" : "≤";
  return [kept ? "kept  " : "MISSED", `${times} (${sign} ${Number(limit.toFixed(2))} ×)`];
}

/** The middle of some measurements. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}
