/** Cron expressions in a time zone. */
import { getErrorMessage, SvcError } from "../../lib/errors.ts";

/** The times of a cron expression, in milliseconds since 1970. */
export interface CronTimes {
  /** Returns the first time after another one. Returns undefined if there is no such time. */
  next(after: number): number | undefined;
  /** Returns the last time that is not after another one. Returns undefined if there is no such time. */
  last(notAfter: number): number | undefined;
}

/** Names of common expressions. */
const NICKNAMES = ["@hourly", "@daily", "@weekly", "@monthly", "@yearly"];

/** Returns the time zone of this machine. */
export function getLocalTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * Parses a cron expression of five fields. A time that the clocks skip is at the end of the gap, and a time that they repeat
 * is at its first occurrence. Throws `INVALID_ARGS` if the expression or the time zone is invalid.
 */
export async function parseCron(expression: string, timeZone: string): Promise<CronTimes> {
  checkTimeZone(timeZone);
  const { Cron } = await import("croner"); // Loaded here, because only schedules need it.
  const parse = () => {
    try {
      return new Cron(expression, { timezone: timeZone, paused: true });
    } catch (cause) {
      throw invalidCron(expression, getErrorMessage(cause).replace(/^Cron\w+: |\.$/g, ""), cause);
    }
  };
  const isPlain = expression.trim().split(/\s+/).length === 5 || NICKNAMES.includes(expression.trim());
  if (!isPlain) throw invalidCron(expression, "it does not have five fields");
  const cron = parse();
  return {
    next: (after) => cron.nextRun(new Date(after))?.getTime(),
    last: (notAfter) => cron.previousRuns(1, toNextSecond(notAfter))[0]?.getTime(),
  };
}

/** Cron expressions that were parsed. */
export class CronCache {
  readonly #times = new Map<string, CronTimes>();

  /** Parses the expression of a schedule, unless it is known. */
  async parse({ cron, timeZone }: { readonly cron: string; readonly timeZone: string }): Promise<CronTimes> {
    const key = `${cron} ${timeZone}`;
    const times = this.#times.get(key) ?? await parseCron(cron, timeZone);
    this.#times.set(key, times);
    return times;
  }
}

/** Returns the start of the next second: croner looks for times before it. */
function toNextSecond(at: number): Date {
  return new Date(Math.floor(at / 1000) * 1000 + 1000);
}

function checkTimeZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
  } catch (cause) {
    throw new SvcError("INVALID_ARGS", `${JSON.stringify(timeZone)} is not a time zone.`, {
      cause,
      hint: "Use an IANA name such as Europe/Berlin or UTC.",
    });
  }
}

function invalidCron(expression: string, problem: string, cause?: unknown): SvcError {
  return new SvcError("INVALID_ARGS", `${JSON.stringify(expression)} is not a cron expression: ${problem}.`, {
    cause,
    hint: "Write minute, hour, day of the month, month and day of the week: '0 6 * * MON-FRI'. " +
      `${NICKNAMES.join(", ")} work, too.`,
  });
}
