/** Removes the line ends at the end of a text: CR and LF, in any number. */
export function trimLineEnds(text: string): string {
  return text.replace(/[\r\n]+$/, "");
}
