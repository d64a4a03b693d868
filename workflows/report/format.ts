/** Formats the numbers and times of a report. */

const COUNT = new Intl.NumberFormat("en");
const RATE = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const SHARE = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

/** Formats a count, e.g. `1,000,000`. */
export function formatCount(count: number): string {
  return COUNT.format(count);
}

/** Formats a count with its noun, e.g. `1 input` or `2,000 inputs`. */
export function formatQuantity(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Formats a measured number with three significant digits, e.g. `12.3`. */
export function formatRate(rate: number): string {
  return RATE.format(rate);
}

/** Formats a share, e.g. `1.3%`. Rounding never turns a part into 0% or 100%. */
export function formatShare(part: number, whole: number): string {
  if (part > 0 && part / whole < 0.001) return "<0.1%";
  if (part < whole && part / whole > 0.999) return ">99.9%";
  return SHARE.format(part / whole);
}

/** Formats milliseconds since 1970, e.g. `2026-11-21 14:05:09 UTC`. */
export function formatTime(at: number): string {
  return new Date(at).toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC");
}
