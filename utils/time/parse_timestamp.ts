import { isDate, toUtc } from "./timestamps.ts";

const TIME =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)? ?(Z|GMT|UTC|[+-]\d\d:?\d\d)?$/i;

/**
 * Parses a date, or a date and time, in ISO 8601 with or without separators. Returns it in UTC with nanoseconds, or
 * undefined for other text. The default zone is UTC.
 */
export function parseTimestamp(text: string): string | undefined {
  const match = TIME.exec(text.trim());
  if (match === null) return undefined;
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] = match;
  const offset = /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(-2)}` : "Z";
  const time = toUtc(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
  if (time === undefined || !isDate(`${year}-${month}-${day}`)) return undefined;
  return `${time.slice(0, 19)}.${fraction.slice(0, 9).padEnd(9, "0")}Z`;
}

/** Cuts a result of `parseTimestamp` to milliseconds. */
export function truncateToMilliseconds(time: string): string {
  return time.slice(0, 23) + "Z";
}
