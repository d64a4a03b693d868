/** Longest line, in bytes. */
export const MAX_LINE_BYTES: number = 16 * 1024 * 1024;

/** The byte that ends a line. */
export const LINE_FEED = 10;

/** A line of a file. */
export interface Line {
  /** Number of the line, from 1. */
  readonly number: number;
  /** Text without the line end; invalid UTF-8 is replaced by U+FFFD. Undefined if the line is too long. */
  readonly text?: string;
  /** Reason why the line is invalid, as the rest of a sentence that starts with its place. */
  readonly issue?: string;
}

/** Reads the lines of a byte stream one at a time. A line that is too long is not kept in memory. */
export async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let number = 0;
  let pieces: Uint8Array[] = [];
  let size = 0;
  const add = (piece: Uint8Array) => {
    size += piece.length;
    if (size <= MAX_LINE_BYTES) pieces.push(piece);
    else pieces = [];
  };
  const end = () => {
    const line = toLine(++number, pieces, size);
    pieces = [];
    size = 0;
    return line;
  };
  for await (const chunk of bytes) {
    let start = 0;
    for (let feed = chunk.indexOf(LINE_FEED); feed >= 0; feed = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, feed));
      yield end();
      start = feed + 1;
    }
    add(chunk.subarray(start));
  }
  if (size > 0) yield end();
}

function toLine(number: number, pieces: readonly Uint8Array[], size: number): Line {
  if (size > MAX_LINE_BYTES) return { number, issue: `has more than ${MAX_LINE_BYTES} bytes` };
  try {
    return { number, text: decode(pieces, true) };
  } catch {
    return { number, text: decode(pieces, false), issue: "is not UTF-8: save the file as UTF-8" };
  }
}

function decode(pieces: readonly Uint8Array[], fatal: boolean): string {
  const decoder = new TextDecoder("utf-8", { fatal }); // It removes a byte order mark.
  let text = "";
  for (const piece of pieces) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}
