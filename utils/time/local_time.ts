import { isDate, isTimestamp, toUtc } from "./timestamps.ts";

/** Formats a time in a time zone as `2026-01-31 09:30`. The default is the zone of this process. Other texts stay as they are. */
export function formatLocalTime(text: string, timeZone?: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return text;
  const { date, clock } = splitLocalTime(time, timeZone);
  return `${date} ${clock.endsWith(":00") ? clock.slice(0, 5) : clock}`;
}

/** Converts a date and time to UTC. Without a zone, it is in `timeZone`. Returns undefined for other text. */
export function parseLocalTime(text: string, timeZone?: string): string | undefined {
  if (isTimestamp(text)) return toUtc(text);
  const [, date = "", clock = ""] = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)$/.exec(text) ?? [];
  if (!isDate(date)) return undefined;
  if (timeZone === undefined) return toUtc(`${date}T${clock}`);
  const wanted = Date.parse(`${date}T${clock}Z`);
  if (Number.isNaN(wanted)) return undefined;
  // The offset of the wanted time is unknown: the offset of a time near it is tried first, then that of the result.
  let time = wanted;
  for (let i = 0; i < 2; i++) time = wanted - getOffset(time, timeZone);
  return toUtc(new Date(time).toISOString());
}

/** Returns the milliseconds by which a zone is ahead of UTC at a time. */
function getOffset(time: number, timeZone: string): number {
  const { date, clock } = splitLocalTime(new Date(time), timeZone);
  return Date.parse(`${date}T${clock}Z`) - Math.floor(time / 1000) * 1000;
}

// Creating a formatter takes a hundred times longer than using it.
const formatters = new Map<string | undefined, Intl.DateTimeFormat>();

function getFormatter(timeZone?: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const formatter = new Intl.DateTimeFormat("en", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  formatters.set(timeZone, formatter);
  return formatter;
}

function splitLocalTime(time: Date, timeZone?: string): { date: string; clock: string } {
  const parts = getFormatter(timeZone).formatToParts(time);
  const get = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? "";
  return {
    date: `${get("year").padStart(4, "0")}-${get("month")}-${get("day")}`,
    clock: `${get("hour")}:${get("minute")}:${get("second")}`,
  };
}
