/** Writes the results of a batch to an output whose reader may be slow or stop reading. */
import { type Output, writeWaiting } from "./io.ts";

/** Number of waiting characters from which `write` waits for the reader. */
const CAPACITY = 64 * 1024;

/** Options of a `ResultOutput`. */
export interface ResultOutputOptions {
  /** Stops the wait for the reader. */
  readonly signal: AbortSignal;
  /** Called when the output cannot be written. `write` and `flush` throw the reason from then on. */
  readonly onFailure: () => void;
}

/** Writes results one after another. Those that arrive during a write are written together, which costs much less. */
export class ResultOutput {
  readonly #output: Output;
  readonly #options: ResultOutputOptions;
  #waiting = "";
  #writing: Promise<void> | undefined;
  #failure: { readonly reason: unknown } | undefined;

  constructor(output: Output, options: ResultOutputOptions) {
    this.#output = output;
    this.#options = options;
  }

  /** Adds a result. Waits for the reader only if many results wait. */
  async write(text: string): Promise<void> {
    this.#waiting += text;
    this.#writing ??= this.#writeWaiting();
    if (this.#waiting.length > CAPACITY) await this.#writing;
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  /** Waits until all results are written. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  async #writeWaiting(): Promise<void> {
    try {
      while (this.#waiting !== "") {
        const text = this.#waiting;
        this.#waiting = "";
        await writeWaiting(this.#output, text, this.#options.signal);
      }
      this.#writing = undefined;
    } catch (reason) {
      this.#failure = { reason };
      this.#options.onFailure();
    }
  }
}
