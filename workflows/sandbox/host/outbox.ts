/** The parent's way into a sandbox: messages that wait while one write is in progress go together as the next. */
import { type Frame, FrameBuffer } from "../protocol/frames.ts";

/** Messages to one sandbox. */
export class Outbox {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #buffer = new FrameBuffer();
  #waiting: Frame[] = [];
  #written: (() => void)[] = [];
  #writing = false;

  /** Writes to this stream alone. */
  constructor(stream: WritableStream<Uint8Array>) {
    this.#writer = stream.getWriter();
    this.#writer.closed.catch(() => {}); // A sandbox that is gone is noticed where its messages end.
  }

  /** Sends a message as soon as may be, and calls back when the sandbox has taken it. */
  send(frame: Frame, written: () => void = () => {}): void {
    this.#waiting.push(frame);
    this.#written.push(written);
    if (!this.#writing) void this.#write();
  }

  /** Ends the stream, whatever waits. */
  close(): void {
    this.#waiting = [];
    this.#writer.abort().catch(() => {}); // It may be closed from the other side already.
  }

  async #write(): Promise<void> {
    this.#writing = true;
    try {
      await Promise.resolve(); // What is sent in the same turn goes along.
      while (this.#waiting.length > 0) {
        for (const frame of this.#waiting) this.#buffer.add(frame);
        const written = this.#written;
        this.#waiting = [];
        this.#written = [];
        await this.#writer.write(this.#buffer.take());
        for (const callback of written) callback();
      }
    } catch {
      this.#waiting = []; // The sandbox is gone; who listens to it says why.
    } finally {
      this.#writing = false;
    }
  }
}
