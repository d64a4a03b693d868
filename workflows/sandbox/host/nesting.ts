/** How deep JSON is nested: what a few million brackets cost to print would stop everything else for half a minute. */

/** Levels that a message of a sandbox may have. */
const MAX_LEVELS = 1000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether a JSON text has more levels than it may. Of a text that is no JSON it may say anything. */
export function isTooDeep(text: string): boolean {
  if (text.length <= MAX_LEVELS) return false;
  let level = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isText = !isText;
    else if (isText) {
      if (code === BACKSLASH) at++;
    } else if (code === 0x5b || code === 0x7b) {
      if (++level > MAX_LEVELS) return true;
    } else if (code === 0x5d || code === 0x7d) level--;
  }
  return false;
}
