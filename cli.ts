/**
 * The command line. `deno install` and `deno run` start here; a program of its own can run command lines with `main`.
 *
 * @module
 */
import type { Io } from "./lib/cli/io.ts";
import { VERSION } from "./lib/version.ts";

export type { Input, Io, Output } from "./lib/cli/io.ts";

/**
 * Runs a command line and gives its exit code. Without streams of your own it uses those of the process.
 *
 * @example
 * ```ts ignore
 * import { main } from "@svc/lib/cli";
 *
 * const code = await main(["cases", "get", "ACME-WORK C-1", "--format", "yaml"]);
 * ```
 */
export async function main(args: readonly string[], io?: Io): Promise<number> {
  // Everything is loaded by what needs it: the version needs nothing.
  const { main } = await import("./lib/cli/main.ts");
  return await main(args, io ?? (await import("./lib/cli/process_io.ts")).processIo);
}

if (import.meta.main) {
  if (Deno.args[0] === "--version") console.log(VERSION);
  else Deno.exit(await main(Deno.args));
}
