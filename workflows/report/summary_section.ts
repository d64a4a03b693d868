/** What a run is, how far it is, and how fast it was. */
import type { RunRecord, ShownState } from "../journal/journal.ts";
import { duration } from "../journal/timeline.ts";
import { partsChart } from "./charts.ts";
import { type Markup, markup, type Part } from "./markup.ts";
import { count, countOf, moment, rate, share } from "./numbers.ts";
import { section } from "./table.ts";
import type { Tally } from "./tally.ts";
import { truncate } from "../../utils/text/wording.ts";

/** Characters of a path. */
const MAX_PATH = 300;

/** The command line that goes on with a run. */
export type CommandOf = (verb: "resume" | "retry") => string;

/** The summary of a run. */
export function summarySection(run: RunRecord, state: ShownState, tally: Tally, commandOf: CommandOf): Markup {
  return section(
    "Summary",
    progress(tally),
    markup`<dl class="figures">\n${figures(run, tally).map(entry)}</dl>\n`,
    advice(state, tally, commandOf),
    markup`<dl class="facts">\n${facts(run).map(entry)}</dl>\n`,
  );
}

type Entry = readonly [title: Part, value: Part, remark?: Part];

function entry([title, value, remark]: Entry): Markup {
  const more = remark === undefined ? undefined : markup` <small>${remark}</small>`;
  return markup`<div><dt>${title}</dt><dd>${value}${more}</dd></div>\n`;
}

function progress({ inputs, succeeded, failed, open }: Tally): Part {
  if (inputs === 0) return markup`<p>The run has no inputs.</p>\n`;
  const label = `Of ${countOf(inputs, "input")} ${count(succeeded)} succeeded, ${count(failed)} failed, ` +
    `${count(open)} are open.`;
  return partsChart(label, [
    { value: succeeded, class: "succeeded" },
    { value: failed, class: "failed" },
    { value: open, class: "open" },
  ]);
}

function figures({ startedAt, endedAt }: RunRecord, tally: Tally): Entry[] {
  const { inputs, succeeded, failed, open, calls, callsEnded, callsFailed, retries, lastAt } = tally;
  const took = Math.max(0, (endedAt ?? lastAt) - startedAt);
  const perSecond = (number: number) =>
    took === 0 || number === 0 ? undefined : `${rate(number / (took / 1000))} per second`;
  const ofInputs = (number: number) => inputs === 0 ? undefined : share(number, inputs);
  return [
    ["Inputs", count(inputs), perSecond(succeeded + failed)],
    [key("succeeded", "Succeeded"), count(succeeded), ofInputs(succeeded)],
    [key("failed", "Failed"), count(failed), ofInputs(failed)],
    [key("open", "Open"), count(open), ofInputs(open)],
    ["Calls", count(calls), perSecond(callsEnded)],
    [
      "Failed calls",
      count(callsFailed),
      retries > 0 ? `after ${count(retries)} ${retries === 1 ? "retry" : "retries"}` : undefined,
    ],
    [endedAt === undefined ? "So far" : "Took", duration(took)],
  ];
}

function facts({ settings, digest, startedAt, endedAt }: RunRecord): Entry[] {
  const { script, each, profile, concurrency } = settings;
  return [
    ["Script", markup`<code>${truncate(script, MAX_PATH)}</code>`, markup`digest <code>${digest.slice(0, 12)}</code>`],
    ...(each === undefined ? [] : [["Inputs from", markup`<code>${truncate(each, MAX_PATH)}</code>`] as const]),
    ...(profile === undefined ? [] : [["Profile", truncate(profile, MAX_PATH)] as const]),
    ...(each === undefined ? [] : [["At a time", countOf(concurrency, "input")] as const]),
    ["Started", time(startedAt)],
    ...(endedAt === undefined ? [] : [["Ended", time(endedAt)] as const]),
  ];
}

/** What can be done with the run. */
function advice(state: ShownState, { failed }: Tally, commandOf: CommandOf): Part {
  if (state === "running") return note("The run is still going on.");
  if (state === "interrupted") return note("The run was interrupted. Go on with it: ", commandOf("resume"));
  if (state === "cancelled") return note("The run was cancelled.");
  return failed > 0 ? note("Run the failed inputs again: ", commandOf("retry")) : undefined;
}

function note(text: string, command?: string): Markup {
  return markup`<p class="advice">${text}${command === undefined ? undefined : markup`<code>${command}</code>`}</p>\n`;
}

function key(name: string, title: string): Markup {
  return markup`<span class="key ${name}">${title}</span>`;
}

function time(at: number): Markup {
  return markup`<time datetime="${new Date(at).toISOString()}">${moment(at)}</time>`;
}
