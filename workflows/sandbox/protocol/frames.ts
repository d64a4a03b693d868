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

/** Bytes that a buffer begins with. */
const FEW_BYTES = 4 * 1024;

/** Bytes that a buffer keeps for the next frames: what longer ones took is given back. */
const KEPT_BYTES = 256 * 1024;

/** Frames that wait to be written together. They share memory that is kept: to make it anew takes longer than to fill it. */
export class FrameBuffer {
  #bytes = new Uint8Array(FEW_BYTES);
  #length = 0;

  /** Bytes that wait. */
  get length(): number {
    return this.#length;
  }

  /** Adds a frame, unless it has more bytes than this; tells whether it did. */
  add(frame: Frame, maxBytes: number = Infinity): boolean {
    const { buffer, end } = writeFrame(frame, this.#bytes, this.#length);
    if (end - this.#length > maxBytes) return false;
    this.#bytes = buffer;
    this.#length = end;
    return true;
  }

  /** Takes all that waits; it is there until the next frame is added. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = new Uint8Array(FEW_BYTES);
    return bytes;
  }
}

/** Writes a frame at a place in a buffer, or in a longer copy of it where it does not fit. */
function writeFrame(
  { kind, id, text }: Frame,
  buffer: Uint8Array<ArrayBuffer>,
  start: number,
): { buffer: Uint8Array<ArrayBuffer>; end: number } {
  const content = start + HEADER_BYTES;
  const { read, written } = encoder.encodeInto(text, buffer.subarray(content));
  if (content > buffer.length || read < text.length) {
    return writeFrame({ kind, id, text }, lengthened(buffer, content + 3 * text.length), start);
  }
  const header = new DataView(buffer.buffer, buffer.byteOffset + start, HEADER_BYTES);
  header.setUint32(0, written);
  header.setUint8(4, kind);
  header.setUint32(5, id);
  return { buffer, end: content + written };
}

function lengthened(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  const longer = new Uint8Array(length);
  longer.set(bytes);
  return longer;
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

const NOTHING = new Uint8Array(0);

/** Cuts a stream of bytes into frames. It holds at most one unfinished frame. */
export class FrameReader {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  readonly #maxTextBytes: number;
  /** The unfinished frame, with room behind it: a piece for each read would cost far more than a byte that it brings. */
  #held = NOTHING;
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
    const buffer = this.#size === 0 ? bytes : this.#hold(bytes);
    if (buffer.length < this.#needed) {
      if (this.#size === 0) this.#hold(bytes);
      return frames;
    }
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
    if (offset === 0 && this.#size > 0) return frames;
    this.#held = NOTHING;
    this.#size = 0;
    if (offset < buffer.length) this.#hold(buffer.subarray(offset));
    return frames;
  }

  /** Holds these bytes, too; gives all that it holds. */
  #hold(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const size = this.#size + bytes.length;
    if (size > this.#held.length) this.#held = lengthened(this.#held, Math.max(size, 2 * this.#held.length));
    this.#held.set(bytes, this.#size);
    this.#size = size;
    return this.#held.subarray(0, size);
  }

  #decode(bytes: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes);
    } catch (cause) {
      throw new FrameError("a message that is not UTF-8", { cause });
    }
  }
}
