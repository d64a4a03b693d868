/** The process of a command: streams, environment and signals. Tests and embedding programs provide their own. */
import type { Fetch } from "../../lib/auth/settings.ts";
import { onAbort } from "../../utils/async/abort.ts";

/** An output stream. */
export interface Output {
  /** Writes text. Throws `OutputClosed` if the reader has closed the stream. */
  write(text: string): void;
  /** Writes bytes. Throws `OutputClosed` if the reader has closed the stream. */
  writeBytes(bytes: Uint8Array): void;
  /** Writes without blocking the process while nothing reads. Missing if `write` and `writeBytes` never block. */
  writeAsync?(chunk: string | Uint8Array): Promise<void>;
  /**
   * Lets `write` return at once from now on: text waits in a queue, and is dropped if the queue is full. Missing if `write`
   * never blocks.
   */
  startQueue?(describeDropped?: (count: number) => string): void;
  /** Waits until the queue is written, unless nothing reads. */
  flush?(): Promise<void>;
  /** Returns true for a terminal. */
  isTerminal(): boolean;
  /** Returns the width of the terminal in columns, or undefined if the output is not a terminal. */
  columns(): number | undefined;
  /** Returns the height of the terminal in rows. Missing or undefined if long results must not be shown in a pager. */
  rows?(): number | undefined;
}

/** An input stream, for payloads and prompts. */
export interface Input {
  /** Returns true for a terminal. */
  isTerminal(): boolean;
  /** The bytes. They can be read once. */
  readonly readable: ReadableStream<Uint8Array>;
  /** Makes a terminal deliver each key at once, without showing it. Missing if that is not possible. */
  setRaw?(isRaw: boolean): void;
}

/** The process of a command. */
export interface Io {
  /** Standard input. */
  readonly stdin: Input;
  /** Standard output, for results only. */
  readonly stdout: Output;
  /** Standard error, for errors, warnings, progress and prompts. That of the process never throws. */
  readonly stderr: Output;
  /** Returns a variable such as `NO_COLOR`. Settings of the service are always read from the environment of the process. */
  env(name: string): string | undefined;
  /** Calls the listener when the user interrupts the command (Ctrl-C). */
  onInterrupt(listener: () => void): void;
  /** Calls the listener when the process is asked to stop (SIGTERM). Without a listener the process stops at once. */
  onTerminate?(listener: () => void): void;
  /** Lets a write beyond the limit of file sizes (`ulimit -f`) fail. Otherwise it ends the process. */
  failBeyondFileSizeLimit?(): void;
  /** Sends requests instead of the global `fetch`. */
  readonly fetch?: Fetch;
  /** Removes all listeners when the command has ended. */
  stopListening?(): void;
}

/** Thrown by an output whose reader has closed it, as in `svc … | head -1`. The command then ends with 0. */
export class OutputClosed extends Error {
  /** The name of the class. */
  override readonly name = "OutputClosed";
}

/** Milliseconds for which an interrupted command waits for the reader of its output. */
const PATIENCE = 1000;

/**
 * Writes a result, and waits for the reader without blocking the process. After the signal aborts, throws its reason if the
 * reader does not continue soon.
 */
export async function writeWaiting(output: Output, chunk: string | Uint8Array, signal: AbortSignal): Promise<void> {
  if (output.writeAsync === undefined) {
    return typeof chunk === "string" ? output.write(chunk) : output.writeBytes(chunk);
  }
  const written = output.writeAsync(chunk);
  const stalled = Promise.withResolvers<never>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  using _listening = onAbort(signal, () => timer = setTimeout(() => stalled.reject(signal.reason), PATIENCE));
  await Promise.race([written, stalled.promise]).finally(() => clearTimeout(timer));
}

/** Writes optional output. The command continues if the output is closed. */
export async function evenUnread(write: () => void | Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error;
  }
}
