/** Marks that a Vietnamese keyboard types after the letter, which keeps its other mark. */
const TONE_MARKS = /[\u0300\u0301\u0303\u0309\u0323]/gu;

const LETTER_WITH_MARKS = /\P{M}\p{M}+/gu;

/** Ways to compose only some marks of each letter. They take a decomposed letter. */
const PARTIAL_FORMS: readonly ((letter: string) => string)[] = [
  (letter) => composeStart(letter, 2), // Only the first mark.
  (letter) => composeStart(letter, -1), // All marks but the last one.
  composeAllButTones,
  (letter) => [...letter].length > 2 ? composeAllButTones(letter) : letter.normalize("NFC"),
];

/**
 * Returns the forms in which a text with accents can be stored: composed, decomposed, with some accents composed in the
 * same way in each letter, and as it is.
 */
export function listTextForms(text: string): readonly string[] {
  const composed = text.normalize("NFC");
  const decomposed = text.normalize("NFD");
  if (composed === decomposed && composed === text) return [text];
  const partial = PARTIAL_FORMS.map((compose) => decomposed.replace(LETTER_WITH_MARKS, compose))
    .filter((form) => form.normalize("NFC") === composed); // Another order of the marks can be another letter.
  return [...new Set([composed, decomposed, ...partial, text])];
}

function composeStart(letter: string, end: number): string {
  const points = [...letter];
  return points.slice(0, end).join("").normalize("NFC") + points.slice(end).join("");
}

function composeAllButTones(letter: string): string {
  return letter.replaceAll(TONE_MARKS, "").normalize("NFC") + (letter.match(TONE_MARKS) ?? []).join("");
}
