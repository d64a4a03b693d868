/** Words for true and false. */

const WORDS: ReadonlyMap<string, "true" | "false"> = new Map([
  ...["true", "yes", "y", "on"].map((word) => [word, "true"] as const),
  ...["false", "no", "n", "off"].map((word) => [word, "false"] as const),
]);

/** Returns `true` or `false` for a word that means it, such as `yes`, in upper or lower case. */
export function toBooleanWord(text: string): "true" | "false" | undefined {
  return WORDS.get(text.toLowerCase());
}
