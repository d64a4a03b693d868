/** The report of a run: one page of HTML that needs nothing but itself. */
import { sha256Text } from "../../utils/text/sha256.ts";
import { VERSION } from "../../lib/version.ts";
import { truncate } from "../../utils/text/wording.ts";
import { describeRun } from "../runs/describe_run.ts";
import type { Journal, RunRecord } from "../journal/journal.ts";
import { failureSection } from "./failure_section.ts";
import { openSection, operationSection, slowestSection } from "./list_sections.ts";
import { Markup, markup } from "./markup.ts";
import { moment } from "./numbers.ts";
import { STYLE } from "./style.ts";
import { type CommandOf, summarySection } from "./summary_section.ts";
import { tallyRun } from "./tally.ts";
import { timeSection } from "./time_section.ts";

/** Characters of a name. */
const MAX_NAME = 300;

/** The page about a run, as the journal has it now. */
export async function reportPage(journal: Journal, run: RunRecord, commandOf: CommandOf): Promise<string> {
  const { state } = await describeRun(journal, run);
  const tally = tallyRun(journal, run);
  const name = truncate(run.name, MAX_NAME);
  const sections = [
    summarySection(run, state, tally, commandOf),
    timeSection(tally),
    failureSection(tally),
    operationSection(tally),
    slowestSection(tally),
    openSection(tally),
  ];
  const policy = `default-src 'none'; style-src '${await hashOf(STYLE)}'; base-uri 'none'; form-action 'none'`;
  return markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${name}: ${state}, run ${run.id}</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<header>
<h1>${name}</h1>
<p><span class="state ${state}">${state}</span> Run <code>${run.id}</code></p>
</header>
<main>
${sections}</main>
<footer><p>Made by svc ${VERSION} on ${moment(Date.now())}.</p></footer>
</body>
</html>
`.text;
}

/** What a policy calls a style by: it allows this one and no other. */
async function hashOf(style: string): Promise<string> {
  return `sha256-${(await sha256Text(style)).toBase64()}`;
}
