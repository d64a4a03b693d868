/** One run of the command line: arguments in, exit code out. */
import { toSvcError } from "../lib/errors.ts";
import { takeApart } from "./args/argv.ts";
import { runCommandLine } from "./command_line.ts";
import { type Io, OutputClosed } from "./io/io.ts";
import { processIo } from "./io/process_io.ts";

/** Runs a command line. Results go to stdout, everything else to stderr; the exit code says how it ended. */
export async function main(args: readonly string[], io: Io = processIo()): Promise<number> {
  try {
    await runCommandLine(takeApart(args), io);
    return 0;
  } catch (thrown) {
    if (thrown instanceof OutputClosed) return 0; // `svc … | head -1`: the reader has what it wanted.
    return report(await import("./exit.ts"), thrown, io);
  } finally {
    io.stopListening?.();
  }
}

function report({ exitCodeOf, writeError }: typeof import("./exit.ts"), thrown: unknown, io: Io): number {
  const error = toSvcError(thrown);
  try {
    writeError(error, io);
  } catch (failure) {
    if (!(failure instanceof OutputClosed)) throw failure; // Nobody reads stderr: the exit code has to do.
  }
  return exitCodeOf(error);
}
