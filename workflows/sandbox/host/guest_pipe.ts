/** The pipes of a guest process: sends frames to it, and receives its frames and its stderr. */
import { type Frame, FrameBuffer, FrameReader } from "../protocol/frames.ts";
import { MAX_MESSAGE_BYTES } from "../protocol/messages.ts";

/** Size of the buffer for reading, in bytes. */
const READ_BYTES = 64 * 1024;

/** Maximum size of the stored end of stderr, in characters. */
const STDERR_CHARACTERS = 16 * 1024;

/** The pipes of one guest process. */
export class GuestPipe {
  /** The end of stderr, once the process has closed it. */
  readonly stderr: Promise<string>;
  readonly #stdout: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly #queue: SendQueue;
  #isClosed = false;

  /** Takes over the streams of the process. */
  constructor(process: Deno.ChildProcess) {
    this.#stdout = process.stdout;
    this.#queue = new SendQueue(process.stdin);
    this.stderr = readTail(process.stderr);
  }

  /** Sends a message. `onTaken` is called when the guest has read it. */
  send(frame: Frame, onTaken?: () => void): void {
    this.#queue.send(frame, onTaken);
  }

  /** Passes the messages of the guest to `handle`, until the guest closes its stdout or `close` is called. */
  async receive(handle: (frame: Frame) => void): Promise<void> {
    const frames = new FrameReader(MAX_MESSAGE_BYTES);
    const stdout = this.#stdout.getReader({ mode: "byob" });
    let buffer = new Uint8Array(READ_BYTES);
    try {
      while (!this.#isClosed) {
        const { value, done } = await stdout.read(buffer);
        if (done) return;
        for (const frame of frames.push(value)) {
          if (!this.#isClosed) handle(frame);
        }
        buffer = new Uint8Array(value.buffer); // Reuses the memory: a new buffer costs more than a message.
      }
    } finally {
      await stdout.cancel();
    }
  }

  /** Discards messages in both directions. */
  close(): void {
    this.#isClosed = true;
    this.#queue.close();
  }
}

/** Size from which messages are not written together, in bytes. */
const BATCH_BYTES = 256 * 1024;

/** A message that is not written yet. */
interface QueuedFrame {
  readonly frame: Frame;
  readonly onTaken: () => void;
}

/** Sends messages to a stream. Short messages that arrive during a write are written together. */
class SendQueue {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #buffer = new FrameBuffer();
  #queue: QueuedFrame[] = [];
  #isWriting = false;

  constructor(stream: WritableStream<Uint8Array>) {
    this.#writer = stream.getWriter();
    this.#writer.closed.catch(() => {}); // `receive` notices a guest that has ended.
  }

  send(frame: Frame, onTaken: () => void = () => {}): void {
    this.#queue.push({ frame, onTaken });
    if (!this.#isWriting) void this.#write();
  }

  close(): void {
    this.#queue = [];
    this.#writer.abort().catch(() => {}); // The guest may have closed it.
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    try {
      await Promise.resolve(); // Includes messages of the same turn.
      while (this.#queue.length > 0) {
        const callbacks = this.#fillBuffer();
        await this.#writer.write(this.#buffer.take());
        for (const callback of callbacks) callback();
      }
    } catch {
      this.#queue = []; // The guest has ended. `receive` returns.
    } finally {
      this.#isWriting = false;
    }
  }

  /** Moves messages from the queue to the buffer. Returns their callbacks. */
  #fillBuffer(): (() => void)[] {
    const callbacks: (() => void)[] = [];
    for (const { frame, onTaken } of this.#queue) {
      if (this.#buffer.length >= BATCH_BYTES) break;
      this.#buffer.add(frame);
      callbacks.push(onTaken);
    }
    this.#queue.splice(0, callbacks.length);
    return callbacks;
  }
}

/** Returns the end of a stream. Reads all of it, so that the process never waits for a reader. */
async function readTail(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let tail = "";
  for await (const bytes of stream) tail = (tail + decoder.decode(bytes, { stream: true })).slice(-STDERR_CHARACTERS);
  return tail;
}
