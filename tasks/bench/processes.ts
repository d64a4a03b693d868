/** Programs that are measured: whole processes by their time, those of this folder by the number that they print. */
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
  const { success, stderr } = await command.output();
  const elapsed = performance.now() - started;
  if (!success) throw new Error(`A measured command failed: ${new TextDecoder().decode(stderr)}`);
  return elapsed;
}

/** Runs a program of this folder on an input; answers the number that it prints. */
export async function numberFrom(name: string, args: readonly string[], input = ""): Promise<number> {
  const script = new URL(name, import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-net", script, ...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const [{ success, stdout, stderr }] = await Promise.all([
    child.output(),
    new Response(input).body?.pipeTo(child.stdin),
  ]);
  if (!success) throw new Error(`${name} failed: ${new TextDecoder().decode(stderr)}`);
  return Number(new TextDecoder().decode(stdout));
}
