/** Renders the sections of a report. A section without content is `undefined`. */
import { html } from "hono/html";
import { formatDuration } from "../../utils/time/format_duration.ts";
import { truncate } from "../../utils/text/wording.ts";
import type { RunRecord, ShownState } from "../journal/journal.ts";
import { SLEEP } from "../sandbox/protocol/messages.ts";
import type { Cause } from "./causes.ts";
import { type Bar, drawBarChart, drawBoxPlot, drawShares, formatTick, type Markup } from "./charts.ts";
import { formatCount, formatQuantity, formatRate, formatShare, formatTime } from "./format.ts";
import type { ListedInput, OperationTally, Tally } from "./tally.ts";

/** Longest path that is shown, in characters. */
const MAX_PATH = 300;

/** Number of causes whose inputs are listed without a click. */
const MAX_UNFOLDED = 5;

/** Formats the command line that continues the run. */
export type FormatCommand = (verb: "resume" | "retry") => string;

/** Renders the state, the numbers and the settings of a run. */
export function renderSummary(run: RunRecord, state: ShownState, tally: Tally, formatCommand: FormatCommand): Markup {
  return renderSection(
    "Summary",
    renderProgress(tally),
    html`<dl class="figures">${listFigures(run, tally).map(renderEntry)}</dl>`,
    renderAdvice(state, tally, formatCommand),
    html`<dl class="facts">${listFacts(run).map(renderEntry)}</dl>`,
  );
}

type Entry = readonly [title: Markup, value: Markup, remark?: Markup];

function renderEntry([title, value, remark]: Entry): Markup {
  const small = remark === undefined ? undefined : html`
    <small>${remark}</small>
  `;
  return html`
    <div>
      <dt>${title}</dt>
      <dd>${value}${small}</dd>
    </div>
  `;
}

function renderProgress({ inputs, succeeded, failed, open }: Tally): Markup {
  if (inputs === 0) return html`<p>The run has no inputs.</p>`;
  const label = `Of ${formatQuantity(inputs, "input")} ${formatCount(succeeded)} succeeded, ` +
    `${formatCount(failed)} failed, ${formatCount(open)} are open.`;
  return drawShares(label, [
    { value: succeeded, class: "succeeded" },
    { value: failed, class: "failed" },
    { value: open, class: "open" },
  ]);
}

function listFigures({ startedAt, endedAt }: RunRecord, tally: Tally): Entry[] {
  const { inputs, succeeded, failed, open, calls, callsEnded, callsFailed, retries, lastAt } = tally;
  const took = Math.max(0, (endedAt ?? lastAt) - startedAt);
  const perSecond = (count: number) =>
    took === 0 || count === 0 ? undefined : `${formatRate(count / (took / 1000))} per second`;
  const shareOfInputs = (count: number) => inputs === 0 ? undefined : formatShare(count, inputs);
  return [
    ["Inputs", formatCount(inputs), perSecond(succeeded + failed)],
    [renderKey("succeeded", "Succeeded"), formatCount(succeeded), shareOfInputs(succeeded)],
    [renderKey("failed", "Failed"), formatCount(failed), shareOfInputs(failed)],
    [renderKey("open", "Open"), formatCount(open), shareOfInputs(open)],
    ["Calls", formatCount(calls), perSecond(callsEnded)],
    [
      "Failed calls",
      formatCount(callsFailed),
      retries > 0 ? `after ${formatCount(retries)} ${retries === 1 ? "retry" : "retries"}` : undefined,
    ],
    [endedAt === undefined ? "So far" : "Took", formatDuration(took)],
  ];
}

function listFacts({ settings, digest, startedAt, endedAt }: RunRecord): Entry[] {
  const { script, each, profile, concurrency } = settings;
  const facts: (Entry | undefined)[] = [
    ["Script", html`<code>${truncate(script, MAX_PATH)}</code>`, html`digest <code>${digest.slice(0, 12)}</code>`],
    each === undefined ? undefined : ["Inputs from", html`<code>${truncate(each, MAX_PATH)}</code>`],
    profile === undefined ? undefined : ["Profile", truncate(profile, MAX_PATH)],
    each === undefined || concurrency === undefined ? undefined : ["Concurrency", formatQuantity(concurrency, "input")],
    ["Started", renderTime(startedAt)],
    endedAt === undefined ? undefined : ["Ended", renderTime(endedAt)],
  ];
  return facts.filter((fact) => fact !== undefined);
}

function renderAdvice(state: ShownState, { failed }: Tally, formatCommand: FormatCommand): Markup {
  const advice = (text: string, command?: string) => {
    return html`<p class="advice">${text}${command && html`<code>${command}</code>`}</p>`;
  };
  if (state === "running") return advice("The run is in progress.");
  if (state === "interrupted") return advice("The run was interrupted. Resume it: ", formatCommand("resume"));
  if (state === "cancelled") return advice("The run was cancelled.");
  return failed > 0 ? advice("Run the failed inputs again: ", formatCommand("retry")) : undefined;
}

