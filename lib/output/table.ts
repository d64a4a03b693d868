/** Results as a table: aligned columns, with borders that fit on a terminal, plain in a pipe. */
import Table from "cli-table3";
import { isJsonObject, isScalar, type JsonObject, type JsonValue } from "../json.ts";
import { onOneLine } from "./control_characters.ts";
import type { Rendered, Surface } from "./render.ts";
import { rowsOf } from "./rows.ts";

/** Columns that are squeezed keep this many characters, border included. */
const NARROWEST = 9;

/** Nothing between cells but two spaces. */
const PLAIN = {
  chars: Object.fromEntries(
    ["top", "bottom", "left", "right", "mid"].flatMap((side) =>
      [side, `${side}-mid`, `${side}-left`, `${side}-right`].map((part) => [part, ""])
    ).concat([["middle", "  "]]),
  ),
  style: { "padding-left": 0, "padding-right": 0 },
};

/** Why a result is no table. */
export interface Unfit {
  /** The end of a sentence. */
  readonly unfit: string;
}

/** A result as a table, or why it is none. */
export function toTable(value: JsonValue, surface: Surface): Rendered | Unfit {
  const rows = rowsOf(value)?.rows ?? (isJsonObject(value) ? [value] : undefined);
  if (rows === undefined) return { unfit: "the answer is neither an object nor a list of objects" };
  if (rows.length === 0) return { unfit: "the list is empty" };
  const names = [...new Set(rows.flatMap(Object.keys))];
  const columns = names.filter((name) => rows.some((row) => isCell(row[name])));
  if (columns.length === 0) return { unfit: "the answer has no field that is not nested" };
  if (!columns.some((name) => rows.every((row) => Object.hasOwn(row, name)))) {
    return { unfit: "its rows share no field" };
  }
  const nested = names.filter((name) => rows.some((row) => isNested(row[name])));
  const notes = nested.length === 0 ? [] : [`Left out, because they are nested: ${nested.join(", ")}.${advice(value)}`];
  if (surface.columns === undefined) return { text: plain(columns, rows), notes };
  const framed = frame(columns, rows, surface.columns, surface.color);
  return { text: framed.text, notes: [...notes, ...framed.notes] };
}

/** A list of objects inside the answer makes a table of its own, if it is alone. */
function advice(value: JsonValue): string {
  if (!isJsonObject(value) || rowsOf(value) !== undefined) return "";
  const list = Object.keys(value).find((name) => rowsOf({ [name]: value[name] }) !== undefined);
  return list === undefined ? "" : ` --fields ${list} makes a table of ${list}.`;
}

function isCell(value: JsonValue | undefined): boolean {
  return isScalar(value) || value === null;
}

function isNested(value: JsonValue | undefined): boolean {
  return value !== undefined && !isCell(value);
}

function cellOf(value: JsonValue | undefined): string {
  return isScalar(value) ? onOneLine(String(value)) : "";
}

function plain(columns: readonly string[], rows: readonly JsonObject[]): string {
  return fill(columns, rows, PLAIN).split("\n").map((line) => line.trimEnd() + "\n").join("");
}

function frame(columns: readonly string[], rows: readonly JsonObject[], width: number, color: boolean): Rendered {
  const natural = widthsOf(fill(columns, rows));
  const shown = fitting(natural, width);
  const left = columns.slice(shown);
  const text = fill(columns.slice(0, shown), rows, { colWidths: squeeze(natural.slice(0, shown), width) }, color) +
    "\n";
  return {
    text,
    notes: left.length === 0 ? [] : [`Left out for want of room: ${left.join(", ")}. --fields picks columns.`],
  };
}

/** Widths of a table's columns, read off its top border, which is made of characters of one column each. */
function widthsOf(table: string): number[] {
  const [border = ""] = table.split("\n");
  return border.slice(1, -1).split("┬").map((part) => part.length);
}

/** How many leading columns fit when those that can be are squeezed. */
function fitting(natural: readonly number[], width: number): number {
  let used = 1;
  const end = natural.findIndex((one) => (used += Math.min(one, NARROWEST) + 1) > width);
  return end < 0 ? natural.length : Math.max(end, 1);
}

/** The widths with the widest columns made equal, as far as is needed. */
function squeeze(natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, one) => sum + one + 1, 1) - width;
  while (excess-- > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = Math.max((widths[widest] ?? 0) - 1, 2);
  }
  return widths;
}

function fill(
  columns: readonly string[],
  rows: readonly JsonObject[],
  options: Table.TableConstructorOptions = {},
  bold = false,
): string {
  const table = new Table({
    ...options,
    // Its own colours would load a library that reads the environment.
    style: { ...options.style, head: [], border: [], compact: true },
    head: columns.map((name) => bold ? `\x1b[1m${onOneLine(name)}\x1b[22m` : onOneLine(name)),
    colAligns: columns.map((name) => rows.every((row) => typeof row[name] === "number") ? "right" : "left"),
  });
  for (const row of rows) table.push(columns.map((name) => cellOf(row[name])));
  return table.toString();
}
