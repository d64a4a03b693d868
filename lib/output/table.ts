/** Results as a table: aligned columns, with borders that fit on a terminal, plain in a pipe. */
import Table from "cli-table3";
import { isJsonObject, isScalar, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { truncate } from "../../utils/text/wording.ts";
import { escapeToOneLine } from "../../utils/text/control_characters.ts";
import type { Rendered, Surface } from "./render.ts";
import { rowsOf } from "./rows.ts";

/** Columns that are squeezed keep this many characters, border included. */
const NARROWEST = 9;

/** Blanks in a framed cell beside its text. */
const PADDING = 2;

/** Cells that are laid out together. */
const PIECE = 300;

/** Nobody reads more, and rows that have few fields each, and others each, would make far more cells than values. */
const MOST_FIELDS = 500;

/** Printable ASCII and Latin letters, of which each takes one column. */
const NARROW = /^[ -~À-ɏ]*$/;

/**
 * Nothing is cut. The library cuts each cell to ten characters all the same, for a log of its own, and takes minutes for
 * a long one of wide characters; a mark of that length leaves it nothing to do.
 */
const WHOLE = { truncate: "…".padEnd(10) };

/** The library's own colours would load a library that reads the environment. */
const UNCOLORED = { head: [], border: [], compact: true };

/** Why a result is no table. */
export interface Unfit {
  /** The end of a sentence. */
  readonly unfit: string;
}

/** A result as a table, or why it is none; `fields` are those that were picked already. */
export function toTable(value: JsonValue, surface: Surface, fields: readonly string[] = []): Rendered | Unfit {
  const rows = rowsOf(value)?.rows ?? (isJsonObject(value) ? [value] : undefined);
  if (rows === undefined) return { unfit: "the answer is neither an object nor a list of objects" };
  if (rows.length === 0) return { unfit: "the list is empty" };
  const names = [...new Set(rows.flatMap(Object.keys))];
  if (names.length > MOST_FIELDS) {
    const remedy = canPick(value, fields) ? "; --fields picks columns" : "";
    return { unfit: `the answer has ${names.length} fields, and a table takes ${MOST_FIELDS} at most${remedy}` };
  }
  const nested = names.filter((name) => rows.some((row) => isNested(row[name])));
  const columns = names.filter((name) => !nested.includes(name) || rows.some((row) => isScalar(row[name])));
  if (columns.length === 0) return { unfit: "the answer has no field that is not nested" };
  if (!columns.some((name) => rows.every((row) => Object.hasOwn(row, name)))) {
    return { unfit: "its rows share no field" };
  }
  const notes = nested.length === 0 ? [] : [`Left out, because they are nested: ${nested.join(", ")}.${advice(value)}`];
  if (surface.columns === undefined) return { text: plain(columns, rows), notes };
  const { text, left } = frame(columns, rows, surface.columns, surface.color);
  if (left.length === 0) return { text, notes };
  const remedy = canPick(value, fields) ? " --fields picks columns." : "";
  return { text, notes: [...notes, `Left out for want of room: ${left.join(", ")}.${remedy}`] };
}

/** Whether `--fields` can name columns: not where it has to name the member that is the table. */
function canPick(value: JsonValue, fields: readonly string[]): boolean {
  const member = rowsOf(value)?.member;
  return member === undefined || !fields.includes(member);
}

/** A list of objects inside the answer makes a table of its own, if it is alone. */
function advice(value: JsonValue): string {
  if (!isJsonObject(value) || rowsOf(value) !== undefined) return "";
  const list = Object.keys(value).find((name) => rowsOf({ [name]: value[name] }) !== undefined);
  return list === undefined ? "" : ` --fields ${list} makes a table of ${list}.`;
}

function isNested(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && !isScalar(value);
}

function cellOf(value: JsonValue | undefined): string {
  return isScalar(value) ? escapeToOneLine(String(value)) : "";
}

function isNumeric(column: string, rows: readonly JsonObject[]): boolean {
  return rows.every((row) => typeof row[column] === "number");
}

/** Without the library, whose time grows with the square of the columns: a pipe has room for all of them. */
function plain(columns: readonly string[], rows: readonly JsonObject[]): string {
  const widths = naturalWidths(columns, rows).map((width) => width - PADDING);
  const numeric = columns.map((name) => isNumeric(name, rows));
  const lineOf = (cells: readonly string[]) =>
    cells.map((cell, i) => {
      const blanks = " ".repeat((widths[i] ?? 0) - widthOf(cell));
      return numeric[i] ? blanks + cell : cell + blanks;
    }).join("  ").trimEnd() + "\n";
  const lines = rows.map((row) => lineOf(columns.map((name) => cellOf(row[name]))));
  return lineOf(columns.map(escapeToOneLine)) + lines.join("");
}

function frame(
  columns: readonly string[],
  rows: readonly JsonObject[],
  width: number,
  bold: boolean,
): { text: string; left: readonly string[] } {
  const natural = naturalWidths(columns, rows);
  const shown = fitting(natural, width);
  const colWidths = squeeze(natural.slice(0, shown), width);
  const pieces = piecesOf(columns.slice(0, shown), rows, colWidths, { bold, longest: width * 2 });
  const lines = pieces.map((piece) => withoutHalves(piece).split("\n"));
  const inner = lines.flatMap((piece, i) => piece.slice(i === 0 ? 0 : 1, i === lines.length - 1 ? undefined : -1));
  return { text: inner.map((line) => line + "\n").join(""), left: columns.slice(shown) };
}

/** The library cuts a character of two units in half: nobody could read that. */
function withoutHalves(table: string): string {
  // deno-lint-ignore no-control-regex -- the end of a bold name
  return table.replace(/[\ud800-\udbff]((?:\x1b\[22m)?…)/g, "$1 ");
}

/** The widths that the columns take by themselves, padding included. */
function naturalWidths(columns: readonly string[], rows: readonly JsonObject[]): number[] {
  return columns.map((name) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(cellOf(row[name]))), widthOf(escapeToOneLine(name))) + PADDING
  );
}

