/** Finds the test files that execute a line of the sources. */
import { runTests } from "../run_tests.ts";
import { forEachConcurrently } from "../support/for_each_concurrently.ts";
import { listFiles } from "./list_files.ts";
import type { Subject } from "./subjects.ts";

/** A test file, and the lines that it executes. */
interface MeasuredTest {
  readonly path: string;
  readonly milliseconds: number;
  /** The lines that it does not execute, by the path of each source file that it loads. */
  readonly idle: ReadonlyMap<string, ReadonlySet<number>>;
}

/** The lines of a subject that each of its test files executes. Code that runs only in killed processes is missing. */
export class ExecutedLines {
  /** From the fastest to the slowest. */
  readonly #tests: readonly MeasuredTest[];

  private constructor(tests: readonly MeasuredTest[]) {
    this.#tests = tests;
  }

  /** Runs each test file of a subject in a checkout. Throws if a test fails. */
  static async measure(checkout: string, subject: Subject, signal: AbortSignal): Promise<ExecutedLines> {
    const { tests, skipped = [] } = subject;
    const paths = tests.flatMap((path) => path.endsWith(".ts") ? [path] : listFiles(checkout, path))
      .filter((path) => path.endsWith("_test.ts") && !skipped.includes(path));
    const measured: MeasuredTest[] = [];
    await forEachConcurrently(paths, navigator.hardwareConcurrency, async (path) => {
      if (!signal.aborted) measured.push(await measureTest(checkout, subject, path));
    });
    if (measured.every(({ idle }) => idle.size === 0) && !signal.aborted) {
      throw new Error(`No test of ${subject.name} executes its sources.`);
    }
    return new ExecutedLines(measured.toSorted((one, other) => one.milliseconds - other.milliseconds));
  }

  /** Longest time that a test file took. */
  get longestMilliseconds(): number {
    return this.#tests.at(-1)?.milliseconds ?? 0;
  }

  /** Lists the test files that execute a line, the fastest first. */
  listTests(source: string, line: number): string[] {
    return this.#tests.filter(({ idle }) => idle.get(source)?.has(line) === false).map(({ path }) => path);
  }
}

async function measureTest(checkout: string, subject: Subject, path: string): Promise<MeasuredTest> {
  const directory = await Deno.makeTempDir({ prefix: "svc-coverage-" });
  try {
    const coverage = `${directory}/coverage`;
    const start = performance.now();
    const { failures } = await runTests([`--config=${checkout}/deno.json`, `${checkout}/${path}`], {
      directory,
      env: { DENO_COVERAGE_DIR: coverage },
      write: () => {},
    });
    if (failures !== "") throw new Error(`The tests of ${subject.name} fail:\n${failures}`);
    const milliseconds = performance.now() - start;
    return { path, milliseconds, idle: await readCoverage(checkout, `${checkout}/${subject.sources}/`, coverage) };
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function readCoverage(checkout: string, sources: string, directory: string): Promise<MeasuredTest["idle"]> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["coverage", "--lcov", `--include=^file://${sources}`, directory],
    cwd: checkout,
    stderr: "null",
  });
  const { stdout } = await command.output();
  const idle = new Map<string, Set<number>>();
  for (
    const [, path = "", records = ""] of new TextDecoder().decode(stdout).matchAll(/^SF:(.*)\n([^]*?)^end_of_record/gm)
  ) {
    const list = (pattern: RegExp) => new Set(Array.from(records.matchAll(pattern), ([, line]) => Number(line)));
    const text = (await Deno.readTextFile(path)).split("\n");
    // A line without hits may be executed except for a branch or a function in it.
    const taken = list(/^BRDA:(\d+),.*,[1-9]\d*$/gm);
    const lines = [...list(/^DA:(\d+),0$/gm)].filter((line) => !taken.has(line) && !text[line - 1]?.includes("=>"));
    idle.set(path.slice(checkout.length + 1), new Set(lines));
  }
  return idle;
}
