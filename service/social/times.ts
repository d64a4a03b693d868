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

function withPlace(at: string, place: number): string {
  return `${at.slice(0, 23)}${String(place).padStart(6, "0")}Z`;
}
