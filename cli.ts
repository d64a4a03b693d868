/**
 * The command line. `deno install` and `deno run` start here; a program of its own can run command lines with `main`.
 *
 * @module
 */
import type { Io } from "./cli/io/io.ts";
import { toSvcError } from "./lib/errors.ts";
import { VERSION } from "./lib/version.ts";

export { type Input, type Io, type Output, OutputClosed } from "./cli/io/io.ts";

/**
 * Runs a command line and gives its exit code. Without streams of your own it uses those of the process.
 *
 * @example
 * ```ts
 * import { main } from "@svc/lib/cli";
 *
 * const code = await main(["case-types", "list", "--format", "yaml"]);
 * if (code !== 0) throw new Error(`It ended with ${code}.`);
 * ```
 *
 * @example Keeping what it prints
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
      // It is written again below, where it is told what is wrong with the output.
    }
  }
  const { main } = await import("./cli/main.ts");
  return await main(args, io);
}

if (import.meta.main) Deno.exit(await main(Deno.args).catch(reportUnloaded));

/** What could not even be loaded has no other way to stderr. */
function reportUnloaded(thrown: unknown): number {
  console.error(JSON.stringify({ error: toSvcError(thrown) }));
  return 1;
}
