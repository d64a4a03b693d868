/** Lays out tables: aligned in a pipe, and as columns or records that fit on a terminal. */
import { displayWidth, truncateToWidth, wrapToWidth } from "../../utils/text/display_width.ts";
import { linkAddress } from "../../utils/text/hyperlink.ts";
import type { Surface } from "./format.ts";

/** A column with the text of its cells. */
export interface Column {
  /** Name of the field. */
  readonly name: string;
  /** Text of the header. */
  readonly title: string;
  /** Text of the cells, one for each row. */
  readonly cells: readonly string[];
  /** True if the values are numbers, which are aligned to the right. */
  readonly isNumeric: boolean;
  /** Width of the widest text. */
  readonly width: number;
  /** True if the column identifies the rows, so that it must not be truncated. */
  readonly isIdentifying: boolean;
  /** True if the column has texts that people read, so that it needs space. */
  readonly isReadable: boolean;
}

/** A table on a terminal. */
export interface FittedTable {
  /** The text. */
  readonly text: string;
  /** The columns that do not fit. */
  readonly hidden: readonly Column[];
}

/** Blanks between two columns. */
const GAP = "  ";

/** Columns that do not fit are narrowed to a width in this range, and hidden if that is not enough. */
const MIN_WIDTH = { narrow: 7, wide: 10 };

/** Columns of texts that people read keep at least this share of the terminal. */
const READABLE_SHARE = 0.25;

/** Names of a record take at most this share of the width. */
const MAX_NAME_SHARE = 0.4;

/** Lays out a table with all columns. */
export function layOutPlain(columns: readonly Column[], rowCount: number): string {
  const toLine = (cellOf: (column: Column) => string) =>
    columns.map((column) => pad(cellOf(column), column.width, column.isNumeric)).join(GAP).trimEnd() + "\n";
  const lines = Array.from({ length: rowCount }, (_, row) => toLine(({ cells }) => cells[row] ?? ""));
  return toLine(({ title }) => title) + lines.join("");
}

/**
 * Lays out a table that fits on a terminal. Columns are truncated, except those that identify the rows; the last ones are
 * hidden. Rows become records if the columns that identify them take the whole width. A single row becomes a record
 * instead of losing columns.
 */
export function layOutFitting(
  columns: readonly Column[],
  rowCount: number,
  terminalWidth: number,
  { color, links, isSingle }: Pick<Surface, "color" | "links"> & { readonly isSingle: boolean },
): FittedTable {
  const fitting = columns.slice(0, countFitting(columns, terminalWidth));
  const isCut = fitting.length < columns.length || (isSingle && measure(columns, ({ width }) => width) > terminalWidth);
  if (fitting.length === 0 || (isSingle && isCut)) {
    return { text: layOutRecords(columns, rowCount, terminalWidth, { color, links }), hidden: [] };
  }
  return {
    text: layOutColumns(fitting, rowCount, terminalWidth, { color, links }),
    hidden: columns.slice(fitting.length),
  };
}

function layOutRecords(
  columns: readonly Column[],
  rowCount: number,
  terminalWidth: number,
  { color, links }: Surface,
): string {
  const limit = Math.floor(terminalWidth * MAX_NAME_SHARE);
  const nameWidth = Math.min(limit, Math.max(...columns.map(({ title }) => displayWidth(title))));
  const valueWidth = Math.max(1, terminalWidth - nameWidth - 2);
  const toRecord = (row: number) =>
    columns.map(({ title, cells, isIdentifying }) => {
      const name = truncateToWidth(title, nameWidth);
      const cell = cells[row] ?? "";
      const lines = (isIdentifying ? [cell] : wrapToWidth(cell, valueWidth))
        .map((line) => links ? linkAddress(cell, line) : line);
      const [first = "", ...rest] = lines;
      const start = `${pad(name, nameWidth, false, color ? bold(name) : name)}  ${first}`;
      return [start, ...rest.map((line) => " ".repeat(nameWidth + 2) + line)].map((line) => line.trimEnd() + "\n").join(
        "",
      );
    }).join("");
  return Array.from({ length: rowCount }, (_, row) => toRecord(row)).join("\n");
}

function layOutColumns(
  columns: readonly Column[],
  rowCount: number,
  terminalWidth: number,
  { color, links }: Surface,
): string {
  const widths = narrowColumns(columns, terminalWidth);
  const toLine = (cells: readonly string[]) => cells.join(GAP).trimEnd() + "\n";
  const toCells = (cellOf: (column: Column) => string, style?: (text: string) => string) =>
    columns.map((column, i) => {
      const width = widths[i] ?? 0;
      const text = cellOf(column);
      const cell = truncateToWidth(text, width);
      const styled = style !== undefined ? style(cell) : links ? linkAddress(text, cell) : cell;
      return pad(cell, width, column.isNumeric, styled);
    });
  const lines = Array.from({ length: rowCount }, (_, row) => toLine(toCells(({ cells }) => cells[row] ?? "")));
  const header = toLine(toCells(({ title }) => title, color ? bold : undefined));
  return header + toLine(widths.map((width) => "─".repeat(width))) + lines.join("");
}

function bold(text: string): string {
  return `\x1b[1m${text}\x1b[22m`;
}

function pad(text: string, width: number, isRight: boolean, styled = text): string {
  const blanks = " ".repeat(Math.max(0, width - displayWidth(text)));
  return isRight ? blanks + styled : styled + blanks;
}

function measure(columns: readonly Column[], widthOf: (column: Column) => number): number {
  return columns.reduce((sum, column) => sum + widthOf(column) + GAP.length, -GAP.length);
}

/** Counts the leading columns that fit when they are narrowed. Returns 0 if the first one does not fit. */
function countFitting(columns: readonly Column[], terminalWidth: number): number {
  let used = -GAP.length;
  const end = columns.findIndex((column) => (used += minWidth(column, terminalWidth) + GAP.length) > terminalWidth);
  return end < 0 ? columns.length : end;
}

function minWidth({ width, isIdentifying, isReadable }: Column, terminalWidth: number): number {
  if (isIdentifying) return width;
  const least = Math.max(MIN_WIDTH.narrow, Math.min(MIN_WIDTH.wide, Math.floor(terminalWidth / 8)));
  const min = isReadable ? Math.max(least, Math.floor(terminalWidth * READABLE_SHARE)) : least;
  return Math.min(width, min);
}

/** Narrows the widest columns until the table fits. */
function narrowColumns(columns: readonly Column[], terminalWidth: number): number[] {
  const widths = columns.map(({ width }) => Math.min(width, terminalWidth));
  let excess = measure(columns, ({ width }) => Math.min(width, terminalWidth)) - terminalWidth;
  while (excess-- > 0) {
    const room = columns.map((column, i) => {
      const width = widths[i] ?? 0;
      return width > minWidth(column, terminalWidth) ? width : -1;
    });
    const widest = room.indexOf(Math.max(...room));
    widths[widest] = Math.max((widths[widest] ?? 0) - 1, 0);
  }
  return widths;
}
