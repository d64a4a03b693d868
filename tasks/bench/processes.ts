/** Programs that are measured: whole processes by their time, those of this folder by the number that they print. */
import { fileURLToPath } from "node:url";
import { printed } from "../workspace.ts";
import { median } from "./figure.ts";

/**
 * Median milliseconds of two commands over some runs each, turn and turn about, so that a noisy machine treats both
 * alike; throws where one fails.
 */
export async function timeProcesses(ours: Deno.Command, theirs: Deno.Command, runs: number): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  const warmUps = 2;
  for (let run = 0; run < runs + warmUps; run++) {
    const pair = [await timeOne(ours), await timeOne(theirs)] as const;
    if (run < warmUps) continue;
    times[0].push(pair[0]);
    times[1].push(pair[1]);
  }
  return [median(times[0]), median(times[1])];
}

async function timeOne(command: Deno.Command): Promise<number> {
  const started = performance.now();
  await printed(command);
  return performance.now() - started;
}

/** Runs a program of this folder; answers the number that it prints. */
export async function numberFrom(name: string, args: readonly string[]): Promise<number> {
  return Number(await printed(programOf(name, args), name));
}

/** A program of this folder; it may use the network, and what else is granted. */
export function programOf(
  name: string,
  args: readonly string[],
  options: Deno.CommandOptions = {},
  grants: readonly string[] = [],
): Deno.Command {
  const script = fileURLToPath(new URL(name, import.meta.url));
  return new Deno.Command(Deno.execPath(), { args: ["run", "--allow-net", ...grants, script, ...args], ...options });
}
