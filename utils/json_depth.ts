/** The nesting of JSON, found in its text: values that are nested very deeply take long to parse and to print. */

/** Maximum nesting of objects and arrays in JSON from elsewhere. */
export const MAX_LEVELS = 1000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** Reports whether a JSON text nests objects and arrays deeper than a limit. Any result is possible for other texts. */
export function isNestedDeeper(text: string, levels: number = MAX_LEVELS): boolean {
  if (text.length <= levels) return false;
  let level = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = findStringEnd(text, i);
    else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
      if (++level > levels) return true;
    } else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) level--;
  }
  return false;
}

/** Returns an upper bound of the length of a JSON text that is indented by two per level. It must not contain white space. */
export function countIndented(text: string): number {
  let count = text.length;
  let level = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = findStringEnd(text, i);
    else if (code === COLON) count++;
    else if (code === OPENING_BRACKET || code === OPENING_BRACE) count += 1 + 2 * ++level;
    else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) count += 1 + 2 * --level;
    else if (code === COMMA) count += 1 + 2 * level;
  }
  return count;
}

/** Returns the position of the quotation mark that ends a string, or the end of the text. */
function findStringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
