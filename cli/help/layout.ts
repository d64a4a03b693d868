/** Lays out pages of text for the width of a terminal. */

/** A part of a page: paragraphs, a usage line, a table of names and descriptions, or command lines. */
export type Block =
  | { readonly heading?: string; readonly text: string }
  | { readonly heading: string; readonly usage: string }
  | { readonly heading: string; readonly rows: readonly (readonly [name: string, description: string])[] }
  | { readonly heading: string; readonly commands: readonly string[] };

/** Width of the text if the output is not a terminal. */
export const DEFAULT_WIDTH = 80;

const INDENT = 2;
const GAP = 2;
/** Names that take more than this share of the width have their description on the next line. */
const MAX_NAME_SHARE = 0.4;

/** Formats blocks as a page, with an empty line between them. Blocks without content are left out. */
export function layOutPage(blocks: readonly Block[], width: number): string {
  return blocks.map((block) => layOutBlock(block, width)).filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n") + "\n").join("\n");
}

function layOutBlock(block: Block, width: number): string[] {
  const { heading } = block;
  const indent = heading === undefined ? 0 : INDENT;
  const lines = layOutContent(block, width - indent);
  if (lines.length === 0 || heading === undefined) return lines;
  return [`${heading}:`, ...lines.map((line) => line === "" ? "" : " ".repeat(indent) + line)];
}

function layOutContent(block: Block, width: number): string[] {
  if ("rows" in block) return layOutRows(block.rows, width);
  if ("commands" in block) return block.commands.flatMap((command) => wrapCommand(command, width, " \\"));
  if ("usage" in block) return wrapCommand(block.usage, width, "");
  return block.text === "" ? [] : block.text.split("\n").flatMap((paragraph) => wrapText(paragraph, width));
}

function layOutRows(rows: readonly (readonly [string, string])[], width: number): string[] {
  const limit = Math.floor(width * MAX_NAME_SHARE);
  const column = GAP + Math.max(0, ...rows.map(([name]) => name.length).filter((length) => length <= limit));
  return rows.flatMap(([name, description]) => {
    const [first = "", ...rest] = wrapText(description, width - column);
    const indented = rest.map((line) => " ".repeat(column) + line);
    if (name.length > limit) return [name, " ".repeat(column) + first, ...indented];
    return [(name.padEnd(column) + first).trimEnd(), ...indented];
  });
}

/** Wraps text at spaces. A word that is longer than the width has a line of its own. */
export function wrapText(text: string, width: number): string[] {
  return wrap(text.split(" "), width);
}

/** Wraps a command line between its arguments. Lines that continue end with `continuation`. */
function wrapCommand(command: string, width: number, continuation: string): string[] {
  const [first = "", ...rest] = wrap(
    command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [],
    width - INDENT - continuation.length,
  );
  const lines = [first, ...rest.map((line) => " ".repeat(INDENT) + line)];
  return lines.map((line, index) => index < lines.length - 1 ? line + continuation : line);
}

function wrap(words: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
