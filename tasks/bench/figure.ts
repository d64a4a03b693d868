/** A measurement and its baseline, taken in the same run. */
export interface Figure {
  /** Name of the measurement. */
  name: string;
  /** Name of the baseline. */
  baseline: string;
  /** Measured value. */
  ours: number;
  /** Value of the baseline. */
  theirs: number;
  /** Unit of both values. */
  unit: "ms" | "/s" | "MiB";
  /** Limit of the ratio: a maximum for times and memory, a minimum for rates. */
  limit?: number;
}

/** Formats a figure on one line and marks it if it misses its limit. */
export function formatFigure({ name, baseline, ours, theirs, unit, limit }: Figure): string {
  const ratio = ours / theirs;
  return [
    ...formatRatio(ratio, unit, limit),
    `${name}: ${formatValue(ours)} ${unit}`,
    `${baseline}: ${formatValue(theirs)} ${unit}`,
  ].join("  ");
}

const ROUNDS = 5;

/**
 * Measures rates per second, each once per round, because the speed of a machine varies over minutes. Returns the mean
 * rate of each, in which all rounds count as the same amount of work.
 */
export async function measureInTurns(measures: readonly (() => number | Promise<number>)[]): Promise<number[]> {
  const seconds = measures.map(() => 0);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, measure] of measures.entries()) seconds[i] = (seconds[i] ?? 0) + 1 / await measure();
  }
  return seconds.map((sum) => ROUNDS / sum);
}

function formatRatio(ratio: number, unit: Figure["unit"], limit: number | undefined): [string, string] {
  const times = `${ratio.toFixed(2)} ×`;
  if (limit === undefined) return ["      ", times];
  const isMet = unit === "/s" ? ratio >= limit : ratio <= limit;
  const sign = unit === "/s" ? "≥" : "≤";
  return [isMet ? "ok    " : "MISSED", `${times} (${sign} ${Number(limit.toFixed(2))} ×)`];
}

/** Returns the median of some values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** Formats a value with four digits at most. */
export function formatValue(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}
