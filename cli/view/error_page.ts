import { nameField, type SvcError } from "../../lib/errors.ts";
import { isNonEmptyString } from "../../utils/json.ts";
import { composeHint } from "../exit.ts";
import { hasColor } from "../context.ts";
import type { Io } from "../io/io.ts";
import { layOutPage, type Section } from "./page.ts";

/** Prints an error for people: what happened, the fields concerned, and what to do. */
export function printErrorPage(error: SvcError, io: Io): void {
  io.stderr.write(layOutPage(buildErrorPage(error), { columns: io.stderr.columns(), color: hasColor(io.stderr, io) }));
}

function buildErrorPage(error: SvcError): Section[] {
  const { message, details = [] } = error;
  const said = [message];
  const rows: { label: string; value: string }[] = [];
  for (const detail of details) {
    const text = [detail.localizedValue, detail.message].find(isNonEmptyString);
    if (text === undefined || said.some((earlier) => earlier.includes(text))) continue;
    said.push(text);
    rows.push({ label: nameField(detail), value: text });
  }
  const hint = composeHint(error);
  return [{ text: `Error: ${message}` }, { rows }, ...(hint === undefined ? [] : [{ text: hint }])];
}
