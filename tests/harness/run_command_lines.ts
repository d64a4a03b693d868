/**
 * The program of a `CommandProcess`: runs command lines of the `svc` that its argument names. Reads each as a line of JSON
 * from standard input, and prints its result as a line of JSON.
 */
import { pathToFileURL } from "node:url";
import { readLines } from "../../workflows/inputs/lines.ts";
import { createCapturedIo } from "./captured_io.ts";
import type { CommandRequest } from "./command_process.ts";

const { main }: typeof import("../../cli.ts") = await import(pathToFileURL(Deno.args[0] ?? "").href);
const directory = Deno.cwd();

/** Runs a command line in its working directory and with its environment. */
async function runCommandLine({ args, env, cwd = directory }: CommandRequest): Promise<string> {
  Deno.chdir(cwd);
  for (const [name, value] of Object.entries(env)) Deno.env.set(name, value);
  const captured = { stdout: "", stderr: "" };
  const code = await main(args, createCapturedIo(captured, { env }));
  for (const name of Object.keys(env)) Deno.env.delete(name);
  return JSON.stringify({ code, ...captured }) + "\n";
}

for await (const { text = "" } of readLines(Deno.stdin.readable)) {
  let rest = new TextEncoder().encode(await runCommandLine(JSON.parse(text)));
  while (rest.length > 0) rest = rest.subarray(Deno.stdout.writeSync(rest));
}
