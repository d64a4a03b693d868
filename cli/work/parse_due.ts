import { SvcError } from "../../lib/errors.ts";
import { isDate, toUtc } from "../../utils/time/timestamps.ts";

/** Parses the value of `--due` to a time in ISO 8601: `overdue` is now, `today` and a date are the end of the local day. */
export function parseDue(text: string, now: Date): string {
  if (text === "overdue") return now.toISOString();
  const isDay = isDate(text);
  if (!isDay && text !== "today") {
    const time = /^\d{4}-/.test(text) ? toUtc(text) : undefined;
    if (time !== undefined) return time;
    throw new SvcError("INVALID_ARGS", `--due must be today, overdue or a date, not ${JSON.stringify(text)}.`, {
      hint: "For a date, write for example --due 2026-01-31.",
    });
  }
  const day = isDay ? new Date(`${text}T00:00:00`) : new Date(now);
  day.setHours(23, 59, 59, 999);
  return day.toISOString();
}
