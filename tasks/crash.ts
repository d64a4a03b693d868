/**
 * Kills the runner, its sandboxes and the service at random moments while a batch runs, and proves that each input has
 * left exactly what it leaves undisturbed: `deno task crash --kills <n> [--seed <n>]`.
 *
 * Ends with 1 unless nothing is lost, nothing is repeated, and all results are the same. docs/reliability.md has more.
 */
import { build, PROGRAM } from "./build.ts";
import { crash } from "./crash/crash.ts";
import { anySeed } from "./crash/dice.ts";
import { faultsOf } from "./crash/judgement.ts";
import { renderReport } from "./crash/report.ts";

/** Faults that are shown. */
const SHOWN = 50;

const seed = numberOf("--seed") ?? anySeed();
const kills = numberOf("--kills") ?? 60;
console.log(`Seed ${seed}`);
await build();
const report = await crash({ kills, seed, program: PROGRAM, onProgress: (text) => console.error(text) });
const faults = faultsOf(report.judgement);
for (const fault of faults.slice(0, SHOWN)) console.error(fault);
if (faults.length > SHOWN) console.error(`… and ${faults.length - SHOWN} more`);
console.log((await renderReport(report)).trimEnd());
Deno.exitCode = faults.length === 0 ? 0 : 1;

/** The number that follows a flag. */
function numberOf(flag: string): number | undefined {
  const place = Deno.args.indexOf(flag);
  if (place < 0) return undefined;
  const number = Number(Deno.args[place + 1]);
  if (Number.isInteger(number) && number >= 0) return number;
  console.error(`What ${flag}? deno task crash --kills <n> [--seed <n>]`);
  Deno.exit(2);
}
