/** Which runs a schedule orders: its policies for overlaps and for missed times. */
import assert from "node:assert/strict";
import { parseCron } from "../../../workflows/schedules/cron.ts";
import {
  endRun,
  type MissedPolicy,
  orderDueRuns,
  type OverlapPolicy,
  type ScheduleRecord,
} from "../../../workflows/schedules/schedule.ts";
import { newRun } from "../../harness/workflow.ts";

const times = await parseCron("*/10 * * * *", "UTC");

function at(time: string): number {
  return Date.parse(`2026-01-01T${time}Z`);
}

function createSchedule(overlap: OverlapPolicy, missed: MissedPolicy = "skip"): ScheduleRecord {
  const { settings } = newRun("r1");
  const cron = { cron: "*/10 * * * *", timeZone: "UTC" };
  return { name: "s", ...cron, overlap, missed, settings, isPaused: false, checkedUntil: at("12:05:00"), runs: [] };
}

/** Checks the schedule at each of these times. */
function checkAt(schedule: ScheduleRecord, ...checks: string[]): ScheduleRecord {
  return checks.reduce((current, time) => orderDueRuns(current, times, at(time)), schedule);
}

function listOrdered({ runs, buffered }: ScheduleRecord): string[] {
  return [...runs.map(({ id }) => id), ...(buffered ? [`buffered ${buffered.id}`] : [])];
}

Deno.test("a due time orders one run, no matter how often it is checked", () => {
  const schedule = checkAt(createSchedule("allow"), "12:09:59.999", "12:10:00", "12:10:00.500", "12:10:59");
  assert.deepEqual(listOrdered(schedule), ["s-20260101-1210"]);
});

Deno.test("a due time orders no second run after the clock was set back", () => {
  const schedule = checkAt(createSchedule("allow"), "12:10:01", "12:05:00", "12:10:01");
  assert.deepEqual(listOrdered(schedule), ["s-20260101-1210"]);
});

Deno.test("while a run has not ended, skip orders none, buffer one, and allow all", () => {
  const checks = ["12:10:01", "12:20:01", "12:30:01"];
  const skip = checkAt(createSchedule("skip"), ...checks);
  assert.deepEqual(listOrdered(skip), ["s-20260101-1210"]);
  assert.deepEqual(skip.lastSkipped, { due: at("12:30:00"), policy: "overlap" });
  const buffer = checkAt(createSchedule("buffer"), ...checks);
  assert.deepEqual(listOrdered(buffer), ["s-20260101-1210", "buffered s-20260101-1220"]);
  assert.deepEqual(listOrdered(endRun(buffer, "s-20260101-1210")), ["s-20260101-1220"]);
  assert.deepEqual(listOrdered(endRun(endRun(buffer, "s-20260101-1210"), "s-20260101-1220")), []);
  const allow = checkAt(createSchedule("allow"), ...checks);
  assert.deepEqual(listOrdered(allow), ["s-20260101-1210", "s-20260101-1220", "s-20260101-1230"]);
});

Deno.test("times that no worker handled within a minute order no run with skip, and one with once", () => {
  const skipped = checkAt(createSchedule("allow", "skip"), "15:05:00");
  assert.deepEqual(listOrdered(skipped), []);
  assert.deepEqual(skipped.lastSkipped, { due: at("15:00:00"), policy: "missed" });
  assert.deepEqual(listOrdered(checkAt(createSchedule("allow", "once"), "15:05:00")), ["s-20260101-1500"]);
  const missedAndDue = checkAt(createSchedule("allow", "once"), "15:10:30");
  assert.deepEqual(listOrdered(missedAndDue), ["s-20260101-1500", "s-20260101-1510"]);
});

Deno.test("a paused schedule orders no run", () => {
  assert.deepEqual(listOrdered(checkAt({ ...createSchedule("allow"), isPaused: true }, "12:10:01")), []);
});
