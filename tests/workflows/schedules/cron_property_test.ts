/** Times of generated cron expressions around changes of the clocks, against a model that looks at every minute. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { parseCron } from "../../../workflows/schedules/cron.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Zones whose clocks change by 30 minutes to a day, at different times of day, and some whose clocks do not change. */
const ZONES = [
  "Africa/Casablanca",
  "America/Havana",
  "America/New_York",
  "America/Nuuk",
  "America/Santiago",
  "America/Sao_Paulo",
  "America/St_Johns",
  "Antarctica/Troll",
  "Asia/Gaza",
  "Asia/Kolkata",
  "Asia/Tehran",
  "Australia/Lord_Howe",
  "Europe/Berlin",
  "Europe/Dublin",
  "Pacific/Apia",
  "Pacific/Chatham",
  "UTC",
];

/** A field of an expression, and the values that it matches. */
interface Field {
  readonly text: string;
  readonly values: ReadonlySet<number>;
}

/** An expression. */
interface Fields {
  readonly minute: Field;
  readonly hour: Field;
  readonly day: Field;
  readonly weekday: Field;
}

/** Returns the numbers from `first` to `last` at a distance of `step`. */
function range(first: number, last: number, step = 1): number[] {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
}

/** Generates lists of values, ranges and ranges with steps, and wildcards with and without steps. */
function generateField(least: number, most: number): fc.Arbitrary<Field> {
  const number = fc.integer({ min: least, max: most });
  const step = fc.integer({ min: 1, max: most - least });
  const bounds = fc.tuple(number, number).map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const);
  const part = fc.oneof(
    number.map((value) => ({ text: String(value), values: [value] })),
    bounds.map(([first, last]) => ({ text: `${first}-${last}`, values: range(first, last) })),
    fc.tuple(bounds, step).map(([[first, last], by]) => ({
      text: `${first}-${last}/${by}`,
      values: range(first, last, by),
    })),
  );
  const list = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => ({
    text: parts.map(({ text }) => text).join(","),
    values: new Set(parts.flatMap(({ values }) => values)),
  }));
  return fc.oneof(
    { weight: 2, arbitrary: list },
    fc.constant({ text: "*", values: new Set(range(least, most)) }),
    step.map((by) => ({ text: `*/${by}`, values: new Set(range(least, most, by)) })),
  );
}

const always = { text: "*", values: new Set(range(0, 31)) };

const fields: fc.Arbitrary<Fields> = fc.record({
  minute: generateField(0, 59),
  hour: generateField(0, 23),
  day: fc.oneof({ weight: 2, arbitrary: fc.constant(always) }, generateField(1, 31)),
  weekday: fc.oneof({ weight: 2, arbitrary: fc.constant(always) }, generateField(0, 6)),
});

const formatters = new Map(ZONES.map((timeZone) => {
  const parts = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" } as const;
  return [timeZone, new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", ...parts })];
}));

/** Returns what the clocks of a zone show, as milliseconds since 1970 in UTC. */
function readClock(at: number, timeZone: string): number {
  const text = formatters.get(timeZone)?.format(at) ?? "";
  const [month = 0, day, year = 0, hour, minute] = text.split(/\D+/).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute);
}

/** Finds the hours in which the clocks of a zone change. */
function listChanges(timeZone: string, year: number): number[] {
  const days = range(Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1), 24 * HOUR);
  const ahead = (at: number) => readClock(at, timeZone) - at;
  return days.filter((day) => ahead(day) !== ahead(day + 24 * HOUR))
    .flatMap((day) => range(day, day + 23 * HOUR, HOUR).filter((hour) => ahead(hour) !== ahead(hour + HOUR)));
}

function matches({ minute, hour, day, weekday }: Fields, local: number): boolean {
  const date = new Date(local);
  const isDay = day.values.has(date.getUTCDate());
  const isWeekday = weekday.values.has(date.getUTCDay());
  const needsBoth = day.text.startsWith("*") || weekday.text.startsWith("*");
  return minute.values.has(date.getUTCMinutes()) && hour.values.has(date.getUTCHours()) &&
    (needsBoth ? isDay && isWeekday : isDay || isWeekday);
}

/** Looks at the clocks every minute. An expression that names hours is due when the clocks first reach or pass a time. */
function listDue(expression: Fields, timeZone: string, after: number, until: number): number[] {
  const namesHours = !expression.hour.text.startsWith("*");
  let reached = Math.max(...range(after - 26 * HOUR, after, MINUTE).map((at) => readClock(at, timeZone)));
  return range(after + MINUTE, until, MINUTE).filter((at) => {
    const local = readClock(at, timeZone);
    if (!namesHours) return matches(expression, local);
    const passed = range(reached + MINUTE, local, MINUTE);
    reached = Math.max(reached, local);
    return passed.some((time) => matches(expression, time));
  });
}

Deno.test("each generated expression is due when a model that looks at every minute says so", async () => {
  const choices = { timeZone: fc.constantFrom(...ZONES), year: fc.integer({ min: 1990, max: 2036 }) };
  const property = fc.asyncProperty(
    fc.record({ ...choices, fields, change: fc.nat(7), minutes: fc.integer({ min: 1, max: 26 * 60 }) }),
    async ({ timeZone, year, fields, change, minutes }) => {
      const changes = listChanges(timeZone, year);
      const center = changes[change % changes.length] ?? Date.UTC(year, change);
      const [after, until] = [center - minutes * MINUTE, center + 30 * HOUR];
      const { minute, hour, day, weekday } = fields;
      const cron = `${minute.text} ${hour.text} ${day.text} * ${weekday.text}`;
      const times = await parseCron(cron, timeZone);
      const expected = listDue(fields, timeZone, after, until);
      const found: number[] = [];
      for (let at = times.next(after); at !== undefined && at <= until; at = times.next(at)) found.push(at);
      const show = (due: number[]) => due.map((at) => new Date(at).toISOString());
      assert.deepEqual(show(found), show(expected), `${cron} in ${timeZone}`);
      assert.equal(times.last(after, until), expected.at(-1));
    },
  );
  await fc.assert(property, { numRuns: 120 });
});
