import { listAlternatives } from "./wording.ts";

/** Formats a question such as `Did you mean 'get'? `. Returns an empty text if no name is within `limit` edits. */
export function didYouMean(
  word: string,
  names: readonly string[],
  show: (name: string) => string,
  limit: number = Math.max(2, word.length / 3),
): string {
  const near = names.filter((name) => Math.abs(name.length - word.length) <= limit); // The word may be megabytes long.
  const distances = near.map((name) => ({ name, distance: distance(word.toLowerCase(), name.toLowerCase()) }));
  const nearest = Math.min(...distances.map(({ distance }) => distance));
  if (nearest > limit) return "";
  return formatSuggestions(distances.filter(({ distance }) => distance === nearest).map(({ name }) => name), show);
}

/** Formats the end of a message about an unknown name: similar names, or all names if there are at most `limit`. */
export function suggestAlternatives(name: string, known: Iterable<string>, limit = 10): string {
  const names = [...known];
  const question = didYouMean(name, names, (one) => `'${one}'`).trim();
  if (question !== "") return `; ${question.replace("Did", "did")}`;
  return names.length === 0 || names.length > limit ? "" : `; available: ${names.join(", ")}`;
}

/** Formats the question for up to three names. */
export function formatSuggestions(names: readonly string[], show: (name: string) => string): string {
  return names.length === 0 ? "" : `Did you mean ${listAlternatives(names.slice(0, 3).map(show))}? `;
}

/** Computes the Levenshtein distance. Two letters in the wrong order count once. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      const isSwapped = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const swapped = isSwapped ? (before[j - 1] ?? 0) + 1 : Infinity;
      next.push(Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
