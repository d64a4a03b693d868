/** Runs a command line inside the test, at a terminal that is none: what needs a person's screen can be asserted. */
import { main } from "../../cli.ts";
import type { Io, Output } from "../../cli/io/io.ts";

/** The process that the command line believes to be in. */
export interface Surroundings {
  /** Whether stdin, stdout and stderr are a terminal. */
  readonly terminal?: boolean;
  /** Width of the terminal. */
  readonly columns?: number;
  /** Environment; what the authentication reads is the process's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Aborts when the person at it presses Ctrl-C. */
  readonly interruption?: AbortSignal;
}

/** What was written. */
export interface Captured {
  /** Exit code. */
  code: number;
  /** Standard output. */
  stdout: string;
  /** Standard error. */
  stderr: string;
}

/** Streams that keep what is written to them. */
export function capturedIo(captured: Pick<Captured, "stdout" | "stderr">, surroundings: Surroundings = {}): Io {
  const { terminal = false, columns = 80, env = {}, interruption } = surroundings;
  const output = (stream: "stdout" | "stderr"): Output => ({
    write: (text) => {
      captured[stream] += text;
    },
    writeBytes: (bytes) => {
      captured[stream] += new TextDecoder().decode(bytes);
    },
    isTerminal: () => terminal,
    columns: () => terminal ? columns : undefined,
  });
  return {
    stdin: { isTerminal: () => terminal, readable: new ReadableStream({ start: (controller) => controller.close() }) },
    stdout: output("stdout"),
    stderr: output("stderr"),
    env: (name) => env[name],
    onInterrupt: (listener) => interruption?.addEventListener("abort", listener, { once: true }),
  };
}

/** Runs a command line in this process. */
export async function svcHere(args: readonly string[], surroundings: Surroundings = {}): Promise<Captured> {
  const captured: Captured = { code: -1, stdout: "", stderr: "" };
  captured.code = await main(args, capturedIo(captured, surroundings));
  return captured;
}