/** How many columns of a terminal a text takes. The library knows, but takes a table to tell. */
function widthOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  const table = new Table({ ...WHOLE, style: UNCOLORED });
  table.push([text]);
  return table.width - PADDING - "││".length;
}

/** How many leading columns fit when those that can be are squeezed. */
function fitting(natural: readonly number[], width: number): number {
  let used = 1;
  const end = natural.findIndex((_, column) => (used += least(natural, column, width) + 1) > width);
  return end < 0 ? natural.length : Math.max(end, 1);
}

/** The first column is what rows are called by: up to half of the width it is not squeezed. */
function least(natural: readonly number[], column: number, width: number): number {
  return Math.min(natural[column] ?? 0, column === 0 ? Math.floor(width / 2) : NARROWEST);
}

/** The widths with the widest columns made equal, as far as is needed. */
function squeeze(natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, one) => sum + one + 1, 1) - width;
  while (excess-- > 0) {
    const room = widths.map((one, column) => one > least(natural, column, width) ? one : 0);
    const widest = room.indexOf(Math.max(...room));
    widths[widest] = Math.max((widths[widest] ?? 0) - 1, 2);
  }
  return widths;
}

/**
 * Tables of some rows each, the first with a head: the library takes twice as long for a row of a table twice as long,
 * and four times as long for one twice as wide.
 */
function piecesOf(
  columns: readonly string[],
  rows: readonly JsonObject[],
  colWidths: number[],
  { bold, longest }: { bold: boolean; longest: number },
): string[] {
  const head = columns.map((name) => bold ? `\x1b[1m${escapeToOneLine(name)}\x1b[22m` : escapeToOneLine(name));
  const colAligns = columns.map((name) => isNumeric(name, rows) ? "right" : "left");
  const length = Math.ceil(PIECE / columns.length);
  const pieces: string[] = [];
  for (let first = 0; first < rows.length; first += length) {
    const table = new Table({ style: UNCOLORED, head: first === 0 ? head : [], colWidths, colAligns });
    for (const row of rows.slice(first, first + length)) {
      table.push(columns.map((name) => truncate(cellOf(row[name]), longest)));
    }
    pieces.push(table.toString());
  }
  return pieces;
}
