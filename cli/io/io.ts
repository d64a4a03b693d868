/** The process around a command: its streams, its environment and the wish to stop. Tests and embedders bring their own. */

/** Where text goes. */
export interface Output {
  /** Writes all of it; throws `OutputClosed` when nobody reads any more. */
  write(text: string): void;
  /** Writes all of it as it is; throws `OutputClosed` when nobody reads any more. */
  writeBytes(bytes: Uint8Array): void;
  /** Whether a person reads it at a terminal. */
  isTerminal(): boolean;
  /** Width of the terminal in columns; undefined where there is none. */
  columns(): number | undefined;
}

/** Where payloads and answers to prompts come from. */
export interface Input {
  /** Whether a person types it at a terminal. */
  isTerminal(): boolean;
  /** The bytes, as they arrive; can be read once. */
  readonly readable: ReadableStream<Uint8Array>;
}

/** The process around a command. */
export interface Io {
  /** Standard input. */
  readonly stdin: Input;
  /** Standard output: results alone. */
  readonly stdout: Output;
  /** Standard error: errors, warnings, progress, prompts. That of a process does not throw: what it says ends no call. */
  readonly stderr: Output;
  /** The value of `NO_COLOR` or `SVC_DEBUG`. Service, user and profile are always looked for in the process's own. */
  env(name: string): string | undefined;
  /** Calls back when the person interrupts (Ctrl-C). */
  onInterrupt(listener: () => void): void;
  /** Calls back when the process is to end (SIGTERM); without a listener it ends at once. */
  onTerminate?(listener: () => void): void;
  /** Calls nobody back any more: the command has ended. */
  stopListening?(): void;
}

/** What an output throws whose reader has gone, as in `svc … | head -1`: the command then ends with 0. */
export class OutputClosed extends Error {
  /** The class's name, as it shows in a log. */
  override readonly name = "OutputClosed";
}

/** Writes what the end of a command does not depend on: where nobody reads it, the command goes on. */
export async function evenUnread(write: () => void | Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error;
  }
}
