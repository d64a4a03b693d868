/** Writes lines to a stream without waiting for its reader, such as that of a pipe, which may stop reading. */
import { pluralize } from "../text/wording.ts";

/** Maximum size of the lines that wait, in characters. */
const CAPACITY = 1024 * 1024;

/** Milliseconds without progress after which `flush` gives up. */
const PATIENCE = 1000;

/** A stream of bytes. */
interface ByteSink {
  write(bytes: Uint8Array): Promise<number>;
}

/** Describes the number of dropped lines, in the place of these lines. */
export function describeDropped(count: number): string {
  return `Dropped ${pluralize(count, "line")} of the log: nothing read the output, or the disk was full.`;
}

/** A queue of lines. It drops lines that do not fit, and counts them. */
export class OutputQueue {
  readonly #sink: ByteSink;
  readonly #describe: (count: number) => string;
  #waiting: string[] = [];
  #size = 0;
  #dropped = 0;
  /** True after an incomplete write. */
  #isMidLine = false;
  #progress = 0;
  #writing: Promise<void> | undefined;

  /** Creates a queue. `describe` returns the text in place of dropped lines. */
  constructor(sink: ByteSink, describe: (count: number) => string = describeDropped) {
    this.#sink = sink;
    this.#describe = describe;
  }

  /** Writes one or more lines soon. Drops them while too many lines wait. */
  write(text: string): void {
    if (this.#size + text.length > CAPACITY) {
      this.#dropped++;
      return;
    }
    this.#size += text.length;
    this.#waiting.push(text);
    this.#writing ??= this.#writeAll();
  }

  /** Waits until all lines are written. Gives up when the reader takes nothing for a second. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) {
      const before = this.#progress;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const patience = new Promise<void>((resolve) => timer = setTimeout(resolve, PATIENCE));
      await Promise.race([this.#writing, patience]);
      clearTimeout(timer);
      if (this.#progress === before) return;
    }
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0 || this.#dropped > 0) {
      const texts = this.#waiting;
      const dropped = this.#dropped;
      [this.#waiting, this.#size, this.#dropped] = [[], 0, 0];
      const notice = dropped === 0 ? "" : `${this.#describe(dropped)}\n`;
      const isWritten = await this.#send((this.#isMidLine ? "\n" : "") + texts.join("") + notice);
      if (isWritten) continue;
      this.#dropped += texts.length + dropped;
      break; // The next line tries again.
    }
    this.#writing = undefined;
  }

  /** Reports whether the stream has taken a text completely. */
  async #send(text: string): Promise<boolean> {
    let rest = new TextEncoder().encode(text);
    try {
      while (rest.length > 0) {
        const count = await this.#sink.write(rest);
        rest = rest.subarray(count);
        this.#progress += count;
        this.#isMidLine = rest.length > 0;
      }
      return true;
    } catch {
      return false; // For example, the disk is full, or the reader has closed the pipe.
    }
  }
}
