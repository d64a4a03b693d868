/** The words of a command line. */
export interface SplitLine {
  /** The complete words, without their quotes. */
  readonly words: readonly string[];
  /** The last word, which may be incomplete; empty after a space. */
  readonly last: string;
  /** True if a quote of the last word is open. */
  readonly isOpen: boolean;
}

/** Splits a command line as a shell does: at spaces outside of quotes. A backslash quotes one character. */
export function splitWords(line: string): SplitLine {
  const words: string[] = [];
  let last: string | undefined;
  let quote = "";
  for (let index = 0; index < line.length; index++) {
    const character = line.charAt(index);
    if (character === "\\" && quote !== "'" && index + 1 < line.length) {
      last = (last ?? "") + line.charAt(++index);
    } else if (quote !== "") {
      if (character === quote) quote = "";
      else last = (last ?? "") + character;
    } else if (character === "'" || character === '"') {
      quote = character;
      last ??= "";
    } else if (/\s/.test(character)) {
      if (last !== undefined) words.push(last);
      last = undefined;
    } else {
      last = (last ?? "") + character;
    }
  }
  return { words, last: last ?? "", isOpen: quote !== "" };
}
