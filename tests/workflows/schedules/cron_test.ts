/** Cron expressions: their times across changes of the clocks, and their errors. */
import assert from "node:assert/strict";
import { SvcError } from "../../../lib/errors.ts";
import { parseCron } from "../../../workflows/schedules/cron.ts";

async function listTimes(cron: string, timeZone: string, after: string, count: number): Promise<string[]> {
  const times = await parseCron(cron, timeZone);
  const listed: string[] = [];
  for (let at = times.next(Date.parse(after)); at !== undefined && listed.length < count; at = times.next(at)) {
    listed.push(new Date(at).toISOString().slice(0, 16));
    assert.equal(times.last(Date.parse(after), at), at);
    assert.equal(times.last(Date.parse(after), at + 59_999), at);
  }
  return listed;
}

Deno.test("a time of day keeps its local hour when the clocks change", async () => {
  assert.deepEqual(await listTimes("0 9 * * MON-FRI", "America/New_York", "2026-03-06T00:00Z", 2), [
    "2026-03-06T14:00",
    "2026-03-09T13:00",
  ]);
});

Deno.test("a time that the clocks skip is due once, at the end of the gap", async () => {
  assert.deepEqual(await listTimes("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00Z", 3), [
    "2026-03-28T01:30",
    "2026-03-29T01:00",
    "2026-03-30T00:30",
  ]);
});

Deno.test("a time that the clocks repeat is due once, and an interval stays even", async () => {
  assert.deepEqual(await listTimes("30 2 * * *", "Europe/Berlin", "2026-10-24T00:00Z", 3), [
    "2026-10-24T00:30",
    "2026-10-25T00:30",
    "2026-10-26T01:30",
  ]);
  assert.deepEqual(await listTimes("*/30 * * * *", "Europe/Berlin", "2026-10-25T00:15Z", 4), [
    "2026-10-25T00:30",
    "2026-10-25T01:00",
    "2026-10-25T01:30",
    "2026-10-25T02:00",
  ]);
});

Deno.test("lists, ranges and steps keep both rules in each field of hours", async () => {
  const cases: [cron: string, timeZone: string, after: string, times: string[]][] = [
    ["0 1,13 * * *", "America/New_York", "2026-11-01T00:00Z", ["01T05:00", "01T18:00", "02T06:00"]],
    ["0,30 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", ["29T01:00", "30T00:00", "30T00:30"]],
    ["*/20 1-2 * * *", "Europe/Berlin", "2026-03-29T00:30Z", ["29T00:40", "29T01:00", "29T23:00"]],
    ["0 1-3/2 * * *", "Europe/Berlin", "2026-10-24T20:00Z", ["24T23:00", "25T02:00", "26T00:00"]],
    ["0 */2 * * *", "Europe/Berlin", "2026-10-24T22:00Z", ["25T00:00", "25T01:00", "25T03:00"]],
  ];
  for (const [cron, timeZone, after, expected] of cases) {
    const times = await listTimes(cron, timeZone, after, expected.length);
    assert.deepEqual(times.map((time) => time.slice(8)), expected, cron);
  }
});

Deno.test("both fields of days must match if one begins with *, and @midnight is every day", async () => {
  assert.deepEqual(await listTimes("0 0 */2 * 1", "UTC", "2026-01-01T12:00Z", 3), [
    "2026-01-05T00:00",
    "2026-01-19T00:00",
    "2026-02-09T00:00",
  ]);
  assert.deepEqual(await listTimes("0 0 3 * 1", "UTC", "2026-01-01T12:00Z", 2), [
    "2026-01-03T00:00",
    "2026-01-05T00:00",
  ]);
  assert.deepEqual(
    await listTimes("@midnight", "Europe/Berlin", "2026-01-01T12:00Z", 2),
    await listTimes("@daily", "Europe/Berlin", "2026-01-01T12:00Z", 2),
  );
});

Deno.test("an invalid expression or time zone is named, with what to write instead", async () => {
  const errors: [cron: string, timeZone: string, message: string][] = [
    ["61 * * * *", "UTC", '"61 * * * *" is not a cron expression: Invalid value for minute: 61.'],
    ["* * * *", "UTC", '"* * * *" is not a cron expression: it does not have five fields.'],
    ["* * * * * *", "UTC", '"* * * * * *" is not a cron expression: it does not have five fields.'],
    ["@often", "UTC", '"@often" is not a cron expression: it does not have five fields.'],
    ["@daily", "Europe/Berln", '"Europe/Berln" is not a time zone.'],
  ];
  for (const [cron, timeZone, message] of errors) {
    await assert.rejects(parseCron(cron, timeZone), (error) => {
      assert.ok(error instanceof SvcError && error.code === "INVALID_ARGS" && error.hint !== undefined);
      assert.equal(error.message, message);
      return true;
    });
  }
});
