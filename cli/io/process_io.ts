/** The streams and the environment of this process. */
import { readVariable } from "../../lib/auth/environment.ts";
import { SvcError } from "../../lib/errors.ts";
import { type Io, type Output, OutputClosed } from "./io.ts";

/** The streams and the environment of this process, for one command: its listeners go with it. */
export function processIo(): Io {
  const signals = new SignalListeners();
  return {
    stdin: {
      isTerminal: () => Deno.stdin.isTerminal(),
      get readable() {
        return Deno.stdin.readable;
      },
    },
    stdout: outputTo(Deno.stdout, failedResult),
    stderr: outputTo(Deno.stderr, () => {}), // What is said about a call must not end it, and there is nobody to tell.
    env: readVariable,
    onInterrupt: (listener) => signals.once("SIGINT", listener),
    // Not SIGHUP: who listens to it undoes `nohup`, and what was to go on behind a closed terminal would end with it.
    onTerminate: (listener) => Deno.build.os === "windows" || signals.once("SIGTERM", listener),
    stopListening: () => signals.removeAll(),
  };
}

/** Listeners of a command: a program that runs one has the signals to itself again when it has ended. */
class SignalListeners {
  readonly #signals = new Map<() => void, Deno.Signal>();

  /** Calls back once. A second signal, such as a second Ctrl-C, ends the process at once, as if nobody had listened. */
  once(signal: Deno.Signal, listener: () => void): void {
    const once = () => {
      this.#remove(once);
      listener();
    };
    this.#signals.set(once, signal);
    Deno.addSignalListener(signal, once);
  }

  removeAll(): void {
    for (const listener of this.#signals.keys()) this.#remove(listener);
  }

  #remove(listener: () => void): void {
    const signal = this.#signals.get(listener);
    if (signal !== undefined && this.#signals.delete(listener)) Deno.removeSignalListener(signal, listener);
  }
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
