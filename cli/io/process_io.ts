/** The streams, the environment and the signals of this process. */
import { readVariableIfAllowed } from "../../lib/auth/environment.ts";
import { SvcError } from "../../lib/errors.ts";
import { OutputQueue } from "../../utils/async/output_queue.ts";
import { type Io, type Output, OutputClosed } from "./io.ts";

/** Returns the streams and the environment of this process for one command. */
export function processIo(): Io {
  const signals = new SignalListeners();
  return {
    stdin: {
      isTerminal: () => Deno.stdin.isTerminal(),
      get readable() {
        return Deno.stdin.readable;
      },
      // Windows has no mode in which Ctrl-C still interrupts.
      setRaw: (isRaw) => Deno.stdin.setRaw(isRaw, { cbreak: isRaw && Deno.build.os !== "windows" }),
    },
    stdout: createOutput(Deno.stdout, throwOutputError),
    stderr: createOutput(Deno.stderr, () => {}), // A message that cannot be written must not stop the call.
    env: readVariableIfAllowed,
    onInterrupt: (listener) => signals.once("SIGINT", listener),
    // Not SIGHUP: a listener would undo `nohup`, and stop a command that should survive its terminal.
    onTerminate: (listener) => Deno.build.os === "windows" || signals.once("SIGTERM", listener),
    failBeyondFileSizeLimit,
    stopListening: () => signals.removeAll(),
  };
}

let isSizeLimitHandled = false;

/** Keeps the signal of a write beyond the limit from ending the process. The last writes come after the command has ended. */
function failBeyondFileSizeLimit(): void {
  if (isSizeLimitHandled || Deno.build.os === "windows") return;
  isSizeLimitHandled = true;
  Deno.addSignalListener("SIGXFSZ", () => {});
}

/** The signal listeners of one command. They are removed when it ends, because an embedding program has its own. */
class SignalListeners {
  readonly #signals = new Map<() => void, Deno.Signal>();

  /** Calls the listener once. A second signal, such as a second Ctrl-C, stops the process at once. */
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

function throwOutputError(cause: unknown): never {
  if (cause instanceof Deno.errors.BrokenPipe) throw new OutputClosed("The reader has closed the output.", { cause });
  if (!(cause instanceof Error) || cause instanceof Deno.errors.NotCapable) throw cause;
  const reason = cause.message.replace(/ \(os error \d+\)$/, "");
  throw new SvcError("OUTPUT_FAILED", `Standard output cannot be written: ${reason}.`, {
    cause,
    hint: "Redirect it elsewhere. The requested change may have been applied: check before you repeat it.",
  });
}

function createOutput(stream: typeof Deno.stdout, onError: (reason: unknown) => void): Output {
  const encoder = new TextEncoder();
  let queue: OutputQueue | undefined;
  const writeBytes = (bytes: Uint8Array) => {
    let rest = bytes;
    try {
      while (rest.length > 0) rest = rest.subarray(stream.writeSync(rest));
    } catch (error) {
      onError(error);
    }
  };
  return {
    write: (text) => queue === undefined ? writeBytes(encoder.encode(text)) : queue.write(text),
    writeBytes,
    async writeAsync(chunk) {
      let rest = typeof chunk === "string" ? encoder.encode(chunk) : chunk;
      try {
        while (rest.length > 0) rest = rest.subarray(await stream.write(rest));
      } catch (error) {
        onError(error);
      }
    },
    startQueue: (describeDropped) => void (queue ??= new OutputQueue(stream, describeDropped)),
    flush: async () => await queue?.flush(),
    isTerminal: () => stream.isTerminal(),
    // The size of a terminal of unknown width is 0.
    columns: () => stream.isTerminal() ? Deno.consoleSize().columns || undefined : undefined,
    rows: () => stream.isTerminal() ? Deno.consoleSize().rows || undefined : undefined,
  };
}
