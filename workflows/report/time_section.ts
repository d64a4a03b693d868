/** What a run finished when. */
import { type Bar, barChart, timeLabel } from "./charts.ts";
import { type Markup, markup, type Part } from "./markup.ts";
import { count, countOf, moment, rate } from "./numbers.ts";
import { section, table } from "./table.ts";
import type { Tally } from "./tally.ts";

/** Two charts over time, and what they show as a table. */
export function timeSection({ throughput: { start, width, spans }, failed }: Tally): Part {
  if (spans.length === 0) return undefined;
  const perSecond = (counted: number) => counted / (width / 1000);
  const named = spans.map((span, i) => ({ ...span, at: moment(start + i * width) }));
  const inputs = named.map(({ at, succeeded, failed }): Bar => ({
    values: [perSecond(succeeded), perSecond(failed)],
    title: `${at}: ${count(succeeded)} succeeded, ${count(failed)} failed`,
  }));
  const calls = named.map(({ at, calls }): Bar => ({
    values: [perSecond(calls)],
    title: `${at}: ${countOf(calls, "call")}`,
  }));
  const rows = named
    .filter(({ succeeded, failed, calls }) => succeeded + failed + calls > 0)
    .map(({ at, succeeded, failed, calls }) => [at, count(succeeded), count(failed), count(calls)]);
  return section(
    "Throughput",
    markup`<p class="note">Each bar is ${timeLabel(width, width)}. Time counts from the beginning of the run.</p>\n`,
    chart("Inputs finished per second", inputs, ["succeeded", "failed"], width, failed > 0 ? LEGEND : undefined),
    chart("Calls per second", calls, ["calls"], width),
    markup`<details class="extra"><summary>As a table</summary>\n`,
    table("Finished, by time", ["From", "Succeeded#", "Failed#", "Calls#"], rows),
    markup`</details>\n`,
  );
}

const LEGEND = markup` <span class="key succeeded">succeeded</span> <span class="key failed">failed</span>`;

function chart(title: string, bars: readonly Bar[], classes: readonly string[], width: number, legend?: Markup): Part {
  const sums = bars.map(({ values }) => values.reduce((sum, one) => sum + one, 0));
  const highest = Math.max(...sums);
  const from = timeLabel(sums.indexOf(highest) * width, width);
  const label = `${title}, in bars of ${timeLabel(width, width)}: at most ${
    rate(highest)
  }, ${from} after the beginning.`;
  return markup`<h3>${title}${legend}</h3>\n${barChart({ label, bars, classes, width })}\n`;
}
