/** Shows the progress of uploads and downloads at a terminal. */
import type { Values } from "../../lib/client/request/values.ts";
import { type FileInput, isOfType } from "../../lib/operation/operation.ts";
import type { CommandContext } from "../commands/command.ts";
import type { Output } from "../io/io.ts";
import { describeTransfer, ProgressBar } from "./progress.ts";

/** The progress line of one transfer. */
export class TransferLine implements Disposable {
  readonly #bar: ProgressBar;
  readonly #total?: number;
  #done = 0;
  #started = performance.now();

  /** Creates the line. `total` is the number of bytes, if it is known. */
  constructor(output: Output, total: number | undefined) {
    this.#bar = new ProgressBar(output);
    this.#total = total;
  }

  /** Restarts at zero. */
  restart(): void {
    this.#done = 0;
    this.#started = performance.now();
  }

  /** Adds transferred bytes. */
  add(bytes: number): void {
    this.#done += bytes;
    const seconds = (performance.now() - this.#started) / 1000;
    this.#bar.show(() => describeTransfer(this.#done, seconds > 0 ? this.#done / seconds : 0, this.#total));
  }

  /** Removes the line. */
  [Symbol.dispose](): void {
    this.#bar.clear();
  }
}

/** Creates the progress line of a transfer, or returns undefined if stderr is not a terminal. */
export function createTransferLine(
  { globals, io }: CommandContext,
  total: number | undefined,
): TransferLine | undefined {
  return !globals.quiet && io.stderr.isTerminal() ? new TransferLine(io.stderr, total) : undefined;
}

/** Shows the progress of the file among the values until `send` is finished. */
export async function watchUpload<T>(
  context: CommandContext,
  values: Values,
  send: (values: Values) => Promise<T>,
): Promise<T> {
  const isFile = (entry: [string, unknown]): entry is [string, FileInput] => isOfType("file", entry[1]);
  const [name, file] = Object.entries(values).find(isFile) ?? [];
  using line = file && createTransferLine(context, file.size);
  return await send(name && line ? { ...values, [name]: trackFile(file, line) } : values);
}

/** Returns the file with a stream that updates the line. */
function trackFile(file: FileInput, line: TransferLine): FileInput {
  return {
    name: file.name,
    size: file.size,
    type: file.type,
    stream() {
      line.restart();
      const count = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          line.add(chunk.length);
          controller.enqueue(chunk);
        },
      });
      return file.stream().pipeThrough(count);
    },
  };
}
