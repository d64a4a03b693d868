/** The operations of a run, and some of its inputs, as tables. */
import { duration } from "../journal/timeline.ts";
import { SLEEP } from "../sandbox/protocol/messages.ts";
import { spreadChart } from "./charts.ts";
import { markup, type Part } from "./markup.ts";
import { count, countOf, moment } from "./numbers.ts";
import { section, table } from "./table.ts";
import type { ListedInput, OperationTally, Tally } from "./tally.ts";

/** How long calls took, by operation. */
export function operationSection({ operations }: Tally): Part {
  if (operations.size === 0) return undefined;
  const sorted = [...operations].toSorted(([, one], [, other]) => callsOf(other) - callsOf(one));
  const longest = Math.max(...sorted.map(([, { durations }]) => durations.longest));
  const titles = ["Operation", "Calls#", "Failed#", "Open#", "Median#", "90%#", "99%#", "Longest#", "Spread"];
  const rows = sorted.map(([name, tally]) => operationRow(name, tally, longest));
  return section(
    "Durations by operation",
    table("Durations by operation", titles, rows),
    markup`<p class="note">Spread: the box reaches from the median to 90%, the long mark is 99%, the line ends at the
longest; the scale is logarithmic. ${
      operations.has(SLEEP) ? "Waiting (sleep) is not counted among the calls of the summary." : undefined
    }</p>\n`,
  );
}

function operationRow(name: string, tally: OperationTally, longestOfAll: number): Part[] {
  const { durations, failed, open } = tally;
  const calls = [markup`<code>${name}</code>`, count(callsOf(tally)), marked(failed, "failed"), marked(open, "open")];
  if (durations.count === 0) return [...calls, "–", "–", "–", "–", ""];
  const { longest } = durations;
  const [median, p90, p99] = [durations.quantile(0.5), durations.quantile(0.9), durations.quantile(0.99)];
  const label = `Median ${duration(median)}, 90% ${duration(p90)}, 99% ${duration(p99)}, longest ${duration(longest)}`;
  return [
    ...calls,
    ...[median, p90, p99, longest].map(duration),
    spreadChart({ label, median, p90, p99, longest }, longestOfAll),
  ];
}

/** The inputs that took longest. */
export function slowestSection({ slowest, inputs }: Tally): Part {
  if (slowest.length === 0 || inputs === 1) return undefined;
  const rows = slowest.map(({ place, state, calls, startedAt, milliseconds }) => {
    const outcome = state === "done" ? "succeeded" : state;
    const key = markup`<span class="key ${outcome}">${outcome}</span>`;
    return [place, duration(milliseconds), key, count(calls), moment(startedAt)];
  });
  return section("Slowest inputs", table("Slowest inputs", ["Input", "Took#", "State", "Calls#", "Started"], rows));
}

/** The inputs that are not ended. */
export function openSection({ open, openInputs }: Tally): Part {
  if (open === 0) return undefined;
  const isStopped = openInputs.some(({ reason }) => reason !== undefined);
  const rows = openInputs.map(({ place, calls, startedAt, reason }: ListedInput) => {
    return [place, count(calls), moment(startedAt), ...(isStopped ? [reason ?? "–"] : [])];
  });
  const more = open - openInputs.length;
  return section(
    "Open inputs",
    table("Open inputs", ["Input", "Calls#", "Started", ...(isStopped ? ["Stopped by"] : [])], rows),
    more === 0 ? undefined : markup`<p>And ${countOf(more, "more input")}.</p>\n`,
  );
}

function callsOf({ durations, open }: OperationTally): number {
  return durations.count + open;
}

/** A number that shows its class unless it is 0. */
function marked(number: number, name: string): Part {
  return number === 0 ? "0" : markup`<strong class="${name}">${count(number)}</strong>`;
}
