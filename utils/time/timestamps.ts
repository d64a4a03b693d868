const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;

/** Reports whether a text is an existing date such as `2026-01-31`. */
export function isDate(text: string): boolean {
  return DATE.test(text) && new Date(text).toJSON()?.startsWith(text) === true;
}

/** Reports whether a text is a date and time with a zone, such as `2026-01-31T09:30:00Z`. */
export function isTimestamp(text: string): boolean {
  return TIMESTAMP.test(text) && isDate(text.slice(0, 10)) && toUtc(text) !== undefined;
}

/** Converts a timestamp to UTC. Returns undefined for invalid ones and for years without four digits, which would sort wrongly. */
export function toUtc(text: string): string | undefined {
  const utc: string | null = new Date(text).toJSON();
  return utc !== null && /^\d/.test(utc) ? utc : undefined;
}
