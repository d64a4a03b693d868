/**
 * Escapes characters that could drive a terminal or deceive its reader: control characters, which begin escape sequences,
 * marks that reverse the direction of text, and invisible tags.
 *
 * @module
 */

/** Tag characters, which are invisible and can hide a text. */
const TAGS = /\udb40[\udc00-\udc7f]/;

/**
 * C0 without tab, line feed and carriage return; DEL and C1; bidirectional marks, embeddings, overrides and isolates; line
 * separators; the byte order mark.
 */
// deno-lint-ignore no-control-regex -- finding them is the point
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/;

const UNSAFE = new RegExp(`${CONTROLS.source}|${TAGS.source}`);
const ALL_UNSAFE = new RegExp(UNSAFE, "g");
const LAYOUT = /[\t\n\r]/g;
const LAYOUT_ESCAPES: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** Reports whether a text has characters that must not reach a terminal raw. Tabs and line ends are allowed. */
export function hasControlCharacters(text: string): boolean {
  return UNSAFE.test(text);
}

/** Escapes those characters as `\uXXXX`. JSON stays valid and keeps its value, because they occur only in its strings. */
export function escapeControlCharacters(text: string): string {
  return text.replace(ALL_UNSAFE, (found) => found.split("").map(escapeUnit).join(""));
}

function escapeUnit(unit: string): string {
  return "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0");
}

/** Escapes a text of several lines. A lone carriage return is escaped: the rest of its line would overwrite the start. */
export function escapeLines(text: string): string {
  return escapeControlCharacters(text.replaceAll("\r\n", "\n")).replaceAll("\r", "\\r");
}

/** Escapes a text to a single line, including tabs and line ends. */
export function escapeToOneLine(text: string): string {
  return escapeControlCharacters(text.replace(LAYOUT, (character) => LAYOUT_ESCAPES[character] ?? character));
}

/** Prefixes and ends every line of a text, and escapes both. */
export function prefixLines(text: string, prefix: string): string {
  const before = escapeToOneLine(prefix);
  return escapeLines(text).split("\n").map((line) => `${before}${line}\n`).join("");
}
