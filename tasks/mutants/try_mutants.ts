/** Tries mutants of a checkout, one after another, each in a copy of the checkout. */
import { cpSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { runTests } from "../run_tests.ts";
import { copyCheckout } from "../support/copy_checkout.ts";
import { SeededRandom } from "../support/seeded_random.ts";
import { ExecutedLines } from "./executed_lines.ts";
import { applyMutant, findMutants, type Mutant } from "./find_mutants.ts";
import { listFiles } from "./list_files.ts";
import { selectCompiling } from "./select_compiling.ts";
import type { Subject } from "./subjects.ts";

/** Shortest time without the end of a test after which a mutant is noticed, in seconds. */
const MIN_STALL_SECONDS = 30;

/** How many mutants are compiled together. */
const CHECKED_TOGETHER = 50;

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

/** A mutant with its number in the order of the seed, from 1. */
interface NumberedMutant extends Mutant {
  readonly number: number;
}

/** A mutant after the tests of its subject. */
export interface TriedMutant extends NumberedMutant {
  /** `noticed` if a test failed or did not end, `not executed` if no test executes the changed line. */
  readonly result: "noticed" | "survived" | "not executed";
  /** The first test that failed. */
  readonly failedTest?: string;
}

/**
 * Tries mutants. A mutant is run with the test files that execute the changed line. Throws if the tests of a subject fail
 * without a change.
 */
export async function* tryMutants(options: MutantOptions): AsyncGenerator<TriedMutant> {
  const { subjects, seed, from, count, signal } = options;
  const directory = await Deno.makeTempDir({ prefix: "svc-mutants-" });
  try {
    const copy = `${directory}/checkout`;
    copyCheckout(copy, options.checkout);
    cpSync(`${options.checkout}/tests`, `${copy}/tests`, { recursive: true });
    const all = subjects.flatMap((subject) => findMutantsOf(copy, subject));
    const mutants = shuffle(all, new SeededRandom(seed)).map((mutant, index) => ({ ...mutant, number: index + 1 }));
    const executed = new Map<Subject, ExecutedLines>();
    let left = count;
    for (let start = from - 1; start < mutants.length && left > 0; start += CHECKED_TOGETHER) {
      const checked = await selectCompiling(copy, mutants.slice(start, start + CHECKED_TOGETHER));
      for (const { subject, ...mutant } of checked.slice(0, left)) {
        if (signal.aborted) return;
        const lines = executed.get(subject) ?? await ExecutedLines.measure(copy, subject, signal);
        executed.set(subject, lines);
        const tried = await tryTests(directory, lines, mutant);
        if (signal.aborted) return;
        yield tried;
        left--;
      }
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

function findMutantsOf(copy: string, subject: Subject): (Mutant & { readonly subject: Subject })[] {
  return listFiles(copy, subject.sources).flatMap((file) =>
    findMutants(file, Deno.readTextFileSync(`${copy}/${file}`)).map((mutant) => ({ ...mutant, subject }))
  );
}

function shuffle<T>(items: readonly T[], random: SeededRandom): T[] {
  return items.map((item) => ({ item, place: random.next() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

/** Runs the test files that execute the changed line. */
async function tryTests(directory: string, lines: ExecutedLines, mutant: NumberedMutant): Promise<TriedMutant> {
  const copy = `${directory}/checkout`;
  const tests = lines.listTests(mutant.file, mutant.firstLine);
  if (tests.length === 0) return { ...mutant, result: "not executed" };
  const path = `${copy}/${mutant.file}`;
  const text = await Deno.readTextFile(path);
  const files = `${directory}/files`;
  await Deno.mkdir(files);
  try {
    await Deno.writeTextFile(path, applyMutant(text, mutant));
    const groups = await writeGroups(copy, tests, files);
    const { failures } = await runTests(["--fail-fast", `--config=${copy}/deno.json`, ...groups], {
      directory: files,
      write: () => {},
      stallSeconds: Math.ceil(MIN_STALL_SECONDS + 2 * lines.longestMilliseconds / 1000),
    });
    if (failures === "") return { ...mutant, result: "survived" };
    const failedTest = stripVTControlCharacters(failures).match(/^(.+) => .*_test\.ts:\d+/m)?.[1];
    return { ...mutant, result: "noticed", failedTest };
  } finally {
    await Deno.writeTextFile(path, text);
    await Deno.remove(files, { recursive: true });
  }
}

/** Writes a module for each processor that imports its share of the tests, because starting a file takes long. */
async function writeGroups(copy: string, tests: readonly string[], directory: string): Promise<string[]> {
  const count = Math.min(navigator.hardwareConcurrency, tests.length);
  const groups = Array.from({ length: count }, (_, i) => tests.filter((_test, place) => place % count === i));
  return await Promise.all(groups.map(async (paths, i) => {
    const path = `${directory}/group${i}_test.ts`;
    await Deno.writeTextFile(path, paths.map((test) => `import "file://${copy}/${test}";\n`).join(""));
    return path;
  }));
}
