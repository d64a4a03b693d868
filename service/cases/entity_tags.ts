/** Entity tags: the time of a resource's last change, strictly newer at every change. */
import { EntityTagRequired, Stale } from "../errors.ts";

/** A time as a tag, e.g. `20260102T030405.678 GMT`. */
function formatTag(time: Date): string {
  return time.toISOString().replace(/[-:Z]/g, "") + " GMT";
}

/** The tag of a change at a time: a millisecond after the previous one's where the clock has not moved on. */
export function nextEntityTag(previous: string | undefined, now: Date): string {
  const tag = formatTag(now);
  return previous === undefined || tag > previous ? tag : formatTag(new Date(timeOf(previous) + 1));
}

/** Refuses stale tags with 412: one must be right. None is fine, unless the operation needs one: that is a 428. */
export function checkEntityTag(given: string | undefined, current: string, needed = false): void {
  if (given === undefined) {
    if (!needed) return;
    throw new EntityTagRequired("Send the resource's entity tag in the If-Match header.");
  }
  if (given === "*" || given.split(",").some((tag) => plain(tag) === current)) return;
  throw new Stale("Resource is stale: its state has changed since your last request.");
}

/** Some clients send a tag in quotes, and a weak one for a strong one. */
function plain(tag: string): string {
  return tag.trim().replace(/^W\//, "").replace(/^"(.*)"$/, "$1");
}

function timeOf(tag: string): number {
  const [, year, month, day, hour, minute, rest] = tag.match(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)([\d.]+) GMT$/) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${rest}Z`);
}