/** Renders how many inputs and calls ended per second, as charts and as a table. */
export function renderThroughput({ throughput: { start, width, spans }, failed }: Tally): Markup {
  if (spans.length === 0) return undefined;
  const perSecond = (count: number) => count / (width / 1000);
  const timed = spans.map((span, i) => ({ ...span, at: formatTime(start + i * width) }));
  const inputs = timed.map(({ at, succeeded, failed }): Bar => ({
    values: [perSecond(succeeded), perSecond(failed)],
    title: `${at}: ${formatCount(succeeded)} succeeded, ${formatCount(failed)} failed`,
  }));
  const calls = timed.map(({ at, calls }): Bar => ({
    values: [perSecond(calls)],
    title: `${at}: ${formatQuantity(calls, "call")}`,
  }));
  const rows = timed
    .filter(({ succeeded, failed, calls }) => succeeded + failed + calls > 0)
    .map(({ at, succeeded, failed, calls }) => [at, ...[succeeded, failed, calls].map(formatCount)]);
  const legend = failed > 0
    ? html`
      ${renderKey("succeeded", "succeeded")} ${renderKey("failed", "failed")}
    `
    : undefined;
  return renderSection(
    "Throughput",
    html`<p class="note">Each bar covers ${formatTick(width, width)}. Times count from the start of the run.</p>`,
    renderChart("Inputs finished per second", inputs, ["succeeded", "failed"], width, legend),
    renderChart("Calls per second", calls, ["calls"], width),
    html`
      <details class="extra">
        <summary>As a table</summary>
    `,
    renderTable("Finished, by time", ["From", "Succeeded#", "Failed#", "Calls#"], rows),
    html`</details>`,
  );
}

function renderChart(
  title: string,
  bars: readonly Bar[],
  classes: readonly string[],
  width: number,
  legend?: Markup,
): Markup {
  const sums = bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const highest = Math.max(...sums);
  const at = formatTick(sums.indexOf(highest) * width, width);
  const label = `${title}, in bars of ${formatTick(width, width)}: at most ${formatRate(highest)}, ` +
    `${at} after the start.`;
  return html`<h3>${title}${legend}</h3>${drawBarChart({ label, bars, classes, width })}`;
}

/** Renders the failures by cause, the most frequent first. */
export function renderFailures({ failed, causes }: Tally): Markup {
  if (failed === 0) return undefined;
  const items = causes.sorted().map((cause, i) => renderCause(cause, failed, i < MAX_UNFOLDED));
  const others = causes.others === 0
    ? undefined
    : html`<p>${formatQuantity(causes.others, "more input")} failed for other reasons.</p>`;
  return renderSection("Failures by cause", html`<ol class="causes">${items}</ol>`, others);
}

function renderCause(cause: Cause, failed: number, isUnfolded: boolean): Markup {
  const { code, status, operation, message, issues, example, varies, hint } = cause;
  const note = (text: string) => html`<p class="note">${text}</p>`;
  const content = [
    html`<h3><span class="amount">${formatQuantity(cause.count, "input")}</span>`,
    cause.count < failed ? ` · ${formatShare(cause.count, failed)}` : undefined,
    html`
      · <code>${code}</code>
    `,
    status === undefined ? undefined : ` (${status})`,
    operation === undefined ? undefined : html`
      in <code>${operation}</code>
    `,
    html`
      </h3>
      <p class="message">${varies ? message : example}</p>
    `,
    varies ? note(`For example: ${example}`) : undefined,
    issues.length === 0 ? undefined : renderList("issues", issues),
    hint === undefined ? undefined : note(hint),
    renderPlaces(cause, isUnfolded),
  ];
  return html`<li>${content}</li>`;
}

function renderPlaces({ count, places }: Cause, isUnfolded: boolean): Markup {
  const more = count - places.length;
  const list = renderList("places", more === 0 ? places : [...places, `and ${formatCount(more)} more`]);
  const title = count === 1 ? "Input" : "Inputs";
  return html`
    <details ${isUnfolded ? "open" : ""}>
      <summary>${title}</summary>
      ${list}
    </details>
  `;
}

