/** Formats a count with its noun: `1 input`, `2 inputs`. */
export function pluralize(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** Makes the first letter lower-case, to continue a sentence. */
export function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

/** Truncates a text to a number of UTF-16 units, including the `…` that marks the cut. */
export function truncate(text: string, length: number): string {
  return text.length > length ? text.slice(0, length - 1).toWellFormed() + "…" : text;
}

/** Counts Unicode characters, not UTF-16 units. */
export function countCharacters(text: string): number {
  return [...text].length;
}

/** Lists alternatives, e.g. `a, b or c`. */
export function listAlternatives(texts: Iterable<string>): string {
  return new Intl.ListFormat("en-GB", { type: "disjunction" }).format(texts);
}
