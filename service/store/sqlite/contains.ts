/** Looking for a text in a text. */

/**
 * Whether a text has a part, in a time that grows with their lengths: the searches of SQLite and JavaScript take that of
 * their product for texts that are made for it. (Knuth, Morris and Pratt's.)
 */
export function contains(text: string, part: string): boolean {
  const borders = bordersOf(part);
  let found = 0;
  for (let place = 0; place < text.length && found < part.length; place++) {
    found = oneMore(part, borders, found, text.charCodeAt(place));
  }
  return found === part.length;
}

/** For each beginning of a text, by its length: how long a shorter beginning is with which it ends. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length + 1);
  for (let length = 2; length <= text.length; length++) {
    borders[length] = oneMore(text, borders, borders[length - 1] ?? 0, text.charCodeAt(length - 1));
  }
  return borders;
}

/** How long a beginning of the text is found with the next character, where one was found before it. */
function oneMore(text: string, borders: Int32Array, before: number, next: number): number {
  let found = before;
  while (found > 0 && text.charCodeAt(found) !== next) found = borders[found] ?? 0;
  return text.charCodeAt(found) === next ? found + 1 : 0;
}
