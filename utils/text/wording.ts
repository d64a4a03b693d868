/** Words as sentences need them. */

/** `1 input`, `2 inputs`. */
export function plural(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** A sentence's beginning as it stands inside of another sentence. */
export function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

/** The beginning of a text that may have any length: so many UTF-16 units at most, `…` included. */
export function clip(text: string, length: number): string {
  return text.length > length ? text.slice(0, length - 1).toWellFormed() + "…" : text;
}

/** How many characters a text has as people count them: one outside of the basic plane is one. */
export function characters(text: string): number {
  return [...text].length;
}
