/** The inputs of a CSV file: the header row names the members, each further row is one input of texts. */
import { CsvError, parse } from "csv-parse/sync";
import { SvcError } from "../../lib/errors.ts";
import type { JsonObject } from "../../utils/json.ts";
import { pluralize } from "../../utils/text/wording.ts";
import { badInput, type BatchInput } from "./open_inputs.ts";
import { type Line, MAX_LINE_BYTES } from "./lines.ts";

/** Reads rows as they come; a row that does not fit the header is a failure of that row alone. */
export async function* csvInputs(lines: AsyncIterable<Line>, name: string): AsyncGenerator<BatchInput> {
  let header: readonly string[] | undefined;
  for await (const { number, text, fault } of rowsOf(lines)) {
    const place = `${name}:${number}`;
    const fields = fault ?? fieldsOf(text ?? "");
    if (header === undefined) {
      checkSeparator(text ?? "", place);
      header = checkHeader(fields, place);
    } else yield typeof fields === "string" ? badInput(place, fields) : inputOf(place, header, fields);
  }
}

/**
 * Rows: a row goes on while its quotes are not closed. Cutting the rows here, and not in one parser of the whole file,
 * keeps what is wrong with a row from spoiling the next.
 */
async function* rowsOf(lines: AsyncIterable<Line>): AsyncGenerator<Line> {
  let row: { number: number; texts: string[]; length: number; isOpen: boolean; fault?: string } | undefined;
  for await (const { number, text, fault } of lines) {
    row ??= { number, texts: [], length: 0, isOpen: false };
    row.fault ??= fault; // Without the line the row would be another one.
    if (text === undefined) {
      yield { number: row.number, fault: row.fault };
      row = undefined;
      continue;
    }
    row.texts.push(text);
    row.length += text.length + 1;
    row.isOpen = isOpenAfter(text, row.isOpen);
    if (row.isOpen && row.length <= MAX_LINE_BYTES) continue;
    const whole = row.texts.join("\n");
    if (row.fault !== undefined) yield { number: row.number, fault: row.fault };
    else if (row.isOpen) yield { number: row.number, fault: "has a quote that is not closed" };
    else if (whole.trim() !== "") yield { number: row.number, text: whole };
    row = undefined;
  }
  if (row !== undefined) yield { number: row.number, fault: row.fault ?? "has a quote that is not closed" };
}

/** Whether a quoted field goes on after a line. Only a field that begins with a quote is one: `5" pipe` opens nothing. */
function isOpenAfter(text: string, wasOpen: boolean): boolean {
  let isOpen = wasOpen;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) {
    if (!isOpen) isOpen = at === 0 || text[at - 1] === ",";
    else if (text[at + 1] === '"') at++; // Two of them stand for one.
    else isOpen = false;
  }
  return isOpen;
}

/** The fields of a row, or what is wrong with it. */
function fieldsOf(text: string): string[] | string {
  try {
    const [fields = [], ...more] = parse(text, { relax_column_count: true, skip_empty_lines: true });
    return more.length === 0 ? fields : "has lines that end with CR: save the file with LF or CRLF";
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return "is not CSV: its quotes do not fit";
  }
}

/** Spreadsheets of many countries write `;`, and all of a row would be one value. A name in quotes may hold anything. */
function checkSeparator(header: string, place: string): void {
  const unquoted = header.replaceAll(/"[^"]*"/g, "").trim();
  const separator = unquoted.includes(",") ? undefined : /[;\t]/.exec(unquoted)?.[0];
  if (separator === undefined) return;
  const named = separator === "\t" ? "tabs" : `'${separator}'`;
  throw new SvcError("INVALID_ARGS", `${place} seems to be separated by ${named}: --each reads commas.`, {
    hint: "Save the file with commas between its values. A single column whose name has one of these goes in quotes.",
  });
}

function checkHeader(fields: string[] | string, place: string): readonly string[] {
  if (typeof fields === "string") throw new SvcError("INVALID_ARGS", `${place} ${fields}.`);
  const names = fields.map((field) => field.trim());
  const fault = faultOf(names);
  if (fault === undefined) return names;
  throw new SvcError("INVALID_ARGS", `${place} ${fault}.`, { hint: "The first row of a CSV file names its columns." });
}

function faultOf(names: readonly string[]): string | undefined {
  if (names.length === 0 || names.includes("")) return "is no header row: a name is missing";
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  return twice === undefined ? undefined : `is no header row: ${twice} stands there twice`;
}

function inputOf(place: string, header: readonly string[], fields: readonly string[]): BatchInput {
  if (fields.length !== header.length) {
    return badInput(place, `has ${pluralize(fields.length, "field")}, the header has ${header.length}`);
  }
  const value: JsonObject = Object.fromEntries(header.map((name, i) => [name, fields[i]]));
  return { place, value };
}
