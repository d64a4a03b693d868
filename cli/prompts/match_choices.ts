/** Finds choices by typed text. */
import { caseFold } from "../../utils/text/case_fold.ts";

/** Returns the texts that match, the best first. A text matches if it contains the typed characters in their order. */
export function matchTexts<T>(typed: string, items: readonly T[], getText: (item: T) => string): T[] {
  const query = caseFold(typed).replaceAll(/\s+/g, "");
  return items.map((item) => ({ item, rank: rank(query, caseFold(getText(item))) }))
    .filter(({ rank }) => rank < Infinity)
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

/** Ranks a text: the beginning matches, then the beginning of a word, then a part, then scattered characters. */
function rank(query: string, text: string): number {
  const compact = text.replaceAll(/\s+/g, "");
  if (compact.startsWith(query)) return 0;
  if (text.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(query))) return 1;
  if (compact.includes(query)) return 2;
  let from = 0;
  for (const character of query) {
    from = compact.indexOf(character, from) + 1;
    if (from === 0) return Infinity;
  }
  return 3;
}
