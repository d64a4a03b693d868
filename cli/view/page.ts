/** Lays out pages for people: paragraphs, labelled values and command lines. */
import type { Surface } from "../../lib/output/format.ts";
import { escapeToOneLine } from "../../utils/text/control_characters.ts";
import { linkAddress } from "../../utils/text/hyperlink.ts";
import { displayWidth, truncateToWidth, wrapToWidth } from "../../utils/text/display_width.ts";

/** A style of text. */
export type Style = "bold" | "dim" | "green" | "cyan";

/** A piece of a line. */
export interface Span {
  /** Text. */
  readonly text: string;
  /** Style. */
  readonly style?: Style;
}

/** A label and what belongs to it. */
export interface Row {
  /** Label. */
  readonly label: string;
  /** Text, which may have several lines. Each is wrapped. */
  readonly value?: string;
  /** Lines that are truncated instead, such as those of a table. */
  readonly lines?: readonly string[];
  /** Command line, which is never wrapped or truncated, so that it can be copied. */
  readonly command?: string;
}

/** A part of a page. */
export type Section =
  | { readonly line: readonly Span[] }
  | { readonly text: string }
  | { readonly heading?: string; readonly rows: readonly Row[] };

const CODES: Readonly<Record<Style, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  green: [32, 39],
  cyan: [36, 39],
};

const INDENT = 2;
const GAP = 2;
/** Labels take at most this share of the width. A longer one has its value on the next line. */
const MAX_LABEL_SHARE = 0.4;
/** Narrower terminals have each value on a line of its own. */
const MIN_COLUMNS = 40;
/** Widest label of a page that is not for a terminal. */
const MAX_LABEL = 32;

/** Formats sections as a page, with an empty line between them. Empty sections are left out. */
export function layOutPage(sections: readonly Section[], surface: Surface): string {
  return sections.map((section) => layOutSection(section, surface)).filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => line.trimEnd() + "\n").join("")).join("\n");
}

/** Applies a style, if the text may have one. */
export function applyStyle(text: string, style: Style | undefined, { color }: Surface): string {
  if (style === undefined || !color || text === "") return text;
  const [on, off] = CODES[style];
  return `\x1b[${on}m${text}\x1b[${off}m`;
}

function layOutSection(section: Section, surface: Surface): string[] {
  const { columns = Infinity } = surface;
  if ("line" in section) return layOutLine(section.line, surface);
  if ("text" in section) return wrapLines(section.text, columns);
  const { heading, rows } = section;
  if (rows.length === 0) return [];
  if (heading === undefined) return layOutRows(rows, columns, surface);
  const lines = layOutRows(rows, columns - INDENT, surface).map((line) => " ".repeat(INDENT) + line);
  return [applyStyle(escapeToOneLine(heading), "bold", surface), ...lines];
}

/** Lays out pieces of text on one line. Pieces that do not fit continue on the next one. */
function layOutLine(spans: readonly Span[], surface: Surface): string[] {
  const { columns = Infinity } = surface;
  const lines: string[] = [];
  let line = "";
  let width = 0;
  for (const { text, style } of spans) {
    let piece = truncateToWidth(escapeToOneLine(text), columns);
    if (width > 0 && width + displayWidth(piece.trimEnd()) > columns) {
      lines.push(line);
      piece = piece.trimStart();
      line = "";
      width = 0;
    }
    line += applyStyle(piece, style, surface);
    width += displayWidth(piece);
  }
  return width === 0 ? lines : [...lines, line];
}

function layOutRows(rows: readonly Row[], columns: number, surface: Surface): string[] {
  const limit = columns < MIN_COLUMNS ? 0 : Math.min(MAX_LABEL, Math.floor(columns * MAX_LABEL_SHARE));
  const widths = rows.map(({ label }) => displayWidth(escapeToOneLine(label)));
  const column = GAP + Math.max(0, ...widths.filter((width) => width <= limit));
  const areCommandsBeside = rows.every((row, i) => (widths[i] ?? 0) <= limit && fits(row, columns - column));
  return rows.flatMap((row, i) => {
    const width = widths[i] ?? 0;
    const label = escapeToOneLine(row.label);
    const styled = applyStyle(label, "dim", surface);
    const isBeside = width <= limit && (row.command === undefined || areCommandsBeside);
    const indent = width <= limit && row.command === undefined ? column : INDENT * 2;
    const lines = layOutContent(row, columns - indent, surface);
    if (!isBeside) return [applyStyle(truncateToWidth(label, columns), "dim", surface), ...indentLines(lines, indent)];
    const [first = "", ...rest] = lines;
    return [styled + " ".repeat(column - width) + first, ...indentLines(rest, column)];
  });
}

/** Reports whether the command fits beside its label. Otherwise all commands have lines of their own. */
function fits({ command }: Row, columns: number): boolean {
  return command === undefined || displayWidth(escapeToOneLine(command)) <= columns;
}

function layOutContent({ value, lines = [], command }: Row, columns: number, { links }: Surface): string[] {
  const link = (line: string) => links && value !== undefined ? linkAddress(value, line) : line;
  return [
    ...(value === undefined ? [] : wrapLines(value, columns).map(link)),
    ...lines.map((line) => truncateToWidth(escapeToOneLine(line), columns)),
    ...(command === undefined ? [] : [escapeToOneLine(command)]),
  ];
}

function wrapLines(text: string, columns: number): string[] {
  return text.split(/\r?\n/).flatMap((line) => wrapToWidth(escapeToOneLine(line), columns));
}

function indentLines(lines: readonly string[], indent: number): string[] {
  return lines.map((line) => " ".repeat(indent) + line);
}
