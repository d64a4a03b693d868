/** Frames on the pipe between parent and sandbox: 4 bytes of length, 1 of kind, 4 of an identifier, then UTF-8 text. */

const HEADER_BYTES = 9;

const encoder = new TextEncoder();

/** One message. */
export interface Frame {
  /** What it is about. */
  readonly kind: number;
  /** The call that it belongs to; 0 where it belongs to none. */
  readonly id: number;
  /** Its content. */
  readonly text: string;
}

/** What came in is no frame, or too long a one. */
export class FrameError extends Error {}

/** A frame as bytes. */
export function encodeFrame({ kind, id, text }: Frame): Uint8Array<ArrayBuffer> {
  const content = encoder.encode(text);
  const bytes = new Uint8Array(HEADER_BYTES + content.length);
  const header = new DataView(bytes.buffer);
  header.setUint32(0, content.length);
  header.setUint8(4, kind);
  header.setUint32(5, id);
  bytes.set(content, HEADER_BYTES);
  return bytes;
}

/** Several pieces as one. */
export function joinBytes(pieces: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const [first] = pieces;
  if (pieces.length === 1 && first !== undefined) return first;
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    joined.set(piece, offset);
    offset += piece.length;
  }
  return joined;
}

/** Cuts a stream of bytes into frames. It holds at most one unfinished frame. */
export class FrameReader {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  readonly #maxTextBytes: number;
  #pieces: Uint8Array<ArrayBuffer>[] = [];
  #size = 0;
  /** Bytes that are needed before it is worth looking again. */
  #needed = HEADER_BYTES;

  /** A reader that refuses frames with more bytes of text than this. */
  constructor(maxTextBytes: number) {
    this.#maxTextBytes = maxTextBytes;
  }

  /** The frames that are complete with these bytes; `FrameError` where they are none. It keeps none of the bytes. */
  push(bytes: Uint8Array<ArrayBuffer>): Frame[] {
    const frames: Frame[] = [];
    this.#size += bytes.length;
    if (this.#size < this.#needed) {
      this.#pieces.push(bytes.slice());
      return frames;
    }
    const buffer = joinBytes([...this.#pieces, bytes]);
    const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
    let offset = 0;
    this.#needed = HEADER_BYTES;
    while (buffer.length - offset >= HEADER_BYTES) {
      const length = view.getUint32(offset);
      if (length > this.#maxTextBytes) throw new FrameError(`a message of ${length} bytes`);
      const end = offset + HEADER_BYTES + length;
      if (end > buffer.length) {
        this.#needed = end - offset;
        break;
      }
      const text = this.#decode(buffer.subarray(offset + HEADER_BYTES, end));
      frames.push({ kind: view.getUint8(offset + 4), id: view.getUint32(offset + 5), text });
      offset = end;
    }
    const rest = buffer.slice(offset);
    this.#pieces = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
    return frames;
  }

  #decode(bytes: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes);
    } catch (cause) {
      throw new FrameError("a message that is not UTF-8", { cause });
    }
  }
}
