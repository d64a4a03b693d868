import { fileURLToPath } from "node:url";
import { runForOutput } from "../support/workspace.ts";
import { median } from "./figure.ts";

/**
 * Runs two commands alternately, so that a noisy machine affects both equally. Returns the median milliseconds of each.
 * Throws if one fails.
 */
export async function timeProcesses(ours: Deno.Command, theirs: Deno.Command, runs: number): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  const warmUps = 2;
  for (let run = 0; run < runs + warmUps; run++) {
    const pair = [await timeProcess(ours), await timeProcess(theirs)] as const;
    if (run < warmUps) continue;
    times[0].push(pair[0]);
    times[1].push(pair[1]);
  }
  return [median(times[0]), median(times[1])];
}

/** Returns the milliseconds until a command has ended. Throws if it fails. */
export async function timeProcess(command: Deno.Command): Promise<number> {
  const started = performance.now();
  await runForOutput(command);
  return performance.now() - started;
}

/** Runs a program of this folder and returns the number that it prints. */
export async function runForNumber(name: string, args: readonly string[]): Promise<number> {
  return Number(await runForOutput(createProgram(name, args), name));
}

/** Creates the command of a program of this folder, with the network permission and the given ones. */
export function createProgram(
  name: string,
  args: readonly string[],
  options: Deno.CommandOptions = {},
  permissions: readonly string[] = [],
): Deno.Command {
  const script = fileURLToPath(new URL(name, import.meta.url));
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-net", ...permissions, script, ...args],
    ...options,
  });
}
