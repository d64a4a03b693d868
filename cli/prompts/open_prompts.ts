/** Opens prompts on the terminal of this process. */
import { SvcError } from "../../lib/errors.ts";
import { hasColor } from "../context.ts";
import type { Io } from "../io/io.ts";
import type { Prompts } from "./prompts.ts";

/** Reports whether an error says that the user has cancelled a prompt or a call. */
export function isCancellation(error: unknown): boolean {
  return error instanceof SvcError && error.code === "INTERRUPTED";
}

/** Returns prompts that read stdin and write to stderr. */
export async function openPrompts(io: Io): Promise<Prompts> {
  const { default: process } = await import("node:process");
  const depth = hasColor(io.stderr, io) ? 4 : 1;
  // Otherwise, the library reads environment variables that svc may not read, already when it is imported.
  process.stdout.getColorDepth = () => depth;
  const { Prompts } = await import("./prompts.ts");
  return new Prompts({ input: process.stdin, output: process.stderr });
}
