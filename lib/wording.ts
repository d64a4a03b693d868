/** Words as sentences need them. */

/** `1 input`, `2 inputs`. */
export function plural(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** A sentence's beginning as it stands inside of another sentence. */
export function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

/** How many characters a text has as people count them: one outside of the basic plane is one. */
export function characters(text: string): number {
  return [...text].length;
}
