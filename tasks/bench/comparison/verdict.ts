import { median } from "../figure.ts";

/** Most time that this checkout may take, as a ratio to the other checkout. */
export const LIMIT = 1.05;

/** Share of the rounds that must confirm a difference. */
const CONFIRMING_SHARE = 0.75;

/** How the times of one checkout compare with those of another. */
export interface Verdict {
  /** Ratio of the median times. */
  readonly ratio: number;
  /** Ratios of the rounds. */
  readonly ratios: readonly number[];
  /** Difference between the checkouts. `noisy`: too few rounds confirm the difference of the medians. */
  readonly difference: "same" | "better" | "worse" | "noisy";
}

/**
 * Compares the times of two checkouts, which each have one time per round. A difference counts if both the ratio of the
 * medians and the ratios of three quarters of the rounds are beyond the limit.
 */
export function judge(before: readonly number[], after: readonly number[]): Verdict {
  const ratio = median(after) / median(before);
  const ratios = after.map((time, round) => time / (before[round] ?? NaN));
  return { ratio, ratios, difference: findDifference(ratio, ratios) };
}

function findDifference(ratio: number, ratios: readonly number[]): Verdict["difference"] {
  const difference = classify(ratio);
  if (difference === "same") return "same";
  const confirming = ratios.filter((one) => classify(one) === difference).length;
  return confirming >= ratios.length * CONFIRMING_SHARE ? difference : "noisy";
}

function classify(ratio: number): "same" | "better" | "worse" {
  if (ratio > LIMIT) return "worse";
  return ratio < 1 / LIMIT ? "better" : "same";
}

/** Describes a verdict, with the difference of the medians in percent. */
export function describeVerdict({ ratio, difference }: Verdict): string {
  if (difference === "same" || difference === "noisy") return difference;
  return `${difference} by ${(Math.abs(ratio - 1) * 100).toFixed(1)} %`;
}
