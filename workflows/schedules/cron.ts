/** Cron expressions in a time zone. */
import { getErrorMessage, SvcError } from "../../lib/errors.ts";
import { listAlternatives } from "../../utils/text/wording.ts";
import { isTimeZone } from "./time_zone.ts";

/** The times of a cron expression, in milliseconds since 1970. */
export interface CronTimes {
  /** Returns the first due time after `after`, or undefined without one. */
  next(after: number): number | undefined;
  /** Returns the last due time after `after` and up to `notAfter`, or undefined without one. */
  last(after: number, notAfter: number): number | undefined;
}

/** Common expressions, by name. */
const NICKNAMES: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
};

/**
 * Parses a cron expression of five fields. If it names hours, a time that the clocks skip is due at the end of the gap, and
 * a time that they repeat is due once, when they first show it. If its field of hours begins with `*`, it is due whenever
 * the clocks show a matching time. Throws `INVALID_ARGS` if the expression or the time zone is invalid.
 */
export async function parseCron(expression: string, timeZone: string): Promise<CronTimes> {
  checkTimeZone(timeZone);
  const { Cron } = await import("croner"); // Loaded here, because only schedules need it.
  const fields = (NICKNAMES[expression.trim()] ?? expression).trim().split(/\s+/);
  const [, hours, days, , weekdays] = fields;
  if (fields.length !== 5) throw invalidCron(expression, "it does not have five fields");
  // croner gets local times as if they were UTC.
  const parse = () => {
    try {
      const domAndDow = isWildcard(days) || isWildcard(weekdays);
      return new Cron(fields.join(" "), { utcOffset: 0, paused: true, domAndDow });
    } catch (cause) {
      throw invalidCron(expression, getErrorMessage(cause).replace(/^Cron\w+: |\.$/g, ""), cause);
    }
  };
  const cron = parse();
  const nextLocal = (local: number) => cron.nextRun(new Date(local))?.getTime();
  const findNext = isWildcard(hours) ? findNextShown : findNextOnce;
  const next = (after: number) => findNext(nextLocal, after, timeZone);
  return { next, last: (after, notAfter) => findLast(next, after, notAfter) };
}

/** Parsed cron expressions of schedules. */
export class CronCache {
  readonly #times = new Map<string, CronTimes>();
  readonly #log: (line: string) => void;

  /** `log` receives a line about each invalid schedule. */
  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  /** Parses the expression of a schedule, unless it is known. An invalid schedule is never due. */
  async parse(
    { name, cron, timeZone }: { readonly name: string; readonly cron: string; readonly timeZone: string },
  ): Promise<CronTimes> {
    const key = `${name} ${cron} ${timeZone}`;
    const times = this.#times.get(key) ?? await parseCron(cron, timeZone).catch((error) => {
      if (!(error instanceof SvcError)) throw error;
      this.#log(`${name}: The schedule starts no runs. ${error.message} Add the schedule again with --replace.`);
      return NEVER;
    });
    this.#times.set(key, times);
    return times;
  }
}

const NEVER: CronTimes = { next: () => undefined, last: () => undefined };

/** Returns the first local time after another one, as if both were in UTC. */
type NextLocal = (local: number) => number | undefined;

/** Reports whether a field begins with `*`. Vixie cron treats it as a wildcard, even with a step. */
function isWildcard(field = ""): boolean {
  return /^[*?]/.test(field);
}

/** Finds the next time at which the clocks show a local time. */
function findNextShown(nextLocal: NextLocal, after: number, timeZone: string): number | undefined {
  let zoned = toZoned(after, timeZone);
  let local = nextLocal(toLocal(zoned));
  while (local !== undefined) {
    const at = local - toOffset(zoned);
    const change = zoned.getTimeZoneTransition("next");
    if (change === null || at < change.epochMilliseconds) return at;
    zoned = change;
    local = nextLocal(toLocal(change) - 1);
  }
  return undefined;
}

/** Finds the next time at which the clocks first reach a local time. */
function findNextOnce(nextLocal: NextLocal, after: number, timeZone: string): number | undefined {
  for (let local = nextLocal(toLocal(toZoned(after, timeZone))); local !== undefined; local = nextLocal(local)) {
    const at = findFirstInstant(local, timeZone);
    if (at > after) return at; // A local time that the clocks repeat is not due again.
  }
  return undefined;
}

/** Returns when the clocks first reach a local time. If they skip it, this is at the end of the gap. */
function findFirstInstant(local: number, timeZone: string): number {
  const wanted = toZoned(local, "UTC").toPlainDateTime();
  const first = wanted.toZonedDateTime(timeZone, { disambiguation: "earlier" });
  const isSkipped = toLocal(first) !== local;
  return (isSkipped && first.getTimeZoneTransition("next") || first).epochMilliseconds;
}

/** Finds the last due time in a period by halving it. */
function findLast(next: CronTimes["next"], after: number, notAfter: number): number | undefined {
  let found: number | undefined;
  for (let start = after, end = notAfter; start < end;) {
    const middle = found === undefined ? start : Math.floor((start + end) / 2);
    const due = next(middle);
    if (due !== undefined && due <= notAfter) found = start = due;
    else end = middle;
  }
  return found;
}

function toZoned(at: number, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
}

/** Returns the milliseconds by which local time is ahead of UTC. */
function toOffset({ offsetNanoseconds }: Temporal.ZonedDateTime): number {
  return offsetNanoseconds / 1e6;
}

function toLocal(zoned: Temporal.ZonedDateTime): number {
  return zoned.epochMilliseconds + toOffset(zoned);
}

function checkTimeZone(timeZone: string): void {
  if (isTimeZone(timeZone)) return;
  const problem = timeZone === ""
    ? "The schedule has no time zone."
    : `${JSON.stringify(timeZone)} is not a time zone.`;
  throw new SvcError("INVALID_ARGS", problem, {
    hint: { options: [{ name: "timeZone", purpose: "to choose one, such as Europe/Berlin or UTC" }] },
  });
}

function invalidCron(expression: string, problem: string, cause?: unknown): SvcError {
  return new SvcError("INVALID_ARGS", `${JSON.stringify(expression)} is not a cron expression: ${problem}.`, {
    cause,
    hint: "Write minute, hour, day of the month, month and day of the week: '0 6 * * MON-FRI'. " +
      `You can also write ${listAlternatives(Object.keys(NICKNAMES))}.`,
  });
}
