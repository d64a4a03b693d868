/** The lines of a stream of bytes, with their numbers, one at a time. */

/** Bytes that a line may have. */
export const MAX_LINE_BYTES: number = 16 * 1024 * 1024;

/** The byte that ends a line. */
export const LINE_FEED = 10;

/** A line of a file. */
export interface Line {
  /** Its number, from 1. */
  readonly number: number;
  /** Its text, with U+FFFD for what is no UTF-8; undefined where it is too long. */
  readonly text?: string;
  /** What is wrong with it. */
  readonly fault?: string;
}

/** The lines, without their ends. Of a line that is too long nothing is kept. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let number = 0;
  let pieces: Uint8Array[] = [];
  let size = 0;
  const take = (piece: Uint8Array) => {
    size += piece.length;
    if (size <= MAX_LINE_BYTES) pieces.push(piece);
    else pieces = [];
  };
  const end = () => {
    const line = lineOf(++number, pieces, size);
    pieces = [];
    size = 0;
    return line;
  };
  for await (const chunk of bytes) {
    let start = 0;
    for (let feed = chunk.indexOf(LINE_FEED); feed >= 0; feed = chunk.indexOf(LINE_FEED, start)) {
      take(chunk.subarray(start, feed));
      yield end();
      start = feed + 1;
    }
    take(chunk.subarray(start));
  }
  if (size > 0) yield end();
}

function lineOf(number: number, pieces: readonly Uint8Array[], size: number): Line {
  if (size > MAX_LINE_BYTES) return { number, fault: `has more than ${MAX_LINE_BYTES} bytes` };
  try {
    return { number, text: decode(pieces, true) };
  } catch {
    return { number, text: decode(pieces, false), fault: "is not UTF-8 text: save the file as UTF-8" };
  }
}

function decode(pieces: readonly Uint8Array[], fatal: boolean): string {
  const decoder = new TextDecoder("utf-8", { fatal }); // It drops a byte order mark.
  let text = "";
  for (const piece of pieces) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}
