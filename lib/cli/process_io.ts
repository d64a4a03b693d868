/** The streams and the environment of this process. */
import { variable } from "../environment.ts";
import { SvcError } from "../errors.ts";
import { type Io, type Output, OutputClosed } from "./io.ts";

/** Listeners for signals, as long as a command runs: who embeds it has the signals to itself again then. */
const listening = new Map<() => void, Deno.Signal>();

/** The streams and the environment of this process. */
export const processIo: Io = {
  stdin: {
    isTerminal: () => Deno.stdin.isTerminal(),
    get readable() {
      return Deno.stdin.readable;
    },
  },
  stdout: outputTo(Deno.stdout, failedResult),
  stderr: outputTo(Deno.stderr, () => {}), // What is said about a call must not end it, and there is nobody to tell.
  env: variable,
  onInterrupt: (listener) => onceOn("SIGINT", listener),
  onTerminate: (listener) => Deno.build.os === "windows" || onceOn("SIGTERM", listener),
  stopListening: () => listening.forEach((_, listener) => stopListening(listener)),
};

/** A second signal, such as a second Ctrl-C, ends the process at once, as if nobody had listened. */
function onceOn(signal: Deno.Signal, listener: () => void): void {
  const once = () => {
    stopListening(once);
    listener();
  };
  listening.set(once, signal);
  Deno.addSignalListener(signal, once);
}

function stopListening(listener: () => void): void {
  const signal = listening.get(listener);
  if (signal !== undefined && listening.delete(listener)) Deno.removeSignalListener(signal, listener);
}

function failedResult(cause: unknown): never {
  if (cause instanceof Deno.errors.BrokenPipe) throw new OutputClosed("Nobody reads the output.", { cause });
  if (!(cause instanceof Error) || cause instanceof Deno.errors.NotCapable) throw cause;
  const reason = cause.message.replace(/ \(os error \d+\)$/, "");
  throw new SvcError("INVALID_ARGS", `Standard output cannot be written: ${reason}.`, {
    cause,
    hint: "Send it somewhere else. A change that was asked for may be made already: read before you repeat it.",
  });
}

function outputTo(stream: typeof Deno.stdout, failed: (reason: unknown) => void): Output {
  const encoder = new TextEncoder();
  const writeBytes = (bytes: Uint8Array) => {
    let rest = bytes;
    try {
      while (rest.length > 0) rest = rest.subarray(stream.writeSync(rest));
    } catch (error) {
      failed(error);
    }
  };
  return {
    write: (text) => writeBytes(encoder.encode(text)),
    writeBytes,
    isTerminal: () => stream.isTerminal(),
    // A terminal of unknown width says 0.
    columns: () => stream.isTerminal() ? Deno.consoleSize().columns || undefined : undefined,
  };
}
