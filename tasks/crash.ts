/**
 * Kills the runner, its sandboxes and the service at random times while a batch runs, and proves that each input has
 * exactly the effects of an undisturbed one: `deno task crash --kills <n> [--seed <n>]`.
 *
 * Exits with 1 if an effect is lost or repeated, or a result differs. See docs/reliability.md.
 */
import { build, PROGRAM } from "./build.ts";
import { crash } from "./crash/crash.ts";
import { renderReport } from "./crash/report.ts";
import { createSeed } from "./support/seeded_random.ts";
import { listFaults } from "./crash/verdict.ts";

const MAX_SHOWN_FAULTS = 50;

const seed = readNumber("--seed") ?? createSeed();
const kills = readNumber("--kills") ?? 60;
console.log(`Seed ${seed}`);
await build();
const report = await crash({ kills, seed, program: PROGRAM, onProgress: (text) => console.error(text) });
const faults = listFaults(report.verdict);
for (const fault of faults.slice(0, MAX_SHOWN_FAULTS)) console.error(fault);
if (faults.length > MAX_SHOWN_FAULTS) console.error(`… and ${faults.length - MAX_SHOWN_FAULTS} more`);
console.log((await renderReport(report)).trimEnd());
Deno.exitCode = faults.length === 0 ? 0 : 1;

/** Reads the number after a flag. */
function readNumber(flag: string): number | undefined {
  const place = Deno.args.indexOf(flag);
  if (place < 0) return undefined;
  const number = Number(Deno.args[place + 1]);
  if (Number.isInteger(number) && number >= 0) return number;
  console.error(`${flag} needs a number. Usage: deno task crash --kills <n> [--seed <n>]`);
  Deno.exit(2);
}
