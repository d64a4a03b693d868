/** Numbers and times as a report shows them; durations are those of `svc workflow show`. */

const COUNT = new Intl.NumberFormat("en");
const RATE = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const SHARE = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

/** A count, e.g. `1,000,000`. */
export function count(number: number): string {
  return COUNT.format(number);
}

/** A count of something, e.g. `1 input`, `2 inputs`. */
export function countOf(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** A rate or another measured number, e.g. `12.3`. */
export function rate(number: number): string {
  return RATE.format(number);
}

/** A share of a whole, e.g. `1.3%`. A part that is not the whole is never shown as all or nothing of it. */
export function share(part: number, whole: number): string {
  if (part > 0 && part / whole < 0.001) return "<0.1%";
  if (part < whole && part / whole > 0.999) return ">99.9%";
  return SHARE.format(part / whole);
}

/** A moment, e.g. `2026-11-21 14:05:09 UTC`. */
export function moment(at: number): string {
  return new Date(at).toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC");
}
