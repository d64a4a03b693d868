/** Tries mutants of a checkout, one after another, each in a copy of the checkout. */
import { cpSync } from "node:fs";
import { runTests, type TestResults } from "../run_tests.ts";
import { copyCheckout } from "../support/copy_checkout.ts";
import { SeededRandom } from "../support/seeded_random.ts";
import { applyMutant, findMutants, type Mutant } from "./find_mutants.ts";
import type { Subject } from "./subjects.ts";

/** Mutants to try. */
export interface MutantOptions {
  /** The checkout, which stays unchanged. */
  readonly checkout: string;
  /** The parts of the sources to change. */
  readonly subjects: readonly [Subject, ...Subject[]];
  /** Seed of the order of the mutants. */
  readonly seed: number;
  /** Number of the first mutant, from 1. */
  readonly from: number;
  /** How many mutants to try. Those that do not compile are replaced by the next ones. */
  readonly count: number;
  /** Stops after the current mutant, which does not count. */
  readonly signal: AbortSignal;
}

/** A mutant after the tests of its subject. */
export interface TriedMutant extends Mutant {
  /** Number in the order of the seed, from 1. */
  readonly number: number;
  /** True if a test failed or did not end. */
  readonly isNoticed: boolean;
}

/** Tries mutants. Throws if the tests of a subject fail without a change. */
export async function* tryMutants(options: MutantOptions): AsyncGenerator<TriedMutant> {
  const { subjects, seed, from, count, signal } = options;
  const directory = await Deno.makeTempDir({ prefix: "svc-mutants-" });
  try {
    const copy = `${directory}/checkout`;
    copyCheckout(copy, options.checkout);
    cpSync(`${options.checkout}/tests`, `${copy}/tests`, { recursive: true });
    const mutants = shuffle(subjects.flatMap((subject) => findMutantsOf(copy, subject)), new SeededRandom(seed));
    const tested = new Set<Subject>();
    let left = count;
    for (const [index, { subject, ...mutant }] of mutants.entries()) {
      if (left === 0 || signal.aborted) return;
      if (index + 1 < from) continue;
      const path = `${copy}/${mutant.file}`;
      const text = await Deno.readTextFile(path);
      await Deno.writeTextFile(path, applyMutant(text, mutant));
      const compiles = await check(copy, mutant.file);
      if (compiles && !tested.has(subject)) {
        await Deno.writeTextFile(path, text);
        const { failures } = await runTestsOf(subject, directory);
        if (failures !== "" && !signal.aborted) throw new Error(`The tests of ${subject.name} fail:\n${failures}`);
        tested.add(subject);
        await Deno.writeTextFile(path, applyMutant(text, mutant));
      }
      const results = compiles && !signal.aborted ? await runTestsOf(subject, directory) : undefined;
      await Deno.writeTextFile(path, text);
      if (results === undefined || signal.aborted) continue;
      yield { ...mutant, number: index + 1, isNoticed: results.failed > 0 };
      left--;
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

function findMutantsOf(copy: string, subject: Subject): (Mutant & { readonly subject: Subject })[] {
  return listSources(copy, subject.sources).flatMap((file) =>
    findMutants(file, Deno.readTextFileSync(`${copy}/${file}`)).map((mutant) => ({ ...mutant, subject }))
  );
}

/** Lists the TypeScript files of a folder and its folders, always in the same order. */
function listSources(copy: string, folder: string): string[] {
  return [...Deno.readDirSync(`${copy}/${folder}`)]
    .toSorted((one, other) => one.name < other.name ? -1 : 1)
    .flatMap(({ name, isDirectory }) => {
      const path = `${folder}/${name}`;
      return isDirectory ? listSources(copy, path) : path.endsWith(".ts") ? [path] : [];
    });
}

function shuffle<T>(items: readonly T[], random: SeededRandom): T[] {
  return items.map((item) => ({ item, place: random.next() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

/** Reports whether a file compiles. */
async function check(copy: string, file: string): Promise<boolean> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["check", "--quiet", `--config=${copy}/deno.json`, `${copy}/${file}`],
    stdout: "null",
    stderr: "null",
  });
  return (await command.output()).success;
}

async function runTestsOf({ tests, skipped = [] }: Subject, directory: string): Promise<TestResults> {
  const copy = `${directory}/checkout`;
  const args = ["--fail-fast", `--config=${copy}/deno.json`, ...tests.map((path) => `${copy}/${path}`)];
  if (skipped.length > 0) args.unshift(`--ignore=${skipped.map((path) => `${copy}/${path}`).join()}`);
  const files = `${directory}/files`;
  await Deno.mkdir(files);
  try {
    return await runTests(args, { directory: files, write: () => {} });
  } finally {
    await Deno.remove(files, { recursive: true });
  }
}
