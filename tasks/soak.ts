/**
 * Disturbs and loads the service, the client and the workflow runner for a long time, and verifies that they keep their
 * promises: `deno task soak [--only <name,…>] [--seed <n>] [--scale <0.0001 to 1>] [--ignore-limits] [--list]`.
 *
 * --ignore-limits reports times and memory without judging them.
 *
 * Prints a table with one row per scenario. Exits with 1 if a target is missed. See docs/reliability.md.
 */
import { parseArgs } from "node:util";
import { build, PROGRAM } from "./build.ts";
import { type FinishedScenario, renderResults, renderScenarios } from "./soak/report.ts";
import type { Scenario, SoakOptions, SoakResult } from "./soak/scenario.ts";
import { scenarios } from "./soak/scenarios.ts";
import { readNumber } from "./support/read_number.ts";
import { createSeed, SeededRandom } from "./support/seeded_random.ts";
import { closeOnInterrupt } from "./support/workspace.ts";

const USAGE = "Usage: deno task soak [--only <name,…>] [--seed <n>] [--scale <0.0001 to 1>] [--ignore-limits] [--list]";
const MAX_SHOWN_FAULTS = 20;

const options = readOptions();
if (options.list) console.log(await renderScenarios(options.scenarios, options.scale));
else await soak(options);

/** Options of the command line. */
interface Options {
  readonly scenarios: readonly Scenario[];
  readonly seed: number;
  readonly scale: number;
  readonly ignoresLimits: boolean;
  readonly list: boolean;
}

async function soak({ scenarios, seed, scale, ignoresLimits }: Options): Promise<void> {
  closeOnInterrupt();
  const interruption = new AbortController();
  Deno.addSignalListener("SIGINT", () => interruption.abort());
  const program = await findProgram();
  const finished: FinishedScenario[] = [];
  for (const scenario of scenarios) {
    console.error(`${scenario.name}: ${scenario.what}. Repeat: ${formatCommand(scenario, seed, scale)}`);
    const started = performance.now();
    const result = await runScenario(scenario, { seed, scale, ignoresLimits, program, signal: interruption.signal });
    finished.push({ scenario, result, seed, duration: performance.now() - started });
    if (result.skipped !== undefined) console.error(`${scenario.name}: skipped: ${result.skipped}`);
    if (!result.ok) printFaults(scenario, result, seed, scale);
  }
  console.log(await renderResults(finished));
  Deno.exitCode = finished.every(({ result }) => result.ok) ? 0 : 1;
}

/** Runs a scenario. An error counts as a missed target, so that the other scenarios still run. */
async function runScenario(
  scenario: Scenario,
  { seed, ...options }: Omit<SoakOptions, "random" | "onProgress"> & { readonly seed: number },
): Promise<SoakResult> {
  const onProgress = (text: string) => console.error(`${scenario.name}: ${text}`);
  try {
    return await scenario.run({ ...options, random: new SeededRandom(seed), onProgress });
  } catch (error) {
    const text = error instanceof Error ? error.stack ?? error.message : String(error);
    return { measured: "ended with an error", ok: false, details: [text] };
  }
}

/** Returns the path of the built program. `deno task test` has built it already. */
async function findProgram(): Promise<string> {
  const built = Deno.env.get("SVC_TEST_PROGRAM");
  if (built === undefined) await build();
  return built ?? PROGRAM;
}

function printFaults(scenario: Scenario, { details }: SoakResult, seed: number, scale: number): void {
  console.error(`${scenario.name}: missed. Repeat: ${formatCommand(scenario, seed, scale)}`);
  for (const fault of details.slice(0, MAX_SHOWN_FAULTS)) console.error(`  ${fault}`);
  if (details.length > MAX_SHOWN_FAULTS) console.error(`  … and ${details.length - MAX_SHOWN_FAULTS} more`);
}

function formatCommand({ name }: Scenario, seed: number, scale: number): string {
  return `deno task soak --only ${name} --seed ${seed} --scale ${scale}`;
}

function readOptions(): Options {
  try {
    const { values } = parseArgs({
      args: Deno.args,
      options: {
        only: { type: "string" },
        seed: { type: "string" },
        scale: { type: "string" },
        "ignore-limits": { type: "boolean", default: false },
        list: { type: "boolean", default: false },
      },
    });
    return {
      scenarios: selectScenarios(values.only),
      seed: readNumber("--seed", values.seed, { min: 0, max: 2 ** 32 - 1, isInteger: true }) ?? createSeed(),
      scale: readNumber("--scale", values.scale, { min: 0.0001, max: 1 }) ?? 1,
      ignoresLimits: values["ignore-limits"],
      list: values.list,
    };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    Deno.exit(2);
  }
}

function selectScenarios(only: string | undefined): readonly Scenario[] {
  if (only === undefined) return scenarios;
  return only.split(",").map((name) => {
    const found = scenarios.find((scenario) => scenario.name === name);
    if (found !== undefined) return found;
    throw new Error(`There is no scenario '${name}'. Scenarios: ${scenarios.map(({ name }) => name).join(", ")}.`);
  });
}
