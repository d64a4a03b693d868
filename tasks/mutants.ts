/**
 * Changes the sources at random, runs the tests that execute the changed line, and prints the changes that no test notices:
 * `deno task mutants [--count <n>] [--seed <n>] [--from <n>] [--only <subject,…>]`.
 *
 * A seed always gives the same mutants in the same order. `--from` continues a run: it is the number of its first mutant.
 * Mutants that do not compile are skipped. Exits with 1 if fewer than 90 % are noticed.
 */
import { parseArgs } from "node:util";
import { type Subject, SUBJECTS } from "./mutants/subjects.ts";
import { type TriedMutant, tryMutants } from "./mutants/try_mutants.ts";
import { CHECKOUT } from "./support/copy_checkout.ts";
import { readNumber } from "./support/read_number.ts";
import { createSeed } from "./support/seeded_random.ts";

const USAGE = `Usage: deno task mutants [--count <n>] [--seed <n>] [--from <n>] [--only <subject,…>]
Subjects: ${SUBJECTS.map(({ name }) => name).join(", ")}`;

/** Smallest share of noticed mutants. */
const MIN_SHARE = 0.9;

const MAX_SEED = 2 ** 32 - 1;

/** Options of the command line. */
interface Options {
  readonly subjects: readonly [Subject, ...Subject[]];
  readonly only?: string;
  readonly count: number;
  readonly seed: number;
  readonly from: number;
}

try {
  await tryAll(readOptions());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  Deno.exitCode = 2;
}

async function tryAll({ only, ...options }: Options): Promise<void> {
  const interruption = new AbortController();
  Deno.addSignalListener("SIGINT", () => interruption.abort());
  Deno.env.delete("SVC_TEST_PROGRAM"); // The tests must run the changed sources.
  const flags = `--seed ${options.seed}${only === undefined ? "" : ` --only ${only}`}`;
  console.log(`deno task mutants ${flags} --from ${options.from} --count ${options.count}`);
  const tried: TriedMutant[] = [];
  for await (const mutant of tryMutants({ ...options, checkout: CHECKOUT, signal: interruption.signal })) {
    tried.push(mutant);
    const { result, failedTest } = mutant;
    console.log(`${result.padEnd(12)} ${describe(mutant)}${failedTest === undefined ? "" : ` (${failedTest})`}`);
  }
  const survivors = tried.filter(({ result }) => result !== "noticed");
  const noticed = tried.length - survivors.length;
  const share = noticed / Math.max(tried.length, 1);
  console.log(`\n${noticed} of ${tried.length} mutants noticed (${Math.floor(100 * share)} %).`);
  if (survivors.length > 0) {
    console.log(["Survivors:", ...survivors.map((mutant) => `${mutant.result} ${describe(mutant)}`)].join("\n"));
  }
  console.log(`Continue with: deno task mutants ${flags} --from ${(tried.at(-1)?.number ?? options.from - 1) + 1}`);
  Deno.exitCode = share >= MIN_SHARE ? 0 : 1;
}

function describe({ number, file, line, code, replacement }: TriedMutant): string {
  return `${number} ${file}:${line}: ${shorten(code)} → ${shorten(replacement)}`;
}

/** Shortens code to a part of a line. */
function shorten(code: string): string {
  const line = code.replaceAll(/\s+/g, " ");
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`;
}

function readOptions(): Options {
  try {
    const { values } = parseArgs({
      args: Deno.args,
      options: {
        count: { type: "string" },
        seed: { type: "string" },
        from: { type: "string" },
        only: { type: "string" },
      },
    });
    const readCount = (flag: string, text?: string) => readNumber(flag, text, { min: 1, max: 1e6, isInteger: true });
    return {
      subjects: selectSubjects(values.only),
      only: values.only,
      count: readCount("--count", values.count) ?? 300,
      seed: readNumber("--seed", values.seed, { min: 0, max: MAX_SEED, isInteger: true }) ?? createSeed(),
      from: readCount("--from", values.from) ?? 1,
    };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    Deno.exit(2);
  }
}

function selectSubjects(only: string | undefined): readonly [Subject, ...Subject[]] {
  const names = only?.split(",") ?? SUBJECTS.map(({ name }) => name);
  const [first, ...others] = names.map((name) => {
    const found = SUBJECTS.find((subject) => subject.name === name);
    if (found !== undefined) return found;
    throw new Error(`There is no subject '${name}'.`);
  });
  if (first === undefined) throw new Error("--only names no subject.");
  return [first, ...others];
}
