/**
 * Frames of messages between host and guest: 4 bytes of length, 1 of kind, 4 of an identifier, 4 of the number of an input,
 * then UTF-8 text.
 */

const HEADER_BYTES = 13;

const encoder = new TextEncoder();

/** A message. */
export interface Frame {
  /** Kind of the message. */
  readonly kind: number;
  /** Number of the step that it belongs to, or 0. */
  readonly id: number;
  /** Number of the input in a process that runs many at the same time, or 0. */
  readonly input: number;
  /** Content. */
  readonly text: string;
}

/** An invalid or oversized frame, or an invalid message. */
export class FrameError extends Error {}

/** Initial size of a buffer, in bytes. */
const INITIAL_BYTES = 4 * 1024;

/** Largest size of a buffer that is kept after its frames are taken, in bytes. */
const MAX_KEPT_BYTES = 256 * 1024;

/** Frames to be written together. The memory is reused, because allocating it takes longer than filling it. */
export class FrameBuffer {
  #bytes = new Uint8Array(INITIAL_BYTES);
  #length = 0;

  /** Size of the frames, in bytes. */
  get length(): number {
    return this.#length;
  }

  /** Adds a frame. Returns false, and adds nothing, if the frame has more than `maxBytes` bytes. */
  add(frame: Frame, maxBytes: number = Infinity): boolean {
    const { buffer, end } = writeFrame(frame, this.#bytes, this.#length);
    if (end - this.#length > maxBytes) return false;
    this.#bytes = buffer;
    this.#length = end;
    return true;
  }

  /** Removes and returns all frames. The bytes are valid until the next `add`. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    if (this.#bytes.length > MAX_KEPT_BYTES) this.#bytes = new Uint8Array(INITIAL_BYTES);
    return bytes;
  }
}

/** Writes a frame into a buffer, or into a longer copy if it does not fit. */
function writeFrame(
  { kind, id, input, text }: Frame,
  buffer: Uint8Array<ArrayBuffer>,
  start: number,
): { buffer: Uint8Array<ArrayBuffer>; end: number } {
  const content = start + HEADER_BYTES;
  const { read, written } = encoder.encodeInto(text, buffer.subarray(content));
  if (content > buffer.length || read < text.length) {
    const isShort = buffer.length < content + text.length;
    // Most texts need one byte per character, and none more than three.
    return writeFrame({ kind, id, input, text }, extend(buffer, content + (isShort ? 1 : 3) * text.length), start);
  }
  const header = new DataView(buffer.buffer, buffer.byteOffset + start, HEADER_BYTES);
  header.setUint32(0, written);
  header.setUint8(4, kind);
  header.setUint32(5, id);
  header.setUint32(9, input);
  return { buffer, end: content + written };
}

function extend(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  const longer = new Uint8Array(length);
  longer.set(bytes);
  return longer;
}

/** Concatenates arrays of bytes. */
export function joinBytes(chunks: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return first;
  const joined = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    joined.set(chunk, offset);
    offset += chunk.length;
  }
  return joined;
}

const EMPTY = new Uint8Array(0);

/**
 * Splits a stream of bytes into frames. Stores at most one incomplete frame, and reserves the memory for it when its header
 * has arrived.
 */
export class FrameReader {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  readonly #maxTextBytes: number;
  /** The incomplete frame, in a buffer with room for the rest. A new array per read would be slow when reads are small. */
  #pending = EMPTY;
  #size = 0;
  /** Size of the incomplete frame, or of its header if that is incomplete, in bytes. */
  #needed = HEADER_BYTES;

  /** Creates a reader that rejects frames with more than `maxTextBytes` bytes of text. */
  constructor(maxTextBytes: number) {
    this.#maxTextBytes = maxTextBytes;
  }

  /** Returns the frames that these bytes complete. Throws `FrameError` if they are invalid. Copies what it stores. */
  push(bytes: Uint8Array<ArrayBuffer>): Frame[] {
    const frames: Frame[] = [];
    let rest = bytes;
    while (this.#size > 0) {
      rest = rest.subarray(this.#store(rest));
      if (this.#size < this.#needed) return frames;
      // The header is complete, or the frame.
      if (this.#read(this.#pending.subarray(0, this.#size), frames) > 0) {
        this.#pending = EMPTY;
        this.#size = 0;
      }
    }
    const end = this.#read(rest, frames);
    if (end < rest.length) this.#store(rest.subarray(end));
    return frames;
  }

  /** Appends what the incomplete frame needs. Returns the number of these bytes. */
  #store(bytes: Uint8Array<ArrayBuffer>): number {
    if (this.#needed > this.#pending.length) this.#pending = extend(this.#pending, this.#needed);
    const part = bytes.subarray(0, this.#needed - this.#size);
    this.#pending.set(part, this.#size);
    this.#size += part.length;
    return part.length;
  }

  /** Adds the complete frames to a list. Returns their end, and notes how many bytes the next frame needs. */
  #read(bytes: Uint8Array<ArrayBuffer>, frames: Frame[]): number {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let offset = 0;
    this.#needed = HEADER_BYTES;
    while (bytes.length - offset >= HEADER_BYTES) {
      const length = view.getUint32(offset);
      if (length > this.#maxTextBytes) throw new FrameError(`a message of ${length} bytes`);
      const end = offset + HEADER_BYTES + length;
      if (end > bytes.length) {
        this.#needed = end - offset;
        break;
      }
      frames.push({
        kind: view.getUint8(offset + 4),
        id: view.getUint32(offset + 5),
        input: view.getUint32(offset + 9),
        text: this.#decode(bytes.subarray(offset + HEADER_BYTES, end)),
      });
      offset = end;
    }
    return offset;
  }

  #decode(bytes: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes);
    } catch (cause) {
      throw new FrameError("a message that is not UTF-8", { cause });
    }
  }
}
