/** Formats values as people write them. */
import { isJsonObject, isNonEmptyString, isScalar, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { parseTimestamp, truncateToMilliseconds } from "../../utils/time/parse_timestamp.ts";
import { formatAge, formatTime } from "./format_time.ts";

/** The text for a value that is missing or empty. */
export const EMPTY = "–";

/** Properties that name an object, the best first. */
const NAMES = ["pyLabel", "label", "name", "pyAttachName", "fileName", "pyFullName", "pyID", "ID", "id"];

/** Words of labels that are always written in capitals. */
const ACRONYMS: ReadonlySet<string> = new Set(["API", "ID", "PID", "URL"]);

/** Timestamps with a time of day, as services write them. */
const TIMESTAMP = /^\d{4}-?\d\d-?\d\dT\d\d:?\d\d(?::?\d\d(?:\.\d+)?)?(?: ?GMT|Z|[+-]\d\d:?\d\d)$/;

/** Formats a value on one line, unless it is a text of several lines. */
export function formatValue(value: JsonValue | undefined): string {
  if (isEmptyValue(value)) return EMPTY;
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "string") return TIMESTAMP.test(value) ? formatTimestamp(value) : value;
  if (isScalar(value)) return String(value);
  if (Array.isArray(value)) return value.map((element) => formatValue(element)).join(", ");
  return formatObject(value);
}

/** Formats a cell of a table: timestamps in local time, and other values as JSON has them. */
export function formatCell(value: JsonValue): string {
  if (Array.isArray(value)) return value.map(formatCell).join(", ");
  return typeof value === "string" && TIMESTAMP.test(value) ? formatTimestamp(value) : String(value);
}

/** Formats a timestamp in local time. Other texts stay as they are. */
export function formatTimestamp(text: string): string {
  return formatTime(toIsoTime(text));
}

/** Formats a time with its distance from now, e.g. `2026-01-31 09:30 (3 d ago)`. */
export function formatDistance(text: string): string {
  const time = Date.parse(toIsoTime(text));
  if (Number.isNaN(time)) return text;
  const isPast = time <= Date.now();
  if (Math.abs(time - Date.now()) < 60_000) return `${formatTimestamp(text)} (now)`;
  const distance = formatAge(new Date(isPast ? time : 2 * Date.now() - time).toISOString());
  return `${formatTimestamp(text)} (${isPast ? `${distance} ago` : `in ${distance}`})`;
}

/** Reports whether a value is missing or empty. */
export function isEmptyValue(value: JsonValue | undefined): value is undefined | null | "" {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0) ||
    (isJsonObject(value) && Object.keys(value).length === 0);
}

/** Converts the name of a field to a label: `VisitDate` and `pyVisitDate` to `Visit date`. */
export function toLabel(name: string): string {
  const words = name.replace(/^p[xyz](?=[A-Z])/, "").replaceAll("_", " ")
    .replace(/([a-z\d])([A-Z])/g, "$1 $2").replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2").trim().split(/\s+/);
  const lower = words.map((word) => {
    if (ACRONYMS.has(word.toUpperCase())) return word.toUpperCase();
    return /^[A-Z][a-z]/.test(word) ? word.toLowerCase() : word;
  }).join(" ");
  return lower === "" ? name : lower.charAt(0).toUpperCase() + lower.slice(1);
}

/** Converts a timestamp to ISO 8601. Other texts stay as they are. */
export function toIsoTime(text: string): string {
  const time = parseTimestamp(text);
  return time === undefined ? text : truncateToMilliseconds(time);
}

function formatObject(object: JsonObject): string {
  const name = NAMES.map((member) => object[member]).find(isNonEmptyString);
  if (name !== undefined) return name;
  const members = Object.entries(object).filter(([member, value]) => !isTechnical(member) && !isEmptyValue(value));
  return members.map(([member, value]) => `${toLabel(member)}: ${formatValue(value)}`).join(", ") || EMPTY;
}

/** Reports whether a member is of interest to programs only. */
export function isTechnical(member: string): boolean {
  return /^p[xyz][A-Z]/.test(member) || ["classID", "links", "etag", "className"].includes(member);
}
