/** The streams of a command line that runs in the process of its caller. */
import type { Io, Output } from "../../cli/io/io.ts";

/** Environment of a command line whose output is captured. */
export interface Surroundings {
  /** Makes stdin, stdout and stderr a terminal. Default: false. */
  readonly terminal?: boolean;
  /** Redirects stdout to a file, although the rest is a terminal. Default: false. */
  readonly redirects?: boolean;
  /** Width of the terminal. Default: 80. */
  readonly columns?: number;
  /** Environment, except for the authentication, which reads that of the process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Aborts when the user presses Ctrl-C. */
  readonly interruption?: AbortSignal;
}

/** Creates streams that append what is written to them to a record. */
export function createCapturedIo(
  captured: { stdout: string; stderr: string },
  { terminal = false, redirects = false, columns = 80, env = {}, interruption }: Surroundings = {},
): Io {
  const isTerminal = (stream: "stdout" | "stderr") => terminal && !(redirects && stream === "stdout");
  const output = (stream: "stdout" | "stderr", decoder = new TextDecoder()): Output => ({
    write: (text) => {
      captured[stream] += text;
    },
    writeBytes: (bytes) => {
      captured[stream] += decoder.decode(bytes, { stream: true });
    },
    isTerminal: () => isTerminal(stream),
    columns: () => isTerminal(stream) ? columns : undefined,
  });
  return {
    stdin: { isTerminal: () => terminal, readable: new ReadableStream({ start: (controller) => controller.close() }) },
    stdout: output("stdout"),
    stderr: output("stderr"),
    env: (name) => env[name],
    onInterrupt: (listener) => interruption?.addEventListener("abort", listener, { once: true }),
  };
}
