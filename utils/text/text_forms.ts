/** Returns the forms in which a text with accents can be stored: composed, decomposed, and as it is. */
export function listTextForms(text: string): readonly string[] {
  const composed = text.normalize("NFC");
  const decomposed = text.normalize("NFD");
  return composed === decomposed && composed === text ? [text] : [...new Set([composed, decomposed, text])];
}
