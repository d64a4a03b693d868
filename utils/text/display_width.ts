// Printable ASCII and Latin letters take one column each.
const NARROW = /^[ -~À-ɏ]*$/;

// East Asian wide and full-width characters, and emoji.
const WIDE =
  /^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;

const ZERO_WIDTH = /^[\p{Mark}\p{Format}]+$/u;

let segmenter: Intl.Segmenter | undefined;

/** Returns the number of terminal columns that a text takes. The text must not contain control characters. */
export function displayWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const grapheme of splitGraphemes(text)) width += graphemeWidth(grapheme);
  return width;
}

/** Truncates a text to a number of terminal columns, including the `…` that marks the cut. */
export function truncateToWidth(text: string, columns: number): string {
  if (NARROW.test(text)) {
    if (text.length <= columns) return text;
    return columns < 1 ? "" : text.slice(0, columns - 1) + "…";
  }
  let kept = "";
  let width = 0;
  let cut = ""; // The longest start that leaves a column for the mark.
  for (const grapheme of splitGraphemes(text)) {
    width += graphemeWidth(grapheme);
    if (width > columns) return columns < 1 ? "" : cut + "…";
    kept += grapheme;
    if (width < columns) cut = kept;
  }
  return text;
}

/** Adds blanks to a text until it takes a number of terminal columns. */
export function padToWidth(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - displayWidth(text)));
}

/** Wraps a text at spaces to a number of terminal columns. A word that is wider than a line is split. */
export function wrapToWidth(text: string, columns: number): string[] {
  if (displayWidth(text) <= columns) return [text];
  const lines: string[] = [];
  let line = "";
  let width = 0;
  const add = (part: string, partWidth: number, gap: string) => {
    const isFitting = width + gap.length + partWidth <= columns;
    if (line !== "" && !isFitting) lines.push(line);
    [line, width] = line === "" || !isFitting ? [part, partWidth] : [line + gap + part, width + gap.length + partWidth];
  };
  for (const word of text.split(" ")) {
    if (displayWidth(word) <= columns) add(word, displayWidth(word), " ");
    else [...splitGraphemes(word)].forEach((part, i) => add(part, graphemeWidth(part), i === 0 ? " " : ""));
  }
  return line === "" ? lines : [...lines, line];
}

function graphemeWidth(grapheme: string): number {
  return ZERO_WIDTH.test(grapheme) ? 0 : WIDE.test(grapheme) ? 2 : 1;
}

function* splitGraphemes(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter();
  for (const { segment } of segmenter.segment(text)) yield segment;
}
