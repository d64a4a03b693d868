/**
 * Times of a feed, to the nanosecond. Several entries may be of one millisecond: the digits below it put them in an
 * order, so that each entry has a time of its own and a page goes on exactly where the one before ended.
 */

/** Later than every entry. */
export const END_OF_TIME = "9999-12-31T23:59:59.999999999Z";
/** Lines of a history come before the messages of their millisecond. */
const PLACES = 500_000;

/** The time of a message, by its number. */
export function timeOfMessage(now: Date, number: number): string {
  return withPlace(now.toISOString(), PLACES + number % PLACES);
}

/** The time of a history's line: which one of its millisecond it is, from 0. */
export function timeOfEvent(at: string, index: number): string {
  return withPlace(at, Math.min(index, PLACES - 1));
}

/** The millisecond of a feed's time, as histories tell it. */
export function millisecondOf(time: string): string {
  return time.slice(0, 23) + "Z";
}

const TIME =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)? ?(Z|GMT|UTC|[+-]\d\d:?\d\d)?$/i;

/** A date, or a date and time in ISO 8601 or in the form of entity tags, as a time of a feed; UTC without a zone. */
export function readTime(text: string): string | undefined {
  const match = TIME.exec(text.trim());
  if (match === null) return undefined;
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] = match;
  const offset = /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(-2)}` : "Z";
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
  if (Number.isNaN(time)) return undefined;
  return `${new Date(time).toISOString().slice(0, 19)}.${fraction.slice(0, 9).padEnd(9, "0")}Z`;
}

function withPlace(at: string, place: number): string {
  return `${at.slice(0, 23)}${String(place).padStart(6, "0")}Z`;
}
