/** Why inputs failed. */
import type { Cause } from "./causes.ts";
import { type Markup, markup, type Part } from "./markup.ts";
import { count, countOf, share } from "./numbers.ts";
import { section } from "./table.ts";
import type { Tally } from "./tally.ts";

/** Causes whose inputs are unfolded. */
const UNFOLDED = 5;

/** The failures by cause, the most frequent first. */
export function failureSection({ failed, causes }: Tally): Part {
  if (failed === 0) return undefined;
  const sorted = causes.sorted();
  const rest = causes.others === 0
    ? undefined
    : markup`<p>${countOf(causes.others, "more input")} failed for other reasons.</p>\n`;
  return section(
    "Failures by cause",
    markup`<ol class="causes">\n${sorted.map((cause, i) => item(cause, failed, i < UNFOLDED))}</ol>\n`,
    rest,
  );
}

function item(cause: Cause, failed: number, isOpen: boolean): Markup {
  const { code, status, operation, message, findings, example, varies, hint } = cause;
  const content = [
    markup`<h3><span class="amount">${countOf(cause.count, "input")}</span>`,
    cause.count < failed ? ` · ${share(cause.count, failed)}` : undefined,
    markup` · <code>${code}</code>`,
    status === undefined ? undefined : ` (${status})`,
    operation === undefined ? undefined : markup` in <code>${operation}</code>`,
    markup`</h3>\n<p class="message">${varies ? message : example}</p>\n`,
    varies ? note(`For example: ${example}`) : undefined,
    findings.length === 0 ? undefined : list("findings", findings),
    hint === undefined ? undefined : note(hint),
    placesOf(cause, isOpen),
  ];
  return markup`<li>${content}</li>\n`;
}

function placesOf({ count: failed, places }: Cause, isOpen: boolean): Markup {
  const more = failed - places.length;
  const inputs = list("places", more === 0 ? places : [...places, `and ${count(more)} more`]);
  const open = isOpen ? markup` open` : undefined;
  return markup`<details${open}><summary>${failed === 1 ? "Input" : "Inputs"}</summary>\n${inputs}</details>\n`;
}

function list(name: string, items: readonly string[]): Markup {
  return markup`<ul class="${name}">${items.map((one) => markup`<li>${one}</li>\n`)}</ul>\n`;
}

function note(text: string): Markup {
  return markup`<p class="note">${text}</p>\n`;
}