function renderList(name: string, items: readonly string[]): Markup {
  return html`<ul class="${name}">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
}

/** Renders how long calls took, by operation. */
export function renderOperations({ operations }: Tally): Markup {
  if (operations.size === 0) return undefined;
  const sorted = [...operations].toSorted(([, one], [, other]) => countCalls(other) - countCalls(one));
  const longest = Math.max(...sorted.map(([, { durations }]) => durations.longest));
  const titles = ["Operation", "Calls#", "Failed#", "Open#", "Median#", "90%#", "99%#", "Longest#", "Distribution"];
  const rows = sorted.map(([name, tally]) => renderOperation(name, tally, longest));
  const sleeps = operations.has(SLEEP) ? "The number of calls in the summary excludes sleeps." : undefined;
  return renderSection(
    "Durations by operation",
    renderTable("Durations by operation", titles, rows),
    html`<p class="note">Distribution, on a logarithmic scale: the box reaches from the median to 90%, the long mark is
99%, and the line ends at the longest. ${sleeps}</p>`,
  );
}

function renderOperation(name: string, tally: OperationTally, longestOfAll: number): Markup[] {
  const { durations, failed, open } = tally;
  const calls = [
    html`<code>${name}</code>`,
    formatCount(countCalls(tally)),
    renderCount(failed, "failed"),
    renderCount(open, "open"),
  ];
  if (durations.count === 0) return [...calls, "–", "–", "–", "–", ""];
  const { longest } = durations;
  const [median, p90, p99] = [durations.quantile(0.5), durations.quantile(0.9), durations.quantile(0.99)];
  const texts = [median, p90, p99, longest].map(formatDuration);
  const label = `Median ${texts[0]}, 90% ${texts[1]}, 99% ${texts[2]}, longest ${texts[3]}`;
  return [...calls, ...texts, drawBoxPlot({ label, median, p90, p99, longest }, longestOfAll)];
}

/** Renders the inputs that took longest. */
export function renderSlowest({ slowest, inputs }: Tally): Markup {
  if (slowest.length === 0 || inputs === 1) return undefined;
  const rows = slowest.map(({ place, state, calls, startedAt, milliseconds }) => {
    const outcome = state === "done" ? "succeeded" : state;
    const key = renderKey(outcome, outcome);
    return [place, formatDuration(milliseconds), key, formatCount(calls), formatTime(startedAt)];
  });
  const titles = ["Input", "Took#", "State", "Calls#", "Started"];
  return renderSection("Slowest inputs", renderTable("Slowest inputs", titles, rows));
}

/** Renders the inputs that have not ended. */
export function renderOpen({ open, openInputs }: Tally): Markup {
  if (open === 0) return undefined;
  const hasReasons = openInputs.some(({ reason }) => reason !== undefined);
  const rows = openInputs.map(({ place, calls, startedAt, reason }: ListedInput) => {
    return [place, formatCount(calls), formatTime(startedAt), ...(hasReasons ? [reason ?? "–"] : [])];
  });
  const more = open - openInputs.length;
  return renderSection(
    "Open inputs",
    renderTable("Open inputs", ["Input", "Calls#", "Started", ...(hasReasons ? ["Stopped by"] : [])], rows),
    more === 0 ? undefined : html`<p>And ${formatQuantity(more, "more input")}.</p>`,
  );
}

function renderSection(heading: string, ...content: readonly Markup[]): Markup {
  return html`<section><h2>${heading}</h2>${content}</section>`;
}

/** Renders a table. The first cell of a row is its header. A column whose title ends with `#` holds numbers. */
function renderTable(caption: string, titles: readonly string[], rows: readonly (readonly Markup[])[]): Markup {
  const columns = titles.map((title) => ({ title: title.replace("#", ""), isNumber: title.endsWith("#") }));
  const classAt = (i: number) => columns[i]?.isNumber ? "number" : "";
  const head = columns.map(({ title }, i) => html`<th scope="col" class="${classAt(i)}">${title}</th>`);
  const body = rows.map(([name, ...cells]) => {
    const rest = cells.map((cell, i) => html`<td class="${classAt(i + 1)}">${cell}</td>`);
    return html`<tr><th scope="row" class="${classAt(0)}">${name}</th>${rest}</tr>`;
  });
  return html`
    <div class="wide" role="region" aria-label="${caption}" tabindex="0">
      <table>
        <caption>${caption}</caption>
        <thead>
          <tr>${head}</tr>
        </thead>
        <tbody>
          ${body}
        </tbody>
      </table>
    </div>
  `;
}

function renderKey(name: string, title: string): Markup {
  return html`<span class="key ${name}">${title}</span>`;
}

/** Renders a count, highlighted unless it is 0. */
function renderCount(count: number, name: string): Markup {
  return count === 0 ? "0" : html`<strong class="${name}">${formatCount(count)}</strong>`;
}

function renderTime(at: number): Markup {
  return html`<time datetime="${new Date(at).toISOString()}">${formatTime(at)}</time>`;
}

function countCalls({ durations, open }: OperationTally): number {
  return durations.count + open;
}
