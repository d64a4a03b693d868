/**
 * The command line. `deno install` and `deno run` start here; a program of its own can run command lines with `main`.
 *
 * @module
 */
import type { Io } from "./lib/cli/io.ts";
import { importUnseen } from "./lib/import_unseen.ts";
import { toSvcError } from "./lib/errors.ts";
import { VERSION } from "./lib/version.ts";

export type { Input, Io, Output } from "./lib/cli/io.ts";

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
 */
export async function main(args: readonly string[], io?: Io): Promise<number> {
  if (args[0] === "--version") return tellVersion(io); // Nothing else is loaded for it.
  const { main } = await importUnseen<typeof import("./lib/cli/main.ts")>("lib/cli/main.ts");
  return await main(args, io);
}

if (import.meta.main) Deno.exit(await main(Deno.args).catch(reportUnloaded));

function tellVersion(io?: Io): number {
  if (io) io.stdout.write(VERSION + "\n");
  else console.log(VERSION);
  return 0;
}

/** What could not even be loaded has no other way to stderr. */
function reportUnloaded(thrown: unknown): number {
  console.error(JSON.stringify({ error: toSvcError(thrown) }));
  return 1;
}
