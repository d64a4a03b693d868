/** Days and moments as texts. */

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;

/** Whether a text is a day that there is, e.g. `2026-01-31`. */
export function isDay(text: string): boolean {
  return DAY.test(text) && new Date(text).toJSON()?.startsWith(text) === true;
}

/** Whether a text is such a day and a time with its zone, e.g. `2026-01-31T09:30:00Z`. */
export function isMoment(text: string): boolean {
  return MOMENT.test(text) && isDay(text.slice(0, 10)) && utcOf(text) !== undefined;
}

/** A moment in UTC; undefined for none, and for one whose year has not four digits there: as text it sorts wrongly. */
export function utcOf(text: string): string | undefined {
  const utc: string | null = new Date(text).toJSON();
  return utc !== null && /^\d/.test(utc) ? utc : undefined;
}
