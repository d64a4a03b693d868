/**
 * Times of feed entries, to the nanosecond. The digits below the millisecond put entries of the same millisecond in an
 * order, so that each entry has its own time and a page continues exactly after the one before.
 */

/** A time after every entry. */
export const END_OF_TIME = "9999-12-31T23:59:59.999999999Z";

/** The position of the first message of a millisecond. History entries come before messages. */
const FIRST_MESSAGE = 500_000;

/** Returns the time of a message with a number. */
export function toMessageTime(now: Date, number: number): string {
  return addPosition(now.toISOString(), FIRST_MESSAGE + number % FIRST_MESSAGE);
}

/** Returns the time of a history entry with an index within its millisecond. */
export function toHistoryTime(at: string, index: number): string {
  return addPosition(at, Math.min(index, FIRST_MESSAGE - 1));
}

function addPosition(at: string, position: number): string {
  return `${at.slice(0, 23)}${String(position).padStart(6, "0")}Z`;
}
