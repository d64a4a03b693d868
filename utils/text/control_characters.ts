/**
 * Keeps what a service answers from driving a terminal: control characters (escape sequences begin with one) and the
 * marks that reverse the direction of text are written as escapes.
 */

// C0 without tab, line feed and carriage return; DEL and C1; bidirectional marks, embeddings, overrides and isolates; line separators; the byte order mark.
// deno-lint-ignore no-control-regex -- finding them is the point
const UNSAFE = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/;
const ALL_UNSAFE = new RegExp(UNSAFE, "g");
const LAYOUT = /[\t\n\r]/g;
const LAYOUT_ESCAPES: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** Whether a text holds characters that must not reach a terminal raw. Tabs and line ends are layout, not danger. */
export function hasControls(text: string): boolean {
  return UNSAFE.test(text);
}

/**
 * The text with those characters as `\uXXXX`. In JSON they can stand inside strings only, where this is the same value:
 * JSON stays valid, on a terminal and in a pipe alike.
 */
export function escapeControls(text: string): string {
  return text.replace(ALL_UNSAFE, (character) => "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** The lines of a text: a carriage return that ends none would let what follows it write over what it follows. */
export function onLines(text: string): string {
  return escapeControls(text.replaceAll("\r\n", "\n")).replaceAll("\r", "\\r");
}

/** The text on one line, with those characters, tabs and line ends as escapes. */
export function onOneLine(text: string): string {
  return escapeControls(text.replace(LAYOUT, (character) => LAYOUT_ESCAPES[character] ?? character));
}

/** A text of one or more lines, each with its end and behind the same words: none of it drives a terminal. */
export function prefixed(text: string, prefix: string): string {
  const before = onOneLine(prefix);
  return onLines(text).split("\n").map((line) => `${before}${line}\n`).join("");
}
