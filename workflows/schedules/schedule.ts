/** Schedules: scripts that run at the times of a cron expression. */
import { findReviver } from "../../utils/json.ts";
import type { RunSettings } from "../journal/journal.ts";
import type { CronTimes } from "./cron.ts";

/** All policies for a due time while a run of the schedule has not ended. */
export const OVERLAP_POLICIES = ["skip", "buffer", "allow"] as const;

/**
 * The policy for a due time while a run of the schedule has not ended: `skip` starts no run, `buffer` starts one when that run
 * has ended, `allow` starts one at once.
 */
export type OverlapPolicy = (typeof OVERLAP_POLICIES)[number];

/** All policies for missed times: due times that no worker handled within a minute. */
export const MISSED_POLICIES = ["skip", "once"] as const;

/** The policy for missed times: `skip` starts no run, `once` starts one for all of them. */
export type MissedPolicy = (typeof MISSED_POLICIES)[number];

/** Why no run was ordered for a due time, by the policy that decided it. */
export const SKIP_REASONS = {
  overlap: "the previous run had not ended",
  missed: "no worker started it within a minute",
} as const;

/** A run that a schedule has ordered. It has the same identifier whenever it is started, so it starts once. */
export interface ScheduledRun {
  /** Identifier of the run. */
  readonly id: string;
  /** Time for which it was ordered, in milliseconds since 1970. */
  readonly due: number;
  /** True if the run was recorded in a shared journal. If it no longer exists, it was deleted. */
  readonly isRecorded?: boolean;
}

/** A schedule. */
export interface ScheduleRecord {
  /** Name: letters, digits, `-` and `_`. */
  readonly name: string;
  /** Cron expression. */
  readonly cron: string;
  /** IANA name of the time zone of the expression. */
  readonly timeZone: string;
  /** Policy for due times while a run has not ended. */
  readonly overlap: OverlapPolicy;
  /** Policy for missed times. */
  readonly missed: MissedPolicy;
  /** Settings of the runs, with the grants. */
  readonly settings: RunSettings;
  /** Proof that the user of this machine gave the grants. */
  readonly proof?: string;
  /** True if no runs are ordered. */
  readonly isPaused: boolean;
  /** Time until which all due times were handled, in milliseconds since 1970. */
  readonly checkedUntil: number;
  /** Runs that are in progress or start as soon as a worker can. */
  readonly runs: readonly ScheduledRun[];
  /** Run that starts when `runs` is empty. */
  readonly buffered?: ScheduledRun;
  /** The last due time for which no run was ordered, and the policy that decided it. */
  readonly lastSkipped?: { readonly due: number; readonly policy: keyof typeof SKIP_REASONS };
  /** Why the last failed start of a run failed. */
  readonly lastError?: { readonly runId: string; readonly message: string };
}

/** Parses the record of a schedule. Earlier versions stored some schedules without a time zone, which is invalid. */
export function parseSchedule(record: string): ScheduleRecord {
  return { timeZone: "", ...JSON.parse(record, findReviver(record)) };
}

/** Delay after which a due time counts as missed, in milliseconds. A running worker checks every second. */
export const MISSED_AFTER = 60_000;

/** Orders the runs of a schedule that are due. */
export function orderDueRuns(schedule: ScheduleRecord, times: CronTimes, now: number): ScheduleRecord {
  if (schedule.isPaused) return schedule;
  let changed = schedule;
  let after = schedule.checkedUntil;
  const missed = times.last(after, now - MISSED_AFTER);
  if (missed !== undefined) {
    changed = changed.missed === "once" ? orderRun(changed, toRun(changed, missed)) : skip(changed, missed, "missed");
    after = missed;
  }
  for (let due = times.next(after); due !== undefined && due <= now; due = times.next(due)) {
    changed = orderRun(changed, toRun(changed, due));
  }
  return { ...changed, checkedUntil: Math.max(now, schedule.checkedUntil) };
}

/** Orders a run, as far as the policy for overlaps allows it. */
export function orderRun(schedule: ScheduleRecord, run: ScheduledRun): ScheduleRecord {
  const { runs, buffered, overlap } = schedule;
  if (runs.length === 0 || overlap === "allow") return { ...schedule, runs: [...runs, run] };
  if (overlap === "buffer" && buffered === undefined) return { ...schedule, buffered: run };
  return skip(schedule, run.due, "overlap");
}

/** Removes a run that has ended, and orders the buffered one. */
export function endRun(schedule: ScheduleRecord, runId: string): ScheduleRecord {
  const { buffered, ...rest } = schedule;
  const runs = schedule.runs.filter(({ id }) => id !== runId);
  if (runs.length > 0 || buffered === undefined) return { ...schedule, runs };
  return { ...rest, runs: [buffered] };
}

/** Describes the due time that was skipped by a change of a schedule. Returns undefined if none was. */
export function describeSkip(before: ScheduleRecord, { lastSkipped: skipped }: ScheduleRecord): string | undefined {
  if (skipped === undefined || skipped.due === before.lastSkipped?.due) return undefined;
  return `skipped the run of ${new Date(skipped.due).toISOString()}, because ${SKIP_REASONS[skipped.policy]}.`;
}

function skip(schedule: ScheduleRecord, due: number, policy: keyof typeof SKIP_REASONS): ScheduleRecord {
  return { ...schedule, lastSkipped: { due, policy } };
}

/** Creates the run of a due time, e.g. `nightly-20261121-0200`. Due times are whole minutes. */
function toRun({ name }: ScheduleRecord, due: number): ScheduledRun {
  const [date = "", time = ""] = new Date(due).toISOString().split("T");
  return { id: `${name}-${date.replaceAll("-", "")}-${time.slice(0, 5).replace(":", "")}`, due };
}
