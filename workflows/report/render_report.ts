import { html, raw } from "hono/html";
import { VERSION } from "../../lib/version.ts";
import { escapeControlCharacters } from "../../utils/text/control_characters.ts";
import { sha256Text } from "../../utils/text/sha256.ts";
import { truncate } from "../../utils/text/wording.ts";
import type { Journal, RunRecord } from "../journal/journal.ts";
import { describeRun } from "../runs/describe_run.ts";
import { formatTime } from "./format.ts";
import {
  type FormatCommand,
  renderFailures,
  renderOpen,
  renderOperations,
  renderSlowest,
  renderSummary,
  renderThroughput,
} from "./sections.ts";
import { STYLE } from "./style.ts";
import { tallyRun } from "./tally.ts";

/** Longest name that is shown, in characters. */
const MAX_NAME = 300;

/**
 * Renders a run as one HTML page that loads nothing else. Everything that the run contains is escaped: HTML by the
 * templates, and control characters and lone surrogates at the end.
 */
export async function renderReport(journal: Journal, run: RunRecord, formatCommand: FormatCommand): Promise<string> {
  const { state } = await describeRun(journal, run);
  const tally = await tallyRun(journal, run);
  const name = truncate(run.name, MAX_NAME);
  const sections = [
    renderSummary(run, state, tally, formatCommand),
    renderThroughput(tally),
    renderFailures(tally),
    renderOperations(tally),
    renderSlowest(tally),
    renderOpen(tally),
  ];
  const styleHash = `sha256-${(await sha256Text(STYLE)).toBase64()}`;
  const policy = `default-src 'none'; style-src '${styleHash}'; base-uri 'none'; form-action 'none'`;
  const page = await html`
    <!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="${policy}">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="referrer" content="no-referrer">
        <title>${name}: ${state}, run ${run.id}</title>
        <style>${raw(STYLE)}</style>
      </head>
      <body>
        <header>
          <h1>${name}</h1>
          <p><span class="state ${state}">${state}</span> Run <code>${run.id}</code></p>
        </header>
        <main>
          ${sections}
        </main>
        <footer>
          <p>Made by svc ${VERSION} on ${formatTime(Date.now())}.</p>
        </footer>
      </body>
    </html>
  `;
  return escapeControlCharacters(page.toString().trim().toWellFormed()) + "\n";
}
