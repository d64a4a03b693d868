/** Moments that callers name, in any of the forms that the service itself writes. */
import { isDay, utcOf } from "./calendar.ts";

const TIME =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)? ?(Z|GMT|UTC|[+-]\d\d:?\d\d)?$/i;

/**
 * A date, or a date and time in ISO 8601 or in the form of entity tags, to the nanosecond and in UTC, which it is in
 * without a zone; undefined for what is none.
 */
export function readTime(text: string): string | undefined {
  const match = TIME.exec(text.trim());
  if (match === null) return undefined;
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] = match;
  const offset = /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(-2)}` : "Z";
  const time = utcOf(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
  if (time === undefined || !isDay(`${year}-${month}-${day}`)) return undefined;
  return `${time.slice(0, 19)}.${fraction.slice(0, 9).padEnd(9, "0")}Z`;
}

/** The millisecond of such a moment. */
export function millisecondOf(time: string): string {
  return time.slice(0, 23) + "Z";
}
