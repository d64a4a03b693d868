/** What to say of a name that is not known. */
import { didYouMean } from "../../utils/text/did_you_mean.ts";

/** Names that are listed at most. */
const FEW = 10;

/** The end of a sentence about a name that is not known: the names that resemble it, else all where they are few. */
export function insteadOf(name: string, known: Iterable<string>): string {
  const names = [...known];
  const question = didYouMean(name, names, (one) => `'${one}'`).trim();
  if (question !== "") return `; d${question.slice(1)}`;
  if (names.length === 0 || names.length > FEW) return "";
  return `; there ${names.length === 1 ? "is" : "are"} ${names.join(", ")}`;
}
