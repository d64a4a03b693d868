/** Texts in which capitals, and how a letter with its marks is written, make no difference. */

/** A text as it is compared then. */
export function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
