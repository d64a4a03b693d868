import { CsvError, parse } from "csv-parse/sync";
import { SvcError } from "../../lib/errors.ts";
import type { JsonObject } from "../../utils/json.ts";
import { pluralize } from "../../utils/text/wording.ts";
import { type Line, MAX_LINE_BYTES } from "./lines.ts";
import { type BatchInput, toInvalidInput } from "./batch_input.ts";

/** Reads the inputs of a CSV file. The header row names the members; only the invalid rows themselves fail. */
export async function* readCsv(lines: AsyncIterable<Line>, name: string): AsyncGenerator<BatchInput> {
  let header: readonly string[] | undefined;
  for await (const { number, text, issue } of joinRows(lines)) {
    const place = `${name}:${number}`;
    const fields = issue ?? parseRow(text ?? "");
    if (header === undefined) {
      checkSeparator(text ?? "", place);
      header = checkHeader(fields, place);
    } else yield typeof fields === "string" ? toInvalidInput(place, fields) : toInput(place, header, fields);
  }
}

/**
 * Joins lines to rows: a row continues while a quote is open. The file is split here, and not by one parser for the whole
 * file, so that an invalid row does not affect the next one.
 */
async function* joinRows(lines: AsyncIterable<Line>): AsyncGenerator<Line> {
  let row: { number: number; texts: string[]; length: number; isOpen: boolean; issue?: string } | undefined;
  for await (const { number, text, issue } of lines) {
    row ??= { number, texts: [], length: 0, isOpen: false };
    row.issue ??= issue; // An invalid line makes its whole row invalid.
    if (text === undefined) {
      yield { number: row.number, issue: row.issue };
      row = undefined;
      continue;
    }
    row.texts.push(text);
    row.length += text.length + 1;
    row.isOpen = isQuoteOpen(text, row.isOpen);
    if (row.isOpen && row.length <= MAX_LINE_BYTES) continue;
    const joined = row.texts.join("\n");
    if (row.issue !== undefined) yield { number: row.number, issue: row.issue };
    else if (row.isOpen) yield { number: row.number, issue: "has an unclosed quote" };
    else if (joined.trim() !== "") yield { number: row.number, text: joined };
    row = undefined;
  }
  if (row !== undefined) yield { number: row.number, issue: row.issue ?? "has an unclosed quote" };
}

/** Reports whether a quoted field is open after a line. Only a quote at its start opens a field: `5" pipe` does not. */
function isQuoteOpen(text: string, wasOpen: boolean): boolean {
  let isOpen = wasOpen;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) {
    if (!isOpen) isOpen = at === 0 || text[at - 1] === ",";
    else if (text[at + 1] === '"') at++; // A doubled quote is an escaped one.
    else isOpen = false;
  }
  return isOpen;
}

/** Returns the fields of a row, or why it is invalid. */
function parseRow(text: string): string[] | string {
  try {
    const [fields = [], ...more] = parse(text, { relax_column_count: true, skip_empty_lines: true });
    return more.length === 0 ? fields : "has lines that end in CR: save the file with LF or CRLF";
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return "is not valid CSV: its quotes do not match";
  }
}

/** Rejects other separators, which spreadsheets of many countries write. A quoted name may contain any of them. */
function checkSeparator(header: string, place: string): void {
  const unquoted = header.replaceAll(/"[^"]*"/g, "").trim();
  const separator = unquoted.includes(",") ? undefined : /[;\t]/.exec(unquoted)?.[0];
  if (separator === undefined) return;
  const shown = separator === "\t" ? "tabs" : `'${separator}'`;
  throw new SvcError("INVALID_ARGS", `${place} seems to be separated by ${shown} instead of commas.`, {
    hint: "Save the file with commas between the values. If it has a single column, put its name in quotes.",
  });
}

function checkHeader(fields: string[] | string, place: string): readonly string[] {
  if (typeof fields === "string") throw new SvcError("INVALID_ARGS", `${place} ${fields}.`);
  const names = fields.map((field) => field.trim());
  const duplicate = names.find((name, i) => names.indexOf(name) !== i);
  const issue = names.length === 0 || names.includes("")
    ? "a column has no name"
    : duplicate && `column ${duplicate} occurs twice`;
  if (issue === undefined) return names;
  throw new SvcError("INVALID_ARGS", `${place} is not a header row: ${issue}.`, {
    hint: "The first row of a CSV file must name its columns.",
  });
}

function toInput(place: string, header: readonly string[], fields: readonly string[]): BatchInput {
  if (fields.length !== header.length) {
    return toInvalidInput(place, `has ${pluralize(fields.length, "field")}, but the header has ${header.length}`);
  }
  const value: JsonObject = Object.fromEntries(header.map((name, i) => [name, fields[i]]));
  return { place, value };
}
