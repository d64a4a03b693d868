import { findRows, isJsonObject, isNumber, isScalar, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { escapeToOneLine } from "../../utils/text/control_characters.ts";
import { displayWidth, truncateToWidth } from "../../utils/text/display_width.ts";
import type { Rendered, Surface } from "./format.ts";

/** Columns that do not fit are narrowed to this width, and hidden if that is not enough. */
const MIN_WIDTH = 7;

/** Rows with different fields could otherwise have far more cells than values. */
const MAX_FIELDS = 500;

/** Space that a frame takes: its left border, and per column two blanks and a border. */
const FRAME_WIDTH = 1;
const COLUMN_FRAME_WIDTH = 3;

/** The reason why a result cannot be shown as a table, as the end of a sentence. */
export interface TableObstacle {
  /** The reason. */
  readonly obstacle: string;
}

interface Column {
  readonly name: string;
  readonly title: string;
  readonly cells: readonly string[];
  readonly isNumeric: boolean;
  readonly width: number;
}

/** Renders a result as a table: with borders that fit on a terminal, plain in a pipe. `fields` were already selected. */
export function toTable(
  value: JsonValue,
  surface: Surface,
  fields: readonly string[] = [],
): Rendered | TableObstacle {
  const rows = findRows(value)?.rows ?? (isJsonObject(value) ? [value] : undefined);
  if (rows === undefined) return { obstacle: "the response is neither an object nor a list of objects" };
  if (rows.length === 0) return { obstacle: "the list is empty" };
  const advice = canSelectFields(value, fields) ? " Select columns with --fields." : "";
  const names = [...new Set(rows.flatMap(Object.keys))];
  if (names.length > MAX_FIELDS) {
    const obstacle = `the response has ${names.length} fields, and a table can have ${MAX_FIELDS}`;
    return { obstacle: advice === "" ? obstacle : `${obstacle} (select some with --fields)` };
  }
  const nested = names.filter((name) => rows.some((row) => isNested(row[name])));
  const shown = names.filter((name) => !nested.includes(name) || rows.some((row) => isScalar(row[name])));
  if (shown.length === 0) return { obstacle: "all fields of the response are nested" };
  if (!shown.some((name) => rows.every((row) => Object.hasOwn(row, name)))) {
    return { obstacle: "its rows have no field in common" };
  }
  const columns = shown.map((name) => createColumn(name, rows));
  const notes = nested.length === 0 ? [] : [`Nested fields hidden: ${nested.join(", ")}.${adviseOnList(value)}`];
  if (surface.columns === undefined) return { text: renderPlain(columns, rows.length), notes };
  const fitting = columns.slice(0, countFitting(columns, surface.columns));
  const text = renderFramed(fitting, rows.length, surface.columns, surface.color);
  const hidden = columns.slice(fitting.length).map(({ name }) => name);
  if (hidden.length === 0) return { text, notes };
  return { text, notes: [...notes, `Columns hidden to fit the terminal: ${hidden.join(", ")}.${advice}`] };
}

/** Reports whether `--fields` can select columns: not if it has to name the member that contains the rows. */
function canSelectFields(value: JsonValue, fields: readonly string[]): boolean {
  const member = findRows(value)?.member;
  return member === undefined || !fields.includes(member);
}

/** A list of objects beside other members can be shown as a table of its own. */
function adviseOnList(value: JsonValue): string {
  if (!isJsonObject(value) || findRows(value) !== undefined) return "";
  const list = Object.keys(value).find((name) => findRows({ [name]: value[name] }) !== undefined);
  return list === undefined ? "" : ` Show ${list} as a table with --fields ${list}.`;
}

function isNested(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && !isScalar(value);
}

function createColumn(name: string, rows: readonly JsonObject[]): Column {
  const title = escapeToOneLine(name);
  const cells = rows.map(({ [name]: value }) => isScalar(value) ? escapeToOneLine(String(value)) : "");
  const isNumeric = rows.every((row) => isNumber(row[name]));
  const width = cells.reduce((widest, cell) => Math.max(widest, displayWidth(cell)), displayWidth(title));
  return { name, title, cells, isNumeric, width };
}

function renderPlain(columns: readonly Column[], rowCount: number): string {
  const toLine = (cellOf: (column: Column) => string) =>
    columns.map((column) => pad(cellOf(column), column.width, column.isNumeric)).join("  ").trimEnd() + "\n";
  const lines = Array.from({ length: rowCount }, (_, row) => toLine(({ cells }) => cells[row] ?? ""));
  return toLine(({ title }) => title) + lines.join("");
}

function renderFramed(columns: readonly Column[], rowCount: number, terminalWidth: number, isBold: boolean): string {
  const widths = narrowColumns(columns, terminalWidth);
  const toBorder = (left: string, between: string, right: string) =>
    left + widths.map((width) => "─".repeat(width + 2)).join(between) + right + "\n";
  const toLine = (cellOf: (column: Column) => string, style = (text: string) => text) =>
    "│" + columns.map((column, i) => {
      const width = widths[i] ?? 0;
      const cell = truncateToWidth(cellOf(column), width);
      return ` ${pad(cell, width, column.isNumeric, style(cell))} │`;
    }).join("") + "\n";
  const bold = (text: string) => isBold ? `\x1b[1m${text}\x1b[22m` : text;
  const lines = Array.from({ length: rowCount }, (_, row) => toLine(({ cells }) => cells[row] ?? ""));
  return toBorder("┌", "┬", "┐") + toLine(({ title }) => title, bold) + toBorder("├", "┼", "┤") + lines.join("") +
    toBorder("└", "┴", "┘");
}

function pad(text: string, width: number, isRight: boolean, styled = text): string {
  const blanks = " ".repeat(width - displayWidth(text));
  return isRight ? blanks + styled : styled + blanks;
}

/** Counts the leading columns that fit when they are narrowed. The first column is always shown. */
function countFitting(columns: readonly Column[], terminalWidth: number): number {
  let used = FRAME_WIDTH;
  const end = columns.findIndex((column, i) => {
    return (used += minWidth(column, i, terminalWidth) + COLUMN_FRAME_WIDTH) > terminalWidth;
  });
  return end < 0 ? columns.length : Math.max(end, 1);
}

/** The first column identifies the rows, so it is narrowed only if it takes more than half of the terminal. */
function minWidth({ width }: Column, index: number, terminalWidth: number): number {
  return Math.min(width, index === 0 ? Math.floor(terminalWidth / 2) - 2 : MIN_WIDTH);
}

/** Narrows the widest columns until the table fits. */
function narrowColumns(columns: readonly Column[], terminalWidth: number): number[] {
  const widths = columns.map(({ width }) => Math.min(width, terminalWidth));
  let excess = widths.reduce((sum, width) => sum + width + COLUMN_FRAME_WIDTH, FRAME_WIDTH) - terminalWidth;
  while (excess-- > 0) {
    const room = columns.map((column, i) => {
      const width = widths[i] ?? 0;
      return width > minWidth(column, i, terminalWidth) ? width : -1;
    });
    const widest = room.indexOf(Math.max(...room));
    widths[widest] = Math.max((widths[widest] ?? 0) - 1, 0);
  }
  return widths;
}
