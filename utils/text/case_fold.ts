/** Folds case and normalizes letters with marks, for comparisons that ignore both. */
export function caseFold(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
