/** Returns the smallest of sorted numbers that at least this share of them does not exceed. */
export function quantile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}
