/**
 * The command line. `deno install` and `deno run` start here. A program can run command lines with `main`.
 *
 * @module
 */
import type { Io } from "./cli/io/io.ts";
import { toSvcError } from "./lib/errors.ts";
import { VERSION } from "./lib/version.ts";

export { type Input, type Io, type Output, OutputClosed } from "./cli/io/io.ts";

/**
 * Runs a command line and returns its exit code. By default it uses the streams of the process.
 *
 * @example
 * ```ts
 * import { main } from "@svc/lib/cli";
 *
 * const code = await main(["case-types", "list", "--format", "yaml"]);
 * if (code !== 0) throw new Error(`It ended with ${code}.`);
 * ```
 *
 * @example Capturing the output
 * ```ts
 * import { main, type Output } from "@svc/lib/cli";
 *
 * let printed = "";
 * const stdout: Output = {
 *   write: (text) => void (printed += text),
 *   writeBytes: (bytes) => void (printed += new TextDecoder().decode(bytes)),
 *   isTerminal: () => false,
 *   columns: () => undefined,
 * };
 * const stdin = { isTerminal: () => false, readable: new Blob([]).stream() };
 * const env = (name: string) => Deno.env.get(name);
 * await main(["case-types", "list"], { stdin, stdout, stderr: stdout, env, onInterrupt() {} });
 * console.log(printed.length);
 * ```
 */
export async function main(args: readonly string[], io?: Io): Promise<number> {
  if (args[0] === "--version") { // Nothing else is loaded for it.
    try {
      io ? io.stdout.write(VERSION + "\n") : console.log(VERSION);
      return 0;
    } catch {
      // The attempt below reports why the output cannot be written.
    }
  }
  const { runCommandLine } = await import("./cli/main.ts");
  return await runCommandLine(args, io);
}

if (import.meta.main) Deno.exit(await main(Deno.args).catch(reportUnloaded));

/** Reports that the program itself could not be loaded. */
function reportUnloaded(thrown: unknown): number {
  console.error(JSON.stringify({ error: toSvcError(thrown) }));
  return 1;
}
